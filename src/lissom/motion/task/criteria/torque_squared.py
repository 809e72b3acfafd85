"""Squared torques: the heat in direct-current motors is proportional to it."""

from __future__ import annotations

import numpy as np

from lissom.motion.task.criteria.criterion import AbstractCriterion, Course, Joints
from lissom.spatial.rotations import Array


class TorqueSquared(AbstractCriterion):
    """Sum of tau_k^2."""

    name, title = "torque_squared", "squared torque"
    meaning, unit = "integral of the sum of squared torques", "N^2 m^2 s"
    at_rest = True

    def value(self, at: Course, joints: Joints) -> Array:
        """Return the sums (N,)."""
        return np.asarray(np.sum(at.tau**2, axis=1))

    def squares(self, joints: Joints) -> Array:
        """Return ones (n,) for joints with a motor."""
        return joints.actuated.astype(float)

    def tape(self) -> dict[str, float]:
        """Return no weights: there are squared torques only."""
        return {}
