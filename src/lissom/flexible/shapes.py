"""Shapes along a beam: functions of position, with their derivatives."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from lissom.errors import InputError
from lissom.spatial.rotations import Array


class Shapes:
    """Some shapes on a beam of a length.

    function : f(s, d) -> (len(s), count)     derivative d = 0, 1, 2 (or 3) at positions s
    edges : where its pieces meet; between them it is smooth
    """

    def __init__(self, length: float, count: int, function: Callable[[Array, int], Array], edges: Any = None):
        self.length, self.count, self._function = length, count, function
        self.edges: Array = np.array([0.0, length]) if edges is None else np.asarray(edges, float)

    def at(self, s: ArrayLike, derivative: int = 0) -> Array:
        """(..., count) at positions (...) [m] from the root."""
        where = np.asarray(s, float)
        if where.size and not (where.min() >= -1e-12 * self.length and where.max() <= self.length * (1 + 1e-12)):
            raise InputError(
                f"a beam of {self.length:g} m has no position {float(where.min()):g} to {float(where.max()):g} m."
            )
        found = self._function(np.clip(where.ravel(), 0.0, self.length), derivative)
        return found.reshape(*where.shape, self.count)

    def scaled(self, factors: Array) -> Shapes:
        """Each shape times a number."""
        return Shapes(self.length, self.count, lambda s, d: self._function(s, d) * factors, self.edges)

    def mixed(self, A: Array) -> Shapes:
        """Sums of the shapes: shape j of the result is ``sum_k shape_k A[k, j]``."""
        return Shapes(self.length, A.shape[1], lambda s, d: self._function(s, d) @ A, self.edges)


def joined(shapes: list[Shapes]) -> Shapes:
    """Several sets on one beam, one after the other."""
    edges = np.unique(np.concatenate([x.edges for x in shapes]))
    count = sum(x.count for x in shapes)
    function = lambda s, d: np.concatenate([x._function(s, d) for x in shapes], axis=1)  # noqa: E731
    return Shapes(shapes[0].length, count, function, edges)


def polynomials(length: float, count: int, first: int) -> Shapes:
    """Powers of s from `first` on, orthogonal on the beam, zero (and flat, from 2 on) at the root.

    s^first times Legendre polynomials of the position: well-conditioned for many shapes.
    """
    from numpy.polynomial import Polynomial

    pieces = []
    for k in range(count):
        legendre = np.polynomial.Legendre.basis(k, domain=[0.0, 1.0]).convert(kind=Polynomial)
        pieces.append(Polynomial([0.0] * first + [1.0]) * legendre)

    def function(s: Array, d: int) -> Array:
        columns = [piece.deriv(d)(s / length) / length**d if d else piece(s / length) for piece in pieces]
        return np.stack(columns, axis=-1)

    return Shapes(length, count, function)


def tabulated(length: float, stations: ArrayLike, values: ArrayLike, clamped: bool) -> Shapes:
    """Cubic splines through tables (stations, count), straight at the tip; `clamped`: flat at the root."""
    from scipy.interpolate import CubicSpline

    s, y = np.asarray(stations, float), np.asarray(values, float)
    start = (1, np.zeros(y.shape[1:])) if clamped else (2, np.zeros(y.shape[1:]))
    spline = CubicSpline(s, y, bc_type=(start, (2, np.zeros(y.shape[1:]))))
    return Shapes(length, y.shape[1], lambda x, d: spline(x, d), s)
