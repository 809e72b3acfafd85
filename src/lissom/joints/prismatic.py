"""Prismatic joint: displacement along z."""

from __future__ import annotations

from lissom.joints.base import AbstractJoint
from lissom.records import record
from lissom.spatial.motions import Pose, Twist
from lissom.spatial.orientation import Identity
from lissom.spatial.scalar import Coordinates
from lissom.spatial.vectors import Z_AXIS, ZERO, Vector3


@record
class Prismatic(AbstractJoint):
    """The coordinate is the displacement [m]."""

    kind = "prismatic"
    unit = "m"

    def pose(self, q: Coordinates) -> Pose:
        return Pose(Identity(), Vector3(0, 0, q[0]))

    @property
    def S(self) -> tuple[Twist, ...]:
        return (Twist(ZERO, Z_AXIS),)
