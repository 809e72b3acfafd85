"""Piecewise polynomials over time with constant continuation: SciPy splines, planned motions, rates of profiles."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from lissom.later import cached_property
from lissom.spatial.rotations import Array

CONTINUOUS = 1e-9  # difference of two sides of a break, beside the largest value, that is rounding


class HeldSpline:
    """A piecewise polynomial over time; beyond its ends it keeps its end values, and its derivatives are zero.

    Parameters
    ----------
    x : (pieces + 1,)                     ends of the pieces, increasing [s]
    c : (degree + 1, pieces, ...)         coefficients on each piece, highest power first, as those of SciPy's PPoly
    order : int                           which derivative of a held curve it is; 0: the curve
    periodic : bool                       it repeats itself instead of keeping its end values
    """

    def __init__(self, x: Array, c: Array, order: int = 0, periodic: bool = False) -> None:
        self.x, self.c, self.order, self.periodic = np.asarray(x, float), np.asarray(c, float), order, periodic

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the value at one time."""
        return self.c.shape[2:]

    @property
    def content(self) -> bytes:
        """Bytes that identify the curve, for fingerprints."""
        head = f"spline|{self.c.shape}|{self.order}|{self.periodic}|".encode()
        return head + self.x.tobytes() + self.c.tobytes()

    @cached_property
    def jumps(self) -> Array:
        """Times at which the value jumps; unknown in advance for a periodic curve."""
        if self.periodic:
            return np.zeros(0)
        after, before = self(self.x), self(self.x, before=True)
        gap = np.abs(after - before).reshape(len(self.x), -1).max(axis=1)
        return self.x[gap > CONTINUOUS * max(np.abs(after).max(), np.abs(before).max())]

    @property
    def finest(self) -> float:
        """Length of the shortest piece; longer steps could skip features of the curve."""
        return float(np.diff(self.x).min())

    def __call__(self, t: ArrayLike, before: bool = False) -> Array:
        """Return values (..., *shape) at times (...); at a jump the value after it, or the one before."""
        times = np.asarray(t, float)
        if not times.ndim:
            return self._once(float(times), before)
        if self.periodic:
            times = self.x[0] + (times - self.x[0]) % (self.x[-1] - self.x[0])
        piece = np.searchsorted(self.x, times, side="left" if before else "right") - 1
        at = np.clip(piece, 0, len(self.x) - 2)
        wide = (..., *(None,) * len(self.shape))
        local = (np.clip(times, self.x[0], self.x[-1]) - self.x[at])[wide]
        value = self.c[0, at]
        for row in self.c[1:]:
            value = value * local + row[at]
        if self.order and not self.periodic:
            value = np.where(np.asarray(piece == at)[wide], value, 0.0)
        return np.asarray(value, float)

    @cached_property
    def _breaks(self) -> list[float]:
        return self.x.tolist()

    def _once(self, t: float, before: bool) -> Array:
        """Return the value at one time, quickly: integrators call it at every stage."""
        x = self._breaks
        t = x[0] + (t - x[0]) % (x[-1] - x[0]) if self.periodic else t
        piece = (bisect_left if before else bisect_right)(x, t) - 1
        at = min(max(piece, 0), len(x) - 2)
        if self.order and piece != at and not self.periodic:
            return np.zeros(self.shape)
        local, rows = min(max(t, x[0]), x[-1]) - x[at], self.c[:, at]
        value = rows[0]
        for row in rows[1:]:
            value = value * local + row
        return np.array(value)

    def derivative(self, order: int = 1) -> HeldSpline:
        """Return the derivative of some order."""
        from scipy.interpolate import PPoly

        return HeldSpline(self.x, PPoly(self.c, self.x).derivative(order).c, self.order + order, self.periodic)


def is_scipy_spline(value: Any) -> bool:
    """Whether a value is one of SciPy's piecewise polynomials (PPoly, BSpline, CubicSpline, UnivariateSpline ...)."""
    return callable(value) and hasattr(value, "derivative") and hasattr(value, "antiderivative")


def held_spline(spline: Any) -> HeldSpline:
    """Return a SciPy spline with constant continuation; exact, by its derivatives at the start of each piece."""
    breaks, degree = _pieces(spline)
    axis = getattr(spline, "axis", 0)
    rows = [np.moveaxis(spline(breaks[:-1], r), axis, 0) / math.factorial(r) for r in reversed(range(degree + 1))]
    return HeldSpline(breaks, np.stack(rows), periodic=getattr(spline, "extrapolate", None) == "periodic")


def _pieces(spline: Any) -> tuple[Array, int]:
    """Return the ends of a spline's pieces, and its degree."""
    if hasattr(spline, "x"):  # PPoly, BPoly, CubicSpline, PchipInterpolator ...
        return np.unique(spline.x), len(spline.c) - 1
    if hasattr(spline, "k"):  # BSpline
        return np.unique(spline.t[spline.k : len(spline.t) - spline.k]), int(spline.k)
    breaks = np.unique(spline.get_knots())  # UnivariateSpline
    return breaks, len(spline.derivatives(breaks[0])) - 1
