"""Section 6: numbers of operations, of the paper's own equations run in 4x4 and of lissom's compiled form."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from lissom.formulations.book import count_simulation_form, printed_additions, printed_multiplications
from lissom.formulations.counting import Count, Number, Tally, degree_of
from lissom.listing import Listing
from lissom.model.arm import Arm
from lissom.papers.book1983.arms import (
    general_arm,
    general_rigid_arm,
    six_joint_arm,
    slender_links,
)
from lissom.papers.book1983.equations import Equations, Link, links_of
from lissom.papers.book1983.imaginary_joints import FIFTEEN, with_imaginary_joints
from lissom.papers.claims import ROUNDING, Claim, as_corrected, better, judged, limited, refuted, undecidable
from lissom.papers.hollerbach1980.printed import PRINTED as HOLLERBACH
from lissom.verbs.count import count_operations, puma_like
from lissom.verbs.dynamics import bias_forces, forward_dynamics, mass_matrix

CASE = (6, 2, 3)  # joints, flexible links, modes
PRINTED = 12_009  # multiplications, in the text of section 6
WALKER_ORIN_PRINTED = 4_491
WRONG = ("9", "10", "14", "15", "52", "65", "70", "75", "78", "80", "81", "86", "89")  # equations that J and R use
SEARCHED = (30, 6, 10)  # most joints, flexible links and modes of a search
STATES = 4096  # of a batch that is timed
INVERSE = ("hollerbach_3x3", "newton_euler_link")
TERMS = {  # of the polynomial for multiplications
    "n_f^2 m^2": 6.0, "n_f m^2": 17.5, "n_f^2 m": 118.0, "n n_f m": 74.0, "n_f m": 137.5, "n^2": 84.0, "n n_f": 86.0,
    "n": 279.0, "n_f": 126.0,
}  # fmt: skip


def counted(links: list[Link], folded: bool = True) -> Count:
    """Operations of J and R by the paper's equations; entries of the joints' matrices are free, as elsewhere.

    folded : products with 0 and 1 and what is between constants are free; else all of 4x4 counts
    """
    tally, run = _equations_of(links, folded)
    run.J()
    run.R()
    return Count(tally.multiplications, tally.additions)


def counted_parts(links: list[Link]) -> tuple[Count, Count]:
    """Operations of J alone and of R alone, each with the kinematics it needs."""
    tallies = []
    for part in (Equations.J, Equations.R):
        tally, run = _equations_of(links, folded=True)
        part(run)
        tallies.append(tally)
    one, two = (Count(tally.multiplications, tally.additions) for tally in tallies)
    return one, two


def _equations_of(links: list[Link], folded: bool) -> tuple[Tally, Equations]:
    """The paper's equations of counting numbers."""
    tally = Tally(folded)

    def unknown(_count: int) -> Any:
        return np.array([Number(tally) for _ in range(_count)], dtype=object)

    def joint(link: Link, _q: Any) -> tuple[Any, Any, Any]:
        tally.counting = False
        found = link.joint(Number(tally), Number(tally))
        tally.counting = True
        return found

    size = sum(1 + link.m for link in links)
    return tally, Equations(links, unknown(size), unknown(size), None, (0.0, 0.0, -9.81), joints=joint)


def claims() -> list[Claim]:
    """All claims about numbers of operations."""
    own = OwnCounts(
        counted(slender_links(*CASE, general=False)), counted(slender_links(*CASE, general=True)),
        counted(slender_links(*CASE, general=True), folded=False),
    )  # fmt: skip
    ours = count_simulation_form(general_arm("book")), count_simulation_form(six_joint_arm("book"))
    return [
        _transcribed(), _polynomial(), _cost(own, ours), *_rigid(ours), _inverse(), _competitive(), _growth(),
    ]  # fmt: skip


class OwnCounts(NamedTuple):
    """The paper's equations counted: common joints, general joints, and every product of 4x4."""

    common: Count
    general: Count
    dense: Count


def _transcribed() -> Claim:
    """The equations that are counted give what lissom computes."""
    arm = general_arm("book")
    links, rng = links_of(arm), np.random.default_rng(6)
    worst, plain = np.zeros(2), np.zeros(2)
    for _ in range(5):
        z, zd = rng.uniform(-1.0, 1.0, (2, arm.dof))
        z[arm.mode_index] *= 0.05
        want = mass_matrix(arm, z), -bias_forces(arm, z, zd)
        for off, printed in ((worst, ()), (plain, WRONG)):
            paper = Equations(links, z, zd, gravity=arm.gravity, printed=printed)
            got = paper.J(), paper.R()
            off[:] = np.maximum(off, [np.abs(a - b).max() / np.abs(b).max() for a, b in zip(got, want, strict=True)])
    return as_corrected(
        "(66)-(90)",
        "J and R as scalar and 4x4 matrix operations ready for programming",
        f"transcribed with the corrections of the errata, general joints and modal tables: within {worst.max():.1e} "
        f"of ours, relative, in 5 states; as printed J is {100 * plain[0]:.0f} % off, R {100 * plain[1]:.0f} %",
        float(worst.max()), ROUNDING,
        f"{', '.join(f'({word})' for word in WRONG[:-1])} and ({WRONG[-1]}) corrected as in the errata",
        "some of these slips are perhaps the scan's",
    )  # fmt: skip


