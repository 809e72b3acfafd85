"""A program in slack form with its bounds, scaled to size one, and points of it.

    min f(x) - mu sum of log(gaps),      g(x) - s = 0,      gaps: how far w = (x, s) is from its bounds

y are the multipliers of the rows g - s, z >= 0 those of the bounds, in the order of the gaps.
"""

from __future__ import annotations

import time
from typing import NamedTuple

import numpy as np
from scipy import sparse

from lissom.motion.transcription.program import Program
from lissom.spatial.rotations import Array

PUSH = 1e-2  # of a bound or of the range between two, from which starts keep away
FAR = 1e10  # factor by which multipliers may differ from what the barrier makes of the gaps


class Bounds:
    """Finite bounds of a vector w: those from below, then those from above."""

    def __init__(self, lower: Array, upper: Array) -> None:
        self.size = len(lower)
        self._lower, self._upper = lower, upper
        apart = lower < upper
        self.below, self.above = np.flatnonzero(np.isfinite(lower) & apart), np.flatnonzero(np.isfinite(upper) & apart)
        self._at_lower, self._at_upper = lower[self.below], upper[self.above]
        self.count = len(self.below) + len(self.above)

    def gaps(self, w: Array) -> Array:
        """Distances of w from each bound."""
        return np.concatenate([w[self.below] - self._at_lower, self._at_upper - w[self.above]])

    def rates(self, dw: Array) -> Array:
        """Rates of the gaps for a rate of w."""
        return np.concatenate([dw[self.below], -dw[self.above]])

    def summed(self, v: Array) -> Array:
        """Sum of one number per bound over the bounds of each entry of w."""
        out, k = np.zeros(self.size), len(self.below)
        out[self.below] = v[:k]
        out[self.above] += v[k:]
        return out

    def forces(self, v: Array) -> Array:
        """Sum as in `summed`, with lower bounds negative: the derivative of -(v . gaps) with respect to w."""
        out, k = np.zeros(self.size), len(self.below)
        out[self.below] = -v[:k]
        out[self.above] += v[k:]
        return out

    def multipliers(self, y: Array) -> Array:
        """Multipliers of each bound from signed multipliers, which are positive at upper bounds."""
        return np.concatenate([np.maximum(-y[self.below], 0.0), np.maximum(y[self.above], 0.0)])

    def inside(self, w: Array, push: float) -> Array:
        """Return w moved away from its bounds."""
        low, high = self._lower, self._upper
        with np.errstate(invalid="ignore"):
            room = np.where(np.isfinite(low) & np.isfinite(high), push * (high - low), np.inf)
            least = low + np.minimum(push * np.maximum(1.0, np.abs(low)), room)
            most = high - np.minimum(push * np.maximum(1.0, np.abs(high)), room)
        least, most = np.where(np.isfinite(low), least, -np.inf), np.where(np.isfinite(high), most, np.inf)
        return np.clip(w, least, most)


class Point(NamedTuple):
    """Variables and slacks of an iterate, with its cost, rows and gaps."""

    x: Array
    s: Array
    f: float
    g: Array
    gaps: Array

    @property
    def violation(self) -> Array:
        """Violation of the rows g - s = 0."""
        return self.g - self.s

    @property
    def finite(self) -> bool:
        """Whether the program has finite values at the point and it lies inside all bounds."""
        return bool(np.isfinite(self.f) and np.isfinite(self.g).all() and (self.gaps > 0).all())

    def barrier(self, mu: float) -> float:
        """Cost plus the barrier of the bounds."""
        return self.f - mu * float(np.log(self.gaps).sum())


class Direction(NamedTuple):
    """Steps of variables, slacks, gaps and multipliers of bounds, and the new multipliers of rows."""

    dx: Array
    ds: Array
    rates: Array
    y: Array
    dz: Array


class SlackForm:
    """A program with costs and rows of size one; `spent` are the seconds of its functions."""

    def __init__(self, program: Program) -> None:
        self.program, self.cost, self.row = program, 1 / program.typical, 1 / program.sizes
        self.moving = program.low < program.high
        low, high = np.append(program.low, program.lower * self.row), np.append(program.high, program.upper * self.row)
        self.bounds, self.size, self.count = Bounds(low, high), program.size, program.count
        self.equal = program.lower == program.upper
        pattern = program.jacobian_pattern
        self._by_row = self.row[pattern.rows]
        starts = np.searchsorted(pattern.columns, np.arange(program.size + 1))
        self._J = sparse.csc_array((np.zeros(pattern.size), pattern.rows, starts), shape=pattern.shape)
        self._turned = self._J.T
        self.spent = 0.0

    def begin(self, x: Array, push: float = PUSH) -> Point:
        """Return a starting point inside the bounds."""
        x = np.clip(x, self.program.low, self.program.high)
        w = self.bounds.inside(np.append(x, self.program.g(x) * self.row), push)
        x = np.where(self.moving, w[: self.size], x)
        s = self.bounds.inside(np.append(x, self.program.g(x) * self.row), push)[self.size :]
        return self.at(x, s)

    def at(self, x: Array, s: Array) -> Point:
        """Evaluate the program at variables and slacks."""
        clock = time.perf_counter()
        g, f = self.program.g(x) * self.row, self.program.f(x) * self.cost
        self.spent += time.perf_counter() - clock
        return Point(x, s, f, g, self.bounds.gaps(np.append(x, s)))

    def moved(self, point: Point, dx: Array, ds: Array, step: float) -> Point:
        """Return the point reached from another one by a step along a direction."""
        return self.at(point.x + step * dx, point.s + step * ds)

    def slopes(self, x: Array) -> Array:
        """Return the gradient of the cost, and store the Jacobian for the products below."""
        clock = time.perf_counter()
        self.J = self._J.data[:] = self.program.jacobian(x) * self._by_row
        gradient = self.program.gradient(x) * self.cost
        self.spent += time.perf_counter() - clock
        return gradient

    def curvature(self, x: Array, y: Array) -> Array:
        """Nonzeros of the Hessian of the Lagrangian."""
        clock = time.perf_counter()
        found = self.program.hessian(x, self.cost, y * self.row)
        self.spent += time.perf_counter() - clock
        return found

    def along(self, dx: Array) -> Array:
        """Product of the Jacobian with a step, J dx."""
        return np.asarray(self._J @ dx)

    def back(self, y: Array) -> Array:
        """Product of the transposed Jacobian with multipliers, J^T y."""
        return np.asarray(self._turned @ y)
