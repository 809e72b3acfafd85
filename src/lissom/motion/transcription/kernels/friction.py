"""Coulomb friction in limits of torque: smooth functions on the safe side of its jump.

Friction turns around where a joint does, and the torque with it. A limit on a smooth stand-in would be exceeded beside
the turn, wherever one looks; so an upper limit holds for tau with sign(v) replaced by a smooth function above it, a
lower one for one below. With g(x) = x / (1 + x^4)^(1/4),

    above(v) = g(v / wide + REACH) + 1 - g(REACH) >= sign(v),          below(v) = -above(-v) <= sign(v)

and `excess` is their difference to the friction that the torques of a sample have in them, v / sqrt(v^2 + slow^2),
which turns around within a rate that is small beside those of the joint.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from lissom.spatial.rotations import Array

WIDE = 0.1  # rad/s or m/s: turns are rounded within it at most; narrower ones take the solver many more iterations
SHARE = 0.025  # of the fastest joint's rate, where that is less
SLOW, SLOW_SHARE = 0.05, 0.05  # the same of torques themselves, where each joint has its own rate
STILL = 1e-3  # of the fastest rate: slower joints count as this fast, or rounding would set the width of those at rest
REACH = 3.0  # times that before a turn the other way's friction counts already; 1.003 of the friction at most


def width(fastest: float, most: float = WIDE, share: float = SHARE) -> float:
    """Return the width within which turns are rounded, from the fastest rate that is expected; by quarter decades."""
    wide = min(most, share * fastest) if fastest > 0 else most
    return float(10.0 ** (np.floor(4 * np.log10(wide) + 1e-9) / 4))


def slow_rates(fastest: Array) -> Array:
    """(n,) within which friction in torques turns around, from the fastest rates (n,) that are expected."""
    least = STILL * fastest.max(initial=0.0)
    return np.array([width(float(x), SLOW, SLOW_SHARE) for x in np.maximum(fastest, least)])


def excess(v: Any, side: float, wide: float, slow: Any) -> Any:
    """Above (side 1) or below (-1) sign(v), less the friction within a sample; of casadi or NumPy vectors."""
    return _g(v / wide + side * REACH) + side * (1 - _g(REACH)) - v / (v * v + slow * slow) ** 0.5


def slopes(v: Array, side: float, wide: float, slow: Array) -> tuple[Array, Array]:
    """Return the first and second derivative of `excess`."""
    x = v / wide + side * REACH
    y = x * x
    root = 1 + y * y
    steep = 1 / (root * np.sqrt(np.sqrt(root)))  # roots are ten times as quick as powers that are no integers
    bend, curve = turn(v, slow)
    return np.asarray(steep / wide - bend), np.asarray(-5 * x * y * steep / (root * wide**2) - curve)


def turn(v: Array, slow: Array) -> tuple[Array, Array]:
    """First and second derivative of v / sqrt(v^2 + slow^2), the friction in torques."""
    size = v * v + slow * slow
    first = slow * slow / (size * np.sqrt(size))
    return first, -3 * v * first / size


def _g(x: Any) -> Any:
    y = x * x
    return x / ((1 + y * y) ** 0.5) ** 0.5
