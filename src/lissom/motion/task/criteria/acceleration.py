"""Squared accelerations of joints with a motor."""

from __future__ import annotations

from typing import Any

import numpy as np

from lissom.motion.task.criteria.criterion import AbstractCriterion, Course, Joints, Parts, State
from lissom.spatial.rotations import Array


class Acceleration(AbstractCriterion):
    """Sum of squared accelerations."""

    name, title = "acceleration", "squared acceleration"
    meaning, unit = "integral of the sum of squared accelerations", "rad^2/s^3"
    often = 2

    def value(self, at: Course, joints: Joints) -> Array:
        """Return the sums (N,)."""
        return np.asarray(np.sum(at.qdd[:, joints.actuated] ** 2, axis=1))

    def expression(self, z: State, joints: Joints) -> Any:
        """Return the sum."""
        import casadi as ca

        return ca.sumsqr(z.qdd[np.flatnonzero(joints.actuated).tolist()])

    def parts(self, joints: Joints) -> Parts:
        """Return ones for joints with a motor."""
        return Parts.none(len(joints.names))._replace(acceleration=joints.actuated.astype(float))
