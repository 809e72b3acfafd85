"""Sections 6.1, 6.3 and 6.4: both examples, their starting points, segments and control points, and their replay."""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np
from scipy.integrate import solve_ivp
from scipy.interpolate import BSpline

from lissom.model.arm import Arm
from lissom.motion.public import predict_motion
from lissom.motion.result.motion import Motion
from lissom.motion.splines.basis import Basis
from lissom.motion.task.task import Task
from lissom.papers.claims import Claim, Tolerance, judged, near, slip, undecidable
from lissom.papers.xiang2008.bang_bang import rates
from lissom.papers.xiang2008.closed_form import TABLE_1, TORQUE, TwoLink, two_link_arm
from lissom.papers.xiang2008.sqp import SplineProgram, solve
from lissom.papers.xiang2008.tasks import (
    EXAMPLE_1,
    EXAMPLE_2,
    PRINTED,
    PRINTED_CPU,
    PRINTED_POINTS,
    SEGMENTS,
    U,
    weightless_arm,
)
from lissom.spatial.rotations import Array
from lissom.verbs.dynamics import inverse_dynamics

STARTS = 25
WEIGHTS = (1e-3, 1e-4, 1e-5)  # u of (67), beside the printed one
MESHES = (18, 19, 20, 21)  # segments, about the printed ones


class Found(NamedTuple):
    """The motions of both examples, of example 1 on several meshes, and example 2 in the printed time."""

    first: Motion
    second: Motion
    meshes: dict[int, Motion]
    prolonged: Motion


def solved() -> Found:
    """Solve both examples, with many starts, and what they are compared with."""
    arm, loaded = weightless_arm(), two_link_arm()
    return Found(
        predict_motion(arm, EXAMPLE_1, starts=STARTS), predict_motion(loaded, EXAMPLE_2, starts=STARTS),
        {k: predict_motion(arm, EXAMPLE_1, segments=k) for k in MESHES},
        predict_motion(loaded, EXAMPLE_2, duration=PRINTED[2]),
    )  # fmt: skip


def claims(found: Found) -> list[Claim]:
    """All claims about both examples but those about computing time."""
    return [*_times(found), _control_points(), _starts(found.first), _replayed(found.second)]


def _largest(motion: Motion) -> float:
    """The largest torque at any time [N m]."""
    return TORQUE * max(peak.utilisation for peak in motion.report.peaks if peak.quantity == "torque")


def _times(found: Found) -> list[Claim]:
    return [_shortest(found), _mixed(found), _weights(found.second)]


def _shortest(found: Found) -> Claim:
    """Example 1 on meshes about the printed one, and with what else the text may mean."""
    arm, meshes = weightless_arm(), found.meshes
    times = [motion.duration for k, motion in meshes.items() if k != MESHES[0]]
    spread = max(times) / min(times) - 1
    other = {
        "ten samples per segment": SplineProgram(arm, EXAMPLE_1, method=None, each=10),
        "degree 4": SplineProgram(arm, EXAMPLE_1, method=None, basis=Basis(SEGMENTS, 4)),
        "degree 5": SplineProgram(arm, EXAMPLE_1, method=None, basis=Basis(SEGMENTS, 5)),
    }
    listed = ", ".join(f"{motion.duration:.5f} s on {k}" for k, motion in meshes.items())
    also = ", ".join(f"{solve(program).duration:.5f} s with {words}" for words, program in other.items())
    off = abs(found.first.duration / PRINTED[1] - 1)
    return near(
        "sections 6.1, 6.3",
        "example 1: the minimum travel time is T = 0.3934 s",
        f"T = {found.first.duration:.4f} s on {SEGMENTS} segments, {100 * off:.2f} % off, torque at most "
        f"{_largest(found.first):.3f} N m at all times. By segments: {listed}; on {SEGMENTS}: {also}",
        off, Tolerance(float(f"{spread:.2g}"), "times on 19, 20 and 21 segments, of which the paper leaves open "
        f"which it used, differ by {100 * spread:.2f} %"),
        "not explained: the printed time is a little longer than our optima on 19, 20 and 21 segments, so that motions "
        "of this duration exist on all three, but the optimum of none. That of 18 segments has its digits; the text "
        "does not speak of 18",
    )  # fmt: skip


def _mixed(found: Found) -> Claim:
    second, longer = found.second, found.prolonged
    dearer = longer.cost / second.cost - 1
    others = [row for row in second.report.starts if not row["same"]]
    return near(
        "section 6.4",
        "example 2: the optimal travel time is T = 0.520 s",
        f"T = {second.duration:.4f} s, cost (67) {second.cost:.5f}, which the paper does not print; torque at most "
        f"{_largest(second):.3f} N m at all times. {len(others)} of {STARTS} starts, one straight, the rest "
        f"random, end in other local optima, of cost {min(row['cost'] for row in others):.3f} and more",
        abs(second.duration / PRINTED[2] - 1), Tolerance(2e-3, "the cost is flat there: in the printed time it is "
        f"{dearer:.1e} higher, of the size of the printed optimality tolerance, 1e-6"),
    )  # fmt: skip


