"""Frames that may stretch: the transformation matrices of Book 1983, and what takes the place of twists and wrenches.

A frame is W = [o | F], three rows of the paper's 4x4 matrix without its first one, [1 0 0 0]: the point x of a body is
at o + F x. With h = [1 x], a body has

    moments   B = int h h^T dm           (4 x 4)
    force     Q = int a h^T dm = Wdd B   (3 x 4, the transpose of the paper's)
    power     Tr{Wd Q^T}

Integrals are twice the paper's, which carry 1/2; so the factors 2 in front of its traces are gone.
"""

from __future__ import annotations

from lissom.records import record
from lissom.spatial.inertias import RigidInertia
from lissom.spatial.motions import LoadValues, Motion, Placement, PointVelocity, Pose, Twist
from lissom.spatial.orientation import AbstractRotation
from lissom.spatial.scalar import Coordinates, Scalar, add, mul, sub
from lissom.spatial.vectors import ZERO, Matrix3, Symmetric3, Vector3, outer, skew


@record
class AffineMap:
    """[o | F]: a frame W, the map A or E from one frame to the next, or a rate of these."""

    F: Matrix3
    o: Vector3

    def __add__(self, other: AffineMap) -> AffineMap:
        return AffineMap(self.F + other.F, self.o + other.o)

    def times(self, A: AffineMap) -> AffineMap:
        """W A."""
        return AffineMap(self.F.times(A.F), self.o + self.F.apply(A.o))

    def along(self, s: Twist) -> AffineMap:
        """W U: the rate of W where its body moves by a twist s in its own axes, U = [s.v | [s.w]]."""
        return AffineMap(self.F.times(skew(s.w)), self.F.apply(s.v))

    def along_twice(self, s: Twist, sd: Twist) -> AffineMap:
        """W (U2 + Ud): the second rate of W where its body moves by a twist s with rate sd."""
        w = skew(s.w)
        return AffineMap(self.F.times(w.times(w) + skew(sd.w)), self.F.apply(s.w.cross(s.v) + sd.v))


@record
class AffineMotion:
    """Rates Wd and Wdd of a frame, gravity taken off the acceleration of its origin."""

    velocity: AffineMap
    acceleration: AffineMap

    def seen_at(self, frame: Placement, P: Vector3) -> PointVelocity:
        """Acceleration of the point P of a frame, and of the spin of the frame."""
        back = inverse(frame.R.matrix)
        L = self.velocity.F.times(back)
        a = self.acceleration.o + self.acceleration.F.apply(back.apply(P - frame.p))
        return PointVelocity(a, spin(self.acceleration.F.times(back) - L.times(L)))


def motion_of(frame: Motion | AffineMotion) -> AffineMotion:
    """Rates of a frame; of the base, which is rigid and where the axes are those of the world, from its motion."""
    if isinstance(frame, AffineMotion):
        return frame
    return AffineMotion(AffineMap(skew(frame.w), ZERO), AffineMap(frame.W, frame.a))


@record
class SecondMoments:
    """B = int h h^T dm: mass m, first moment h, and J = int x x^T dm."""

    m: Scalar
    h: Vector3
    J: Symmetric3

    def __add__(self, other: SecondMoments) -> SecondMoments:
        return SecondMoments(add(self.m, other.m), self.h + other.h, self.J + other.J)

    def force(self, a: AffineMap) -> AffineForce:
        """Q = Wdd B; or momentum, from Wd."""
        return AffineForce(outer(a.o, self.h) + a.F.times(self.J.full), a.o * self.m + a.F.apply(self.h), None)

    def turned(self, R: AbstractRotation) -> SecondMoments:
        """Return the map in other axes."""
        return SecondMoments(self.m, R @ self.h, R @ self.J)

    def moved(self, r: Vector3) -> SecondMoments:
        """About a point from which the present one is at r."""
        h = self.h + r * self.m
        return SecondMoments(self.m, h, self.J + (outer(self.h, r) + outer(r, h)).upper)


NO_MASS = SecondMoments(0, ZERO, Symmetric3(0, 0, 0, 0, 0, 0))


def moments_of(body: RigidInertia) -> SecondMoments:
    """Moments of a rigid body: J = 1/2 tr I - I."""
    I = body.I
    half = mul(0.5, I.trace)
    xy, xz, yz = (sub(0, x) for x in (I.xy, I.xz, I.yz))
    return SecondMoments(body.m, body.h, Symmetric3(sub(half, I.xx), xy, xz, sub(half, I.yy), yz, sub(half, I.zz)))


@record
class AffineForce:
    """Q = [f | P] on a frame, and the moments of all that the frame carries, where (72) and (73) need them."""

    P: Matrix3
    f: Vector3
    carried: SecondMoments | None

    def __add__(self, other: AffineForce) -> AffineForce:
        a, b = self.carried, other.carried
        carried = b if a is None else a if b is None else a + b
        return AffineForce(self.P + other.P, self.f + other.f, carried)

    def __sub__(self, other: AffineForce) -> AffineForce:
        return AffineForce(self.P - other.P, self.f - other.f, self.carried)

    def power(self, rate: AffineMap) -> Scalar:
        """Tr{Wd Q^T}."""
        total = rate.o.dot(self.f)
        for a, b in zip(rate.F.rows, self.P.rows, strict=True):
            total = add(total, a.dot(b))
        return total

    def through(self, A: AffineMap) -> AffineForce:
        """Q A^T, on the frame before: (88)."""
        return AffineForce(outer(self.f, A.o) + self.P.times(A.F.T), self.f, None)

    def without(self, F: Matrix3, load: LoadValues, place: Placement) -> AffineForce:
        """The force less a load at a place on the frame, whose moment acts on the spin of the frame."""
        x = place.point(load.point)
        turning = skew(load.n).times(inverse(F).T) * 0.5
        return AffineForce(self.P - (outer(load.f, x) + turning), self.f - load.f, self.carried)


NO_FORCE = AffineForce(Matrix3(ZERO, ZERO, ZERO), ZERO, None)


@record
class ModalForce:
    """Forces on the modes of a link, and their accelerations, which (72) and (73) need once all moments are known."""

    f: Coordinates
    etadd: Coordinates


@record
class LinkPosition:
    """Pose of a joint, and the frame behind it in the world."""

    pose: Pose
    W: AffineMap


@record
class BeamPosition:
    """Amplitudes of a flexible link, and the frames of its root and of its end in the world."""

    eta: Coordinates
    root: AffineMap
    W: AffineMap


AffinePosition = LinkPosition | BeamPosition


def inverse(F: Matrix3) -> Matrix3:
    """F^-1."""
    a, b, c = F.T.rows
    x, y, z = b.cross(c), c.cross(a), a.cross(b)
    return Matrix3(x, y, z) * (1 / a.dot(x))


def spin(L: Matrix3) -> Vector3:
    """The turn in a rate of deformation L = dF F^-1: the axial vector of its antisymmetric part."""
    return axial(L) * 0.5


def axial(P: Matrix3) -> Vector3:
    """int p x a dm from P = int a p^T dm."""
    return Vector3(sub(P.z.y, P.y.z), sub(P.x.z, P.z.x), sub(P.y.x, P.x.y))
