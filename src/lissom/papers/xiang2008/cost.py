"""Sections 1, 3.2 and 4.4: what sensitivities cost, by recursion, by direct differentiation and by differences."""

from __future__ import annotations

import time
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np

from lissom.dynamics.bodies import Bodies
from lissom.formulations import xiang, xiang_sensitivity
from lissom.formulations.counting import Count, Tally, counted_state, degree_of
from lissom.formulations.linkage import Linkage, State
from lissom.model.arm import Arm
from lissom.papers.claims import ROUNDING, Claim, as_corrected, judged, refuted
from lissom.papers.xiang2008 import regular
from lissom.papers.xiang2008.structures import chain, torso
from lissom.spatial.rotations import Array
from lissom.verbs.count import count_operations, puma_like
from lissom.verbs.sensitivity import InverseGradient, inverse_dynamics_gradient

METHOD = "xiang"
PRINTED_TABLE_2 = (4_388, 852)  # multiplications at n = 6, 4x4 recursion and Newton-Euler, Hollerbach 1980
COUNTED = range(2, 9)  # joints
SIZES = (2, 6, 18)  # joints
SAMPLES, SEGMENTS = 41, 20  # of a motion
FREE = SEGMENTS - 1  # control points per joint that the ends leave free


def claims() -> list[Claim]:
    """Claims about numbers of operations."""
    direct = {n: _counted(regular.gradient, n) for n in COUNTED}
    recursion = {n: _counted(xiang_sensitivity.gradient, n) for n in COUNTED}
    return [
        _hollerbach(), _agreement(), _direct(direct, recursion), _order(recursion), _differences(recursion),
        _variables(), _large(),
    ]  # fmt: skip


def _counted(function: Callable[[State], Any], arm_or_n: Arm | int) -> Count:
    """Operations on an arm, or on one of n joints, by the dense rule."""
    tally = Tally(folded=False)
    arm = arm_or_n if isinstance(arm_or_n, Arm) else puma_like(arm_or_n)
    function(counted_state(Linkage(Bodies(arm)), tally))
    return Count(tally.multiplications, tally.additions)


def _hollerbach() -> Claim:
    four, link = (count_operations(method, 6).multiplications for method in (METHOD, "newton_euler_link"))
    return refuted(
        "section 1",
        "the recursion with 4x4 matrices is more efficient than that of Newton and Euler (Hollerbach 1980)",
        f"multiplications for six joints: {PRINTED_TABLE_2[0]:,} and {PRINTED_TABLE_2[1]:,} in Hollerbach's Table II; "
        f"{four:,} and {link:,} by our dense rule",
        PRINTED_TABLE_2[0] > 2 * PRINTED_TABLE_2[1] and four > 2 * link,
        f"Newton and Euler's takes {PRINTED_TABLE_2[0] / PRINTED_TABLE_2[1]:.1f} times fewer",
    )


# ---- (11) --------------------------------------------------------------------------------------------------


def _agreement() -> Claim:
    """(11) beside (33)-(35) on a serial arm with a force on a link."""
    arm, worst = chain(5), 0.0
    linkage, rng = Linkage(Bodies(arm)), np.random.default_rng(2)
    for _ in range(3):
        q, qd, qdd = rng.uniform(-1.5, 1.5, (3, arm.dof))
        push = linkage.push(arm.links[3].name, [7.0, -3.0, 5.0, 0.0, 0.0, 0.0, 0.1, 0.2, -0.1])
        assert push is not None
        gravity = [float(g) for g in linkage.in_frame_0(arm.gravity)]
        state = State(linkage.members, linkage.frames(list(q)), list(qd), list(qdd), gravity, (push,))
        pairs = zip(regular.gradient(state), xiang_sensitivity.gradient(state), strict=True)
        worst = max(worst, *(_apart(np.array(a, float), np.array(b, float)) for a, b in pairs))
    return as_corrected(
        "(11)",
        "direct sensitivity analysis of the regular Lagrangian equations (6)-(10)",
        f"all three matrices, five joints in space with a force on a link, three states: within {worst:.1e} of "
        "(33)-(35), relative",
        worst, ROUNDING, "(6), (9), (10), (19), (23) and (26) as in the errata",
    )  # fmt: skip


def _apart(a: Array, b: Array) -> float:
    return float(np.abs(a - b).max() / np.abs(b).max())


def _direct(direct: dict[int, Count], recursion: dict[int, Count]) -> Claim:
    grows = degree_of({n: count.multiplications for n, count in direct.items()})
    ratio = direct[6].multiplications / recursion[6].multiplications
    torques = {n: count_operations("uicker_kahn", n).multiplications for n in COUNTED}
    power = degree_of(torques)
    return judged(
        "sections 3.2, 4.4",
        "the regular Lagrangian costs O(n^4), its direct sensitivity analysis even more",
        f"the torques (6)-(8) take {torques[2]:,} multiplications for two joints, {torques[6]:,} for six, and grow "
        f"with power {power} of n; (11) takes {direct[2].multiplications:,} and {direct[6].multiplications:,}, "
        f"the recursion {recursion[2].multiplications:,} and {recursion[6].multiplications:,}: "
        f"(11) takes {ratio:.0f} times as many for six, and grows with power {grows}",
        power == 4 and grows > 4 and ratio > 10,
        bar="polynomials of degree 4 and of a higher one go through the counts for 2 to 8 joints exactly, and (11) "
        "takes more than 10 times as many for six",
    )


