"""Claims of Hollerbach 1980 about numbers of operations: Tables I and II, and what follows from them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import product
from typing import Any

from lissom.dynamics.bodies import Bodies
from lissom.formulations import uicker_kahn
from lissom.formulations.counting import Tally, at, counted_state, written
from lissom.formulations.linkage import Linkage
from lissom.papers.claims import Claim, Drawing, Tolerance, better, judged, limited, near, slip, undecidable
from lissom.papers.hollerbach1980.counts import WORDS, Row, count_table, less, literal
from lissom.papers.hollerbach1980.printed import ORDERS, PRINTED
from lissom.verbs.count import count_operations, puma_like
from lissom.views.figures.palette import COLOURS
from lissom.views.figures.panels import Curve, Panel

TENS = Tolerance(0.05, "the paper rounds to tens of percent", "of 1")


def claims_and_drawings() -> tuple[list[Claim], list[Drawing]]:
    """All claims about counts, and Tables I and II as curves."""
    rows = {row.method: row for row in count_table()}
    claims = [
        *_orders(rows), *_tables(rows), _consistency(), _velocity_terms(), _for_free(rows), _halving(rows),
        *_savings(rows), _as_efficient(rows), _crossing(), _unlikely(rows),
    ]  # fmt: skip
    return claims, [_drawn(rows)]


def _orders(rows: dict[str, Row]) -> Iterator[Claim]:
    for method, order in ORDERS.items():
        ours = len(rows[method].multiplications) - 1
        yield judged("Table I", f"{method}: grows with power {order} of n", f"power {ours}", ours == order)


# ---- Tables I and II ---------------------------------------------------------------------------------------


def _tables(rows: dict[str, Row]) -> Iterator[Claim]:
    for method, printed in PRINTED.items():
        for k, word in enumerate(WORDS):
            yield _entry(rows[method], word, getattr(printed, word), printed.six[k])


def _entry(row: Row, word: str, theirs: tuple[Fraction, ...], six: int) -> Claim:
    """One polynomial and its number for n = 6."""
    own = getattr(row, word)
    where, claim = "Tables I, II", f"{row.method}: {written(list(theirs))} {word}; {six:,} for n = 6"
    ours = f"ours {written(own)}, {int(at(own, 6)):,} for n = 6"
    as_printed = literal(row.method)
    if as_printed is None:
        return undecidable(where, claim, ours, _fractions(theirs, six))
    count = as_printed[word]
    ours = f"{written(count)}, {int(at(count, 6)):,} for n = 6, computed as literally as printed; {ours}"
    if left := less(theirs, count):
        return undecidable(where, claim, ours, f"{written(left)} of the printed count remain: which operations they "
                           "are, the paper does not say")  # fmt: skip
    if at(count, 6) != six:
        return slip(where, claim, ours, True, f"{int(at(count, 6)):,} for n = 6", _would_follow(theirs, six))
    return judged(where, claim, ours, True, _rules(row.method, word))


def _rules(method: str, word: str) -> str:
    """What a literal count has and ours has not."""
    if method == "horn_raibert" and word == "multiplications":
        return ""
    rules = ["sums that begin with zero"] if word == "additions" else []
    rules += [] if method == "horn_raibert" else ["W dA made anew each time"]
    rules += ["iW_{i+1} by a product with 1"] if method == "waters" else []
    return f"with {' and '.join(rules)}; inferred from the printed numbers, the same for all formulations"


def _would_follow(theirs: tuple[Fraction, ...], six: int) -> str:
    """The coefficient of n with which a polynomial gives Table II."""
    change = (six - at(theirs, 6)) / 6
    other = written([Fraction(0), theirs[1] + change])
    return f"{six:,} would follow from {other}; Table I is what a literal count gives"


def _fractions(theirs: tuple[Fraction, ...], six: int) -> str:
    """Whether any fractions, in twelfths, give whole numbers for all n, and Table II."""
    values = sorted(_whole_readings(theirs))
    nearest = min(values, key=lambda value: abs(value - six))
    return (
        f"as printed it gives {float(at(theirs, 1)):.4g} at n = 1, and a count is whole: some fraction is misprinted. "
        f"With fractions in twelfths {len(values)} polynomials of these whole parts are whole for all n; they give "
        f"{int(values[0]):,} to {int(values[-1]):,} for n = 6, the nearest to {six:,} being {int(nearest):,}"
    )


def _whole_readings(theirs: tuple[Fraction, ...]) -> Iterator[Fraction]:
    """Values at n = 6 of the polynomials with other fractions of n, n^2 and n^3 that are whole for all n."""
    fixed = (theirs[0], *(Fraction(c.numerator // c.denominator) for c in theirs[1:4]), theirs[4])
    for parts in product(range(12), repeat=3):
        reading = [fixed[0], *(c + Fraction(p, 12) for c, p in zip(fixed[1:4], parts, strict=True)), fixed[4]]
        if all(at(reading, n).denominator == 1 for n in range(1, 6)):  # five values decide a quartic
            yield at(reading, 6)


def _consistency() -> Claim:
    """Table II against Table I."""
    off = {}
    for method, printed in PRINTED.items():
        for word, six in zip(WORDS, printed.six, strict=True):
            if (value := at(getattr(printed, word), 6)) != six:
                off[method, word] = f"{method}, {word}: {float(value):,.0f} against {six:,}"
    waters = literal("waters")
    assert waters is not None
    literally = int(at(waters["multiplications"], 6))
    return slip(
        "Tables I, II", "Table II is Table I at n = 6", f"{len(PRINTED) * 2 - len(off)} of {len(PRINTED) * 2} agree; "
        + "; ".join(off.values()), set(off) == {("uicker_kahn", w) for w in WORDS} | {("waters", "multiplications")},
        f"waters, multiplications: {literally:,}, as counted literally",
        "for uicker_kahn no fractions of the printed whole parts give Table II",
    )  # fmt: skip


# ---- what follows ------------------------------------------------------------------------------------------


def _velocity_terms() -> Claim:
    """The share of Coriolis and centrifugal terms in (4)."""
    linkage = Linkage(Bodies(puma_like(6)))
    tally = Tally(folded=False)
    state = counted_state(linkage, tally)
    n, W = 6, uicker_kahn.cascades(state)
    first = {(j, k): uicker_kahn.first_derivative(state, W, j, k) for j in range(n) for k in range(j + 1)}
    for i in range(n):
        for j in range(i, n):
            for k in range(j + 1):
                uicker_kahn.inertia_coefficient(first[j, i], state.members[j].pseudo, first[j, k]) * state.qdd[k]
    without, whole = tally.multiplications, count_operations("uicker_kahn", n).multiplications
    share = 1 - without / whole
    return judged(
        "Introduction",
        "Coriolis and centrifugal forces are by far the greatest computational burden in (4)",
        f"{100 * share:.0f} % of the {whole:,} multiplications for n = 6",
        share > 0.75,
        "counted without them, and without gravity, which takes less than 1 %",
    )


def _linear(rows: dict[str, Row], method: str, word: str = "multiplications") -> dict[str, float]:
    """The coefficient of n: printed, counted literally, and ours."""
    as_printed = literal(method)
    assert as_printed is not None
    kinds = {
        "printed": getattr(PRINTED[method], word),
        "literal": as_printed[word],
        "ours": getattr(rows[method], word),
    }
    return {kind: float(polynomial[1]) for kind, polynomial in kinds.items()}


def _for_free(rows: dict[str, Row]) -> Claim:
    """The linear term of Waters against the whole of the 4x4 recursion."""
    before, after = _linear(rows, "waters"), _linear(rows, "hollerbach_4x4")
    grown = {kind: 100 * (after[kind] / before[kind] - 1) for kind in before}
    total = {m: sum(PRINTED[m].six) for m in ("waters", "hollerbach_4x4")}
    saved = 100 * (1 - total["hollerbach_4x4"] / total["waters"])
    return limited(
        "Forward recursion",
        "the n^2 term goes for free, without significantly changing the other coefficients",
        f"620.5 n multiplications grow to 830 n in print, by {grown['printed']:.0f} %; by {grown['literal']:.0f} % "
        f"counted literally, by {grown['ours']:.0f} % in ours",
        saved > 0 and min(grown.values()) > 20,
        f"free in sum: {saved:.0f} % of all operations are saved at n = 6",
    )


def _halving(rows: dict[str, Row]) -> Claim:
    saved = {}
    for word in WORDS:
        large, small = _linear(rows, "hollerbach_4x4", word), _linear(rows, "hollerbach_3x3", word)
        saved[word] = {kind: 100 * (1 - small[kind] / large[kind]) for kind in large}
    listed = "; ".join(
        f"{word} {s['printed']:.1f} % in print, {s['literal']:.1f} % counted literally, {s['ours']:.1f} % in ours"
        for word, s in saved.items()
    )
    return judged(
        "3x3 matrices",
        "3x3 matrices save better than 50 % of the coefficients",
        f"per joint: {listed}",
        all(s[kind] > 50 for s in saved.values() for kind in ("printed", "literal")),
        "ours has the terms that are missing in (13) and (17), and makes W dA once, which helps 4x4 matrices more",
    )


def _savings(rows: dict[str, Row]) -> Iterator[Claim]:
    for word in WORDS:
        totals = {}
        for method in ("newton_euler_link", "hollerbach_3x3"):
            as_printed = literal(method)
            assert as_printed is not None
            totals[method] = [float(at(p, 6)) for p in (as_printed[word], getattr(rows[method], word))]
        counted, ours = (1 - a / b for a, b in zip(*totals.values(), strict=True))
        yield near(
            "Newton-Euler", f"Newton-Euler takes 60 % fewer {word} than the recursive Lagrangian, n = 6",
            f"{100 * counted:.0f} % counted literally; {100 * ours:.0f} % in ours", abs(counted - 0.6), TENS,
        )  # fmt: skip


def _as_efficient(rows: dict[str, Row]) -> Claim:
    ratios = []
    for counts in ({m: sum(PRINTED[m].six) for m in PRINTED}, {m: sum(r.dense or ()) for m, r in rows.items()},
                   {m: sum(r.folded or ()) for m, r in rows.items()}):  # fmt: skip
        ratios.append(counts["hollerbach_3x3"] / counts["newton_euler_link"])
    return limited(
        "Conclusion",
        "the Lagrangian formulation can be made roughly as efficient as the Newton-Euler formulation",
        f"{ratios[0]:.2f} times its operations in print, {ratios[1]:.2f} times in ours, {ratios[2]:.2f} times with the "
        "zeros of a PUMA folded away, n = 6",
        ratios[0] > 2 and max(ratios) < 4,
        f"the same order of growth; a factor of {min(ratios):.1f} to {max(ratios):.1f} for six joints",
    )


def _first(cost: Callable[[str, int], Any]) -> int:
    return next(n for n in range(1, 99) if cost("horn_raibert", n) > cost("newton_euler_link", n))


def _crossing() -> Claim:
    """From how many joints on a table costs more than Newton-Euler."""

    def printed(method: str, n: int) -> list[Fraction]:
        return [at(PRINTED[method].multiplications, n), at(PRINTED[method].additions, n)]

    def ours(method: str, n: int) -> list[int]:
        found = count_operations(method, n)
        return [found.multiplications, found.additions]

    firsts = []
    for cost in (printed, ours):
        by = (lambda m, n, c=cost: c(m, n)[0], lambda m, n, c=cost: c(m, n)[1], lambda m, n, c=cost: sum(c(m, n)))
        firsts.append([_first(part) for part in by])
    theirs, own = firsts
    return limited(
        "Configuration space",
        "for n >= 9 tables are less efficient than Newton-Euler",
        f"by the printed polynomials multiplications cross at {theirs[0]}, additions at {theirs[1]}, their sum at "
        f"{theirs[2]}; in ours at {own[0]}, {own[1]} and {own[2]}",
        theirs[0] == 9 < min(theirs[1:]),
        f"9 is for multiplications alone; all operations together cross at {theirs[2]} in print",
        "a table takes fewer sums than products",
    )


def _unlikely(rows: dict[str, Row]) -> Claim:
    """The claim that recursions cannot be improved by much."""
    row = rows["newton_euler_link"]
    assert row.dense is not None
    assert row.folded is not None
    printed = sum(PRINTED["newton_euler_link"].six)
    return better(
        "Conclusion",
        "it appears unlikely that any but very minor improvements in efficiency can be made",
        f"Newton-Euler, n = 6: {printed:,} operations in print, {sum(row.dense):,} in ours "
        f"({100 * (1 - sum(row.dense) / printed):.0f} % fewer), {sum(row.folded):,} with the zeros and ones of a PUMA "
        f"folded away ({100 * (1 - sum(row.folded) / printed):.0f} % fewer)",
        sum(row.folded) < 0.6 * printed,
        "z is not multiplied with, products are stored, and constants of the arm are folded by the compiler",
    )


def _drawn(rows: dict[str, Row]) -> Drawing:
    """Tables I and II as curves."""
    joints = range(2, 13)
    panels = []
    for word in WORDS:
        curves = []
        for method, colour in zip(PRINTED, COLOURS, strict=False):
            own, theirs = getattr(rows[method], word), getattr(PRINTED[method], word)
            curves.append(Curve(method, joints, [float(at(own, n)) for n in joints], "-", colour))
            curves.append(Curve("", joints, [float(at(theirs, n)) for n in joints], "o", colour))
        panels.append(Panel(word, "joints", f"{word} per state", tuple(curves), ("linear", "log")))
    return Drawing("tables_1_and_2", "Operations of inverse dynamics: ours (lines), printed (dots)", tuple(panels))
