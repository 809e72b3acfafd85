"""The options of every command on the page of commands, from the command line itself.

The page has them between comments, ``<!-- options -->`` and ``<!-- end -->``; `tools/page_tables.py` writes them.
The site folds them.
"""

from __future__ import annotations

import re
from typing import Any

from typer.main import get_command

from lissom.cli.main import app as tool

MARK = re.compile(r"(<!-- options -->)(.*?)(<!-- end -->)", re.DOTALL)
STYLE = re.compile(r"\[/?(?:bold|italic|dim|cyan|green|red|yellow)\]")


def cell(words: str) -> str:
    return STYLE.sub("", words).replace("\\[", "[").replace("|", "\\|").replace("\n", " ").strip()


def rows(command: Any) -> list[str]:
    """What the help shows of each argument and option."""
    context = command.context_class(command, info_name=command.name)
    found = [p.get_help_record(context) for p in command.params if not p.hidden and p.name != "help"]
    return [f"| `{cell(record[0])}` | {cell(record[1])} |" for record in found if record]


def written(site: bool = True) -> str:
    """A table for each command, folded on the site."""
    group, parts = get_command(tool), []
    for name in group.commands:
        _, command, _ = group.resolve_command(None, [name])
        summary = cell((command.help or "").split("\n\n")[0])
        table = "\n".join(["| | |", "|---|---|", *rows(command)])
        if site:
            parts.append(f"<details>\n<summary><code>lissom {name}</code> {summary}</summary>\n\n{table}\n\n</details>")
        else:
            parts.append(f"**`lissom {name}`** {summary}\n\n{table}")
    return "\n\n".join(parts)


def filled(page: str, text: str, site: bool) -> str:
    """The text of the page of commands with the options as they are now; other pages as they are."""
    if page != "commands":
        return text
    return MARK.sub(lambda place: f"{place[1]}\n\n{written(site)}\n\n{place[3]}", text)


def fill(app, docname: str, source: list[str]) -> None:
    source[0] = filled(docname, source[0], site=True)


def setup(app) -> dict[str, bool]:
    app.connect("source-read", fill)
    app.connect("env-get-outdated", lambda *_: ["commands"])  # the command line may have changed
    return {"parallel_read_safe": True, "parallel_write_safe": True}
