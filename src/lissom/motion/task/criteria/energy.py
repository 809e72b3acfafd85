"""Absolute mechanical work: motors that brake feed nothing back."""

from __future__ import annotations

from typing import Any

import numpy as np

from lissom.motion.task.criteria.criterion import AbstractCriterion, Course, Joints, State
from lissom.spatial.rotations import Array


class Energy(AbstractCriterion):
    """Sum of |tau_k qd_k|; the expression has sqrt(p^2 + width^2) - width for |p|."""

    name, title = "energy", "energy"
    meaning, unit = "integral of the sum of |torque times rate|, absolute mechanical work", "J"
    kinks = True

    def value(self, at: Course, joints: Joints) -> Array:
        """Return the sums (N,)."""
        return np.asarray(np.sum(np.abs(at.tau * at.qd), axis=1))

    def expression(self, z: State, joints: Joints) -> Any:
        """Return the sum with its kinks rounded off."""
        import casadi as ca

        power = (z.tau * z.qd)[np.flatnonzero(joints.actuated).tolist()]
        return ca.sum1(ca.sqrt(power * power + z.width**2) - z.width)

    def tape(self) -> dict[str, float]:
        """Return the weight of the sum of absolute powers."""
        return {"power": 1.0}
