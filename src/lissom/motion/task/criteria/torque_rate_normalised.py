"""Squared derivatives of torques by time, each relative to its limit."""

from __future__ import annotations

from typing import Any

import numpy as np

from lissom.motion.task.criteria.criterion import Course, Joints, Parts, State
from lissom.motion.task.criteria.effort_normalised import EffortNormalised
from lissom.spatial.rotations import Array


class TorqueRateNormalised(EffortNormalised):
    """Sum of (dtau_k/dt / limit_k)^2, limit_k the largest torque that is allowed in either direction."""

    name, title = "torque_rate_normalised", "normalised torque rate"
    meaning, unit = "integral of the sum of squared torque rates, each relative to the torque limit", "1/s"
    orders, torque_rate, at_rest = 4, True, False

    def value(self, at: Course, joints: Joints) -> Array:
        """Return the sums (N,)."""
        return np.asarray(at.tau_rate**2 @ super().squares(joints))

    def squares(self, joints: Joints) -> Array:
        """Return zeros: there are no squared torques in it."""
        return np.zeros(len(joints.names))

    def expression(self, z: State, joints: Joints) -> Any:
        """Return the sum."""
        import casadi as ca

        return ca.dot(super().squares(joints), z.tau_rate * z.tau_rate)

    def tape(self) -> None:  # type: ignore[override]
        """Return nothing: kernels have no rates of torques."""
        return

    def parts(self, joints: Joints) -> Parts:
        """Return 1 / limit^2 for joints with a motor."""
        return Parts.none(len(joints.names))._replace(torque_rate=super().squares(joints))
