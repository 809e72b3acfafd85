"""Reproduction of Hollerbach 1980: six formulations of inverse dynamics, operation counts, cost of tables."""

from __future__ import annotations

import time
from collections.abc import Callable
from fractions import Fraction
from itertools import chain, combinations, pairwise
from typing import Any, NamedTuple

import numpy as np

from lissom.errors import UnsupportedError
from lissom.formats.load import load
from lissom.formulations.counting import at, degree_of, polynomial, written
from lissom.model.arm import Arm
from lissom.model.loads import Payload
from lissom.papers.claims import OPEN, Claim, Drawing, Reproduction, judged
from lissom.verbs.configuration_table import ConfigurationTable
from lissom.verbs.count import count_operations, puma_like
from lissom.verbs.dynamics import inverse_dynamics
from lissom.verbs.timing import FormulationTime, time_formulations
from lissom.views.figures.palette import COLOURS
from lissom.views.figures.panels import Curve, Panel

TITLE = "A Recursive Lagrangian Formulation of Manipulator Dynamics (Hollerbach 1980)"


class Printed(NamedTuple):
    """A row of Tables I and II: polynomials, constant first, and the numbers for n = 6."""

    multiplications: tuple[Fraction, ...]
    additions: tuple[Fraction, ...]
    six: tuple[int, int]


def _p(*coefficients: str) -> tuple[Fraction, ...]:
    """Polynomial from coefficients with the highest power first, as printed."""
    return tuple(sum((Fraction(part) for part in c.split()), Fraction(0)) for c in reversed(coefficients))


PRINTED = {
    "uicker_kahn": Printed(_p("32 1/2", "86 5/12", "171 1/2", "53 1/2", "-128"),
                           _p("25", "66 1/2", "129 1/2", "42 1/2", "-96"), (66271, 51548)),
    "waters": Printed(_p("106 1/2", "620 1/2", "-512"), _p("82", "514", "-384"), (7051, 5652)),
    "hollerbach_4x4": Printed(_p("830", "-592"), _p("675", "-464"), (4388, 3586)),
    "hollerbach_3x3": Printed(_p("412", "-277"), _p("320", "-201"), (2195, 1719)),
    "newton_euler_link": Printed(_p("150", "-48"), _p("131", "-48"), (852, 738)),
    "horn_raibert": Printed(_p("2", "1", "0", "0"), _p("1", "1", "2", "0"), (468, 264)),
}  # fmt: skip
NASSER_WHY = "the paper states no rule and no sparseness it used"
LARGEST = 10
OTHERS = ("newton_euler_base", "xiang", "nasser", "walker_orin_1", "walker_orin_2", "walker_orin_3")
ORDERS = {"uicker_kahn": 4, "waters": 2, "hollerbach_4x4": 1, "hollerbach_3x3": 1, "newton_euler_link": 1,
          "horn_raibert": 3, "newton_euler_base": 1}  # fmt: skip
# Known causes of a difference, by operation and formulation.
CAUSES = {
    "multiplications": {
        "hollerbach_4x4": "W dA is computed once for (9), (10) and (14), 128 products a link; the rest is unexplained",
        "hollerbach_3x3": "W dA is computed once, the terms missing in (13), (17) are added; the rest is unexplained",
        "newton_euler_link": "z = (0, 0, 1) is not multiplied with, 10 products a link; the rest is unexplained",
    },
    "additions": {
        "hollerbach_3x3": "the terms missing in (13), (17) are added; the rest is unexplained",
        "horn_raibert": "the formula has 2n sums fewer than the paper counts",
    },
}


class Row(NamedTuple):
    """One formulation: exact polynomials of its counts, counts at one n, and the folded ones of an arm."""

    method: str
    multiplications: list[Fraction]
    additions: list[Fraction]
    dense: tuple[int, int] | None  # None: the formulation does not cover the arm
    folded: tuple[int, int] | None


def count_table(n: int = 6, arm: Arm | None = None) -> list[Row]:
    """Our Table I and II: polynomials of a revolute arm, counts for n joints or an arm."""
    if arm is not None:
        count_operations("newton_euler_link", arm)  # refuses what none covers
    rows = []
    for method in (*PRINTED, *OTHERS):
        counts = {k: count_operations(method, k) for k in range(2, 8)}  # one more than a quartic needs
        by_field = [{k: getattr(c, word) for k, c in counts.items()} for word in ("multiplications", "additions")]
        products, sums = (polynomial(values, degree_of(values)) for values in by_field)
        if arm is None and n > LARGEST:  # the polynomials know, and counting n^4 operations one by one takes minutes
            rows.append(Row(method, products, sums, (int(at(products, n)), int(at(sums, n))), None))
        else:
            rows.append(Row(method, products, sums, *_counts(method, n if arm is None else arm)))
    return rows


