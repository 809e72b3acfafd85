"""Coulomb friction: constant against the motion."""

from __future__ import annotations

from lissom.joints.friction.base import AbstractLaw, directed
from lissom.records import record
from lissom.spatial.scalar import Coordinates, Scalar


@record
class Coulomb(AbstractLaw):
    """tau = coulomb sign(qd).

    coulomb : [N m or N], at least zero
    """

    coulomb: Scalar

    linear = ("coulomb",)
    title = "Coulomb"

    def columns(self, rate: Scalar, load: Scalar = 0.0, direction: Scalar | None = None) -> Coordinates:
        return (directed(rate, direction),)

    def slopes(self, rate: Scalar, direction: Scalar) -> Coordinates:
        return (0,)
