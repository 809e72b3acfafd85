"""B-splines on [0, 1]: all basis functions and their derivatives at once.

A profile is q(s) = sum_j B_j(s) P_j with control points P_j. A *clamped* basis begins at P_0 and ends at the last
control point; a *periodic* one closes smoothly. Derivatives of a spline are splines of a lower degree, whose control
points are differences of the old ones: a spline lies in the hull of its control points, so bounds on those of a
derivative hold at all times, not only where one looks.

SciPy's `BSpline.design_matrix` has the same values to the last bit, but no derivatives and no periodic bases; by way of
differences, derivatives get another rounding, and the values of three orders take 1.7 times as long.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse
from scipy.sparse.linalg import splu

from lissom.errors import InputError
from lissom.later import cached_property
from lissom.spatial.rotations import Array


class Basis:
    """Basis functions of one spline space.

    Parameters
    ----------
    breaks : int or (segments + 1,)     number of equal segments, or their ends, from 0 to 1
    degree : int                        3: cubic
    continuity : int or None            derivatives that are continuous at breaks; None: degree - 1
    periodic : bool                     ends join with the same continuity

    Examples
    --------
    >>> basis = Basis(20)
    >>> basis.count, basis.segments
    (23, 20)
    >>> (basis.rows([0.3, 0.7]) @ np.ones(23)).round(12)
    array([1., 1.])
    """

    def __init__(
        self, breaks: int | ArrayLike, degree: int = 3, continuity: int | None = None, periodic: bool = False
    ) -> None:
        given = np.asarray(breaks, float)
        self.breaks = np.linspace(0.0, 1.0, int(given) + 1) if given.ndim == 0 else given
        self.degree = degree
        self.continuity = degree - 1 if continuity is None else continuity
        self.periodic = periodic
        if not 0 <= self.continuity < degree:
            raise InputError(f"a spline of degree {degree} can be C0 to C{degree - 1}, not C{self.continuity}.")
        if (
            len(self.breaks) < 2
            or np.any(np.diff(self.breaks) <= 0)
            or abs(self.breaks[0]) + abs(self.breaks[-1] - 1) > 0
        ):
            raise InputError("breaks must increase from 0 to 1.")
        if periodic and self.segments * (degree - self.continuity) < degree + 1:
            raise InputError(f"a periodic spline of degree {degree} needs more segments than {self.segments}.")
        self.knots = self._knots()
        self._differences: dict[int, Any] = {}

    def _knots(self) -> Array:
        inner = np.repeat(self.breaks[1:-1], self.degree - self.continuity)
        if not self.periodic:
            return np.concatenate([np.zeros(self.degree + 1), inner, np.ones(self.degree + 1)])
        once = np.repeat(self.breaks[:-1], self.degree - self.continuity)  # one period, then again on both sides
        return np.concatenate([once - 1.0, once, once + 1.0, [2.0]])

    @property
    def segments(self) -> int:
        return len(self.breaks) - 1

    @cached_property
    def _first(self) -> int:
        """The first knot interval of [0, 1]."""
        return int(np.searchsorted(self.knots, 0.0, side="right")) - 1

    @property
    def count(self) -> int:
        """Number of control points."""
        if self.periodic:
            return self.segments * (self.degree - self.continuity)
        return len(self.knots) - self.degree - 1

    def _active(self, s: Array) -> Array:
        """Index of the knot interval of every s; the end belongs to the last one."""
        last = int(np.searchsorted(self.knots, 1.0, side="left")) - 1
        return np.clip(np.searchsorted(self.knots, s, side="right") - 1, self._first, last)

    def local(self, s: ArrayLike, orders: int = 3) -> tuple[Array, Array]:
        """Control points active at s (N, degree + 1), and the values there of derivatives (N, orders, degree + 1)."""
        s = np.asarray(s, float)
        spans = self._active(s)
        places = spans[:, None] - self.degree + np.arange(self.degree + 1)
        knots = [self.knots[spans + k] for k in range(-self.degree, self.degree + 2)]
        values = np.zeros((len(s), orders, self.degree + 1))
        for r in range(min(orders, self.degree + 1)):
            values[:, r] = np.stack(_active_functions(s, knots, self.degree, self.degree, r), axis=1)
        shift = self._first - self.degree if self.periodic else 0
        return (places - shift) % self.count if self.periodic else places, values

    def rows(self, s: ArrayLike, order: int = 0) -> sparse.csr_array:
        """(N, count) values of all basis functions, or of their derivative of some order, at s."""
        s = np.asarray(s, float)
        places, values = self.local(s, order + 1)
        rows = np.repeat(np.arange(len(s)), self.degree + 1)
        entries = (values[:, order].ravel(), (rows, places.ravel()))
        return sparse.csr_array(sparse.coo_array(entries, shape=(len(s), self.count)))

    def differences(self, order: int) -> sparse.csr_array:
        """Return the matrix from control points to those of a derivative; of no use beyond jumps of a lower one."""
        if order in self._differences:
            return self._differences[order]
        D: Any = sparse.csr_array(sparse.eye(self.count))
        knots = self.knots if not self.periodic else self.knots[self._first - self.degree :]
        for r in range(order):
            d = self.degree - r
            n = D.shape[0] - (0 if self.periodic else 1)
            gaps = knots[r + 1 + d : r + 1 + d + n] - knots[r + 1 : r + 1 + n]
            safe = np.where(gaps > 0, gaps, 1.0)
            weight = np.where(gaps > 0, d / safe, 0.0)  # a knot d times over: the derivative jumps there
            ones = np.arange(n)
            entries = np.concatenate([-weight, weight])
            places = (np.concatenate([ones, ones]), np.concatenate([ones, (ones + 1) % D.shape[0]]))
            D = sparse.csr_array(sparse.coo_array((entries, places), shape=(n, D.shape[0]))) @ D
        self._differences[order] = D
        return D

    @cached_property
    def outermost(self) -> tuple[Array, Array]:
        """(orders, 3) first and last rows of `differences` up to order 2, of the control points next to each end."""
        rows = [self.differences(r)[[0, -1]].toarray() for r in range(min(self.degree, 2) + 1)]
        return np.array([first[:3] for first, _ in rows]), np.array([last[:-4:-1] for _, last in rows])

    @cached_property
    def greville(self) -> Array:
        """(count,) where control points lie when the profile is the straight line q = s."""
        start = self._first - self.degree if self.periodic else 0
        at = start + np.arange(self.count)
        return np.array([self.knots[k + 1 : k + self.degree + 1].mean() for k in at])

    def refined(self, breaks: ArrayLike, P: Array) -> tuple[Basis, Array]:
        """The basis on more breaks, the old ones among them, and the control points there of the profiles of P."""
        finer = Basis(breaks, self.degree, self.continuity, self.periodic)
        missing = [b for b in self.breaks if np.abs(finer.breaks - b).min() > 1e-12]
        if missing:
            raise InputError(f"the finer breaks do not contain {missing[0]:g}.")
        # collocation at enough points of every segment is exact, since the finer space holds the coarser one
        x = (np.arange(self.degree + 1) + 0.5) / (self.degree + 1)
        s = (finer.breaks[:-1, None] + np.diff(finer.breaks)[:, None] * x).ravel()
        fine, values = finer.rows(s), self.rows(s) @ P
        solve = splu(sparse.csc_array(fine.T @ fine)).solve
        out = solve(fine.T @ values)
        return finer, out + solve(fine.T @ (values - fine @ out))  # squares lose digits; this finds them again


def _active_functions(s: Array, knots: list[Array], top: int, d: int, r: int) -> list[Array]:
    """Derivative r of the d + 1 functions of degree d that are not zero at s, by Cox and de Boor, for all s at once.

    `knots[top]` begins the interval of every s. With x_a, y_a the knots between which function a of degree d - 1 lives,

        B_a = (s - x) / (y - x) B_{a-1} + (y - s) / (y - x) B_a,     B_a' = d (B_{a-1} / (y - x) - B_a / (y - x))
    """
    if d == 0:
        return [np.full_like(s, 0.0 if r else 1.0)]
    lower = _active_functions(s, knots, top, d - 1, max(r - 1, 0))
    out = [np.zeros_like(s) for _ in range(d + 1)]
    for a, B in enumerate(lower):
        x, y = knots[top - d + 1 + a], knots[top + 1 + a]
        part = B / (y - x)
        if r:
            out[a] -= d * part
            out[a + 1] += d * part
        else:
            out[a] += (y - s) * part
            out[a + 1] += (s - x) * part
    return out


def grid(breaks: Array, each: int) -> Array:
    """Breaks, and equally many points between them."""
    inner = breaks[:-1, None] + np.diff(breaks)[:, None] * np.arange(each) / each
    return np.append(inner.ravel(), 1.0)
