"""Torsion and stretch of a uniform beam, clamped at the root, with a body at its tip: exact shapes.

    shape = sin ks,   cos kL = (J k / rho) sin kL,   w^2 = S k^2 / rho

S is GJ or EA, rho the polar inertia or mass per length, J the tip's. One root lies in each
((n - 1) pi, (n - 1/2) pi) / L. Without inertia along the beam there is the single shape s / L.
"""

from __future__ import annotations

import numpy as np

from lissom.flexible.shapes import Shapes
from lissom.spatial.rotations import Array


def wavenumbers(length: float, rho: float, tip: float, count: int) -> Array:
    """The lowest `count` wavenumbers k [1/m]."""
    from scipy.optimize import brentq

    ratio = tip / (rho * length)
    balance = lambda x: np.cos(x) - ratio * x * np.sin(x)  # noqa: E731
    found = []
    for n in range(count):
        low, high = n * np.pi, (n + 0.5) * np.pi
        found.append(high if ratio == 0.0 else brentq(balance, low, high, xtol=1e-300, rtol=4 * np.finfo(float).eps))
    return np.array(found) / length


def shapes(length: float, rho: float, tip: float, k: Array) -> Shapes:
    """Shapes of given wavenumbers; modal inertia with the tip is that of the beam, positive at the root."""
    total = rho * (length / 2 - np.sin(2 * k * length) / (4 * k)) + tip * np.sin(k * length) ** 2
    factor = np.sqrt(rho * length / total)

    def function(s: Array, d: int) -> Array:
        x = np.asarray(s, float)[:, None] * k
        wave = (np.sin(x), np.cos(x), -np.sin(x), -np.cos(x))[d]
        return factor * k**d * wave

    return Shapes(length, len(k), function)


def straight(length: float) -> Shapes:
    """The shape s / L of a beam without inertia of its own."""

    def function(s: Array, d: int) -> Array:
        x = np.asarray(s, float)[:, None]
        return x / length if d == 0 else np.full_like(x, 1 / length if d == 1 else 0.0)

    return Shapes(length, 1, function)
