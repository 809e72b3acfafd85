"""`lissom count`: what the published formulations cost."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table

from lissom.cli.common import AsJson, complete_arm, err, failing_kindly, load_arm, out, print_json, save_figure, wide


def count(
    n: Annotated[int, typer.Option("--n", min=1, help="Joints of a generic revolute arm.")] = 6,
    arm: Annotated[
        str | None, typer.Option("--arm", help="Count this arm instead.", autocompletion=complete_arm)
    ] = None,
    time: Annotated[bool, typer.Option("--time", help="Also measure nanoseconds, each compiled as written.")] = False,
    most: Annotated[int, typer.Option("--most", min=1, help="Joints to measure up to.")] = 12,
    figure: Annotated[Path | None, typer.Option("--figure", help="Draw the measured times into this file.")] = None,
    as_json: AsJson = False,
) -> None:
    """Count multiplications and additions of the published formulations; with --time, nanoseconds too."""
    from lissom.papers.hollerbach1980 import count_table, in_words
    from lissom.verbs.timing import time_formulations

    with failing_kindly():
        chosen = None if arm is None else load_arm(arm)
        rows = count_table(n, chosen)
        times: tuple[Any, ...] = ()
        if time or figure is not None:
            with err.status("measuring") as status:
                times = time_formulations(joints=range(1, most + 1), progress=lambda words: status.update(words))
        if as_json:
            print_json({"counts": [in_words(row) for row in rows], "times": [row._asdict() for row in times]})
        else:
            _show_counts(rows, f"n = {n}" if chosen is None else chosen.name, n if chosen is None else None)
            _show_times(times)
        if figure is not None:
            from lissom.views.costs import draw_times

            save_figure(draw_times(times), figure)


def _show_counts(rows: Any, title: str, n: int | None) -> None:
    """Counts and polynomials, the paper's beside ours."""
    from lissom.papers.hollerbach1980 import in_words

    table = Table(
        title=f"Multiplications and additions ({title}); dense rule, and folded for the arm", title_justify="left"
    )
    for word in ("formulation", "printed", "dense", "folded"):
        table.add_column(word, justify="left" if word == "formulation" else "right")
    growth = Table(title="Growth with the number of joints n (dense rule)", title_justify="left")
    for word in ("formulation", "", "printed", "ours"):
        growth.add_column(word)
    for row in rows:
        plain = in_words(row)
        printed = plain["printed"]
        six = "" if printed is None or n != 6 else "{} {}".format(*printed["six"])
        table.add_row(row.method, six, _pair(row.dense), _pair(row.folded))
        for word in ("multiplications", "additions"):
            growth.add_row(row.method, word, "" if printed is None else printed[word], plain[word])
    _print_wide(table)
    _print_wide(growth)
    if any(row.dense is None for row in rows):
        out.print("Where counts are missing, the formulation covers serial arms only.")
    out.print("Rules and reasons: docs/formulations/index.md. No rule is tuned to a printed number.")


def _pair(counts: tuple[int, int] | None) -> str:
    return "" if counts is None else "{} {}".format(*counts)


def _print_wide(table: Table) -> None:
    for column in table.columns:
        column.no_wrap = True
    wide.print(table)


def _show_times(times: Any) -> None:
    if not times:
        return
    joints = sorted({row.joints for row in times})
    table = Table(title="Nanoseconds per state, compiled as written, four lanes, one core", title_justify="left")
    table.add_column("formulation")
    for n in joints:
        table.add_column(str(n), justify="right")
    known = {(row.method, row.joints): row.nanoseconds for row in times}
    for method in dict.fromkeys(row.method for row in times):
        cells = [f"{known[method, n]:.0f}" if (method, n) in known else "" for n in joints]
        table.add_row(method, *cells)
    _print_wide(table)
