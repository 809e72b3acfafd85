"""Claims of Hollerbach 1980 about time, measured on this machine."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

from lissom.papers.claims import Claim, Drawing, limited, undecidable
from lissom.papers.hollerbach1980.printed import NAMES, PRINTED
from lissom.verbs.timing import FormulationTime, time_formulations
from lissom.views.figures.panels import Curve, Panel

TABLE, RECURSION = "horn_raibert_table", "newton_euler_link"
METHODS = ("uicker_kahn", "waters", "hollerbach_4x4", "hollerbach_3x3", RECURSION, TABLE)
SIX = 6
PDP = 7.9  # s per point by (4) on a PDP 11/45, Luh et al.


def claims_and_drawings(progress: Callable[[str], object] | None) -> tuple[list[Claim], list[Drawing]]:
    """Claims about ranks, about tables and about real time; compiles for some seconds."""
    ranked = time_formulations(METHODS, joints=(2, 4, SIX), progress=progress)
    crossed = time_formulations((RECURSION, TABLE), joints=range(2, 13), progress=progress)
    six = {row.method: row.nanoseconds for row in ranked if row.joints == SIX}
    return [_ranks(six), _tables(crossed), _real_time(six)], [_drawn(crossed)]


def _ranks(six: dict[str, float]) -> Claim:
    listed = ", ".join(f"{NAMES[m]} {six[m]:.0f} ns" for m in METHODS if m in six)
    missing = [m for m in METHODS if m not in six]
    computing = [m for m in METHODS[:-1] if m in six]
    return limited(
        "Table II",
        "for n = 6 the formulations rank as listed, tables being the cheapest",
        f"time per state, compiled as written: {listed}"
        + (f"; {', '.join(NAMES[m] for m in missing)} took too long to compile" if missing else ""),
        all(six[a] > six[b] for a, b in pairwise(computing)) and six[TABLE] > six[RECURSION],
        f"the rank of those that compute; a table takes {six[TABLE] / six[RECURSION]:.1f} times that of Newton-Euler",
        "with the table's entries in the cache, and no interpolation",
    )


def crossing(rows: tuple[FormulationTime, ...], above: str, below: str) -> int | None:
    """The first n from which `above` stays slower than `below`."""
    times = {(row.method, row.joints): row.nanoseconds for row in rows}
    shared = sorted(n for m, n in times if m == above and (below, n) in times)
    slower = [times[above, n] > times[below, n] for n in shared]
    for k, n in enumerate(shared):
        if all(slower[k:]):
            return n
    return None


def _tables(rows: tuple[FormulationTime, ...]) -> Claim:
    cross = crossing(rows, TABLE, RECURSION)
    return limited(
        "Configuration space",
        "for n >= 9 tables are less efficient than Newton-Euler, by time",
        f"measured: slower from n = {cross} on" if cross else f"measured: not up to n = {rows[-1].joints}",
        cross is not None and cross <= 9,
        f"in time from n = {cross} on here: reading n^3 coefficients costs more than computing with few numbers",
    )


def _real_time(six: dict[str, float]) -> Claim:
    """What the paper's own number of seconds gives for the recursions."""
    operations = {method: sum(printed.six) for method, printed in PRINTED.items()}
    each = PDP / operations["uicker_kahn"]
    points = {m: 1 / (each * operations[m]) for m in (RECURSION, "hollerbach_3x3")}
    return undecidable(
        "Uicker/Kahn, Conclusion",
        f"{PDP} s per point on a PDP 11/45 by (4); by the recursions computing in real time appears to have been "
        "solved, even on modest computers such as PDP 11's",
        f"{1e6 * each:.0f} us for each of {operations['uicker_kahn']:,} operations: at that rate "
        f"{points[RECURSION]:.1f} points per second by Newton-Euler, {points['hollerbach_3x3']:.1f} by 3x3 matrices; "
        f"on one core of this machine {1e3 / six[RECURSION]:.0f} and {1e3 / six['hollerbach_3x3']:.0f} million",
        "the paper names no rate that it calls real time, and there is no such machine here",
    )


def _drawn(rows: tuple[FormulationTime, ...]) -> Drawing:
    curves = []
    for method in (RECURSION, TABLE):
        some = [row for row in rows if row.method == method]
        curves.append(Curve(NAMES[method], [row.joints for row in some], [row.nanoseconds for row in some], "o-"))
    panel = Panel("compiled as written, one core", "joints", "time per state [ns]", tuple(curves))
    return Drawing("tables_against_recursion", "Time of tables and of Newton-Euler", (panel,), 1)
