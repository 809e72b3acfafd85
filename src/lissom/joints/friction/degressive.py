"""Friction that grows less, or more, than the rate."""

from __future__ import annotations

from lissom.joints.friction.base import AbstractLaw, directed
from lissom.records import record
from lissom.spatial.scalar import Coordinates, Scalar, absolute, mul, sign, sub

ANY_RATE = 1e18  # stands for a law without a largest rate; its square is finite in single precision


@record
class Degressive(AbstractLaw):
    """tau = degressive qd |qd| up to |qd| = degressive_rate, and constant beyond.

    degressive : [N m s^2/rad^2 or N s^2/m^2]; negative where friction grows less than the rate, as in most gears
    degressive_rate : up to which the law holds [rad/s or m/s]
    """

    degressive: Scalar
    degressive_rate: Scalar

    linear = ("degressive",)
    title = "degressive"

    def columns(self, rate: Scalar, load: Scalar = 0.0, direction: Scalar | None = None) -> Coordinates:
        speed = absolute(rate)
        speed = speed + mul(self._beyond(speed), sub(self.degressive_rate, speed))
        return (mul(directed(rate, direction), speed * speed),)

    def slopes(self, rate: Scalar, direction: Scalar) -> Coordinates:
        inside = 1.0 - self._beyond(absolute(rate))
        return (mul(mul(2.0, inside), mul(direction, rate)),)

    def _beyond(self, speed: Scalar) -> Scalar:
        """1 beyond the largest rate, 0 below."""
        return 0.5 - mul(0.5, sign(sub(self.degressive_rate, speed)))
