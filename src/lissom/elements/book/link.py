"""A rigid body behind a joint, on a frame that may stretch.

    W_j = What_{j-1} A_j                                                                             (3)
    Wd_j = Whatd_{j-1} A_j + What_{j-1} U_j qd_j                                                (9), (11)
    Wdd_j = Whatdd_{j-1} A_j + 2 Whatd_{j-1} U_j qd_j + What_{j-1} (U2_j qd_j^2 + U_j qdd_j)   (10), (12)

A_j holds the joint's placement and its pose. With S the direction of motion in the axes behind the joint, U_j = A_j S^
and U2_j = A_j S^ S^, S^ = [s.v | [s.w]]; so every kind of joint is covered. (The paper has revolute joints only.)
"""

from __future__ import annotations

from typing import final

from lissom.elements.base import AbstractComposite, AbstractLink
from lissom.elements.book.base import AbstractAffine, MovingFrames, velocity_of
from lissom.elements.book.maps import (
    AffineForce,
    AffineMap,
    AffineMotion,
    AffinePosition,
    LinkPosition,
    ModalForce,
    SecondMoments,
    axial,
    inverse,
    moments_of,
    motion_of,
    spin,
)
from lissom.elements.results import FieldForce, Outward, Totals, UnitForces
from lissom.joints.base import AbstractJoint
from lissom.records import dense, record
from lissom.spatial.inertias import RigidInertia
from lissom.spatial.motions import Motion, Placement, PointVelocity, Pose
from lissom.spatial.scalar import Coordinates, mul
from lissom.spatial.vectors import Vector3, outer


@final
@record
class AffineLink(
    AbstractLink, AbstractComposite[LinkPosition, AffineForce, SecondMoments], AbstractAffine[Pose, LinkPosition]
):
    """Placement of a joint on the parent, inertia of the body behind it, and the joint.

    shortcut : whether forces bring along the moments that (72) and (73) need
    """

    placement: Placement
    inertia: RigidInertia
    joint: AbstractJoint
    shortcut: int

    def located(self, parent: AffinePosition | None, x: Pose) -> LinkPosition:
        """The frame behind the joint, (3)."""
        A = self._map(x)
        return LinkPosition(x, A if parent is None else parent.W.times(A))

    def _map(self, x: Pose) -> AffineMap:
        """A_j."""
        return AffineMap(self.placement.R.then(x.R).matrix, self.origin(x))

    def outward(
        self, parent: Motion | AffineMotion, x: LinkPosition, qd: Coordinates, qdd: Coordinates
    ) -> Outward[Motion | AffineMotion, AffineForce]:
        before, A, s, sd = motion_of(parent), self._map(x.pose), self.joint.velocity(qd), self.joint.velocity(qdd)
        back = before.velocity.times(A)
        velocity = back + x.W.along(s)  # (9), (11)
        acceleration = before.acceleration.times(A) + back.along(s * 2) + x.W.along_twice(s, sd)  # (10), (12)
        moments = moments_of(self.inertia)
        force = moments.force(acceleration)  # (87)
        carried = moments if self.shortcut else None
        return Outward(AffineMotion(velocity, acceleration), AffineForce(force.P, force.f, carried))

    def field_force(
        self, parent: Motion | AffineMotion, x: LinkPosition, qd: Coordinates, qdd: Coordinates
    ) -> FieldForce[AffineForce, Coordinates | ModalForce]:
        return FieldForce(None, None)

    def inward(
        self, on_parent: AffineForce | None, force: AffineForce, modal: Coordinates | ModalForce | None, x: LinkPosition
    ) -> tuple[AffineForce | None, Coordinates]:
        return None if on_parent is None else on_parent + self.carried(force, x), self.project(force, x)

    def carried(self, force: AffineForce, x: LinkPosition) -> AffineForce:
        """Q A^T, (88), and A B A^T, (79)."""
        at = force.through(self._map(x.pose))
        return AffineForce(at.P, at.f, None if force.carried is None else self._moved(force.carried, x))

    def _moved(self, moments: SecondMoments, x: LinkPosition) -> SecondMoments:
        """A B A^T."""
        return moments.turned(x.pose.R).turned(self.placement.R).moved(self.origin(x.pose))

    # ---- composite bodies ------------------------------------------------------------------------

    def own_composite(self, inertia: RigidInertia) -> SecondMoments:
        return moments_of(inertia)

    def composed(self, parent: SecondMoments, composite: SecondMoments, x: LinkPosition) -> SecondMoments:
        """The composite step (79)."""
        return parent + self._moved(composite, x)

    def project(self, force: AffineForce, x: LinkPosition) -> Coordinates:
        """The joint torque (84): Tr{What_{j-1} U_j Q_j}."""
        return tuple(force.power(x.W.along(s)) for s in self.joint.S)

    def unit_forces(self, composite: SecondMoments, x: LinkPosition) -> UnitForces[AffineForce]:
        """What U B: the paper's jF~_h U_h^T What^T, transposed."""
        return UnitForces(tuple(composite.force(x.W.along(s)) for s in self.joint.S), None)

    # ---- world axes ------------------------------------------------------------------------------

    def point_columns(
        self, parent: Placement, frame: Placement, x: LinkPosition, P: Vector3
    ) -> tuple[PointVelocity, ...]:
        """The angular part is the spin of a frame, the antisymmetric part of dF F^-1."""
        back, rates = inverse(x.W.F), [x.W.along(s) for s in self.joint.S]
        h = back.apply(P - x.W.o)
        return tuple(dense(PointVelocity(rate.o + rate.F.apply(h), spin(rate.F.times(back)))) for rate in rates)

    def moving(
        self, parent: MovingFrames, x: LinkPosition, qd: Coordinates
    ) -> tuple[AffineMap, Totals | None, Totals | None]:
        W, moments = x.W, moments_of(self.inertia)
        Wd = velocity_of(parent).times(self._map(x.pose)) + W.along(self.joint.velocity(qd))
        flow = moments.force(Wd)
        L = axial(flow.P.times(W.F.T) + outer(flow.f, W.o))
        return Wd, Totals(mul(0.5, flow.power(Wd)), W.o * moments.m + W.F.apply(moments.h), flow.f, L), None
