"""What elements return to the recursions."""

from __future__ import annotations

from typing import Generic, NamedTuple, TypeVar

from lissom.elements.elimination import Eliminated
from lissom.joints.base import AbstractJoint
from lissom.records import record
from lissom.spatial.inertias import ArticulatedBody, RigidInertia
from lissom.spatial.motions import LoadValues, Placement, Twist, Wrench
from lissom.spatial.orientation import Rotation
from lissom.spatial.scalar import Coordinates, Scalar, add, mul
from lissom.spatial.vectors import Vector3

V = TypeVar("V")  # the motion of a frame
F = TypeVar("F")  # a force on a frame
K = TypeVar("K")  # forces on the modes of a beam, before all is known that acts on its end

# ---- body axes -----------------------------------------------------------------------------------


class Outward(NamedTuple, Generic[V, F]):
    """Motion of an element's frame, and the force that the body on the frame takes."""

    motion: V
    force: F


class FieldForce(NamedTuple, Generic[F, K]):
    """Forces that the mass between the parent and the frame takes: on the parent, and on the coordinates."""

    on_parent: F | None
    modal: K | None


class UnitForces(NamedTuple, Generic[F]):
    """Forces of unit accelerations of the coordinates: on the frame; or on the parent, and among the coordinates."""

    forces: tuple[F, ...]
    among: Coordinates | None


# ---- world axes ----------------------------------------------------------------------------------


@record
class MovingFrame:
    """Orientation in the world, and angular velocity."""

    R: Rotation
    w: Vector3


@record
class Path:
    """Way between two origins, the parent's and the frame's: r, directions S, velocity terms c; and the joint."""

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
