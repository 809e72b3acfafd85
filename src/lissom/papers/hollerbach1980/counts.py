"""Operation counts of the formulations: printed, counted as printed, ours, and ours folded for an arm."""

from __future__ import annotations

import functools
from fractions import Fraction
from typing import Any, NamedTuple

from lissom.dynamics.bodies import Bodies
from lissom.errors import UnsupportedError
from lissom.formulations.counting import at, degree_of, polynomial, written
from lissom.formulations.linkage import Linkage
from lissom.model.arm import Arm
from lissom.papers.hollerbach1980.as_printed import PROGRAMS, count_as_printed
from lissom.papers.hollerbach1980.printed import PRINTED
from lissom.verbs.count import count_operations, puma_like

WORDS = ("multiplications", "additions")
LARGEST = 10
OTHERS = ("newton_euler_base", "xiang", "nasser", "walker_orin_1", "walker_orin_2", "walker_orin_3")
NASSER_WHY = "the paper states no rule and no sparseness it used"
UNKNOWN = "the paper does not say how it counted"


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
        by_field = [{k: getattr(c, word) for k, c in counts.items()} for word in WORDS]
        products, sums = (polynomial(values, degree_of(values)) for values in by_field)
        if arm is None and n > LARGEST:  # the polynomials know, and counting n^4 operations one by one takes minutes
            rows.append(Row(method, products, sums, (int(at(products, n)), int(at(sums, n))), None))
        else:
            rows.append(Row(method, products, sums, *_counts(method, n if arm is None else arm)))
    return rows


def _counts(method: str, arm: Arm | int) -> tuple[tuple[int, int] | None, tuple[int, int] | None]:
    """Dense and folded counts, None where the arm is not covered."""
    try:
        found = count_operations(method, arm)
    except UnsupportedError:
        return None, None
    assert found.folded is not None
    return (found.multiplications, found.additions), (found.folded.multiplications, found.folded.additions)


@functools.cache
def literal(method: str) -> dict[str, list[Fraction]] | None:
    """Polynomials of the multiplications and additions of the formulation computed as printed."""
    if method not in PROGRAMS and method != "horn_raibert":
        return None
    counts = {n: count_as_printed(method, Linkage(Bodies(puma_like(n)))) for n in range(2, 8)}
    by_word = {word: {n: getattr(c, word) for n, c in counts.items()} for word in WORDS}
    return {word: polynomial(values, degree_of(values)) for word, values in by_word.items()}


def less(a: Any, b: Any) -> list[Fraction]:
    """The difference a - b of two polynomials, without leading zeros; empty where they are equal."""
    size = max(len(a), len(b))
    x, y = ([*p, *[Fraction(0)] * (size - len(p))] for p in (a, b))
    difference = [p - q for p, q in zip(x, y, strict=True)]
    while difference and difference[-1] == 0:
        difference.pop()
    return difference


def remaining(left: list[Fraction]) -> str:
    """What a printed count has more, or less, than the literal one."""
    if all(c <= 0 for c in left):
        return f"our literal count has {written([-c for c in left])} more than printed"
    return f"{written(left)} of the printed count are not in our literal count"


def in_words(row: Row, n: int) -> dict[str, Any]:
    """A row as plain data, the paper's numbers (for n joints) beside ours, and why they differ."""
    from lissom.papers.nasser.printed import COUNTS as NASSER

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
        "coefficients": {word: [float(c) for c in getattr(row, word)] for word in WORDS},
        "dense": row.dense,
        "folded": row.folded,
        "printed": theirs,
        "why": {} if printed is None else explained(row, printed),
    }


def explained(row: Row, printed: Any) -> dict[str, str]:
    """Why the count of each operation differs from the printed one; empty where it does not."""
    return {word: _difference(row, word, getattr(printed, word)) for word in WORDS}


def _difference(row: Row, word: str, theirs: Any) -> str:
    """What ours has more than the printed count, and how much of that a literal program explains."""
    if not (off := less(getattr(row, word), theirs)):
        return ""
    more = f"ours less printed: {written(off)}"
    as_printed = literal(row.method)
    if as_printed is None:
        return f"{more}; {NASSER_WHY if row.method == 'nasser' else UNKNOWN}"
    left = less(theirs, as_printed[word])
    rest = remaining(left) if left else "which is the printed count"
    return f"{more}; computed as literally as printed it takes {written(as_printed[word])}: {rest}"
