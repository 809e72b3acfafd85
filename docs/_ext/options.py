"""The options of every command on the page of commands, from the command line itself."""

from __future__ import annotations

import re
from typing import Any

from typer.main import get_command

from lissom.cli.main import app as tool

MARK = "<!-- options -->"
STYLE = re.compile(r"\[/?(?:bold|italic|dim|cyan|green|red|yellow)\]")


def cell(words: str) -> str:
    return STYLE.sub("", words).replace("|", "\\|").replace("\n", " ").strip()


def rows(command: Any) -> list[str]:
    """What the help shows of each argument and option."""
    context = command.context_class(command, info_name=command.name)
    found = [p.get_help_record(context) for p in command.params if not p.hidden and p.name != "help"]
    return [f"| `{cell(record[0])}` | {cell(record[1])} |" for record in found if record]


def written() -> str:
    """A folded table for each command."""
    group, parts = get_command(tool), []
    for name in group.commands:
        _, command, _ = group.resolve_command(None, [name])
        summary = cell((command.help or "").split("\n\n")[0])
        table = "\n".join(["| | |", "|---|---|", *rows(command)])
        parts.append(f"<details>\n<summary><code>lissom {name}</code> {summary}</summary>\n\n{table}\n\n</details>")
    return "\n\n".join(parts)


def fill(app, docname: str, source: list[str]) -> None:
    if docname == "commands":
        source[0] = source[0].replace(MARK, written())


def setup(app) -> dict[str, bool]:
    app.connect("source-read", fill)
    app.connect("env-get-outdated", lambda *_: ["commands"])  # the command line may have changed
    return {"parallel_read_safe": True, "parallel_write_safe": True}
