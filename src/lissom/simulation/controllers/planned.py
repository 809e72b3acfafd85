"""Torques of a planned motion as a function of time, so that compiled steps read them at any time.

Between the breaks of the motion, and the instants at which joints with friction turn around, its torques are smooth:
polynomials through Chebyshev points reproduce them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from lissom.errors import InputError
from lissom.simulation.interpolated import finer, interpolated
from lissom.simulation.signals import Profile
from lissom.spatial.rotations import Array

BESIDE = 1e-9  # of the duration, that torques at both ends are taken inside it
Function = Callable[[Array], Array]
TURN_LOOKS = 16  # in a segment, at the direction in which joints with friction move
STILL = 1e-9  # of the largest rate
BISECTIONS = 50


class Exact(Profile):
    """A function of many times at once, with both sides of its jumps, that simulations take as they take a profile."""

    function: Function
    leaps: Array
    after: Array | None

    def __init__(self, breaks: Array, function: Function, leaps: Array, after: Array | None = None) -> None:
        """breaks (nt,) [s]; function (nt,) -> (nt, m); leaps: times at which it jumps; after (m,): its value later."""
        super().__init__(breaks, function(breaks))
        for word, value in (("function", function), ("leaps", leaps), ("after", after)):
            object.__setattr__(self, word, value)

    @property
    def content(self) -> bytes:
        """Bytes that identify the function, for fingerprints: its values at breaks and between them."""
        return super().content + self.function((self.t[1:] + self.t[:-1]) / 2).tobytes()

    @property
    def jumps(self) -> Array:
        """Times at which it jumps."""
        return self.leaps

    def __call__(self, t: ArrayLike, before: bool = False) -> Array:
        """Return values (..., m) at times (...); at a jump the value after it, or the one before."""
        end = float(self.t[-1])
        hair = 1e-14 * end if before else 0.0  # a hair to the left is another polynomial, continued
        one: Any = t
        if isinstance(one, float):  # one after the other, from the steps of a simulation
            if self.after is not None and (one > end if before else one >= end):
                return self.after
            return np.ascontiguousarray(self.function(np.array([min(max(one - hair, 0.0), end)]))[0])
        times = np.asarray(t, float)
        found = self.function(np.clip(times.ravel() - hair, 0.0, end)).reshape(*times.shape, -1)
        if self.after is not None:
            found = np.where((times > end if before else times >= end)[..., None], self.after, found)
        # columns that were picked lie one after the other; compiled steps read rows
        return np.ascontiguousarray(found)


def is_planned_motion(value: Any) -> bool:
    """Whether a value has the interface of a `Motion`: a duration, and q, qd, qdd at any time within it."""
    return hasattr(value, "duration") and callable(getattr(value, "at", None))


def refuse_motion_as_torques(what: str, tau: Any) -> None:
    """Refuse a motion where torques are expected: it does not say whether and how its path is tracked."""
    if is_planned_motion(tau):
        raise InputError(
            f"{what}: tau is a Motion. To track it with its torques as feedforward, use "
            "tau=ls.Follow(motion, kp=..., kd=...); for its torques alone, tau=ls.Profile(motion.t, motion.tau)."
        )


def refuse_planned_samples(controller: str, motion: Any, tau: Any) -> None:
    """Refuse feedforward torques that are the samples of the motion to track: rows would be read as runs."""
    refuse_motion_as_torques(controller, tau)
    if not is_planned_motion(motion) or callable(tau) or np.ndim(tau) != 2:
        return
    planned = np.asarray(motion.tau)
    if np.array_equal(tau, planned) or np.array_equal(tau, planned[:, motion.arm.joint_index]):
        raise InputError(
            f"{controller}: tau has the {len(planned)} samples of the motion, but rows of numbers are one for each run "
            "of an ensemble. To track a motion with its torques as feedforward, use "
            "ls.Follow(motion, kp=..., kd=...)."
        )


class Pieces(NamedTuple):
    """Where the torques of a motion are smooth, and where they jump.

    breaks : (k,)       ends of the segments of its splines [s]
    smooth : (m,)       times between which its torques are smooth
    leaps : (l,)        times inside it at which they jump
    """

    breaks: Array
    smooth: Array
    leaps: Array

    @classmethod
    def of(cls, motion: Any) -> Pieces:
        """Return the pieces of a motion."""
        breaks = motion.finest_breaks * motion.duration
        turns = _turns(motion)
        closed = [] if motion.closures is None else motion.closures.s * motion.duration
        smooth = np.unique(np.concatenate([breaks, turns, closed]))
        smooth = smooth[np.append(True, np.diff(smooth) > 1e-12 * smooth[-1])]
        rough = continuity(motion) < 2  # accelerations jump
        return cls(breaks, smooth, np.unique(np.concatenate([breaks[1:-1] if rough else [], turns])))


def continuity(motion: Any) -> int:
    """Return the number of continuous derivatives of all coordinates."""
    return min(basis.continuity for basis, _, _ in motion.splines)


def planned_torques(motion: Any) -> Exact:
    """Return the torques of a motion over time, followed by those that hold the arm at its end."""
    pieces = Pieces.of(motion)
    leaps = np.union1d(pieces.leaps, motion.duration)
    return Exact(pieces.breaks, interpolated(torques_of(motion), pieces.smooth), leaps, held_at_end(motion))


def held_at_end(motion: Any) -> Array:
    """Return the torques (dof,) that hold the arm at the end of a motion."""
    end = np.array([motion.duration])
    q = motion.at(end)[0]
    held = motion.required(np.ones(1), q, 0 * q, 0 * q, motion.loads_at(end))[0]
    return np.where(motion.arm.actuated, held, 0.0)


def torques_of(motion: Any) -> Function:
    """Return the torques of a motion at times (nt,), of open arms from one polynomial per piece, smooth to rounding."""
    path, end = motion.polynomials, motion.duration
    if path is None:
        return motion.torques

    def torques(t: Array) -> Array:
        t = np.clip(t, BESIDE * end, (1 - BESIDE) * end)  # at rest friction has the direction of the adjacent motion
        tau = motion.required(t / end, path(t), path(t, 1), path(t, 2), motion.loads_at(t))
        return np.where(motion.arm.actuated, tau, 0.0)

    return torques


def _turns(motion: Any) -> Array:
    """Return the times at which joints with friction turn around, and their torques jump."""
    rough = motion.arm.joint_index[motion.arm.sticks]
    t = finer(motion.finest_breaks, TURN_LOOKS) * motion.duration
    v = motion.at(t)[1][:, rough]
    moving = np.abs(v) > STILL * np.abs(v).max(initial=0.0)  # the sign of rounding is none
    row, joint = np.nonzero((v[:-1] * v[1:] < 0) & (moving[:-1] | moving[1:]))
    low, high = t[row], t[row + 1]
    for _ in range(BISECTIONS if len(row) else 0):
        middle = (low + high) / 2
        before = motion.at(middle)[1][np.arange(len(row)), rough[joint]] * v[row, joint] > 0
        low, high = np.where(before, middle, low), np.where(before, high, middle)
    return np.unique((low + high) / 2)
