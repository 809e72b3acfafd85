"""Squared torques, each relative to the limit in its direction: the direction in which a joint is weaker costs more."""

from __future__ import annotations

from typing import Any

import numpy as np

from lissom.errors import InputError
from lissom.motion.task.criteria.criterion import AbstractCriterion, Course, Joints, Parts, State
from lissom.spatial.rotations import Array


class EffortDirectional(AbstractCriterion):
    """Sum of (tau_k / limit_k)^2, limit_k the torque that is allowed in the direction of tau_k."""

    name, title = "effort_directional", "directional effort"
    meaning = "integral of the sum of squared torques, each relative to its limit in its direction"
    unit = "s"
    at_rest = torque_limits = True

    def check(self, joints: Joints, verb: str) -> None:
        """Raise `InputError` where a joint with a motor has no torque limit of both signs."""
        weights = self._weights(joints)
        missing = np.flatnonzero(joints.actuated & ~(np.isfinite(weights) & (weights > 0)).all(axis=0))
        if len(missing):
            raise InputError(
                f"{verb}: effort_directional divides torques by their limits, and joint "
                f"{joints.names[int(missing[0])]!r} has none of both signs. Give limits=Limits(torque=(lower, upper))."
            )

    def value(self, at: Course, joints: Joints) -> Array:
        """Return the sums (N,)."""
        up, down = self._weights(joints)
        return np.asarray((at.tau**2 * np.where(at.tau > 0, up, down)).sum(axis=1))

    def expression(self, z: State, joints: Joints) -> Any:
        """Return the sum, whose second derivative jumps where a torque changes its sign."""
        import casadi as ca

        up, down = self._weights(joints)
        some = np.flatnonzero(joints.actuated)
        return sum((z.tau[int(k)] ** 2 * ca.if_else(z.tau[int(k)] > 0, up[k], down[k]) for k in some), ca.SX(0))

    def tape(self) -> None:
        """Return nothing: kernels have no weights for directions."""
        return

    def parts(self, joints: Joints) -> Parts:
        """Return 1 / limit^2 for both directions."""
        return Parts.none(len(joints.names))._replace(effort=self._weights(joints))

    @staticmethod
    def _weights(joints: Joints) -> Array:
        """(2, n) of positive and of negative torques; zero for joints without a motor."""
        lower = -joints.torque if joints.lower is None else joints.lower
        upper = joints.torque if joints.upper is None else joints.upper
        with np.errstate(divide="ignore"):
            return np.where(joints.actuated, np.stack([upper, -lower]), np.inf) ** -2.0
