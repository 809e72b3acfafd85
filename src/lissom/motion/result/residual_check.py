"""How well a mesh of unactuated coordinates does: the torques, played on the arm itself."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lissom.model.loads import Load
from lissom.motion.result.outcome import MotionOutcome
from lissom.motion.result.record import AbstractMotion
from lissom.motion.result.replay import play
from lissom.motion.result.report import ResidualCheck
from lissom.motion.result.residual import apart, residual_vibration
from lissom.simulation.run import Run

FIRST_FINER, MOST_FINER = 8, 32
UNRESOLVED_FINER = 2  # to begin with where even the former would not resolve the fastest mode
MOVING = 1e-7  # m: an end that would ring by more is not meant to be at rest; what differs from it counts then
PER_PERIOD = 0.7  # segments in a period of the fastest mode from which the equations of motion are met well enough


def settled(motion: AbstractMotion) -> ResidualCheck:
    """What the torques of a motion do to its arm."""
    arm, run = motion.arm, play(motion)
    finer = (len(motion.finest_breaks) - 1) // motion.basis.segments
    ringing = rings(run, motion.duration, last_loads(motion))
    if not np.isfinite(ringing):
        return ResidualCheck(finer, np.inf, np.inf, np.inf, np.inf)
    q, qd = motion.q[-1], motion.qd[-1]
    if residual_vibration(arm, q, qd, last_loads(motion)) > MOVING:  # it is not meant to rest there
        ringing = apart(arm, q, run.q[-1] - q, run.qd[-1] - qd).reach
    error = np.abs(run.q - motion.at(np.minimum(run.t, motion.duration))[0])
    passive = [k for k, joint in zip(arm.joint_index, arm.joints, strict=True) if not joint.actuated]
    joints = error[:, arm.joint_index]
    return ResidualCheck(
        finer, ringing, float(joints.max()), float(joints[-1].max()), float(error[-1, passive].max(initial=0.0))
    )


def rings(run: Run, until: float, loads: Sequence[Load]) -> float:
    """Vibration of the tip that is left at the end of a run [m]; infinite where it did not get there."""
    if run.failures or not np.isfinite(run.q[-1]).all() or run.t[-1] < until * (1 - 1e-9):
        return np.inf
    return residual_vibration(run.arm, run.q[-1], run.qd[-1], loads)


def last_loads(motion: AbstractMotion) -> list[Load]:
    """The task's loads at its end."""
    now = motion.loads_at(np.array([motion.duration]))
    return [load.replace(force=load.force[0], moment=load.moment[0], point=load.point[0]) for load in now]


def not_settled(last: ResidualCheck, asked: float) -> str:
    """Why a motion does not count as solved: what is left when it ends."""
    found = MotionOutcome.VIBRATING.sentence
    what = f"{found}: the residual tip vibration is {last.residual:.2g} m"
    if last.passive_error > last.residual:
        what = f"{found}: a passive joint misses its goal by {last.passive_error:.2g}"
    return (
        f"{what}, more than {asked:g}, with unactuated coordinates on {last.finer}x finer segments. Increase segments "
        "or the duration, add an effort to the minimised time, or allow a larger residual"
    )
