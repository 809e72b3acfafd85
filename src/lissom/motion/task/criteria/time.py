"""The duration."""

from __future__ import annotations

from typing import Any

import numpy as np

from lissom.motion.task.criteria.criterion import AbstractCriterion, Course, Joints, State
from lissom.spatial.rotations import Array


class Time(AbstractCriterion):
    """One for every second."""

    name, title, meaning, unit = "time", "time", "duration", "s"

    def value(self, at: Course, joints: Joints) -> Array:
        """(N,) ones."""
        return np.ones(len(at.q))

    def expression(self, z: State, joints: Joints) -> Any:
        """One."""
        return 1.0

    def tape(self) -> dict[str, float]:
        """A constant."""
        return {"time": 1.0}