def in_words(row: Row, n: int) -> dict[str, Any]:
    """A row as plain data, the paper's numbers (for n joints) beside ours, and why they differ."""
    from lissom.papers.nasser import COUNTS as NASSER

    printed = PRINTED.get(row.method) or (NASSER if row.method == "nasser" else None)
    theirs = None
    if printed is not None:
        theirs = {
            "multiplications": written(list(printed.multiplications)),
            "additions": written(list(printed.additions)),
            "for_n": printed.six if n == 6 else tuple(float(at(p, n)) for p in printed[:2]),
        }
    return {
        "method": row.method,
        "multiplications": written(row.multiplications),
        "additions": written(row.additions),
        "coefficients": {word: [float(c) for c in getattr(row, word)] for word in ("multiplications", "additions")},
        "dense": row.dense,
        "folded": row.folded,
        "printed": theirs,
        "why": {} if printed is None else explained(row, printed),
    }


def explained(row: Row, printed: Any) -> dict[str, str]:
    """Why the count of each operation differs from the printed one; empty where it does not."""
    pairs = {word: (getattr(printed, word), getattr(row, word)) for word in ("multiplications", "additions")}
    return {word: _difference(row.method, word, list(theirs), list(ours)) for word, (theirs, ours) in pairs.items()}


def _difference(method: str, word: str, theirs: list[Fraction], ours: list[Fraction]) -> str:
    """Terms that two polynomials share, what one has more than the other, and the known cause."""
    size = max(len(theirs), len(ours))
    a, b = (p + [Fraction(0)] * (size - len(p)) for p in (theirs, ours))
    if a == b:
        return ""
    equal = [k for k in reversed(range(size)) if a[k] == b[k] != 0]
    parts = []
    if equal:
        names = " and ".join("constant" if k == 0 else "n" if k == 1 else f"n^{k}" for k in equal)
        parts.append(f"equal {names} {'terms' if len(equal) > 1 else 'term'}")
    parts.append(f"ours less printed: {written([y - x for x, y in zip(a, b, strict=True)])}")
    cause = NASSER_WHY if method == "nasser" else CAUSES[word].get(method, "unexplained")
    return "; ".join([*parts, cause])


def _counts(method: str, arm: Arm | int) -> tuple[tuple[int, int] | None, tuple[int, int] | None]:
    """Dense and folded counts, None where the arm is not covered."""
    try:
        found = count_operations(method, arm)
    except UnsupportedError:
        return None, None
    assert found.folded is not None
    return (found.multiplications, found.additions), (found.folded.multiplications, found.folded.additions)


def _six(row: Row) -> tuple[int, int]:
    """Counts of an arm of six joints, which every formulation covers."""
    assert row.dense is not None
    return row.dense


def reproduce(progress: Callable[[str], object] | None = None, timed: bool = True) -> Reproduction:
    """Check every claim of the paper; those about time only when `timed`, which takes half a minute."""
    tell = progress or (lambda _words: None)
    tell("counting")
    rows = {row.method: row for row in count_table()}
    claims = [
        *_orders(rows),
        *_tables(rows),
        _consistency(),
        _for_free(rows),
        _halving(rows),
        *_savings(rows),
        _counted_crossing(),
    ]
    tell("checking that the formulations agree")
    claims.append(_agreement())
    claims += _tables_of_positions(tell)
    claims += _times(progress) if timed else []
    claims.append(
        Claim("Uicker/Kahn", "7.9 s per trajectory point on a PDP 11/45 (Luh et al.)", "no such machine", OPEN)
    )
    return Reproduction("hollerbach1980", TITLE, tuple(claims), (_drawn(rows),))


def _drawn(rows: dict[str, Row]) -> Drawing:
    """Tables I and II as curves."""
    joints = range(2, 13)
    panels = []
    for word in ("multiplications", "additions"):
        curves = []
        for method, colour in zip(PRINTED, COLOURS, strict=False):
            ours, theirs = getattr(rows[method], word), getattr(PRINTED[method], word)
            curves.append(Curve(method, joints, [float(at(ours, n)) for n in joints], "-", colour))
            curves.append(Curve("", joints, [float(at(theirs, n)) for n in joints], "o", colour))
        panels.append(Panel(word, "joints", "count", tuple(curves), ("linear", "log")))
    return Drawing("tables_1_and_2", "Operations of inverse dynamics: ours (lines), printed (dots)", tuple(panels))


def _orders(rows: dict[str, Row]) -> list[Claim]:
    out = []
    for method, order in ORDERS.items():
        ours = len(rows[method].multiplications) - 1
        out.append(judged("Table I", f"{method}: grows with power {order} of n", f"power {ours}", ours == order))
    return out