def _polynomial() -> Claim:
    """Text and polynomial disagree; which single coefficient would have to be another."""
    found, adds = printed_multiplications(*CASE), printed_additions(*CASE)
    off = PRINTED - found
    n, f, m = CASE
    powers = (f * f * m * m, f * m * m, f * f * m, n * f * m, f * m, n * n, n * f, n, f)
    size = dict(zip(TERMS, powers, strict=True))
    would = {word: value + off / size[word] for word, value in TERMS.items()}
    most_n, most_f, most_m = SEARCHED
    others = [(a, b, c) for a in range(1, most_n + 1) for b in range(most_f + 1) for c in range(most_m + 1)
              if printed_multiplications(a, b, c) == PRINTED]  # fmt: skip
    listed = "; ".join(f"{TERMS[word]:g} -> {value:g} of {word}" for word, value in would.items())
    return undecidable(
        "section 6",
        f"approximately {PRINTED:,} multiplications for six joints and two flexible links of three modes",
        f"the polynomial above this sentence gives {found:,.0f} (and {adds:,.0f} additions), {off:g} fewer: "
        f"{found / WALKER_ORIN_PRINTED:.2f} instead of {PRINTED / WALKER_ORIN_PRINTED:.2f} times the "
        f"{WALKER_ORIN_PRINTED:,} of Walker and Orin. One other coefficient would explain "
        f"it: {listed}. Up to {most_n} joints, {most_f} flexible links and {most_m} modes the polynomial gives "
        f"{PRINTED:,} in {len(others)} cases",
        "no derivation is printed, so either number may be the wrong one; none of the coefficients that would explain "
        "it differs from the printed one by a single digit",
    )


def _cost(own: OwnCounts, ours: tuple[Count, Count]) -> Claim:
    """The paper's equations counted on stand-ins, and lissom's."""
    inside = own.general.multiplications < printed_multiplications(*CASE) < own.dense.multiplications
    return better(
        "section 6",
        f"J and R take about {PRINTED:,} multiplications",
        f"the paper's equations run in 4x4: {own.dense.multiplications:,} multiplications with all of every product, "
        f"{own.general.multiplications:,} without those by constant rows (general joints), "
        f"{own.common.multiplications:,} with the zeros of joints about z and y; lissom as compiled "
        f"{ours[0].multiplications:,} and {ours[0].additions:,} additions with general joints and modal tables, "
        f"{ours[1].multiplications:,} and {ours[1].additions:,} with the axes of a common arm and plain beams",
        inside and ours[0].multiplications < own.general.multiplications,
        "here Q is carried inwards instead of 4x4 matrices, and nothing is computed twice. The paper prints no arm; "
        "stand-ins are used. It assumes a flexible first link and a rigid last one, as the general arm has them; the "
        "common arm has a rigid first link (its waist), which makes it cheaper",
    )


def _rigid(ours: tuple[Count, Count]) -> list[Claim]:
    rigid = {n: count_simulation_form(general_rigid_arm(n)).multiplications for n in (12, 21)}
    classic = {n: count_operations("walker_orin_3", n).multiplications for n in (12, 21)}
    general, common = (count.multiplications for count in ours)
    simple = count_simulation_form(with_imaginary_joints(six_joint_arm("book"), FIFTEEN)).multiplications
    return [
        better(
            "section 6",
            f"2.67 times the {WALKER_ORIN_PRINTED:,} multiplications of Walker and Orin's method 3 with twelve joints",
            f"{general / rigid[12]:.2f} times, both counted as compiled, general joints: {general:,} to "
            f"{rigid[12]:,}; method 3 by the dense rule: {classic[12]:,}",
            general / rigid[12] < 2.67,
            f"J and R without solution on both sides, as the paper counts its own. It does not say whether "
            f"{WALKER_ORIN_PRINTED:,} includes the solution; our {classic[12]:,} does",
        ),
        limited(
            "section 6",
            "15 imaginary joints more, 21 in all, take fewer multiplications than this method",
            f"as compiled: {simple:,} where the imaginary joints turn about the axes of the beams, ours {common:,} "
            f"with plain beams; {rigid[21]:,} with general axes, ours {general:,} with general tables. Method 3 by the "
            f"dense rule {classic[21]:,}, the paper's polynomial {printed_multiplications(*CASE):,.0f}",
            simple < common and rigid[21] > general,
            f"true where most entries are zero, by {100 * (1 - simple / common):.1f} %; with general axes and tables "
            f"21 joints take {rigid[21] / general:.2f} times as many",
        ),
    ]  # fmt: skip


