"""Poses, motions and wrenches of bodies.

The order of fields is the order in which a step computes its results; another order costs registers.
"""

from __future__ import annotations

from lissom.records import record
from lissom.spatial.orientation import AbstractRotation, Rotation
from lissom.spatial.scalar import Scalar, add, mul, sub
from lissom.spatial.vectors import Matrix3, Vector3


@record
class Pose:
    """Orientation R and origin p of a frame in another one."""

    R: AbstractRotation
    p: Vector3


@record
class Placement:
    """A pose by the matrix of its orientation."""

    R: Rotation
    p: Vector3

    def point(self, r: Vector3) -> Vector3:
        """A point r of the frame, in the other frame."""
        return self.R @ r + self.p

    def times(self, other: Placement) -> Placement:
        """The placement of a frame that is placed in this one."""
        return Placement(self.R.then(other.R), self.p + self.R @ other.p)


@record
class Motion:
    """Angular velocity w, angular acceleration dw, and acceleration a of the origin minus gravity, of a frame."""

    w: Vector3
    dw: Vector3
    a: Vector3

    @property
    def W(self) -> Matrix3:
        """[dw] + [w]^2, which maps a place to its acceleration relative to the origin."""
        (x, y, z), (dx, dy, dz) = (self.w.x, self.w.y, self.w.z), (self.dw.x, self.dw.y, self.dw.z)
        xx, yy, zz, xy, xz, yz = mul(x, x), mul(y, y), mul(z, z), mul(x, y), mul(x, z), mul(y, z)
        return Matrix3(
            Vector3(-add(yy, zz), sub(xy, dz), add(xz, dy)),
            Vector3(add(xy, dz), -add(xx, zz), sub(yz, dx)),
            Vector3(sub(xz, dy), add(yz, dx), -add(xx, yy)),
        )

    def acceleration_at(self, r: Vector3) -> Vector3:
        """Acceleration of the point r, minus gravity."""
        return self.a + self.W.apply(r)

    def seen_at(self, frame: Placement, P: Vector3) -> PointVelocity:
        """Acceleration of the point P and angular acceleration in world axes; the motion is in the frame's own axes."""
        w, dw, a, r = frame.R @ self.w, frame.R @ self.dw, frame.R @ self.a, P - frame.p
        return PointVelocity(a + (dw.cross(r) + w.cross(w.cross(r))), dw)


@record
class Twist:
    """Angular part w and linear part v about a point: a velocity, an acceleration, or a direction of motion."""

    w: Vector3
    v: Vector3

    def __add__(self, other: Twist) -> Twist:
        return Twist(self.w + other.w, self.v + other.v)

    def __mul__(self, k: Scalar) -> Twist:
        return Twist(self.w * k, self.v * k)

    def turned(self, R: AbstractRotation) -> Twist:
        """Return the vector in other axes."""
        return Twist(R @ self.w, R @ self.v)

    def at(self, r: Vector3) -> Twist:
        """The same motion about the point r of the body."""
        return Twist(self.w, self.v + self.w.cross(r))

    def dot(self, force: Wrench) -> Scalar:
        """Power of a wrench about the same point."""
        pairs = ((self.w.x, force.n.x), (self.w.y, force.n.y), (self.w.z, force.n.z), (self.v.x, force.f.x),
                 (self.v.y, force.f.y), (self.v.z, force.f.z))  # fmt: skip
        total: Scalar = 0
        for x, y in pairs:
            total = add(total, mul(x, y))
        return total

    def cross(self, other: Twist) -> Twist:
        """Cross product of motions (Featherstone 2008, 2.31)."""
        return Twist(self.w.cross(other.w), self.w.cross(other.v) + self.v.cross(other.w))

    def cross_force(self, force: Wrench) -> Wrench:
        """Cross product v x* f with a force (Featherstone 2008, 2.32)."""
        return Wrench(self.w.cross(force.f), self.w.cross(force.n) + self.v.cross(force.f))


@record
class Wrench:
    """Force f, and moment n about a point."""

    f: Vector3
    n: Vector3

    def __add__(self, other: Wrench) -> Wrench:
        return Wrench(self.f + other.f, self.n + other.n)

    def __sub__(self, other: Wrench) -> Wrench:
        return Wrench(self.f - other.f, self.n - other.n)

    def __mul__(self, k: Scalar) -> Wrench:
        return Wrench(self.f * k, self.n * k)

    def turned(self, R: AbstractRotation) -> Wrench:
        """Return the vector in other axes."""
        return Wrench(R @ self.f, R @ self.n)

    def moved(self, r: Vector3) -> Wrench:
        """About a point from which the present one is at r."""
        return Wrench(self.f, self.n + r.cross(self.f))


@record
class LoadValues:
    """Force and moment of a load in world axes, and its point on a frame."""

    f: Vector3
    n: Vector3
    point: Vector3


@record
class PointVelocity:
    """Velocity v of a point of a frame, and angular velocity w of the frame, in world axes; or accelerations."""

    v: Vector3
    w: Vector3

    def plus(self, other: PointVelocity, rate: Scalar) -> PointVelocity:
        """The sum with a rate times another one."""
        return PointVelocity(self.v + other.v * rate, self.w + other.w * rate)


@record
class Homogeneous:
    """The 4x4 matrix of a placement, row by row."""

    entries: tuple[Scalar, ...]


def homogeneous(place: Placement) -> Homogeneous:
    """The 4x4 matrix of a placement."""
    rows = zip(place.R.matrix.rows, (place.p.x, place.p.y, place.p.z), strict=True)
    return Homogeneous((*(x for row, p in rows for x in (row.x, row.y, row.z, p)), 0.0, 0.0, 0.0, 1.0))
