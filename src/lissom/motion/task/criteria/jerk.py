"""Squared jerks of joints with a motor."""

from __future__ import annotations

from typing import Any

import numpy as np

from lissom.motion.task.criteria.criterion import AbstractCriterion, Course, Joints, State
from lissom.spatial.rotations import Array


class Jerk(AbstractCriterion):
    """Sum of squared third derivatives."""

    name, title = "jerk", "squared jerk"
    meaning, unit = "integral of the sum of squared jerks", "rad^2/s^5"
    orders, often = 4, 2

    def value(self, at: Course, joints: Joints) -> Array:
        """Return the sums (N,)."""
        return np.asarray(np.sum(at.jerk**2, axis=1))

    def expression(self, z: State, joints: Joints) -> Any:
        """Return the sum."""
        import casadi as ca

        return ca.sumsqr(z.jerk[np.flatnonzero(joints.actuated).tolist()])

    def tape(self) -> dict[str, float]:
        """Return the weight of the sum of squared jerks."""
        return {"jerk": 1.0}
