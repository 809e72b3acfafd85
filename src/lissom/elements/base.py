"""What an element is to the recursions: it carries a frame, moves it by its coordinates, and has inertia."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar, Generic, TypeVar

from lissom.elements.elimination import Eliminated
from lissom.elements.pivots import AbstractPivot
from lissom.elements.results import (
    Body,
    Columns,
    F,
    FieldForce,
    Inward,
    K,
    ModalInertia,
    MovingBody,
    MovingFrame,
    Outward,
    Path,
    Placed,
    Totals,
    UnitForces,
    V,
    Velocity,
)
from lissom.joints.base import AbstractJoint
from lissom.records import dense
from lissom.spatial.inertias import ArticulatedBody, Energies, RigidInertia
from lissom.spatial.motions import LoadValues, Motion, Placement, PointVelocity, Pose, Twist, Wrench
from lissom.spatial.orientation import Rotation
from lissom.spatial.scalar import Coordinates, Scalar
from lissom.spatial.vectors import Vector3

X = TypeVar("X")  # the position of an element: the pose of its joint, or the amplitudes of a beam
S = TypeVar("S")  # velocity of a frame, for energies
C = TypeVar("C")  # a composite body
P = TypeVar("P")  # what the position of an element is made from
A = TypeVar("A")  # the position of any element


class AbstractElement(ABC, Generic[X, V, F, K, S]):
    """An element: a record of its numbers. Bodies are described about their own origins.

    `outward`, `field_force` and `inward` are in body axes, everything else in world axes. Places along a beam share
    the coordinates of the beam. What passes between elements (motions, forces, ...) is a matter of the elements of an
    arm; recursions do not look inside.
    """

    parameters: ClassVar[bool] = True  # nothing is differentiated by the numbers of an element
    field_has_body: ClassVar[bool] = False  # the body on the frame is counted in `field_force`

    @abstractmethod
    def outward(self, parent: V, x: X, qd: Coordinates, qdd: Coordinates) -> Outward[V, F]:
        """Motion of the frame from that of the parent, and the force of the body on it."""

    @abstractmethod
    def field_force(self, parent: V, x: X, qd: Coordinates, qdd: Coordinates) -> FieldForce[F, K]:
        """Forces of the mass that is not on the frame."""

    @abstractmethod
    def inward(self, on_parent: F | None, force: F, modal: K | None, x: X) -> tuple[F | None, K]:
        """The force on the parent (None: the base) with what acts on the frame, and the forces on the coordinates."""

    @abstractmethod
    def carried(self, force: F, x: X) -> F:
        """A force on the frame as it acts on the parent, in the parent's axes."""

    @staticmethod
    @abstractmethod
    def minus_load(force: F | None, R: Rotation, load: LoadValues, place: Placement) -> F:
        """A force on a frame less a load at a place on the frame; R: orientation of the frame."""

    @staticmethod
    @abstractmethod
    def part_force(inertia: RigidInertia, motion: V) -> F:
        """The force that a part of the body on a frame takes."""

    @staticmethod
    @abstractmethod
    def wrench(force: F, R: Rotation, point: Vector3) -> Wrench:
        """A force on a frame as force and moment about a point of the frame, in world axes; R: its orientation."""

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
    def moving(self, parent: S, x: X, qd: Coordinates) -> tuple[S, Totals | None, Totals | None]:
        """The frame in motion, and the totals of the body on it and of the mass between parent and frame."""

    def with_strain(self, energies: Energies, x: Coordinates) -> Energies:
        """Energies with the elastic energy of the element."""
        return energies

    def with_loss(self, power: Scalar, qd: Coordinates) -> Scalar:
        """A power with that of the element's own damping."""
        return power


class AbstractLink(ABC):
    """A rigid body behind a joint that is placed on the parent."""

    joint: AbstractJoint
    placement: Placement
    inertia: RigidInertia

    def origin(self, x: Pose) -> Vector3:
        """Origin of the frame, in the axes of the parent."""
        return self.placement.p + self.placement.R @ x.p


class AbstractStretching(ABC, Generic[A, P, X]):
    """An element whose frame need not stay orthonormal; its position includes the frame (`book`)."""

    @abstractmethod
    def located(self, parent: A | None, x: P) -> X:
        """The position, from that of the parent (None: the base) and the pose of the joint or the amplitudes."""


class AbstractComposite(ABC, Generic[X, F, C]):
    """An element for the mass matrix in body axes (`mass`)."""

    inertia: RigidInertia

    @abstractmethod
    def own_composite(self, inertia: RigidInertia) -> C:
        """What is on the frame, from the inertia of the body there."""

    @abstractmethod
    def composed(self, parent: C, composite: C, x: X) -> C:
        """The composite of the parent with that of the frame, in the parent's axes."""

    @abstractmethod
    def unit_forces(self, composite: C, x: X) -> UnitForces[F]:
        """Forces of unit accelerations of the coordinates, with the composite that the frame carries."""

    @abstractmethod
    def project(self, force: F, x: X) -> Coordinates:
        """Forces on the coordinates of a force on the frame."""


class AbstractArticulated(AbstractElement[X, Motion, Wrench, Coordinates, MovingBody]):
    """An element whose frame stays orthonormal: articulated and composite bodies in world axes.

    Places along a beam share the modal inertia of the beam.
    """

    @staticmethod
    def minus_load(force: Wrench | None, R: Rotation, load: LoadValues, place: Placement) -> Wrench:
        wrench = Wrench(R.T @ load.f, R.T @ load.n).moved(place.point(load.point))
        return Wrench(-wrench.f, -wrench.n) if force is None else force - wrench

    @staticmethod
    def part_force(inertia: RigidInertia, motion: Motion) -> Wrench:
        return inertia.force(motion)

    @staticmethod
    def wrench(force: Wrench, R: Rotation, point: Vector3) -> Wrench:
        return dense(force.moved(-point).turned(R))

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
