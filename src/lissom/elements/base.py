"""What an element is to the recursions: it carries a frame, moves it by its coordinates, and has inertia."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar, Generic, NamedTuple, TypeVar

from lissom.elements.elimination import Eliminated
from lissom.elements.pivots import AbstractPivot
from lissom.joints.base import AbstractJoint
from lissom.records import record
from lissom.spatial.inertias import ArticulatedBody, RigidInertia
from lissom.spatial.motions import LoadValues, Motion, Placement, Twist, Wrench
from lissom.spatial.orientation import Rotation
from lissom.spatial.scalar import Coordinates, Scalar
from lissom.spatial.vectors import Vector3

X = TypeVar("X")  # the position of an element: the pose of its joint, or the amplitudes of a beam


# ---- body axes -----------------------------------------------------------------------------------


class Outward(NamedTuple):
    """Motion of an element's frame, and the force that the body on the frame takes."""

    motion: Motion
    force: Wrench


class FieldForce(NamedTuple):
    """Forces that the mass between the parent and the frame takes: on the parent, and on the coordinates."""

    on_parent: Wrench | None
    modal: Coordinates | None


# ---- world axes ----------------------------------------------------------------------------------


@record
class MovingFrame:
    """Orientation in the world, and angular velocity."""

    R: Rotation
    w: Vector3


@record
class Path:
    """From the parent's origin to the frame's: r, directions S of the coordinates, velocity terms c; and the joint."""

    joint: AbstractJoint | None
    r: Vector3
    S: tuple[Twist, ...]
    c: Twist


@record
class Body:
    """What is rigid on a frame: its inertia, and the force of its velocity less loads."""

    inertia: RigidInertia
    p: Wrench

    def minus_load(self, R: Rotation, load: LoadValues, place: Placement) -> Body:
        """The body with a load at a place on its frame."""
        return Body(self.inertia, self.p - Wrench(load.f, load.n).moved(R @ place.point(load.point)))


@record
class ModalInertia:
    """Inertia of a beam about its parent's origin.

    composite : with locked modes
    X, Me : forces of unit accelerations of the modes on the root, and among the modes (upper triangle)
    p, f : forces of velocities on the root, and on every mode
    """

    composite: RigidInertia | None
    X: tuple[Wrench, ...]
    Me: Coordinates
    p: Wrench | None = None
    f: Coordinates = ()


class Velocity(NamedTuple):
    """All that depends on positions and rates only, for articulated bodies."""

    frame: MovingFrame
    path: Path
    body: Body
    modal: ModalInertia | None


class Inward(NamedTuple):
    """An element eliminated: what the last outward pass needs, inertia of the modes, and what acts on the parent."""

    kept: Eliminated | None
    modal: ModalInertia | None
    on_parent: ArticulatedBody


class Placed(NamedTuple):
    """Where the frame of an element is, and the inertia there, for composite bodies.

    screws : directions of the coordinates about the world's origin
    directions : as `columns` takes them
    r : from the parent's origin
    inertia, on_parent : on the frame, and on the parent's
    """

    frame: Placement
    screws: tuple[Twist, ...]
    directions: tuple[Twist, ...]
    r: Vector3
    inertia: RigidInertia
    on_parent: RigidInertia | None
    modal: ModalInertia | None


class Columns(NamedTuple):
    """Forces of unit accelerations about the world's origin, entries of the mass matrix among the coordinates."""

    forces: tuple[Wrench, ...]
    among: Coordinates
    modal: ModalInertia | None


class AbstractElement(ABC, Generic[X]):
    """An element: a record of its numbers. Bodies are described about their own origins.

    `outward`, `field_force` and `inward` are in body axes, everything else in world axes. Places along a beam share
    the coordinates, and the modal inertia, of the beam.
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

    @abstractmethod
    def velocity(self, parent: MovingFrame, x: X, qd: Coordinates) -> Velocity:
        """Frame, path, body and modal inertia, from the frame of the parent."""

    @staticmethod
    @abstractmethod
    def eliminate(
        path: Path, body: Body, modal: ModalInertia | None, beyond: ArticulatedBody | None, force: Coordinates,
        pivot: AbstractPivot, free: Scalar | None, armature: Scalar, mass: Scalar,
    ) -> Inward:  # fmt: skip
        """The coordinates eliminated; `mass` of the body and all that it carries, `beyond`: what acts on the frame."""

    @staticmethod
    @abstractmethod
    def accelerate(
        parent: Twist, path: Path, kept: Eliminated | None, qdd: Coordinates | None
    ) -> tuple[Coordinates, Twist]:
        """Accelerations of the coordinates (of a place along a beam: as given) and of the frame."""

    @abstractmethod
    def place(self, parent: Placement, x: X) -> Placed:
        """Where the frame is, and the inertia there."""

    @staticmethod
    @abstractmethod
    def columns(
        directions: tuple[Twist, ...], modal: ModalInertia | None, composite: RigidInertia, o: Vector3
    ) -> Columns:
        """Columns of the mass matrix as forces, with the composite that the frame at o carries."""