def _inverse() -> Claim:
    printed = [float(sum(c * Fraction(12) ** k for k, c in enumerate(HOLLERBACH[m].multiplications))) for m in INVERSE]
    dense = [count_operations(m, 12).multiplications for m in INVERSE]
    return judged(
        "section 6",
        "inverse dynamics by 3x3 matrices takes 2.66 times the multiplications of Newton-Euler at twelve joints",
        f"{printed[0] / printed[1]:.2f} by the polynomials that Hollerbach printed; "
        f"{dense[0] / dense[1]:.2f} by our dense rule",
        round(printed[0] / printed[1], 2) == 2.66,
        bar="the printed polynomials give 2.66 in two decimals",
    )


def _competitive() -> Claim:
    """What simpler shapes can save at most: every term with m^2."""
    n, f, m = CASE
    whole, squared = printed_multiplications(*CASE), TERMS["n_f^2 m^2"] * f**2 * m**2 + TERMS["n_f m^2"] * f * m**2
    half = next(k for k in range(1, 200) if 2 * squared * k**2 / m**2 > printed_multiplications(n, f, k))
    ratios = [x / WALKER_ORIN_PRINTED for x in (whole, whole - squared)]
    return refuted(
        "section 6",
        "in order to be competitive the simplification of the assumed mode shapes will have to be made",
        f"all terms with m^2 of the polynomial, more than this simplification removes, are {squared:.0f} of "
        f"{whole:,.0f} multiplications ({100 * squared / whole:.1f} %); without them {ratios[1]:.2f} instead of "
        f"{ratios[0]:.2f} times the {WALKER_ORIN_PRINTED:,} of Walker and Orin",
        ratios[1] > 0.9 * ratios[0],
        f"it saves less than a tenth of this case; these terms are half of all from {half} modes per link on",
    )


def _growth() -> Claim:
    """J and R of the paper's equations by the number of joints; all links flexible, one mode each."""
    parts = {n: counted_parts(slender_links(n, n, 1, general=True)) for n in range(2, 9)}
    J, R = ({n: part[k].multiplications for n, part in parts.items()} for k in range(2))
    powers = degree_of(J), degree_of(R)
    return judged(
        "section 5.2.4",
        "inverse dynamics can be made linear in n_t; the inertia matrix depends on n_t^2",
        "multiplications of the paper's equations run in 4x4, every link with one mode, for n_t = 4, 8 and 16: J "
        f"{', '.join(f'{J[n]:,}' for n in (2, 4, 8))}, of degree {powers[0]}; R, whose recursion is that of inverse "
        f"dynamics, {', '.join(f'{R[n]:,}' for n in (2, 4, 8))}, of degree {powers[1]}",
        powers == (2, 1),
        bar="polynomials of degrees 2 and 1 go through the counts for 2 to 8 links exactly",
    )


# ---- computing time ----------------------------------------------------------------------------------------


def computing_time(tell: Callable[[str], object]) -> Listing:
    """CPU time of forward dynamics, interleaved with a rigid arm of as many coordinates."""
    tell("compiling six joints")
    arms = {"six joints, two flexible links of three modes (not truncated)": six_joint_arm("linear"),
            "twelve rigid joints of a PUMA-like arm": puma_like(12)}  # fmt: skip
    times = _interleaved({word: _forward(arm) for word, arm in arms.items()}, rounds=15)
    rows = [(word, f"{1e9 * seconds / STATES:.0f} ns") for word, seconds in times.items()]
    title = "CPU time per state of forward dynamics in a batch (information: no verdict depends on it)"
    return Listing.of(("arm with twelve coordinates", "time"), rows, title)


def _forward(arm: Arm) -> Callable[[], object]:
    q, qd, tau = np.random.default_rng(1).uniform(-0.01, 0.01, (3, STATES, arm.dof))
    return functools.partial(forward_dynamics, arm, q, qd, tau, threads=1)


def _interleaved(work: dict[str, Callable[[], object]], rounds: int) -> dict[str, float]:
    """Best CPU seconds of several functions, measured alternately."""
    best = dict.fromkeys(work, np.inf)
    for _ in range(rounds):
        for word, call in work.items():
            start = time.process_time()
            call()
            best[word] = min(best[word], time.process_time() - start)
    return best
