"""A rigid body behind a joint; its frame is on the joint, z along the axis, after the motion."""

from __future__ import annotations

from typing import final

from lissom.elements.base import AbstractElement, FieldForce, Outward
from lissom.joints.base import AbstractJoint
from lissom.records import record
from lissom.spatial.inertias import RigidInertia
from lissom.spatial.motions import Motion, Placement, Pose, Wrench
from lissom.spatial.orientation import Rotation
from lissom.spatial.scalar import Coordinates
from lissom.spatial.vectors import Vector3


@final
@record
class RigidLink(AbstractElement[Pose]):
    """Joint, its placement on the parent, and the inertia of the body behind it."""

    joint: AbstractJoint
    placement: Placement
    inertia: RigidInertia

    def origin(self, x: Pose) -> Vector3:
        """Origin of the frame, in the axes of the parent."""
        return self.placement.p + self.placement.R @ x.p

    def outward(self, parent: Motion, x: Pose, qd: Coordinates, qdd: Coordinates) -> Outward:
        """With R the orientation in the parent, r the origin, u = R^T w', and (s.w, s.v) = S qd, (sd.w, sd.v) = S qdd:

            w = u + s.w,   dw = R^T dw' + u x s.w + sd.w,   a = R^T (a' + W' r) + 2 u x s.v + s.w x s.v + sd.v

        (Luh, Walker and Paul 1980, (8) to (12)).
        """
        R0, s, sd = self.placement.R, self.joint.velocity(qd), self.joint.velocity(qdd)
        u = x.R.T @ (R0.T @ parent.w)
        dw = x.R.T @ (R0.T @ parent.dw) + u.cross(s.w) + sd.w
        a = x.R.T @ (R0.T @ parent.acceleration_at(self.origin(x))) + u.cross(s.v * 2) + s.w.cross(s.v) + sd.v
        motion = Motion(u + s.w, dw, a)
        return Outward(motion, self.inertia.force(motion))

    def field_force(self, parent: Motion, x: Pose, qd: Coordinates, qdd: Coordinates) -> FieldForce:
        return FieldForce(None, None)

    def inward(
        self, on_parent: Wrench | None, force: Wrench, modal: Coordinates | None, x: Pose
    ) -> tuple[Wrench | None, Coordinates]:
        carried = force.turned(x.R).turned(self.placement.R).moved(self.origin(x))
        return None if on_parent is None else on_parent + carried, self.joint.project(force)

    def orientation(self, parent: Rotation, x: Pose) -> Rotation:
        return parent.then(self.placement.R).then(x.R)
