"""Claims of Hollerbach 1980 about numbers of operations: Tables I and II, and what follows from them."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import numpy as np

from lissom.dynamics.bodies import Bodies
from lissom.formulations import uicker_kahn
from lissom.formulations.counting import Number, Tally, at, counted_state, written
from lissom.formulations.linkage import Linkage
from lissom.formulations.matrices import product
from lissom.papers.claims import Claim, Drawing, Tolerance, better, judged, limited, near, refuted, slip, undecidable
from lissom.papers.hollerbach1980 import tables_and_recursions
from lissom.papers.hollerbach1980.counts import WORDS, Row, count_table, less, literal, remaining
from lissom.papers.hollerbach1980.printed import NAMES, ORDERS, PRINTED
from lissom.verbs.count import count_operations, puma_like
from lissom.views.figures.palette import COLOURS
from lissom.views.figures.panels import Curve, Panel

TENS = Tolerance(5.0, "the paper rounds to tens of percent", "percentage points")
INFERRED = "follows from rules inferred from the printed numbers, not from an independent count"


def claims_and_drawings() -> tuple[list[Claim], list[Drawing]]:
    """All claims about counts, and Tables I and II as curves."""
    rows = {row.method: row for row in count_table()}
    claims = [
        *_orders(rows), *_tables(rows), _consistency(), _velocity_terms(), _for_free(rows), _products(), _halving(rows),
        *_savings(rows), _as_efficient(rows), *tables_and_recursions.claims(), _unlikely(rows),
    ]  # fmt: skip
    return claims, [_drawn(rows)]


def _orders(rows: dict[str, Row]) -> Iterator[Claim]:
    for method, order in ORDERS.items():
        ours = len(rows[method].multiplications) - 1
        where = "Table I" if method in PRINTED else "Introduction"
        yield judged(
            where, f"{NAMES[method]}: grows with power {order} of n", f"power {ours}", ours == order,
            bar="the exact polynomial of our count has this degree",
        )  # fmt: skip


# ---- Tables I and II ---------------------------------------------------------------------------------------


def _tables(rows: dict[str, Row]) -> Iterator[Claim]:
    yield _uicker_kahn(rows["uicker_kahn"])
    for method, printed in PRINTED.items():
        if method != "uicker_kahn":
            for k, word in enumerate(WORDS):
                yield _entry(rows[method], word, getattr(printed, word), printed.six[k])


def _entry(row: Row, word: str, theirs: tuple[Fraction, ...], six: int) -> Claim:
    """One polynomial, and its number for n = 6 where Table II has it."""
    as_printed = literal(row.method)
    assert as_printed is not None
    own, count = getattr(row, word), as_printed[word]
    agree = f"; {six:,} for n = 6" if at(theirs, 6) == six else ""
    claim = f"{NAMES[row.method]}: {written(list(theirs))} {word}{agree}"
    ours = (
        f"{written(count)}, {int(at(count, 6)):,} for n = 6, computed as literally as printed; ours {written(own)}, "
        f"{int(at(own, 6)):,} for n = 6"
    )
    if left := less(theirs, count):
        return undecidable("Tables I, II", claim, ours, f"{remaining(left)}; which operations they are, the paper does "
                           "not say")  # fmt: skip
    bar = "the literal count is the printed polynomial"
    return judged("Tables I, II" if agree else "Table I", claim, ours, True, _rules(row.method, word), bar)


def _rules(method: str, word: str) -> str:
    """What a literal count has and ours has not."""
    if method == "horn_raibert" and word == "multiplications":
        return ""
    rules = ["sums begin with zero"] if word == "additions" else []
    rules += [] if method == "horn_raibert" else ["W dA is made anew each time"]
    rules += ["iW_j is built up from a unit matrix that is multiplied with"] if method == "waters" else []
    return f"{INFERRED}: {', '.join(rules)}; the same rules for all formulations"


def _uicker_kahn(row: Row) -> Claim:
    """Both polynomials: which fractions they should have."""
    printed = PRINTED["uicker_kahn"]
    pairs = list(zip(WORDS, printed.six, strict=True))
    polynomials = " and ".join(f"{written(list(getattr(printed, word)))} {word}" for word in WORDS)
    return undecidable(
        "Tables I, II",
        f"{NAMES[row.method]}: {polynomials}; {printed.six[0]:,} and {printed.six[1]:,} for n = 6",
        "; ".join(f"ours {written(getattr(row, w))} {w}, {int(at(getattr(row, w), 6)):,} for n = 6" for w in WORDS),
        "a count is whole for every n, and these are not, so some fraction is misprinted or misread by the scan. "
        + " ".join(_fractions(word, getattr(printed, word), six) for word, six in pairs),
    )


def _fractions(word: str, theirs: tuple[Fraction, ...], six: int) -> str:
    """Whether any fractions, in twelfths, give whole numbers for all n, and Table II."""
    kept, free = (readings(theirs, quartic) for quartic in (False, True))
    return (
        f"{word.capitalize()}: {float(at(theirs, 1)):.6g} at n = 1 and {float(at(theirs, 6)):,.0f} at n = 6. "
        f"With the printed fraction of n^4 and any twelfths of n, n^2 and n^3, {len(kept)} polynomials of the printed "
        f"whole parts are whole for all n, from {kept[0]:,} to {kept[-1]:,} for n = 6, the nearest to {six:,} being "
        f"{_nearest(kept, six):,}; with any twelfths of n^4 too {len(free)}, from {free[0]:,} to {free[-1]:,}, the "
        f"nearest {_nearest(free, six):,}."
    )


def _nearest(values: list[int], six: int) -> int:
    return min(values, key=lambda value: abs(value - six))


def readings(theirs: tuple[Fraction, ...], quartic: bool) -> list[int]:
    """Values at n = 6 of the polynomials with other fractions of n, n^2, n^3 (and n^4) that are whole for all n."""
    whole = [c.numerator // c.denominator for c in theirs[1:]]
    last = range(12) if quartic else [int(12 * (theirs[4] - whole[3]))]
    parts = np.stack(np.meshgrid(*[range(12)] * 3, last, indexing="ij"), -1).reshape(-1, 4)
    twelfths = 12 * np.array(whole) + parts
    fits = np.all([twelfths @ [n, n**2, n**3, n**4] % 12 == 0 for n in range(1, 6)], axis=0)  # decide a quartic
    return sorted(int(theirs[0]) + int(c @ [6, 36, 216, 1296]) // 12 for c in twelfths[fits])


def _consistency() -> Claim:
    """Table II against Table I."""
    off = {
        (method, word)
        for method, printed in PRINTED.items()
        for word, six in zip(WORDS, printed.six, strict=True)
        if at(getattr(printed, word), 6) != six
    }
    waters, literally = PRINTED["waters"], literal("waters")
    assert literally is not None
    table, count = (int(at(p["multiplications"], 6)) for p in (waters._asdict(), literally))
    change = (waters.six[0] - table) / 6
    other = written([Fraction(0), waters.multiplications[1] + Fraction(change)])
    return slip(
        "Tables I, II", "Waters: Table I and Table II agree at n = 6",
        f"{table:,} multiplications by Table I, {waters.six[0]:,} in Table II and in the text; the additions agree. Of "
        f"the {2 * len(PRINTED)} entries {2 * len(PRINTED) - len(off)} agree; the other two are those of Uicker/Kahn",
        off == {("uicker_kahn", w) for w in WORDS} | {("waters", "multiplications")} and count == table,
        f"{table:,}, or {other} in Table I",
        f"the two cannot both be right; a count by the inferred rules gives {count:,}, but {waters.six[0]:,} is "
        "printed twice",
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
        "they take more than 75 % of the multiplications",
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
    return refuted(
        "Forward recursion",
        "the n^2 term goes for free, without significantly changing the other coefficients",
        f"620.5 n multiplications grow to 830 n in print, by {grown['printed']:.0f} %; by {grown['literal']:.0f} % "
        f"counted literally, by {grown['ours']:.0f} % in ours",
        saved > 0 and min(grown.values()) > 20,
        f"the coefficient of n grows by {grown['printed']:.0f} %",
        f"free in sum only: {saved:.0f} % of all operations are saved at n = 6",
    )


def _products() -> Claim:
    """Products of two full matrices, counted."""
    counts = []
    for size in (3, 4):
        tally = Tally(folded=False)
        A, B = ([[Number(tally) for _ in range(size)] for _ in range(size)] for _ in range(2))
        product(A, B)
        counts.append(tally.multiplications)
    return judged(
        "3x3 matrices",
        "a product of 3x3 matrices requires 27 multiplications, one of 4x4 matrices 64",
        f"{counts[0]} and {counts[1]}, {100 * (1 - counts[0] / counts[1]):.0f} % fewer",
        counts == [27, 64],
        bar="the counted products take just these",
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
        "both are more than 50 % in print and counted literally",
    )


def _savings(rows: dict[str, Row]) -> Iterator[Claim]:
    """Newton-Euler against the 3x3 recursion: printed, counted literally, ours."""
    for k, word in enumerate(WORDS):
        totals = {}
        for method in ("newton_euler_link", "hollerbach_3x3"):
            as_printed = literal(method)
            assert as_printed is not None
            polynomials = as_printed[word], getattr(rows[method], word)
            totals[method] = [PRINTED[method].six[k], *(float(at(p, 6)) for p in polynomials)]
        printed, counted, ours = (100 * (1 - a / b) for a, b in zip(*totals.values(), strict=True))
        yield near(
            "Newton-Euler", f"Newton-Euler takes 60 % fewer {word} than the recursive Lagrangian, n = 6",
            f"{printed:.0f} % by the numbers in print, {counted:.0f} % counted literally; {ours:.0f} % in ours",
            max(abs(printed - 60.0), abs(counted - 60.0)), TENS,
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
            curves.append(Curve(NAMES[method], joints, [float(at(own, n)) for n in joints], "-", colour))
            curves.append(Curve("", joints, [float(at(theirs, n)) for n in joints], "o", colour))
        panels.append(Panel(word, "joints", f"{word} per state", tuple(curves), ("linear", "log")))
    return Drawing("tables_1_and_2", "Operations of inverse dynamics: ours (lines), printed (dots)", tuple(panels))
