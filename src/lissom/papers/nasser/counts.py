"""Claims of Nasser about cost: numbers of operations, growth, and Walker and Orin's methods beside it."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from lissom.dynamics.bodies import Bodies
from lissom.engine.compile import has_fma
from lissom.engine.graph import Graph
from lissom.engine.trace import AsWritten
from lissom.formats.load import load
from lissom.formulations.counting import Count, at, degree_of, polynomial, written
from lissom.formulations.linkage import Linkage
from lissom.listing import Listing
from lissom.papers.claims import Claim, Drawing, judged, limited, undecidable
from lissom.papers.nasser.accelerations import WALKER_ORIN
from lissom.papers.nasser.economical import Inertia, accelerations, constants, count_economical, in_paper_axes
from lissom.papers.nasser.printed import COUNTS
from lissom.verbs.count import count_operations, puma_like
from lissom.verbs.timing import generic_arm, time_formulations, time_graphs, traced_state
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
    return [_printed(found), _linear(found), _walker_orin()], [_drawn(found)]


def _text(counts: list[Fraction]) -> str:
    return written(counts).replace("n", "N")


def _printed(found: dict[str, dict[str, list[Fraction]]]) -> Claim:
    """The printed polynomials, whose N may be the number of joints or one more, beside both counts and real arms."""
    theirs = {N: [int(at(getattr(COUNTS, word), N)) for word in WORDS] for N in (6, 7)}
    as_it_stands, short = ([found[name][word] for word in WORDS] for name in ("as it stands", "economical"))
    dense, own = ([int(at(p, 6)) for p in polynomials] for polynomials in (as_it_stands, short))
    compared = " and ".join(f"{sum(own) - sum(printed):+,} against N = {N} ({sum(printed):,})"
                            for N, printed in theirs.items())  # fmt: skip
    return undecidable(
        "section 3.3",
        f"{_text(list(COUNTS.multiplications))} multiplications and {_text(list(COUNTS.additions))} additions, where N "
        "is the number of links; no rule and no value is given",
        f"these give for N = 6 {_pair(theirs[6])}, for N = 7 {_pair(theirs[7])}. Ours, n joints: "
        f"{written(as_it_stands[0])} and {written(as_it_stands[1])} with full 6x6 products, {_pair(dense)} for n = 6; "
        f"{written(short[0])} and {written(short[1])} with symmetry and zeros used, {_pair(own)} for n = 6, "
        f"{sum(own):,} in all. Folded for {_folded()}, whose angles of 0 and 90 degrees and missing offsets are "
        "special geometry: not comparable with polynomials for any arm",
        "the paper states neither a rule nor the sparseness that it used, and link 1 is its moving base (section "
        f"3.1.2), so that six joints may be N = 6 or N = 7. With symmetry and zeros used, ours differs "
        f"in all by {compared}: fewer multiplications than either, fewer additions than N = 7 alone",
    )


def _pair(counts: list[int]) -> str:
    return " and ".join(f"{count:,}" for count in counts)


def _folded() -> str:
    """The economical form on real arms, its zeros, ones and constants folded."""
    counts = {name: count_economical(Linkage(Bodies(load(name))), folded=True) for name in ("puma560", "ur5")}
    return ", ".join(f"{name} {_pair([c.multiplications, c.additions])}" for name, c in counts.items())


def _linear(found: dict[str, dict[str, list[Fraction]]]) -> Claim:
    degrees = {len(p) - 1 for counts in found.values() for p in counts.values()}
    return judged(
        "Introduction", "computational requirements vary linearly with the number of joints",
        f"counts of degree {max(degrees)} in N, as they stand and economical", degrees == {1},
        bar="all four polynomials have degree 1",
    )  # fmt: skip


def _crossings(mine: Callable[[int], tuple[Any, ...]], other: Callable[[int], tuple[Any, ...]]) -> tuple[int, int]:
    """The first numbers of joints for which `mine` takes fewer multiplications, and fewer operations in all."""
    firsts: list[int] = []
    for parts in (1, 2):
        firsts.append(next(n for n in range(2, LONGEST) if sum(mine(n)[:parts]) < sum(other(n)[:parts])))
    return firsts[0], firsts[1]


def _walker_orin() -> Claim:
    """Against the methods of Walker and Orin, like with like: dense with dense, folded with folded."""

    def method_3(n: int) -> tuple[Any, ...]:
        return count_operations("walker_orin_3", n)

    whole = _crossings(lambda n: count_operations("nasser", n), method_3)
    short = _crossings(economical, method_3)
    folded = _crossings(lambda n: economical(n, True), lambda n: method_3(n)[2])
    printed = [int(at(COUNTS.multiplications, N)) for N in (12, 13)]
    mine, others = economical(6).multiplications, [count_operations(m, 6).multiplications for m in WALKER_ORIN]
    return limited(
        "Introduction", "efficiency exceeds that of Walker-Orin methods, by counts",
        f"multiplications for six joints: {count_operations('nasser', 6).multiplications:,} with full 6x6 products, "
        f"{mine:,} with symmetry and zeros used; methods 1, 2, 3 as they stand {', '.join(f'{c:,}' for c in others)}; "
        f"in print for twelve joints {printed[0]:,} (N = 12) or {printed[1]:,} (N = 13) against {BOOK_METHOD_3:,} of "
        "method 3 (Book 1983)",
        mine < min(others) and max(printed) < BOOK_METHOD_3 and max(short) <= 6 < min(whole),
        f"cheaper than method 3 with full products from {whole[0]} joints on by multiplications, from {whole[1]} by "
        f"all operations; in the economical form from {short[0]} and {short[1]}; with the zeros, ones and constants of "
        f"a PUMA-like arm folded in both the economical form and method 3, from {folded[0]} and {folded[1]}",
        "method 3 is not rearranged: its equations as they stand",
    )  # fmt: skip


def written_out(n: int) -> Graph:
    """The economical form as a graph in which every operation is done, for a generic arm of n joints."""
    run = AsWritten()
    linkage = in_paper_axes(Linkage(Bodies(generic_arm(n, 0.0))))  # no turn about z
    given = [(Inertia(*map(run.node, own)), run.node(moment)) for own, moment in constants(linkage.members)]
    state, tau = traced_state(run, linkage, "forward")
    run.output(accelerations(state, tau, given))
    return run.graph(has_fma())


def times(progress: Callable[[str], object] | None) -> Listing:
    """Measured times of the equations as they stand, of the economical form and of Walker and Orin's methods."""
    found = time_formulations(("nasser", *WALKER_ORIN), joints=SIZES, seconds=8.0, progress=progress)
    found += time_graphs("economical", {n: written_out(n) for n in SIZES}, progress)
    spent = {(row.method, row.joints): f"{row.nanoseconds:.0f} ns" for row in found}
    names = {"nasser": "full 6x6 products", "economical": "economical form, on an arm without offset angles",
             **{method: f"Walker-Orin {method[-1]}" for method in WALKER_ORIN}}  # fmt: skip
    rows = [[name, *(spent.get((method, n), "-") for n in SIZES)] for method, name in names.items()]
    title = "CPU time per state of forward dynamics, compiled as written (information: no verdict depends on it)"
    return Listing.of(("form", *(f"{n} joints" for n in SIZES)), rows, title)


def _drawn(found: dict[str, dict[str, list[Fraction]]]) -> Drawing:
    """Multiplications of forward dynamics over the number of joints."""
    joints = range(2, 17)
    curves = []
    for method in WALKER_ORIN:
        values = {n: count_operations(method, n).multiplications for n in range(2, 7)}
        ours = polynomial(values, degree_of(values))
        curves.append(Curve(f"Walker-Orin {method[-1]}", joints, [float(at(ours, n)) for n in joints]))
    for name, counts in found.items():
        values_of = [float(at(counts["multiplications"], n)) for n in joints]
        curves.append(Curve(f"Nasser, {name}", joints, values_of, "--" if name == "economical" else "-"))
    printed = [float(at(COUNTS.multiplications, n)) for n in joints]
    curves.append(Curve("Nasser, printed, N joints", joints, printed, "o"))
    more = [float(at(COUNTS.multiplications, n + 1)) for n in joints]
    curves.append(Curve("Nasser, printed, N - 1 joints", joints, more, "+"))
    caption = "Multiplications of forward dynamics: equations as they stand, economical, printed"
    panel = Panel("", "joints", "multiplications", tuple(curves), ("linear", "log"))
    return Drawing(
        "multiplications",
        caption,
        (panel,),
        1,
    )
