"""Constraints along the path that an arm and a task have by themselves, so that a verification has them too."""

from __future__ import annotations

from lissom.model.arm import Arm
from lissom.motion.task.task import Task
from lissom.motion.transcription.constraints.bending import BendingLimits
from lissom.motion.transcription.constraints.clearance import clearance_of
from lissom.motion.transcription.constraints.constraint import AbstractConstraint


def path_constraints(arm: Arm, task: Task, verb: str) -> list[AbstractConstraint]:
    """Bending of links, distance from obstacles, and what the task adds."""
    clearance = clearance_of(arm, task, verb)
    added = [constraint.on(arm, verb) for constraint in task.constraints]
    return [BendingLimits(arm, task.bending, verb), *([] if clearance is None else [clearance]), *added]