def _order(recursion: dict[int, Count]) -> Claim:
    grows = degree_of({n: count.multiplications for n, count in recursion.items()})
    return refuted(
        "section 4.4",
        "the cost of the sensitivities is reduced to O(n)",
        f"multiplications for 2, 4 and 8 joints: {', '.join(f'{recursion[n].multiplications:,}' for n in (2, 4, 8))}, "
        f"which grow with power {grows} of n",
        grows == 2,
        f"O(n^{grows}); O(n) is the cost of the torques",
        "there are n x n numbers; on a chain hardly any is zero",
    )


def _differences(recursion: dict[int, Count]) -> Claim:
    """Analytic derivatives beside one-sided differences of the torques, per state."""
    by_differences = {n: (3 * n + 1) * _counted(xiang.generalized_forces, n).multiplications for n in COUNTED}
    ratios = {n: by_differences[n] / recursion[n].multiplications for n in (2, 6, 8)}
    return judged(
        "sections 1, 4.3",
        "analytic sensitivities are cheaper than finite differences",
        f"multiplications for all derivatives by q, qd and qdd, six joints: {recursion[6].multiplications:,} by "
        f"(21)-(35), {by_differences[6]:,} by {3 * 6 + 1} evaluations of the torques; "
        + ", ".join(f"{x:.2f} times for {n} joints" for n, x in ratios.items()),
        all(x > 1 for x in ratios.values()),
        "and they are exact",
        "the ratio is above 1 for 2 to 8 joints",
    )


# ---- many variables ----------------------------------------------------------------------------------------


def _variables() -> Claim:
    """The Jacobian of a motion's torques by its control points: chain rule beside differences by every variable."""
    ratios = {n: _whole(n) for n in SIZES}
    listed = ", ".join(f"{x:.1f} times for {n} joints" for n, x in ratios.items())
    found = list(ratios.values())
    states = [(3 * n + 1) * _counted(xiang.generalized_forces, n).multiplications
              / _counted(xiang_sensitivity.gradient, n).multiplications for n in SIZES[:2]]  # fmt: skip
    return judged(
        "section 1",
        "the expense of finite differences becomes more serious as the number of variables increases",
        f"differences by each of the {FREE} free control points per joint and the duration, of {SEGMENTS} segments, "
        f"against the recursion and the chain rule (41), (42), multiplications per sample: {listed}",
        found[0] > 1 and all(b > a for a, b in pairwise(found)),
        "these differences ignore the local support of splines, four control points at a time. Differences by the "
        f"states with the chain rule take only {states[0]:.2f} ({SIZES[0]} joints) to {states[1]:.2f} times "
        f"({SIZES[1]} joints) the multiplications of the recursion",
        "the ratio is above 1 and grows with the number of joints",
    )


def _whole(n: int) -> float:
    """Multiplications by one-sided differences over those by (41) and (42), per sample."""
    differences = (FREE * n + 2) * _counted(xiang.generalized_forces, n).multiplications
    chain_rule = 3 * n**2 * FREE + 3 * n**2  # each slope by each value of a basis function; (42) by the rates
    return differences / (_counted(xiang_sensitivity.gradient, n).multiplications + chain_rule)


def _large() -> Claim:
    """A tree as large as the human model of the companion papers."""
    arm = torso()
    q, qd, qdd = np.random.default_rng(4).uniform(-1.0, 1.0, (3, SAMPLES, arm.dof))

    def by(method: str | None) -> InverseGradient:
        return inverse_dynamics_gradient(arm, q, qd, qdd, method=method, threads=1)

    apart = max(_apart(a, b) for a, b in zip(by(METHOD), by(None), strict=True))
    start = time.process_time()
    by(METHOD)
    micro = 1e6 * (time.process_time() - start) / SAMPLES
    analytic, torques = (
        _counted(f, arm).multiplications for f in (xiang_sensitivity.gradient, xiang.generalized_forces)
    )
    differences = (3 * arm.dof + 1) * torques
    return as_corrected(
        "section 7",
        "the scheme serves models with a large number of joints: its derivatives, for 55 as the human model has",
        f"a tree of {arm.dof} joints, {SAMPLES} states: all derivatives by method='xiang' within {apart:.0e} of the "
        f"fast path; {analytic:,} multiplications per state, fewer than the {differences:,} of their one-sided "
        "differences",
        apart if analytic < differences else np.inf, ROUNDING,
        "(23) and (26) as in the errata; (37b) sums T_child D_child, T_child E_child and T_child F_child",
        "derivatives alone are run; no motion of such a tree is optimised here. Measured, for information: "
        f"{micro:.0f} us per state",
    )  # fmt: skip
