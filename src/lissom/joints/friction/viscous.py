"""Viscous friction: proportional to the rate."""

from __future__ import annotations

from lissom.joints.friction.base import AbstractLaw
from lissom.records import record
from lissom.spatial.scalar import Coordinates, Scalar


@record
class Viscous(AbstractLaw):
    """tau = viscous qd.

    viscous : [N m s/rad or N s/m], at least zero
    """

    viscous: Scalar

    linear = ("viscous",)
    title = "viscous"

    def columns(self, rate: Scalar, load: Scalar = 0.0, direction: Scalar | None = None) -> Coordinates:
        return (rate,)

    def slopes(self, rate: Scalar, direction: Scalar) -> Coordinates:
        return (1,)
