"""Corners of a path: times at which its velocity jumps, which no arm with inertia can follow."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lissom.motion.tracking.path import GivenPath
from lissom.spatial.rotations import Array

LOOKS, CLOSER = 1001, 41
KEPT = 0.4  # of a jump seen from afar, that remains when one looks closer: of smooth paths a small part does
NOTICED = 1e-3  # of the largest velocity


class Corner(NamedTuple):
    """A time of the path [s], and by how much its velocity jumps there [m/s or rad/s]."""

    t: float
    jump: float


def corner_of(path: GivenPath) -> Corner | None:
    """Return the sharpest corner of a path, ends included since it rests before and after; None where it is smooth."""
    h = path.duration / (LOOKS - 1)
    t = h * np.arange(-1, LOOKS + 1)
    jumps, fastest = _jumps(path, t)
    k = int(np.argmax(jumps))
    closer = np.linspace(float(t[k]), float(t[k + 2]), CLOSER)
    near, _ = _jumps(path, closer)
    j = int(np.argmax(near))
    if near[j] < max(KEPT * jumps[k], NOTICED * fastest):
        return None
    return Corner(float(np.clip(closer[j + 1], 0.0, path.duration)), float(near.max()))


def _jumps(path: GivenPath, t: NDArray[Any]) -> tuple[Array, float]:
    """(N - 2,) by how much the velocity changes from one interval to the next; and the largest velocity."""
    v = np.diff(path(t), axis=0) / np.diff(t)[:, None]
    return np.linalg.norm(np.diff(v, axis=0), axis=1), float(np.linalg.norm(v, axis=1).max())
