"""Directions of a walk: forward, up and to the left, and how far links are turned in the plane of the walk."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lissom.spatial.rotations import Array


class Axes(NamedTuple):
    """Unit vectors (3,) in the world: where the walk goes, up, and to the left."""

    forward: Array
    up: Array
    left: Array

    @classmethod
    def of(cls, travel: Array, up: Array) -> Axes:
        """Return the axes of a walk that goes along `travel` (3,), along x where that is upright."""
        above = up / np.linalg.norm(up)
        for way in (travel, np.array([1.0, 0.0, 0.0]), np.array([0.0, 1.0, 0.0])):
            level = way - (way @ above) * above
            size = float(np.linalg.norm(level))
            if size > 1e-6:
                break
        forward = level / size
        return cls(forward, above, np.cross(above, forward))

    def turn(self, X: Array, rest: Array) -> Array:
        """(...) by how much frames X (..., 4, 4) are turned from `rest` (4, 4) in the plane of the walk [rad].

        Positive swings what hangs down forward, as flexion of a hip does.
        """
        R = X[..., :3, :3] @ rest[:3, :3].T
        down = -(R @ self.up)
        return np.asarray(np.arctan2(down @ self.forward, -(down @ self.up)))

    def lift(self, X: Array, rest: Array) -> Array:
        """(...) the same of what points forward, such as a foot: positive lifts its toes [rad]."""
        ahead = X[..., :3, :3] @ rest[:3, :3].T @ self.forward
        return np.asarray(np.arctan2(ahead @ self.up, ahead @ self.forward))
