"""Durations with which what changes along a motion is written: loads, transfers of load, heights of swings."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lissom.motion.phased.guess import expected_durations
from lissom.motion.task.task import Task
from lissom.spatial.rotations import Array

SAME = 1e-9  # of the whole duration


class Timing(NamedTuple):
    """durations (phases,) [s]
    fixed : durations of phases are these, even where the task leaves them free."""

    durations: Array
    fixed: bool = False

    @classmethod
    def expected(cls, task: Task) -> Timing:
        """Return the durations to begin with."""
        return cls(expected_durations(task))

    def change(self, durations: Array) -> float:
        """Return by how much ends of phases differ, as fractions of the motion."""
        ends, others = (np.cumsum(T) / np.sum(T) for T in (self.durations, durations))
        return float(np.abs(ends - others).max())

    def agrees(self, durations: Array) -> bool:
        """Whether what is written with these durations is true for others."""
        return self.change(durations) <= SAME


def depends_on_time(task: Task) -> bool:
    """Whether rows of a task depend on how its duration is divided among its phases."""
    tables = (part for load in task.loads for part in (load.force, load.moment, load.point))
    changing = any(len(np.atleast_2d(table)) > 1 for table in tables)
    return changing or bool(task.transfer) or task.swing_height > 0
