"""`lissom count`: what the published formulations cost."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table

from lissom.cli.arm_options import ArmOptions, complete_arm
from lissom.cli.common import AsJson, check_figure, err, out, print_json, save_figure

SIDE_BY_SIDE = 6


def count(
    n: Annotated[
        int,
        typer.Option(
            "--n", metavar="N", min=1, help="Number of joints of a generic revolute arm; not used with --arm."
        ),
    ] = 6,
    arm: Annotated[
        str | None,
        typer.Option("--arm", metavar="ARM", help="Count for this arm instead.", autocompletion=complete_arm),
    ] = None,
    time: Annotated[
        bool, typer.Option("--time", help="Also measure the time of each formulation, compiled as published.")
    ] = False,
    most: Annotated[
        int, typer.Option("--most", metavar="N", min=1, help="With --time: measure arms of 1 to this many joints.")
    ] = 12,
    figure: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write a figure of the measured times to this file.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Count the multiplications and additions of the published formulations."""
    from lissom.papers.hollerbach1980.counts import count_table, in_words
    from lissom.verbs.timing import time_formulations

    check_figure(figure)
    chosen = None if arm is None else ArmOptions(arm).load()
    size = n if chosen is None else chosen.dof
    rows = count_table(n, chosen)
    times: tuple[Any, ...] = ()
    if time or figure is not None:
        with err.status("measuring") as status:
            times = time_formulations(joints=range(1, most + 1), progress=lambda words: status.update(words))
    if as_json:
        print_json({"counts": [in_words(row, size) for row in rows], "times": [row._asdict() for row in times]})
    else:
        _show_counts(rows, f"n = {n}" if chosen is None else chosen.name, size)
        _show_times(times)
    if figure is not None:
        from lissom.views.plots.costs import draw_times

        save_figure(draw_times(times), figure)


def _show_counts(rows: Any, title: str, n: int) -> None:
    """Counts and polynomials, the paper's beside ours."""
    from lissom.papers.hollerbach1980.counts import in_words

    plain = [in_words(row, n) for row in rows]
    table = Table(title=f"Number of multiplications and additions, {title}", title_justify="left")
    for word in ("formulation", "printed", "dense", "folded"):
        table.add_column(word, justify="left" if word == "formulation" else "right")
    for row in plain:
        theirs = "" if row["printed"] is None else "{:.0f} {:.0f}".format(*row["printed"]["for_n"])
        table.add_row(row["method"], theirs, _pair(row["dense"]), _pair(row["folded"]))
    out.print(table)
    if any(row["dense"] is None for row in plain):
        out.print("No count: the formulation covers serial arms only.")
    out.print("\nGrowth with the number of joints n, from n = 2 on (dense rule)")
    for row in plain:
        out.print(f"\n{row['method']}")
        for word in ("multiplications", "additions"):
            if row["printed"] is not None:
                out.print(f"  {word:<16} printed  {row['printed'][word]}")
            out.print(f"  {word:<16} ours     {row[word]}")
            if row["why"].get(word):
                out.print(f"  {'':<16} {row['why'][word]}.", markup=False)
    out.print(
        "\nPrinted: the paper's number. Dense: every product and sum, as the papers count. Folded: without products and"
    )
    out.print(
        "sums with zeros and ones (of the given arm, or of a PUMA's geometry). Neither is tuned to a printed number."
    )


def _pair(counts: tuple[int, int] | None) -> str:
    return "" if counts is None else "{} {}".format(*counts)


def _show_times(times: Any) -> None:
    """Six numbers of joints at a time, so that nothing is cut short."""
    joints = sorted({row.joints for row in times})
    known = {(row.method, row.joints): row.nanoseconds for row in times}
    for start in range(0, len(joints), SIDE_BY_SIDE):
        some = joints[start : start + SIDE_BY_SIDE]
        table = Table(title="Nanoseconds per state, compiled as written, four lanes, one core", title_justify="left")
        table.add_column("joints")
        for n in some:
            table.add_column(str(n), justify="right")
        for method in dict.fromkeys(row.method for row in times):
            table.add_row(method, *(f"{known[method, n]:.0f}" if (method, n) in known else "" for n in some))
        out.print(table)