def _weights(second: Motion) -> Claim:
    """(67) with ever smaller u, beside the shortest time of the same task."""
    arm = two_link_arm()
    least = predict_motion(arm, EXAMPLE_2.replace(minimise="time"), starts=1).duration
    times = {U: second.duration}
    for u in WEIGHTS:
        task = EXAMPLE_2.replace(minimise={"time": 1 - u, "torque_squared": u})
        times[u] = predict_motion(arm, task, starts=1).duration
    over = [T / least - 1 for T in times.values()]
    return judged(
        "section 6.4, (67)",
        "when u goes to zero, the mixed performance criterion becomes the time-optimal criterion",
        f"example 2, T by u: {', '.join(f'{T:.4f} s ({u:g})' for u, T in times.items())}; the shortest time is "
        f"{least:.4f} s",
        bool(np.all(np.diff(over) < 0) and 0 <= over[-1] < 1e-3),
        bar=f"T falls with u, and at u = {WEIGHTS[-1]:g} is within 0.1 % of the shortest time",
    )


def _control_points() -> Claim:
    count, fewer = Basis(SEGMENTS).count, Basis(SEGMENTS - 1).count
    return slip(
        "section 6.1",
        f"{PRINTED_POINTS} control points per joint on {SEGMENTS} segments",
        f"a cubic spline on {SEGMENTS} segments has {count}; {PRINTED_POINTS} are those of {SEGMENTS - 1} segments",
        count != PRINTED_POINTS and fewer == PRINTED_POINTS,
        f"{count} control points, or {SEGMENTS - 1} segments",
        "the ends fix four of them",
    )


def _starts(motion: Motion) -> Claim:
    table = motion.report.starts
    same = [row["cost"] for row in table if row["same"]]
    return judged(
        "section 6.3",
        "different starting points all converge to the same solution (example 1)",
        f"{len(same)} of {len(table)} starts, one straight, the rest random, end within "
        f"{max(same) / min(same) - 1:.0e} of the same time",
        len(same) == len(table),
        bar="every start ends there",
    )


def computing_times() -> list[Claim]:
    """Claims about computing time, from the paper's own start."""
    return [_computing_time(1, weightless_arm(), EXAMPLE_1, 0.0), _computing_time(2, two_link_arm(), EXAMPLE_2, U)]


def _computing_time(k: int, arm: Arm, task: Task, u: float) -> Claim:
    """Iterations from the straight line, by our method and by an SQP method as the paper's is."""
    motion, own = predict_motion(arm, task, starts=1), solve(SplineProgram(arm, task, u))
    seconds = motion.report.seconds["solve"]
    return undecidable(
        f"section 6.{k + 2}",
        f"example {k}: solved in {PRINTED_CPU[k]} s on a 1.4 GHz computer",
        f"from the paper's start, the straight line: {len(motion.report.iterations) - 1} iterations, "
        f"{1e3 * seconds:.0f} ms here; by SLSQP on the paper's gradients {own.iterations} iterations, "
        f"{own.seconds:.2f} s CPU",
        "seconds on another computer and of another program are no comparison. Iterations are; the text does not "
        "state theirs, figure 10 draws those of example 1",
    )


# ---- replay ----------------------------------------------------------------------------------------------


def replayed(motion: Motion, p: TwoLink) -> tuple[Array, Array]:
    """Times and errors (nt, 2) when (69), (70) are simulated under the torques, segment by segment."""
    T, n = motion.duration, motion.arm.dof
    spline = BSpline(motion.basis.knots * T, motion.control_points, motion.degree)
    rate, acceleration = spline.derivative(1), spline.derivative(2)

    def slope(t: float, z: Array) -> Array:
        tau = inverse_dynamics(motion.arm, spline(t), rate(t), acceleration(t))
        return rates(t, z, p, tau)

    z, times, errors = np.concatenate([motion.q[0], motion.qd[0]]), [0.0], [np.zeros(n)]
    for a, b in pairwise(motion.breaks * T):
        z = solve_ivp(slope, (a, np.nextafter(b, a)), z, "DOP853", rtol=1e-11, atol=1e-12).y[:, -1]
        times.append(b)
        errors.append(z[:n] - spline(np.nextafter(b, a)))
    return np.array(times), np.array(errors)


def _replayed(motion: Motion) -> Claim:
    worst = float(np.abs(replayed(motion, TABLE_1)[1]).max())
    return near(
        "section 6.4",
        "torques put into another program (ADAMS) give the same motion (example 2)",
        f"(69), (70) integrated under these torques, DOP853: joints within {worst:.1e} rad at all knots",
        worst, Tolerance(1e-9, "that of the integrator, 1e-11 per step, summed", "rad"),
    )  # fmt: skip
