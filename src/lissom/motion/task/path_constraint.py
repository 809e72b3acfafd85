"""Constraints along the path that a task adds: the contract of their records."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar, NamedTuple

from lissom.model.arm import Arm
from lissom.model.record import Record
from lissom.spatial.rotations import Array


class WeightedPoint(NamedTuple):
    """A point of a frame, in its axes [m], and the factor with which its place counts."""

    link: str
    point: Array
    factor: float


class PlaceSum(NamedTuple):
    """Limits of a sum of places of points along a direction of the world: lower <= d . sum f_k x_k <= upper [m].

    what, who : str      names for messages
    """

    what: str
    who: str
    direction: Array
    points: tuple[WeightedPoint, ...]
    lower: float
    upper: float


class AbstractPathConstraint(Record, ABC):
    """What `Task.constraints` may hold: a record of what is asked, which makes the constraint of an arm.

    kind : str     its name in task files
    """

    kind: ClassVar[str]

    @abstractmethod
    def on(self, arm: Arm, verb: str) -> Any:
        """Return the constraint on an arm, an `AbstractConstraint`; raise `InputError` where it cannot have it."""

    def places(self) -> PlaceSum | None:
        """Return the places of points that are limited; None for a constraint of another kind."""
        return None
