"""Helical joint (screw): rotation about z with a displacement along it."""

from __future__ import annotations

from lissom.joints.base import AbstractJoint
from lissom.records import record
from lissom.spatial.motions import Pose, Twist
from lissom.spatial.orientation import RotationZ
from lissom.spatial.scalar import Coordinates, Scalar, cos, mul, sin
from lissom.spatial.vectors import Z_AXIS, Vector3


@record
class Helical(AbstractJoint):
    """The coordinate is the angle [rad]; `pitch` is the displacement per angle [m/rad], lead / (2 pi).

    A positive pitch is a right-handed thread. By virtual work the torque on the coordinate is n + pitch f, with n and f
    the moment and the force along the axis (Featherstone 2008, table 4.1).
    """

    pitch: Scalar

    kind = "helical"
    units = ("m/rad",)

    def pose(self, q: Coordinates) -> Pose:
        return Pose(RotationZ(cos(q[0]), sin(q[0])), Vector3(0, 0, mul(self.pitch, q[0])))

    @property
    def S(self) -> tuple[Twist, ...]:
        return (Twist(Z_AXIS, Z_AXIS * self.pitch),)
