"""Motions of arms with closed loops: whether loops close, and limits hold, between knots too."""

from __future__ import annotations

import numpy as np

from lissom.model.limits import used
from lissom.motion.result.motion import Motion
from lissom.motion.result.outcome import MotionOutcome
from lissom.motion.splines.basis import grid
from lissom.motion.task.bounds import bounds_of
from lissom.motion.task.task import SEGMENTS
from lissom.motion.transcription.constraints.constraint import Look
from lissom.motion.transcription.loops.closing import CLOSURE
from lissom.motion.transcription.peak import EXCESS
from lissom.motion.transcription.peaks import AGAIN, peaks_of
from lissom.spatial.rotations import Array

LOOKS = 20  # in a segment
FINER_LIMITS = 4  # times the segments of the task, at most, for the sake of limits alone


def open_between(motion: Motion) -> bool:
    """A solution, also one through a singular configuration, whose loops open too far between knots.

    Too far is also where limits are kept by the splines, and not by the motion with its loops closed.
    """
    refinable = motion.outcome.solved or motion.outcome in (MotionOutcome.LIMIT_EXCEEDED, MotionOutcome.SINGULAR)
    if motion.closed is None or not refinable:
        return False
    gaps = [peak.utilisation for peak in motion.report.peaks if peak.quantity.startswith(CLOSURE)]
    coarse = motion.basis.segments < FINER_LIMITS * (motion.task.segments or SEGMENTS)
    return max(gaps, default=0.0) > 1 or (motion.ok and coarse and _excess(motion) > AGAIN)


def closed_excess(motion: Motion) -> dict[str, Array]:
    """(n,) by how much of its limits of torque and power every coordinate of the closed motion exceeds them.

    Empty where no limit is exceeded by more than `AGAIN`.
    """
    if motion.closed is None or not motion.ok:
        return {}
    t = grid(motion.breaks, LOOKS) * motion.duration
    tau = motion.torques(t)
    bounds = bounds_of(motion.arm, motion.task, "predict_motion")
    found = {
        quantity: np.maximum(used(table, bounds.lower[quantity], bounds.upper[quantity]).max(axis=0) - 1, 0.0)
        for quantity, table in (("torque", tau), ("power", tau * motion.at(t)[1]))
    }
    return found if max(part.max() for part in found.values()) > AGAIN else {}


def closed_excess_message(motion: Motion) -> str:
    """Limits that the motion with its loops closed exceeds by more than is tolerated; empty if it keeps them."""
    names = motion.arm.coordinates
    return ", and ".join(
        f"{quantity} of {names[int(part.argmax())]!r} exceeds its limit by {100 * part.max():.2g} % with closed loops"
        for quantity, part in closed_excess(motion).items()
        if part.max() > EXCESS
    )


def _excess(motion: Motion) -> float:
    """Largest part of a limit by which the motion with its loops closed exceeds it."""
    s = grid(motion.breaks, LOOKS)
    t = s * motion.duration
    bounds = bounds_of(motion.arm, motion.task, "predict_motion")
    look = Look(lambda s: motion.at(s * motion.duration)[0], s, s, motion.duration, motion.profiles(t, 4),
                motion.torques(t), None)  # fmt: skip
    peaks = peaks_of(bounds, motion.arm.coordinates, s, motion.duration, look.values)
    return max((peak.utilisation for peak in peaks), default=0.0) - 1.0
