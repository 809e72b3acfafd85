"""Squared rates of torques."""

from __future__ import annotations

from typing import Any

import numpy as np

from lissom.motion.task.criteria.criterion import AbstractCriterion, Course, Joints, Parts, State
from lissom.spatial.rotations import Array


class TorqueRate(AbstractCriterion):
    """Sum of squared derivatives of torques by time."""

    name, title = "torque_rate", "squared torque rate"
    meaning, unit = "integral of the sum of squared torque rates", "N^2 m^2/s"
    orders, torque_rate = 4, True

    def value(self, at: Course, joints: Joints) -> Array:
        """Return the sums (N,)."""
        return np.asarray(np.sum(at.tau_rate**2, axis=1))

    def expression(self, z: State, joints: Joints) -> Any:
        """Return the sum."""
        import casadi as ca

        return ca.sumsqr(z.tau_rate[np.flatnonzero(joints.actuated).tolist()])

    def parts(self, joints: Joints) -> Parts:
        """Return ones for joints with a motor."""
        return Parts.none(len(joints.names))._replace(torque_rate=joints.actuated.astype(float))
