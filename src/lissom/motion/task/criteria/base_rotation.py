"""Rotations of a base without motors, away from its home."""

from __future__ import annotations

from typing import Any

import numpy as np

from lissom.motion.task.criteria.criterion import AbstractCriterion, Course, Joints, Parts, State
from lissom.spatial.rotations import Array


class BaseRotation(AbstractCriterion):
    """Sum of squared positions of unactuated coordinates that turn: pitch, roll and yaw of a moving base."""

    name, title = "base_rotation", "squared base rotation"
    meaning, unit = "integral of the sum of squared rotations of the base", "rad^2 s"

    def value(self, at: Course, joints: Joints) -> Array:
        """Return the sums (N,)."""
        return np.asarray(at.q**2 @ self._some(joints))

    def expression(self, z: State, joints: Joints) -> Any:
        """Return the sum."""
        import casadi as ca

        return ca.dot(self._some(joints), z.q * z.q)

    def tape(self) -> None:
        """Return nothing: kernels have no such term."""
        return

    def parts(self, joints: Joints) -> Parts:
        """Return ones for what turns."""
        return Parts.none(len(joints.names))._replace(posture=self._some(joints))

    @staticmethod
    def _some(joints: Joints) -> Array:
        turning = np.zeros(len(joints.names), bool) if joints.turning is None else joints.turning
        return (turning & ~joints.actuated).astype(float)