def _tables(rows: dict[str, Row]) -> list[Claim]:
    out = []
    for method, printed in PRINTED.items():
        row = rows[method]
        why = explained(row, printed)
        for word, theirs, ours, six, own in (
            ("multiplications", printed.multiplications, row.multiplications, printed.six[0], _six(row)[0]),
            ("additions", printed.additions, row.additions, printed.six[1], _six(row)[1]),
        ):
            same = list(theirs) == list(ours) + [Fraction(0)] * (len(theirs) - len(ours))
            claim = f"{method}: {written(list(theirs))} {word}; {six} for n = 6"
            found = f"{written(ours)}; {own} for n = 6"
            out.append(judged("Tables I, II", claim, found, same and six == own, why[word]))
    return out


def _consistency() -> Claim:
    off = [
        f"{method} {float(at(theirs, 6)):.0f} against {six} {word}"
        for method, p in PRINTED.items()
        for word, theirs, six in (
            ("multiplications", p.multiplications, p.six[0]),
            ("additions", p.additions, p.six[1]),
        )
        if at(theirs, 6) != six
    ]
    why = "Table I at n = 6, then Table II; the scan's halves may be misread" + _read_as_thirds() if off else ""
    return judged("Tables I, II", "Table II is Table I at n = 6", "; ".join(off) or "it agrees", not off, why)


def _read_as_thirds() -> str:
    """The halves of Uicker and Kahn's additions that give Table II when they are read as thirds."""
    printed = PRINTED["uicker_kahn"]
    halves = [k for k, c in enumerate(printed.additions) if c.denominator == 2]
    for some in chain.from_iterable(combinations(halves, count) for count in range(1, len(halves) + 1)):
        read = [c - Fraction(1, 6) if k in some else c for k, c in enumerate(printed.additions)]
        if at(read, 6) == printed.six[1]:
            terms = " and ".join(written([Fraction(0)] * k + [read[k]]) for k in reversed(some))
            return f" ({terms} would give {printed.six[1]})"
    return ""


def _halving(rows: dict[str, Row]) -> Claim:
    forms = ("hollerbach_4x4", "hollerbach_3x3")
    ours = [float(rows[form].multiplications[-1]) for form in forms]
    printed = [float(PRINTED[form].multiplications[-1]) for form in forms]
    saved = [1 - small / large for large, small in (ours, printed)]
    return judged(
        "3x3 matrices",
        "3x3 matrices save better than 50 % of the coefficients",
        f"{100 * saved[0]:.0f} % of the multiplications per joint",
        saved[0] > 0.5,
        f"{ours[0]:g} n to {ours[1]:g} n here, {printed[0]:g} n to {printed[1]:g} n in print ({100 * saved[1]:.1f} %)",
    )


def _for_free(rows: dict[str, Row]) -> Claim:
    """The linear term of Waters against the whole of the 4x4 recursion."""
    before, after = rows["waters"].multiplications[1], rows["hollerbach_4x4"].multiplications[1]
    change = float(after / before - 1)
    printed = PRINTED["hollerbach_4x4"].multiplications[1] / PRINTED["waters"].multiplications[1] - 1
    return judged(
        "Forward recursion",
        "the n^2 term goes without significantly changing the other coefficients (printed: 620.5n to 830n)",
        f"{float(before):g}n to {float(after):g}n, {100 * change:+.0f} %",
        abs(change) < 0.2,
        f"the linear coefficient grows by {100 * float(printed):.0f} % in print and by {100 * change:.0f} % here",
    )


def _savings(rows: dict[str, Row]) -> list[Claim]:
    out = []
    for k, word in enumerate(("multiplications", "additions")):
        saving = 1 - _six(rows["newton_euler_link"])[k] / _six(rows["hollerbach_3x3"])[k]
        claim = f"Newton-Euler takes 60 % fewer {word} than the recursive Lagrangian, n = 6"
        out.append(judged("Newton-Euler", claim, f"{100 * saving:.0f} %", 0.55 < saving < 0.7))
    return out


def _counted_crossing() -> Claim:
    first = next(n for n in range(1, 99) if _operations("horn_raibert", n) > _operations("newton_euler_link", n))
    claim = "tables cost more operations than Newton-Euler for n >= 9"
    return judged("Configuration space", claim, f"counted: from n = {first}", first == 9)


