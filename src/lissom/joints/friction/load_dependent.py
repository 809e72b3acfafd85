"""Load-dependent friction: proportional to the torque that the gear transmits."""

from __future__ import annotations

from lissom.joints.friction.base import AbstractLaw, directed
from lissom.records import record
from lissom.spatial.scalar import Coordinates, Scalar, absolute, mul


@record
class LoadDependent(AbstractLaw):
    """tau = load |tau_load| sign(qd).

    tau_load is the torque between gear and link: inertia, gravity and loads of all that the joint carries, and its
    spring; not the inertia of the drive, which the motor moves without the gear.

    load : at least zero and below 1; a joint with 1 could not be driven from the side of the link
    """

    load: Scalar

    linear = ("load",)
    title = "load-dependent"

    def columns(self, rate: Scalar, load: Scalar = 0.0, direction: Scalar | None = None) -> Coordinates:
        return (mul(directed(rate, direction), absolute(load)),)

    def slopes(self, rate: Scalar, direction: Scalar) -> Coordinates:
        return (0,)
