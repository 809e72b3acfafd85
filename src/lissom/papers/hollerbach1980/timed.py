"""Times of the formulations, measured on this machine: for information, no verdict depends on them."""

from __future__ import annotations

from collections.abc import Callable

from lissom.listing import Listing
from lissom.papers.claims import Claim, Drawing, undecidable
from lissom.papers.hollerbach1980.printed import NAMES, PRINTED
from lissom.verbs.timing import FormulationTime, time_formulations
from lissom.views.figures.panels import Curve, Panel

TABLE, RECURSION = "horn_raibert_table", "newton_euler_link"
METHODS = ("uicker_kahn", "waters", "hollerbach_4x4", "hollerbach_3x3", RECURSION, TABLE)
RANKED, CROSSED = (2, 4, 6), range(2, 13)  # numbers of joints
SIX = 6
PDP = 7.9  # s per point by (4) on a PDP 11/45, Luh et al.
OPERATIONS = {method: sum(printed.six) for method, printed in PRINTED.items()}
PDP_OPERATION = PDP / OPERATIONS["uicker_kahn"]  # [s]


def measured(progress: Callable[[str], object] | None) -> tuple[Claim, Listing, Drawing]:
    """The claim about real time, and the measured times as a table and as curves; compiles for some seconds."""
    ranked = time_formulations(METHODS, joints=RANKED, progress=progress)
    crossed = time_formulations((RECURSION, TABLE), joints=CROSSED, progress=progress)
    six = {row.method: row.nanoseconds for row in ranked if row.joints == SIX}
    return _real_time(six), _listing(ranked), _drawn(crossed)


def _listing(rows: tuple[FormulationTime, ...]) -> Listing:
    times = {(row.method, row.joints): f"{row.nanoseconds:.0f} ns" for row in rows}
    shown = [[NAMES[method], *(times.get((method, n), "-") for n in RANKED)] for method in METHODS]
    title = "CPU time per state, compiled as written, entries of tables in the cache and not interpolated (information)"
    return Listing.of(("formulation", *(f"{n} joints" for n in RANKED)), shown, title)


def _real_time(six: dict[str, float]) -> Claim:
    """What the paper's own number of seconds gives for the recursions."""
    points = {method: 1 / (PDP_OPERATION * OPERATIONS[method]) for method in (RECURSION, "hollerbach_3x3")}
    return undecidable(
        "Uicker/Kahn, Conclusion",
        f"{PDP} s per point on a PDP 11/45 by (4); by the recursions computing in real time appears to have been "
        "solved, even on modest computers such as PDP 11's",
        f"{1e6 * PDP_OPERATION:.0f} us for each of {OPERATIONS['uicker_kahn']:,} operations: at that rate "
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
