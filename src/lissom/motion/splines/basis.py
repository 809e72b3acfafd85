"""B-splines on [0, 1]: all basis functions and their derivatives at once.

A profile is q(s) = sum_j B_j(s) P_j with control points P_j. A *clamped* basis begins at P_0 and ends at the last
control point; a *periodic* one closes smoothly. Derivatives of a spline are splines of a lower degree, whose control
points are differences of the old ones: a spline lies in the hull of its control points, so bounds on those of a
derivative hold at all times, not only where one looks.

SciPy's `BSpline.design_matrix` has the same values to the last bit, but no derivatives and no periodic bases; by way of
differences, derivatives get another rounding, and the values of three orders take 1.7 times as long.
"""

from __future__ import annotations

import functools
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
        self._differences: dict[tuple[int, int], Any] = {}

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
        known: dict[tuple[int, int], Array] = {}
        for r in range(min(orders, self.degree + 1)):
            values[:, r] = _active_functions(s, knots, self.degree, self.degree, r, known).T
        shift = self._first - self.degree if self.periodic else 0
        return (places - shift) % self.count if self.periodic else places, values

    def rows(self, s: ArrayLike, order: int = 0) -> sparse.csr_array:
        """(N, count) values of all basis functions, or of their derivative of some order, at s."""
        s = np.asarray(s, float)
        places, values = self.local(s, order + 1)
        rows = np.repeat(np.arange(len(s)), self.degree + 1)
        entries = (values[:, order].ravel(), (rows, places.ravel()))
        return sparse.csr_array(sparse.coo_array(entries, shape=(len(s), self.count)))

    def profiles(self, s: ArrayLike, P: Array, orders: int = 3) -> list[Array]:
        """Return the profiles (N, k) with control points P (count, k) at s, and their derivatives, `orders` in all.

        As `rows` times P, in a quarter of the time for a single s. A profile that stays where it is has derivatives of
        exactly 0.
        """
        places, values = self.local(s, orders)
        out, moved = [], P
        for r in range(orders):
            near = moved[places]
            found = values[:, r, :1] * near[:, 0]
            for k in range(1, self.degree + 1):
                found += values[:, r, k : k + 1] * near[:, k]
            out.append(found)
            moved = P - P[0] if r == 0 else moved
        return out

    def differences(self, order: int, width: int = 1) -> sparse.csr_array:
        """Return the matrix from control points to those of a derivative; of no use beyond jumps of a lower derivative.

        width : coordinates, whose control points alternate
        """
        if (order, width) not in self._differences:
            D = self._difference(order)
            self._differences[order, width] = D if width == 1 else sparse.csr_array(sparse.kron(D, sparse.eye(width)))
        return self._differences[order, width]

    def _difference(self, order: int) -> sparse.csr_array:
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


def _active_functions(
    s: Array, knots: list[Array], top: int, d: int, r: int, known: dict[tuple[int, int], Array]
) -> Array:
    """Derivative r of the d + 1 functions of degree d that are not zero at s (N,), (d + 1, N), by Cox and de Boor.

    `knots[top]` begins the interval of every s; `known` has what was computed, by d and r. With x_a, y_a the knots
    between which function a of degree d - 1 lives,

        B_a = (s - x) / (y - x) B_{a-1} + (y - s) / (y - x) B_a,     B_a' = d (B_{a-1} / (y - x) - B_a / (y - x))
    """
    if (d, r) in known:
        return known[d, r]
    out = known[d, r] = np.zeros((d + 1, len(s)))
    if d == 0:
        out[:] = 0.0 if r else 1.0
        return out
    for a, B in enumerate(_active_functions(s, knots, top, d - 1, max(r - 1, 0), known)):
        x, y = knots[top - d + 1 + a], knots[top + 1 + a]
        part = B / (y - x)
        if r:
            out[a] -= d * part
            out[a + 1] += d * part
        else:
            out[a] += (y - s) * part
            out[a + 1] += (s - x) * part
    return out


@functools.lru_cache(maxsize=32)
def uniform_basis(segments: int, degree: int, continuity: int | None = None, periodic: bool = False) -> Basis:
    """Return the basis on equal segments; the last ones are kept, with what they computed."""
    return Basis(segments, degree, continuity, periodic)


def grid(breaks: Array, each: int) -> Array:
    """Breaks, and equally many points between them."""
    inner = breaks[:-1, None] + np.diff(breaks)[:, None] * np.arange(each) / each
    return np.append(inner.ravel(), 1.0)
