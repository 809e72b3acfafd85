"""Claims of Nasser about cost: numbers of operations, growth, and Walker and Orin's methods beside it."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import numpy as np

from lissom.dynamics.bodies import Bodies
from lissom.formats.load import load
from lissom.formulations.counting import Count, at, degree_of, polynomial, written
from lissom.formulations.linkage import Linkage
from lissom.papers.claims import Claim, Drawing, better, judged, limited, undecidable
from lissom.papers.nasser.accelerations import WALKER_ORIN
from lissom.papers.nasser.economical import count_economical
from lissom.papers.nasser.printed import COUNTS
from lissom.verbs.count import count_operations, puma_like
from lissom.verbs.timing import time_formulations
from lissom.views.figures.panels import Curve, Panel

WORDS = ("multiplications", "additions")
BOOK_METHOD_3 = 4_491  # multiplications of Walker and Orin's method 3 for twelve joints, as Book 1983 prints them
SIZES = (4, 6, 8, 12, 16)
LONGEST = 40  # joints up to which a crossing is looked for


def economical(n: int, folded: bool = False) -> Count:
    """Counts of the economical form for a PUMA-like arm of n joints."""
    return count_economical(Linkage(Bodies(puma_like(n))), folded)


def polynomials() -> dict[str, dict[str, list[Fraction]]]:
    """Exact polynomials of the dense counts: of the equations as they stand, and of the economical form."""
    out = {}
    for name, counted in (("as it stands", lambda n: count_operations("nasser", n)), ("economical", economical)):
        counts = {n: counted(n) for n in range(2, 8)}
        values = {word: {n: getattr(c, word) for n, c in counts.items()} for word in WORDS}
        out[name] = {word: polynomial(v, degree_of(v)) for word, v in values.items()}
    return out


def claims_and_drawings() -> tuple[list[Claim], list[Drawing]]:
    """All claims about counts, and multiplications over the number of joints."""
    found = polynomials()
    return [*_printed(found), _economical(found), _folded(), _linear(found), _walker_orin()], [_drawn(found)]


def _text(counts: list[Fraction]) -> str:
    return written(counts).replace("n", "N")


def _printed(found: dict[str, dict[str, list[Fraction]]]) -> list[Claim]:
    out = []
    for k, word in enumerate(WORDS):
        printed = list(getattr(COUNTS, word))
        dense, short = found["as it stands"][word], found["economical"][word]
        out.append(undecidable(
            "section 3.3", f"{_text(printed)} {word}; {COUNTS.six[k]:,} for N = 6",
            f"{_text(dense)} with full 6x6 products, {_text(short)} with symmetry and zeros used; for N = 6 "
            f"{int(at(dense, 6)):,} and {int(at(short, 6)):,}",
            "the paper states neither a rule nor the sparseness that it used",
        ))  # fmt: skip
    return out


def _economical(found: dict[str, dict[str, list[Fraction]]]) -> Claim:
    short = found["economical"]
    products, sums = (int(at(short[word], 6)) for word in WORDS)
    return better(
        "section 3.3", f"{_text(list(COUNTS.multiplications))} multiplications",
        f"{_text(short['multiplications'])} multiplications, {products:,} for N = 6 instead of {COUNTS.six[0]:,}; "
        f"{_text(short['additions'])} additions, {sums:,} instead of {COUNTS.six[1]:,}",
        products < COUNTS.six[0] and short["multiplications"][1] < COUNTS.multiplications[1],
        "symmetric A*, the hinge eliminated by a product of vectors, P R* as two screws; fewer multiplications, more "
        "additions",
    )  # fmt: skip


def _folded() -> Claim:
    """The economical form on real arms, its zeros, ones and constants folded."""
    names = ("puma560", "ur5")
    arms = {name: load(name) for name in names}
    counts = {name: count_economical(Linkage(Bodies(arm)), folded=True) for name, arm in arms.items()}
    as_it_stands = {name: count_operations("nasser", arm).folded for name, arm in arms.items()}
    listed = "; ".join(
        f"{name} {c.multiplications:,} and {c.additions:,} ({f.multiplications:,} and {f.additions:,} from the "
        "equations as they stand)"
        for (name, c), f in zip(counts.items(), as_it_stands.values(), strict=True)
        if f is not None
    )
    return better(
        "section 3.3", f"{COUNTS.six[0]:,} multiplications and {COUNTS.six[1]:,} additions for six joints",
        f"folded for real arms: {listed}",
        all(c.multiplications < COUNTS.six[0] and c.additions < COUNTS.six[1] for c in counts.values()),
        "angles between axes of 0 and 90 degrees and missing offsets leave less than half of the operations",
    )  # fmt: skip


def _linear(found: dict[str, dict[str, list[Fraction]]]) -> Claim:
    degrees = {len(p) - 1 for counts in found.values() for p in counts.values()}
    return judged(
        "Introduction", "computational requirements vary linearly with the number of joints",
        f"counts of degree {max(degrees)} in N, as they stand and economical", degrees == {1},
    )  # fmt: skip


def _crossing(mine: Callable[[int], int], other: Callable[[int], int]) -> int:
    return next(n for n in range(2, LONGEST) if mine(n) < other(n))


def _walker_orin() -> Claim:
    """Against the methods of Walker and Orin, like with like: dense with dense, folded with folded."""

    def folded(n: int) -> int:
        found = count_operations("walker_orin_3", n).folded
        assert found is not None
        return found.multiplications

    whole = _crossing(
        lambda n: count_operations("nasser", n).multiplications,
        lambda n: count_operations("walker_orin_3", n).multiplications,
    )
    short = _crossing(lambda n: economical(n, True).multiplications, folded)
    printed = int(at(COUNTS.multiplications, 12))
    mine, others = economical(6).multiplications, [count_operations(m, 6).multiplications for m in WALKER_ORIN]
    return limited(
        "Introduction", "efficiency exceeds that of Walker-Orin methods",
        f"multiplications for N = 6: {count_operations('nasser', 6).multiplications:,} with full 6x6 products, "
        f"{mine:,} with symmetry and zeros used; methods 1, 2, 3 as they stand {', '.join(f'{c:,}' for c in others)}; "
        f"in print {printed:,} against {BOOK_METHOD_3:,} of method 3 for twelve joints (Book 1983)",
        mine < min(others) and printed < BOOK_METHOD_3 and short <= 6 < whole,
        f"fewer than method 3 from N = {whole} on with full products; from N = {short} on in the economical form, both "
        "folded for a PUMA-like arm",
        "method 3 is not rearranged: its equations as they stand, folded",
    )  # fmt: skip


def timed(progress: Callable[[str], object] | None) -> Claim:
    """Measured times of the equations as they stand."""
    found = time_formulations(("nasser", *WALKER_ORIN), joints=SIZES, seconds=8.0, progress=progress)
    times = {(row.method, row.joints): row.nanoseconds for row in found}
    mine = [(n, times["nasser", n]) for n in SIZES if ("nasser", n) in times]
    exponent = float(np.polyfit(np.log([n for n, _ in mine]), np.log([t for _, t in mine]), 1)[0])
    largest = max(n for n in SIZES if ("nasser", n) in times and ("walker_orin_3", n) in times)
    listed = ", ".join(f"{m} {times[m, 6]:.0f} ns" for m in ("nasser", *WALKER_ORIN) if (m, 6) in times)
    ratio = [times["nasser", n] / times["walker_orin_3", n] for n in (6, largest)]
    return limited(
        "Introduction",
        "efficiency exceeds that of Walker-Orin methods, and varies linearly with the number of joints",
        f"time as written, N = 6: {listed}; power {exponent:.2f} of N from {mine[0][0]} to {mine[-1][0]} joints",
        ratio[1] < ratio[0] and exponent < 2,
        f"with full 6x6 products it takes {ratio[0]:.1f} times the time of method 3 for six joints, {ratio[1]:.1f} "
        f"times for {largest}",
        "caches and registers make long programs slower than their counts",
    )


def _drawn(found: dict[str, dict[str, list[Fraction]]]) -> Drawing:
    """Multiplications of forward dynamics over the number of joints."""
    joints = range(2, 17)
    curves = []
    for method in WALKER_ORIN:
        values = {n: count_operations(method, n).multiplications for n in range(2, 7)}
        ours = polynomial(values, degree_of(values))
        curves.append(Curve(method, joints, [float(at(ours, n)) for n in joints]))
    for name, counts in found.items():
        values_of = [float(at(counts["multiplications"], n)) for n in joints]
        curves.append(Curve(f"nasser, {name}", joints, values_of, "--" if name == "economical" else "-"))
    printed = [float(at(COUNTS.multiplications, n)) for n in joints]
    curves.append(Curve("nasser, printed", joints, printed, "o"))
    panel = Panel("", "joints", "multiplications", tuple(curves), ("linear", "log"))
    return Drawing("multiplications", "Multiplications of forward dynamics, dense", (panel,), 1)
