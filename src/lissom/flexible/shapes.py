"""Shapes along a beam: functions of position, with their derivatives."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from lissom.errors import InputError
from lissom.flexible.quadrature import Panels
from lissom.spatial.rotations import Array


class Shapes:
    """A set of shapes on a beam of a given length.

    function : f(s, d) -> (len(s), count)     derivative d = 0, 1, 2 (or 3) at positions s
    edges : where its pieces meet; between them it is smooth
    """

    def __init__(self, length: float, count: int, function: Callable[[Array, int], Array], edges: Any = None):
        self.length, self.count, self._function = length, count, function
        self.edges: Array = np.array([0.0, length]) if edges is None else np.asarray(edges, float)

    def at(self, s: ArrayLike, derivative: int = 0) -> Array:
        """Values (..., count) of the shapes at positions (...) [m] from the root."""
        where = np.asarray(s, float)
        if where.size and not (where.min() >= -1e-12 * self.length and where.max() <= self.length * (1 + 1e-12)):
            raise InputError(
                f"a beam of {self.length:g} m has no position {float(where.min()):g} to {float(where.max()):g} m."
            )
        found = self._function(np.clip(where.ravel(), 0.0, self.length), derivative)
        return found.reshape(*where.shape, self.count)

    def scaled(self, factors: Array) -> Shapes:
        """The shapes, each multiplied by a number."""
        return Shapes(self.length, self.count, lambda s, d: self._function(s, d) * factors, self.edges)

    def mixed(self, A: Array) -> Shapes:
        """Sums of the shapes: shape j of the result is ``sum_k shape_k A[k, j]``."""
        return Shapes(self.length, A.shape[1], lambda s, d: self._function(s, d) @ A, self.edges)


def joined(shapes: list[Shapes]) -> Shapes:
    """Several sets of shapes on one beam, concatenated."""
    edges = np.unique(np.concatenate([x.edges for x in shapes]))
    count = sum(x.count for x in shapes)
    function = lambda s, d: np.concatenate([x._function(s, d) for x in shapes], axis=1)  # noqa: E731
    return Shapes(shapes[0].length, count, function, edges)


def polynomials(length: float, count: int, first: int) -> Shapes:
    """Powers of s from `first` on: zero (and flat, from 2 on) at the root; orthonormal along the beam.

    s^first times Legendre polynomials, kept as Legendre series: powers themselves would be numerically dependent.
    """
    from numpy.polynomial import Legendre

    domain = [0.0, length]
    root = Legendre.identity(domain=domain) / length
    pieces = [root**first * Legendre.basis(k, domain=domain) for k in range(count)]

    def function(s: Array, d: int) -> Array:
        return np.stack([piece.deriv(d)(s) if d else piece(s) for piece in pieces], axis=-1)

    exact = Panels([0.0, length], first + count)  # its points integrate products of any two
    R = np.linalg.qr(np.sqrt(exact.w)[:, None] * function(exact.s, 0), mode="r")
    return Shapes(length, count, function).mixed(np.linalg.inv(R))


def tabulated(stations: ArrayLike, values: ArrayLike, clamped: bool) -> Shapes:
    """Cubic splines through tables (stations, count); `clamped`: flat at the root."""
    from scipy.interpolate import CubicSpline

    s, y = np.asarray(stations, float), np.asarray(values, float)
    spline = CubicSpline(s, y, bc_type=("clamped" if clamped else "not-a-knot", "not-a-knot"))
    return Shapes(float(s[-1]), y.shape[1], lambda x, d: spline(x, d), s)
