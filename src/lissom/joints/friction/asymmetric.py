"""Asymmetric friction: other Coulomb and viscous friction in one direction than in the other."""

from __future__ import annotations

from lissom.joints.friction.base import AbstractLaw, directed
from lissom.records import record
from lissom.spatial.scalar import Coordinates, Scalar, mul


@record
class Asymmetric(AbstractLaw):
    """tau = asymmetry + viscous_asymmetry |qd| while the joint moves; nothing at rest.

    With Coulomb and viscous friction: coulomb + asymmetry forwards, coulomb - asymmetry backwards; likewise per rate.

    asymmetry : [N m or N], at most as large as `coulomb`
    viscous_asymmetry : [N m s/rad or N s/m], at most as large as `viscous`
    """

    asymmetry: Scalar
    viscous_asymmetry: Scalar

    linear = ("asymmetry", "viscous_asymmetry")
    title = "asymmetric"

    def columns(self, rate: Scalar, load: Scalar = 0.0, direction: Scalar | None = None) -> Coordinates:
        way = directed(rate, direction)
        return mul(way, way), mul(way, rate)

    def slopes(self, rate: Scalar, direction: Scalar) -> Coordinates:
        return 0, direction
