"""What an element is to the recursions: it carries a frame, moves it by its coordinates, and has inertia."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar, Generic, NamedTuple, TypeVar

from lissom.elements.elimination import Eliminated
from lissom.elements.pivots import AbstractPivot
from lissom.joints.base import AbstractJoint
from lissom.records import record
from lissom.spatial.inertias import ArticulatedBody, Energies, RigidInertia
from lissom.spatial.motions import LoadValues, Motion, Placement, PointVelocity, Twist, Wrench
from lissom.spatial.orientation import Rotation
from lissom.spatial.scalar import Coordinates, Scalar, add, mul
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


@record
class MovingBody:
    """Orientation R and origin o of a frame in the world, its angular velocity w, and the velocity v of the origin."""

    R: Rotation
    o: Vector3
    w: Vector3
    v: Vector3


@record
class Totals:
    """Kinetic energy T, first moment, momentum P and angular momentum L about the world's origin."""

    T: Scalar
    moment: Vector3
    P: Vector3
    L: Vector3

    def __add__(self, other: Totals) -> Totals:
        P, L = self.P + other.P, self.L + other.L
        return Totals(add(self.T, other.T), self.moment + other.moment, P, L)


def totals_of(state: MovingBody, inertia: RigidInertia) -> Totals:
    """T = 1/2 (w.I w + m v.v) + v.(w x h),  P = m v + w x h,  L = I w + h x v + o x P; inertia in world axes."""
    m, h, w, v, o = inertia.m, inertia.h, state.w, state.v, state.o
    Iw, wh = inertia.I.apply(w), w.cross(h)
    P = v * m + wh
    T = add(mul(0.5, add(w.dot(Iw), mul(m, v.dot(v)))), v.dot(wh))
    return Totals(T, o * m + h, P, Iw + h.cross(v) + o.cross(P))


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
    def carried(self, force: Wrench, x: X) -> Wrench:
        """A force on the frame as it acts on the parent, in the parent's axes."""

    @abstractmethod
    def orientation(self, parent: Rotation, x: X) -> Rotation:
        """Orientation of the frame in the world."""

    @abstractmethod
    def frame(self, parent: Placement, x: X) -> Placement:
        """Placement of the frame in the world."""

    @abstractmethod
    def point_columns(self, parent: Placement, frame: Placement, x: X, P: Vector3) -> tuple[PointVelocity, ...]:
        """Velocities of a point P that moves with the frame, per unit rate of every coordinate."""

    @abstractmethod
    def moving(self, parent: MovingBody, x: X, qd: Coordinates) -> tuple[MovingBody, Totals, Totals | None]:
        """The frame in motion, and the totals of the body on it and of the mass between parent and frame."""

    def with_strain(self, energies: Energies, x: X) -> Energies:
        """Energies with the elastic energy of the element."""
        return energies

    def with_loss(self, power: Scalar, qd: Coordinates) -> Scalar:
        """A power with that of the element's own damping."""
        return power

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
