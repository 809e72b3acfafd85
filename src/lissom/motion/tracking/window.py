"""The window of a motion around its path: time before and after it.

Of an arm with flexible links the path of the tip does not determine where the motors begin: they begin before the tip
moves, and end after it rests. What they do there grows and decays with the zeros of the arm between motors and output,

    (M_u s^2 + D_u s + K_u) N x = 0,        N a basis of ker J,

with the rows u of the equations of motion at rest that no motor enters.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.linalg import eig, null_space

from lissom.errors import InputError, shown
from lissom.motion.task.frame_output import VERB
from lissom.motion.tracking.rest_poses import RestPoses
from lissom.spatial.rotations import Array
from lissom.verbs.modes import modes

DECAYED = 20.0  # time constants of the slowest zero at rest: it becomes slower along the motion
PERIODS = 0.25  # of the slowest vibration with the joints locked, where there are no such zeros
SHORTEST, LONGEST = 0.02, 0.25  # of the duration of the path
ALONG = 0.05  # of a zero's size: with a smaller real part it vibrates, and decays too slowly to be waited for
FINITE = 1e-7


class Window(NamedTuple):
    """Times before, on and after the path [s]."""

    before: float
    path: float
    after: float

    @property
    def total(self) -> float:
        return self.before + self.path + self.after

    def times(self, s: Array) -> Array:
        """Times of the path at fractions s of the window, negative before it."""
        return s * self.total - self.before


def window_of(poses: RestPoses, q: Array, duration: float, before: float | None, after: float | None) -> Window:
    """Return the window around a path from a pose (n,); `before` and `after` None: as long as the arm needs."""
    for word, value in (("before", before), ("after", after)):
        number = isinstance(value, int | float | np.number) and not isinstance(value, bool)
        if value is not None and not (number and 0 <= value < np.inf):
            raise InputError(f"{VERB}: {word} is {shown(value)}; expected a time of 0 s or more, or None.")
    needed = 0.0
    if not poses.arm.actuated.all() and (before is None or after is None):
        needed = float(np.clip(_needed(poses, q), SHORTEST * duration, LONGEST * duration))
    return Window(needed if before is None else float(before), duration, needed if after is None else float(after))


def _needed(poses: RestPoses, q: Array) -> float:
    """Return the time in which the slowest zero decays; where there is none, a part of the slowest vibration."""
    zeros = _zeros(poses, q)
    real = np.abs(zeros.real)
    slow = real[real > ALONG * np.abs(zeros)]
    if len(slow):
        return DECAYED / float(slow.min())
    f = modes(poses.arm, q, "locked").frequencies_hz
    return PERIODS / float(f[f > 0].min()) if (f > 0).any() else np.inf


def _zeros(poses: RestPoses, q: Array) -> Array:
    """Zeros between motors and output about rest at a pose; none where motors outnumber outputs."""
    J = poses.output.slopes(q[None])[0]
    N = null_space(J)
    k = len(poses.free)
    if N.shape[1] != k:
        return np.zeros(0, complex)
    K, D, M = (part @ N for part in poses.gradients(q))
    one, zero = np.eye(k), np.zeros((k, k))
    alpha, beta = eig(np.block([[zero, one], [-K, -D]]), np.block([[one, zero], [zero, M]]), homogeneous_eigvals=True)[
        0
    ]
    finite = np.abs(beta) > FINITE * np.abs(alpha)
    return np.asarray(alpha[finite] / beta[finite])
