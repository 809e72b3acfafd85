"""What a law of friction is: columns that its coefficients multiply.

A law gives torque against the motion. It is a record of its coefficients, in which it is linear, followed by the
rates that give its columns their shape. Identification needs columns, dynamics their sum and its slope:

    torque = coefficients . columns(rate, load, direction)

The direction of the motion (1, -1, or 0 at rest) is an argument of its own: simulations decide it, planners round it
off, and everywhere else it is the sign of the rate.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

from lissom.spatial.scalar import Coordinates, Scalar, add, mul, sign


class AbstractLaw(ABC):
    """A law of friction.

    linear : names of the coefficients, the first fields of the record
    title : its name in text
    """

    linear: ClassVar[tuple[str, ...]]
    title: ClassVar[str]
    parameters: ClassVar[bool] = True  # nothing is differentiated by the numbers of a law

    @abstractmethod
    def columns(self, rate: Scalar, load: Scalar = 0.0, direction: Scalar | None = None) -> Coordinates:
        """Torque per coefficient; floats or arrays [rad/s or m/s, N m or N]."""

    @abstractmethod
    def slopes(self, rate: Scalar, direction: Scalar) -> Coordinates:
        """Derivatives of the columns by the rate, in one direction and under one load."""

    @property
    def coefficients(self) -> Coordinates:
        """The coefficients, in the order of the columns."""
        return tuple(getattr(self, word) for word in self.linear)

    def torque(self, rate: Scalar, load: Scalar = 0.0, direction: Scalar | None = None) -> Scalar:
        """Torque that the law takes."""
        return _dot(self.coefficients, self.columns(rate, load, direction))

    def slope(self, rate: Scalar, direction: Scalar) -> Scalar:
        """Derivative of the torque by the rate."""
        return _dot(self.coefficients, self.slopes(rate, direction))


def directed(rate: Scalar, direction: Scalar | None) -> Scalar:
    """The direction of a motion: as it is given, or the sign of the rate."""
    return sign(rate) if direction is None else direction


def _dot(a: Coordinates, b: Coordinates) -> Scalar:
    total: Scalar = 0
    for x, y in zip(a, b, strict=True):
        total = add(total, mul(x, y))
    return total
