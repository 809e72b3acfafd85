"""Criterion of the shortest time."""

from __future__ import annotations

from typing import Any

import numpy as np

from lissom.motion.task.criteria.criterion import AbstractCriterion, Course, Joints, State
from lissom.spatial.rotations import Array


class Time(AbstractCriterion):
    """The duration: a rate of one."""

    name, title, meaning, unit = "time", "time", "duration", "s"

    def value(self, at: Course, joints: Joints) -> Array:
        """Return ones (N,)."""
        return np.ones(len(at.q))

    def expression(self, z: State, joints: Joints) -> Any:
        """Return one."""
        return 1.0

    def tape(self) -> dict[str, float]:
        """Return the weight of the duration."""
        return {"time": 1.0}
