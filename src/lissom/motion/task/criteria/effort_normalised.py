"""Squared torques, each relative to its limit: joints of all sizes count alike."""

from __future__ import annotations

import numpy as np

from lissom.errors import InputError
from lissom.motion.task.criteria.criterion import AbstractCriterion, Course, Joints
from lissom.spatial.rotations import Array


class EffortNormalised(AbstractCriterion):
    """Sum of (tau_k / limit_k)^2, limit_k the largest torque that is allowed in either direction."""

    name, title = "effort_normalised", "normalised effort"
    meaning, unit = "integral of the sum of squared torques, each relative to its limit", "s"
    at_rest = torque_limits = True

    def check(self, joints: Joints, verb: str) -> None:
        """Raise `InputError` where a joint with a motor has no torque limit above 0."""
        missing = np.flatnonzero(joints.actuated & ~(np.isfinite(joints.torque) & (joints.torque > 0)))
        if len(missing):
            raise InputError(
                f"{verb}: effort_normalised divides torques by their limits, and joint "
                f"{joints.names[int(missing[0])]!r} has none. Give limits=Limits(torque=...), or minimise "
                "torque_squared."
            )

    def value(self, at: Course, joints: Joints) -> Array:
        """Return the sums (N,)."""
        return np.asarray(at.tau**2 @ self.squares(joints))

    def squares(self, joints: Joints) -> Array:
        """Return 1 / limit^2 (n,) for joints with a motor."""
        return np.where(joints.actuated, joints.torque, np.inf) ** -2.0

    def tape(self) -> dict[str, float]:
        """Return no weights: there are squared torques only."""
        return {}
