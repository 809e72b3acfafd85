"""Inertias: of rigid bodies, and of bodies whose joints beyond are free to move (articulated bodies)."""

from __future__ import annotations

from lissom.records import record
from lissom.spatial.motions import Motion, Twist, Wrench
from lissom.spatial.orientation import AbstractRotation
from lissom.spatial.scalar import Scalar, add
from lissom.spatial.vectors import Matrix3, Symmetric3, Vector3, outer, skew


@record
class RigidInertia:
    """Mass m, first moment h = mass times centre of mass, and inertia I about a point."""

    m: Scalar
    h: Vector3
    I: Symmetric3

    def __add__(self, other: RigidInertia) -> RigidInertia:
        return RigidInertia(add(self.m, other.m), self.h + other.h, self.I + other.I)

    def force(self, motion: Motion) -> Wrench:
        """The wrench of a motion: f = m a + W h, n = I dw + w x I w + h x a (Newton, Euler)."""
        w, dw, a = motion.w, motion.dw, motion.a
        f = a * self.m + motion.W.apply(self.h)
        return Wrench(f, self.I.apply(dw) + w.cross(self.I.apply(w)) + self.h.cross(a))

    def velocity_force(self, w: Vector3) -> Wrench:
        """The part of `force` that an angular velocity makes."""
        return Wrench(w.cross(w.cross(self.h)), w.cross(self.I.apply(w)))

    def times(self, a: Twist) -> Wrench:
        """The wrench of an acceleration from rest."""
        return Wrench(a.v * self.m + a.w.cross(self.h), self.I.apply(a.w) + self.h.cross(a.v))

    def turned(self, R: AbstractRotation) -> RigidInertia:
        """Return the inertia in other axes."""
        return RigidInertia(self.m, R @ self.h, R @ self.I)

    def moved(self, r: Vector3) -> RigidInertia:
        """About a point from which the present one is at r: I + (r.(h + h')) 1 - (r g^T + g r^T), g = h + m r / 2."""
        mr = r * self.m
        h, g = self.h + mr, self.h + mr * 0.5
        I = self.I.plus_diagonal(r.dot(self.h + h)) - (outer(r, g) + outer(g, r)).upper
        return RigidInertia(self.m, h, I)


@record
class ArticulatedInertia:
    """n = I dw + H a, f = H^T dw + M a (Featherstone 2008, section 7.1)."""

    I: Symmetric3
    H: Matrix3
    M: Symmetric3

    @classmethod
    def rigid(cls, body: RigidInertia) -> ArticulatedInertia:
        """The articulated inertia of a rigid body."""
        return cls(body.I, skew(body.h), Symmetric3(body.m, 0, 0, body.m, 0, body.m))

    def __add__(self, other: ArticulatedInertia) -> ArticulatedInertia:
        return ArticulatedInertia(self.I + other.I, self.H + other.H, self.M + other.M)

    def times(self, a: Twist) -> Wrench:
        """The wrench of an acceleration."""
        return Wrench(self.H.T.apply(a.w) + self.M.apply(a.v), self.I.apply(a.w) + self.H.apply(a.v))

    def minus(self, U: Wrench, V: Wrench) -> ArticulatedInertia:
        """The difference with U V^T, which is symmetric."""
        I, M = self.I - outer(U.n, V.n).upper, self.M - outer(U.f, V.f).upper
        return ArticulatedInertia(I, self.H - outer(U.n, V.f), M)

    def moved(self, r: Vector3) -> ArticulatedInertia:
        """About a point from which the present one is at r: H' = H + [r] M, I' = I - H' [r] + [r] H^T."""
        H = self.H + Matrix3(*(r.cross(column) for column in self.M.full.rows)).T
        left = Matrix3(*(row.cross(r) for row in H.rows))
        right = Matrix3(*(r.cross(row) for row in self.H.rows)).T
        return ArticulatedInertia(self.I - left.upper + right.upper, H, self.M)


@record
class ArticulatedBody:
    """A body and all that it carries: articulated inertia and bias force p (Featherstone 2008, section 7.1).

    Of the composite with locked joints the first moment h and the trace of I, which pivots are compared with.
    """

    inertia: ArticulatedInertia
    p: Wrench
    h: Vector3
    trace: Scalar

    @classmethod
    def rigid(cls, body: RigidInertia, p: Wrench) -> ArticulatedBody:
        """A rigid body with bias force p."""
        return cls(ArticulatedInertia.rigid(body), p, body.h, body.I.trace)

    def __add__(self, other: ArticulatedBody) -> ArticulatedBody:
        h, trace = self.h + other.h, add(self.trace, other.trace)
        return ArticulatedBody(self.inertia + other.inertia, self.p + other.p, h, trace)

    def without(self, U: Wrench, U_D: Wrench, u: Scalar) -> ArticulatedBody:
        """Eliminate one coordinate: I - U U^T / D, p + U u / D; U_D = U / D."""
        return ArticulatedBody(self.inertia.minus(U, U_D), self.p + U_D * u, self.h, self.trace)

    def accelerated(self, c: Twist) -> ArticulatedBody:
        """Add the force of a known acceleration."""
        return ArticulatedBody(self.inertia, self.p + self.inertia.times(c), self.h, self.trace)

    def moved(self, r: Vector3, mass: Scalar) -> ArticulatedBody:
        """About a point from which the present one is at r; `mass` of the composite."""
        lever = r * mass
        trace = add(self.trace, r.dot(self.h * 4 + lever * 2))
        return ArticulatedBody(self.inertia.moved(r), self.p.moved(r), self.h + lever, trace)


@record
class Energies:
    """Kinetic energy T and potential energy V."""

    T: Scalar
    V: Scalar
