"""Constraints along the path that a task adds: the contract of their records."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar

from lissom.model.arm import Arm
from lissom.model.record import Record


class AbstractPathConstraint(Record, ABC):
    """What `Task.constraints` may hold: a record of what is asked, which makes the constraint of an arm.

    kind : str     its name in task files
    """

    kind: ClassVar[str]

    @abstractmethod
    def on(self, arm: Arm, verb: str) -> Any:
        """Return the constraint on an arm, an `AbstractConstraint`; raise `InputError` where it cannot have it."""
