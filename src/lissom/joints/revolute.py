"""Revolute joint: rotation about z."""

from __future__ import annotations

import math

from lissom.joints.base import AbstractJoint
from lissom.records import record
from lissom.spatial.motions import Pose, Twist
from lissom.spatial.orientation import RotationZ
from lissom.spatial.scalar import Coordinates, cos, sin
from lissom.spatial.vectors import Z_AXIS, ZERO


@record
class Revolute(AbstractJoint):
    """The coordinate is the angle [rad]."""

    kind = "revolute"
    period = 2 * math.pi

    def pose(self, q: Coordinates) -> Pose:
        return Pose(RotationZ(cos(q[0]), sin(q[0])), ZERO)

    @property
    def S(self) -> tuple[Twist, ...]:
        return (Twist(Z_AXIS, ZERO),)
