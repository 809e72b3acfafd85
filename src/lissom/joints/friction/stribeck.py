"""Stribeck friction: more at slow rates than at fast ones (Hess and Soom 1990)."""

from __future__ import annotations

from lissom.joints.friction.base import AbstractLaw, directed
from lissom.records import record
from lissom.spatial.scalar import Coordinates, Scalar, mul


@record
class Stribeck(AbstractLaw):
    """tau = stribeck sign(qd) / (1 + (qd / stribeck_rate)^2), on top of Coulomb friction.

    stribeck : break-away above Coulomb friction [N m or N], at least zero
    stribeck_rate : rate at which half of it is left [rad/s or m/s]
    """

    stribeck: Scalar
    stribeck_rate: Scalar

    linear = ("stribeck",)
    title = "Stribeck"

    def columns(self, rate: Scalar, load: Scalar = 0.0, direction: Scalar | None = None) -> Coordinates:
        return (directed(rate, direction) / self._spread(rate),)

    def slopes(self, rate: Scalar, direction: Scalar) -> Coordinates:
        spread = self._spread(rate)
        steep = mul(-2.0, rate) / mul(self.stribeck_rate, self.stribeck_rate)
        return (mul(direction, steep) / mul(spread, spread),)

    def _spread(self, rate: Scalar) -> Scalar:
        part = rate / self.stribeck_rate
        return 1.0 + part * part
