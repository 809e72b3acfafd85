"""A rigid body behind a joint; its frame is on the joint, z along the axis, after the motion."""

from __future__ import annotations

from typing import final

from lissom.elements.base import AbstractArticulated, AbstractComposite, AbstractLink
from lissom.elements.elimination import Eliminated, eliminated
from lissom.elements.pivots import AbstractPivot, Held
from lissom.elements.results import (
    Body,
    Columns,
    FieldForce,
    Inward,
    ModalInertia,
    MovingBody,
    MovingFrame,
    Outward,
    Path,
    Placed,
    Totals,
    UnitForces,
    Velocity,
    totals_of,
)
from lissom.joints.base import AbstractJoint
from lissom.records import dense, record
from lissom.spatial.inertias import ArticulatedBody, RigidInertia
from lissom.spatial.motions import Motion, Placement, PointVelocity, Pose, Twist, Wrench
from lissom.spatial.orientation import Rotation
from lissom.spatial.scalar import Coordinates, Scalar, add, mul, sub
from lissom.spatial.vectors import ZERO, Vector3


@final
@record
class RigidLink(AbstractLink, AbstractComposite[Pose, Wrench, RigidInertia], AbstractArticulated[Pose]):
    """Placement of a joint on the parent, inertia of the body behind it, and the joint."""

    placement: Placement
    inertia: RigidInertia
    joint: AbstractJoint

    def outward(self, parent: Motion, x: Pose, qd: Coordinates, qdd: Coordinates) -> Outward[Motion, Wrench]:
        """Return motion and force of the body.

        With R the orientation in the parent, r the origin, u = R^T w', and (s.w, s.v) = S qd, (sd.w, sd.v) = S qdd:

            w = u + s.w,   dw = R^T dw' + u x s.w + sd.w,   a = R^T (a' + W' r) + 2 u x s.v + s.w x s.v + sd.v

        (Luh, Walker and Paul 1980).
        """
        R0, s, sd = self.placement.R, self.joint.velocity(qd), self.joint.velocity(qdd)
        u = x.R.T @ (R0.T @ parent.w)
        dw = x.R.T @ (R0.T @ parent.dw) + u.cross(s.w) + sd.w
        a = x.R.T @ (R0.T @ parent.acceleration_at(self.origin(x))) + u.cross(s.v * 2) + s.w.cross(s.v) + sd.v
        motion = Motion(u + s.w, dw, a)
        return Outward(motion, self.inertia.force(motion))

    def field_force(
        self, parent: Motion, x: Pose, qd: Coordinates, qdd: Coordinates
    ) -> FieldForce[Wrench, Coordinates]:
        return FieldForce(None, None)

    def inward(
        self, on_parent: Wrench | None, force: Wrench, modal: Coordinates | None, x: Pose
    ) -> tuple[Wrench | None, Coordinates]:
        return None if on_parent is None else on_parent + self.carried(force, x), self.project(force, x)

    def carried(self, force: Wrench, x: Pose) -> Wrench:
        return force.turned(x.R).turned(self.placement.R).moved(self.origin(x))

    def own_composite(self, inertia: RigidInertia) -> RigidInertia:
        return inertia

    def composed(self, parent: RigidInertia, composite: RigidInertia, x: Pose) -> RigidInertia:
        return parent + composite.turned(x.R).turned(self.placement.R).moved(self.origin(x))

    def unit_forces(self, composite: RigidInertia, x: Pose) -> UnitForces[Wrench]:
        return UnitForces(tuple(composite.times(s) for s in self.joint.S), None)

    def project(self, force: Wrench, x: Pose) -> Coordinates:
        return self.joint.project(force)

    def orientation(self, parent: Rotation, x: Pose) -> Rotation:
        return parent.then(self.placement.R).then(x.R)

    # ---- world axes ------------------------------------------------------------------------------

    def _frame(self, parent: Rotation, x: Pose) -> tuple[Rotation, Vector3, tuple[Twist, ...]]:
        """Orientation, origin seen from that of the parent, and directions S."""
        R = self.orientation(parent, x)
        return R, parent @ self.placement.p + R @ x.p, tuple(s.turned(R) for s in self.joint.S)

    def frame(self, parent: Placement, x: Pose) -> Placement:
        R, r, _ = self._frame(parent.R, x)
        return Placement(R, parent.p + r)

    def point_columns(self, parent: Placement, frame: Placement, x: Pose, P: Vector3) -> tuple[PointVelocity, ...]:
        directions = [s.turned(frame.R) for s in self.joint.S]
        return tuple(dense(PointVelocity(s.v + s.w.cross(P - frame.p), s.w)) for s in directions)

    def moving(self, parent: MovingBody, x: Pose, qd: Coordinates) -> tuple[MovingBody, Totals, Totals | None]:
        R, r, S = self._frame(parent.R, x)
        w, v = parent.w, parent.v + parent.w.cross(r)
        for direction, rate in zip(S, qd, strict=True):
            w, v = w + direction.w * rate, v + direction.v * rate
        state = MovingBody(R, parent.o + r, w, v)
        return state, totals_of(state, self.inertia.turned(R)), None

    def velocity(self, parent: MovingFrame, x: Pose, qd: Coordinates) -> Velocity:
        """w = w' + S qd,  c = w' x (w' x r) + velocity terms of the joint."""
        R, r, S = self._frame(parent.R, x)
        w0, s = parent.w, self.joint.velocity(qd)
        w, c = w0, Twist(ZERO, w0.cross(w0.cross(r)) + R @ s.w.cross(s.v))
        for direction, rate in zip(S, qd, strict=True):
            w = w + direction.w * rate
            c = c + Twist(w0.cross(direction.w) * rate, w0.cross(direction.v) * mul(2, rate))
        inertia = self.inertia.turned(R)
        body = Body(inertia, inertia.velocity_force(w))
        return Velocity(MovingFrame(R, w), Path(self.joint, r, S, c), body, None)

    @staticmethod
    def eliminate(
        path: Path, body: Body, modal: ModalInertia | None, beyond: ArticulatedBody | None, force: Coordinates,
        pivot: AbstractPivot, free: Scalar | None, armature: Scalar, mass: Scalar,
    ) -> Inward:  # fmt: skip
        """U = IA S, D = S^T U, u = tau - S^T pA; on the parent Ia = IA - U D^-1 U^T, pA + Ia c + U D^-1 u."""
        assert path.joint is not None
        own = ArticulatedBody.rigid(body.inertia, body.p)
        own = own if beyond is None else own + beyond
        U = [own.inertia.times(s) for s in path.S]
        H = [s.dot(U[l]) for k, s in enumerate(path.S) for l in range(k, len(U))]
        H[0] = add(H[0], armature)  # only joints of one coordinate have drives
        u = [sub(tau, s.dot(own.p)) for tau, s in zip(force, path.S, strict=True)]
        locked = [add(size, armature) for size in path.joint.locked_inertia(own.trace, mass)]
        kept, left = eliminated(H, U, u, locked, pivot, free, own)
        return Inward(kept, None, left.accelerated(path.c).moved(path.r, mass))

    @staticmethod
    def led(path: Path, acceleration: Scalar) -> Path:
        """The path of a coordinate with a prescribed acceleration."""
        return Path(path.joint, path.r, path.S, path.c + path.S[0] * acceleration)

    @staticmethod
    def accelerate(
        parent: Twist, path: Path, kept: Eliminated | None, qdd: Coordinates | None
    ) -> tuple[Coordinates, Twist]:
        """a' = a(parent) + c,  qdd = (u - U^T a') / D,  a = a' + S qdd."""
        assert kept is not None
        a = parent.at(path.r) + path.c
        found = kept.accelerations(a)
        for s, rate in zip(path.S, found, strict=True):
            a = a + s * rate
        return found, a

    @staticmethod
    def accelerate_held(
        parent: Twist, path: Path, kept: Eliminated, held: Held, armature: Scalar
    ) -> tuple[Coordinates, Twist, Scalar]:
        """Return what `accelerate` does, of a coordinate that may be held, and the effort that holding it takes."""
        (qdd,), acceleration = RigidLink.accelerate(parent, path, kept, None)
        a, U = parent.at(path.r) + path.c, kept.U[0]
        needed = U.n.dot(a.w) + U.f.dot(a.v) - kept.z[0] + armature * held.acceleration
        return (qdd + held.acceleration,), acceleration, (1 - held.free) * needed

    def place(self, parent: Placement, x: Pose) -> Placed:
        R, r, S = self._frame(parent.R, x)
        o = parent.p + r
        screws = tuple(dense(Twist(s.w, s.v + o.cross(s.w))) for s in S)
        return Placed(Placement(R, o), screws, S, r, self.inertia.turned(R), None, None)

    @staticmethod
    def columns(
        directions: tuple[Twist, ...], modal: ModalInertia | None, composite: RigidInertia, o: Vector3
    ) -> Columns:
        return Columns(tuple(composite.times(s).moved(o) for s in directions), (), None)
