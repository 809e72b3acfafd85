"""Tables of measured results on the pages that show them, from the files in `benchmarks/results/`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).parents[2] / "benchmarks" / "results"
MARK = "<!-- tables -->"
OWN_PAGE = {"gauntlet": "robots"}  # results that have a page of their own; the others are on the performance page
TITLES = {  # in this order; others follow by name
    "rigid": "Rigid dynamics",
    "toolbox": "Robotics Toolbox",
    "cold": "First calls and single states",
    "simulation": "Simulation",
    "holding": "Robots held by PD control",
    "flexible": "Flexible links",
    "motion": "Optimal motions",
    "flexible_motion": "Motions without vibration",
    "loops": "Closed loops",
    "studies": "Studies",
    "gauntlet": "Results",
}


def number(value: Any) -> str:
    """Three significant digits of a float; other values as they are."""
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"
    return str(value)


def table(columns: list[str], rows: list[list[Any]]) -> str:
    """A Markdown table; columns of numbers to the right."""
    right = [all(isinstance(row[k], int | float | None) for row in rows) for k in range(len(columns))]
    lines = [columns, ["---:" if r else "---" for r in right], *[[number(x) for x in row] for row in rows]]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def section(name: str, report: dict[str, Any]) -> str:
    """One benchmark: what, when, where, and its tables."""
    on, known = report["machine"], ", ".join(f"{word} {number}" for word, number in report["versions"].items())
    parts = [f"## {TITLES.get(name, name)}", report["what"]]
    for found in report["tables"]:
        parts += [f"### {found['title']}", table(found["columns"], found["rows"]), found["note"]]
    parts.append(f"*`{report['command']}`, {report['date']}, {on['cpu']}, {on['cores']} cores, load {on['load']}, "
                 f"{on['system']}; {known}.*")  # fmt: skip
    return "\n\n".join(part for part in parts if part)


def written(page: str = "performance", folder: Path = RESULTS) -> str:
    """All sections of a page."""
    files = [path for path in sorted(folder.glob("*.json")) if OWN_PAGE.get(path.stem, "performance") == page]
    found = {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in files}
    if not found:
        return "No results are stored in this copy; the command above with `--save` stores them."
    order = [name for name in TITLES if name in found] + [name for name in found if name not in TITLES]
    return "\n\n".join(section(name, found[name]) for name in order)


def fill(app, docname: str, source: list[str]) -> None:
    if docname in ("performance", *OWN_PAGE.values()):
        source[0] = source[0].replace(MARK, written(docname))


def setup(app) -> dict[str, bool]:
    app.connect("source-read", fill)
    app.connect("env-get-outdated", lambda *_: ["performance", *OWN_PAGE.values()])  # files may have changed
    return {"parallel_read_safe": True, "parallel_write_safe": True}
