"""What an element is to the recursions: it carries a frame, moves it by its coordinates, and has inertia."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar, Generic, NamedTuple, TypeVar

from lissom.spatial.motions import Motion, Wrench
from lissom.spatial.orientation import Rotation
from lissom.spatial.scalar import Coordinates

X = TypeVar("X")  # the position of an element: the pose of its joint, or the amplitudes of a beam


class Outward(NamedTuple):
    """Motion of an element's frame, and the force that the body on the frame takes."""

    motion: Motion
    force: Wrench


class FieldForce(NamedTuple):
    """Forces that the mass between the parent and the frame takes: on the parent, and on the coordinates."""

    on_parent: Wrench | None
    modal: Coordinates | None


class AbstractElement(ABC, Generic[X]):
    """An element: a record of its numbers. Bodies are described about their own origins.

    `outward`, `field_force` and `inward` are in body axes.
    """

    parameters: ClassVar[bool] = True  # nothing is differentiated by the numbers of an element

    @abstractmethod
    def outward(self, parent: Motion, x: X, qd: Coordinates, qdd: Coordinates) -> Outward:
        """Motion of the frame from that of the parent, and the force of the body on it."""

    @abstractmethod
    def field_force(self, parent: Motion, x: X, qd: Coordinates, qdd: Coordinates) -> FieldForce:
        """Forces of the mass that is not on the frame."""

    @abstractmethod
    def inward(
        self, on_parent: Wrench | None, force: Wrench, modal: Coordinates | None, x: X
    ) -> tuple[Wrench | None, Coordinates]:
        """The force on the parent (None: the base) with what acts on the frame, and the forces on the coordinates."""

    @abstractmethod
    def orientation(self, parent: Rotation, x: X) -> Rotation:
        """Orientation of the frame in the world."""
