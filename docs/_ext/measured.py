"""Charts, tables and single numbers on the pages that show them, from the files in `benchmarks/results/`.

A page has the tables between comments, ``<!-- tables -->`` and ``<!-- end -->``, and single numbers as in
``<!-- measured NAME -->22<!-- end -->``, so that it can be read without the site; `tools/page_tables.py` writes them.
The site shows the present ones: charts first, tables folded.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from statistics import median
from typing import Any

import charts

RESULTS = Path(__file__).parents[2] / "benchmarks" / "results"
MARK = re.compile(r"(<!-- (tables|overview) -->)(.*?)(<!-- end -->)", re.DOTALL)
NUMBER = re.compile(r"<!-- measured (\w+) -->(.*?)<!-- end -->")
OWN_PAGE = {"gauntlet": "robots"}  # results that have a page of their own; the others are on the performance page
NAMED = ("index", "flexible", "comparison")  # pages with single numbers
TITLES = {  # in this order; others follow by name
    "rigid": "Rigid dynamics",
    "toolbox": "Robotics Toolbox",
    "cold": "First calls and single states",
    "simulation": "Simulation",
    "holding": "Robots held by PD control",
    "flexible": "Flexible links",
    "motion": "Optimal motions",
    "retiming": "Retiming of paths",
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


def folded(title: str, parts: list[str]) -> str:
    """Markdown that is seen after a click."""
    return "\n\n".join([f"<details>\n<summary>{title}</summary>", *parts, "</details>"])


def section(name: str, report: dict[str, Any], chart: bool, site: bool) -> str:
    """One benchmark: what, when, where, on the site its chart, and its tables."""
    on, known = report["machine"], ", ".join(f"{word} {number}" for word, number in report["versions"].items())
    title = TITLES.get(name, name)
    tables = [part for found in report["tables"]
              for part in (f"**{found['title']}**", table(found["columns"], found["rows"]), found["note"])]  # fmt: skip
    ran = (f"*`{report['command']}`, {report['date']}, {on['cpu']}, {on['cores']} cores, load {on['load']}, "
           f"{on['system']}; {known}.*")  # fmt: skip
    drawing = [charts.shown(name, f"{title}: bar chart of the tables below")] if chart and site else []
    shown = [x for x in tables if x]
    return "\n\n".join([f"## {title}", report["what"], *drawing, *([folded("Tables", shown)] if site else shown), ran])


def results(folder: Path = RESULTS) -> dict[str, dict[str, Any]]:
    """{name: what a benchmark stored}."""
    return {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in sorted(folder.glob("*.json"))}


def written(page: str = "performance", site: bool = True) -> str:
    """All sections of a page, for the site or for the file itself."""
    stored = results()
    found = {name: report for name, report in stored.items() if OWN_PAGE.get(name, "performance") == page}
    if not found:
        return "No results are stored in this copy; the command above with `--save` stores them."
    order = [name for name in TITLES if name in found] + [name for name in found if name not in TITLES]
    drawn = charts.drawn(stored)
    return "\n\n".join(section(name, found[name], name in drawn, site) for name in order)


def overview(site: bool = True) -> str:
    """All comparisons: a chart on the site, a table in the file."""
    stored = results()
    if "rigid" not in stored:
        return ""
    if site:
        return charts.shown("overview", "How many times faster lissom is than other libraries: range and median")
    rows = [[label, float(min(x)), float(median(x)), float(max(x))] for label, x in charts.ranges(stored).items()]
    return table(["times faster than", "least", "median", "most"], rows)


def filled(page: str, text: str, site: bool) -> str:
    """The text of a page with its tables and single numbers as they are now."""
    if page in ("performance", *OWN_PAGE.values()):
        made = {"tables": lambda: written(page, site), "overview": lambda: overview(site)}
        text = MARK.sub(lambda place: f"{place[1]}\n\n{made[place[2]]()}\n\n{place[4]}", text)
    return text


# ---- single numbers ------------------------------------------------------------------------------


def cell(report: dict[str, Any], column: str, *row: str) -> float:
    """An entry of the first table of a benchmark, in the row that begins with, or has, these words."""
    table = report["tables"][0]
    (found,) = [entries for entries in table["rows"] if set(row) <= set(map(str, entries))]
    return float(found[table["columns"].index(column)])


def numbers(found: dict[str, dict[str, Any]]) -> dict[str, str]:
    """The numbers that pages name."""
    return {
        "pinocchio": f"{cell(found['rigid'], charts.PINOCCHIO, 'panda', 'inverse dynamics, batch'):.0f}",
        "mujoco": f"{cell(found['simulation'], 'times faster', 'initial states'):.0f}",
        "exudyn": f"{cell(found['flexible'], 'times faster', 'one run'):.0f}",
        "exudyn_together": f"{cell(found['flexible'], 'times faster', 'runs at once'):,.0f}",
        "toolbox": f"{cell(found['toolbox'], 'times faster', 'inverse dynamics, one state'):.0f}",
    }


def numbered(text: str, known: dict[str, str]) -> str:
    """The text of a page with the single numbers that are known."""
    return NUMBER.sub(lambda place: f"<!-- measured {place[1]} -->{known.get(place[1], place[2])}<!-- end -->", text)


def fill(app, docname: str, source: list[str]) -> None:
    known = numbers(results()) | app.config.measured_numbers
    source[0] = NUMBER.sub(lambda place: known[place[1]], filled(docname, source[0], site=True))


def draw(app, problem: Exception | None) -> None:
    if problem is None and app.builder.format == "html":
        charts.write(results(), Path(app.outdir) / "_static" / charts.FOLDER)


def setup(app) -> dict[str, bool]:
    app.add_config_value("measured_numbers", {}, "")  # other extensions add theirs
    app.connect("source-read", fill)
    app.connect("build-finished", draw)
    app.connect("env-get-outdated", lambda *_: [*NAMED, "performance", *OWN_PAGE.values()])  # files may have changed
    return {"parallel_read_safe": True, "parallel_write_safe": True}