def _agreement() -> Claim:
    worst = 0.0
    for arm in (load("puma560"), load("stanford"), puma_like(9)):
        rng = np.random.default_rng(0)
        q, qd, qdd = rng.uniform(-1.5, 1.5, (3, 20, arm.dof))
        want = inverse_dynamics(arm, q, qd, qdd)
        for method in (*PRINTED, "newton_euler_base"):
            got = inverse_dynamics(arm, q, qd, qdd, method=method)
            worst = max(worst, float(np.abs(got - want).max() / np.abs(want).max()))
    return judged(
        "throughout",
        "all formulations give the same torques",
        f"largest relative difference {worst:.1e}",
        worst < 1e-10,
    )


def _tables_of_positions(tell: Callable[[str], object]) -> list[Claim]:
    """Claims about the four drawbacks of tables."""
    tell("filling tables")
    arm = load("two_link")
    tables = [ConfigurationTable.build(arm, points) for points in (9, 33)]
    errors = [table.error() for table in tables]
    puma = load("puma560")
    per_position = 6 + 7 * 21
    need = 8 * per_position * 33.0**6
    heavier = arm.with_payload(Payload(0.5))
    rng = np.random.default_rng(1)
    q, qd, qdd = rng.uniform(-1.0, 1.0, (3, 200, 2))
    exact = inverse_dynamics(heavier, q, qd, qdd)
    off = np.abs(tables[1].inverse_dynamics(q, qd, qdd) - exact).max() / np.abs(exact).max()
    small = ConfigurationTable.build(puma, 4)
    start = time.process_time()
    ConfigurationTable.build(puma, 4)
    fill = (time.process_time() - start) / 4**6 * 33.0**6
    coarse, fine, six = 100 * errors[0].worst, 100 * errors[1].worst, 100 * small.error(200).worst
    return [
        judged(
            "Introduction",
            "tables must be enormous for a fine tessellation",
            f"33 positions per joint: {tables[1].memory / 1024:.0f} kB for two joints, {need / 2**40:.2g} TiB for six",
            need > 2**40,
        ),
        judged(
            "Introduction",
            "filling the entries is a difficulty",
            f"33^6 positions of six joints would take {fill / 3600:.0f} hours here",
            fill > 3600,
        ),
        judged(
            "Introduction",
            "interpolation between stored values is a difficulty",
            f"two joints: worst torque error {coarse:.2g} % with 9 positions per joint, {fine:.2g} % with 33; PUMA, 4 "
            f"positions, {small.memory / 2**20:.1f} MB: {six:.0f} %",
            coarse > 1.0 and six > 10.0,
        ),
        judged(
            "Introduction",
            "tables become useless if the load changes",
            f"0.5 kg in the hand of the two-link arm: torques off by {100 * off:.0f} %",
            off > 0.1,
        ),
    ]


def _times(progress: Callable[[str], object] | None) -> list[Claim]:
    """Claims about time, measured on this machine."""
    methods = ("uicker_kahn", "waters", "hollerbach_4x4", "hollerbach_3x3", "newton_euler_link", "horn_raibert_table")
    found = time_formulations(methods, joints=(2, 3, 4, 5, 6, 7, 8, 9, 10), progress=progress)
    six = {row.method: row.nanoseconds for row in found if row.joints == 6}
    order = [m for m in methods if m in six]
    falling = all(six[a] > six[b] for a, b in pairwise(order))
    swapped = [f"{a} is faster than {b}" for a, b in pairwise(order[:5]) if six[a] <= six[b]]
    listed = ", ".join(f"{m} {six[m]:.0f} ns" for m in six)
    missing = [m for m in methods if m not in six]
    cross = crossing(found, "horn_raibert_table", "newton_euler_link")
    return [
        judged(
            "Table II",
            "for n = 6 the formulations rank as listed",
            f"measured: {listed}" + (f"; {', '.join(missing)} took too long to compile" if missing else ""),
            falling,
            f"{'; '.join(swapped)}, against the counts: times of one run, which other work may disturb"
            if swapped
            else "the first five do; a table costs more than computing the torques, see below",
        ),
        judged(
            "Configuration space",
            "tables cost more time than Newton-Euler for n >= 9",
            f"measured: from n = {cross}" if cross else "measured: not up to n = 10",
            cross == 9,
            "reading n^3 coefficients costs more than computing with few numbers, and sines are cheap now",
        ),
    ]


def _operations(method: str, n: int) -> int:
    found = count_operations(method, n)
    return found.multiplications + found.additions


def crossing(rows: tuple[FormulationTime, ...], above: str, below: str) -> int | None:
    """The first n from which `above` stays slower than `below`."""
    times = {(row.method, row.joints): row.nanoseconds for row in rows}
    shared = sorted(n for m, n in times if m == above and (below, n) in times)
    slower = [times[above, n] > times[below, n] for n in shared]
    for k, n in enumerate(shared):
        if all(slower[k:]):
            return n
    return None
