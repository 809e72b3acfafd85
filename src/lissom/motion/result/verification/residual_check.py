"""Residual check: the motion simulated on its arm, to judge a mesh of unactuated coordinates."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lissom.model.loads import Load
from lissom.motion.result.outcome import MotionOutcome
from lissom.motion.result.record import AbstractMotion
from lissom.motion.result.replay import open_loop, tracked
from lissom.motion.result.report import DEVIATION, ResidualCheck
from lissom.motion.result.verification.defects import defects, deviation
from lissom.motion.result.verification.growth import Growth
from lissom.motion.result.verification.residual import apart, residual_vibration
from lissom.motion.task.loads import load_at
from lissom.simulation.run import Run

FIRST_FINER, MOST_FINER = 8, 64
UNRESOLVED_FINER = 2  # to begin with where even the former would not resolve the fastest mode
MOVING = 1e-7  # m: an end that would ring by more is not meant to be at rest; what differs from it counts then
PRECISE = 1e-9  # relative error of replayed segments
PER_PERIOD = 0.7  # segments in a period of the fastest mode from which the equations of motion are met well enough


def settled(motion: AbstractMotion, asked: float) -> ResidualCheck:
    """Check what remains after a motion, simulated open loop; if that is too much, with the joints tracked.

    Torques without feedback magnify every error where an arm is unstable (links above their joint under gravity, joints
    without damping): the end of such a simulation says nothing about the plan. With the joints on their planned paths,
    only the unactuated coordinates move freely, and what remains is due to the plan. Its torques then have to pass
    another check, segment by segment from the planned states, as in `verify`.
    """
    alone = _compared(motion, open_loop(motion), tracked=False)
    if alone.passes(asked) or motion.arm.loops:
        return alone
    following = _compared(motion, tracked(motion), tracked=True)
    if not following.passes(asked):
        return min(alone, following, key=lambda check: check.largest)
    growth = Growth(motion)
    return following._replace(deviation=float(deviation(defects(motion, growth, PRECISE), growth).max()))


def _compared(motion: AbstractMotion, run: Run, tracked: bool) -> ResidualCheck:
    """Residual vibration at the end of a simulation of a motion, and its distance from the plan."""
    arm = motion.arm
    finer = (len(motion.finest_breaks) - 1) // motion.basis.segments
    ringing = rings(run, motion.duration, last_loads(motion))
    if not np.isfinite(ringing):
        return ResidualCheck(finer, np.inf, np.inf, np.inf, np.inf, tracked)
    q, qd = motion.q[-1], motion.qd[-1]
    if residual_vibration(arm, q, qd, last_loads(motion)) > MOVING:  # it is not meant to rest there
        ringing = apart(arm, q, run.q[-1] - q, run.qd[-1] - qd).reach
    error = np.abs(run.q - motion.at(np.minimum(run.t, motion.duration))[0])
    passive = [k for k, joint in zip(arm.joint_index, arm.joints, strict=True) if not joint.actuated]
    joints = error[:, arm.joint_index]
    return ResidualCheck(
        finer, ringing, float(joints.max()), float(joints[-1].max()), float(error[-1, passive].max(initial=0.0)),
        tracked,
    )  # fmt: skip


def rings(run: Run, until: float, loads: Sequence[Load]) -> float:
    """Vibration of the tip that is left at the end of a run [m]; infinite where it did not get there."""
    if run.failures or not np.isfinite(run.q[-1]).all() or run.t[-1] < until * (1 - 1e-9):
        return np.inf
    return residual_vibration(run.arm, run.q[-1], run.qd[-1], loads)


def last_loads(motion: AbstractMotion) -> list[Load]:
    """Return the task's loads at its end."""
    return load_at(motion.task.loads, 1.0)


def not_settled(last: ResidualCheck, asked: float) -> str:
    """Return why a motion does not count as solved: what is left when it ends."""
    mesh = f"with unactuated coordinates on {last.finer}x finer segments. Increase segments (more modes need more)"
    if last.largest <= asked:
        return (
            "no motion was found that obeys the equations of motion: replayed from its planned states, the defects of "
            f"its segments add up to {last.deviation:.2g}, more than {DEVIATION:g}, {mesh}"
        )
    what = f"the residual tip vibration is {last.residual:.2g} m"
    if last.passive_error > last.residual:
        what = f"a passive joint misses its goal by {last.passive_error:.2g}"
    return (
        f"{MotionOutcome.VIBRATING.sentence}: {what}, more than {asked:g}, {mesh}, use a longer duration, or allow a "
        "larger residual"
    )
