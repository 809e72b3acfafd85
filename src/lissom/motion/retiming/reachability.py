"""The fastest speed profile along a path, by reachability analysis.

The path coordinate s runs over a grid; x = (ds/dt)^2 is linear and u = d^2s/dt^2 constant on every interval, so that
x_{i+1} = x_i + 2 h_i u_i. Limits that are affine in (u, x) are lines in this plane. Two passes find the profile:

- *backward*: the controllable set of a grid point are the speeds from which the end can be reached at rest; it is an
  interval, found by two linear programs in the plane;
- *forward*: from rest, always the largest u that keeps the next speed inside its controllable set.

Every limit holds at both ends of every interval, for the u of that interval. See H. Pham and Q.-C. Pham, "A new
approach to time-optimal path parameterization based on reachability analysis", IEEE Transactions on Robotics 34 (2018).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lissom.errors import NoSpeed
from lissom.spatial.rotations import Array

FLAT = 1e-12  # of the largest coefficient of u: smaller ones do not limit u
UNLIMITED = 1e30  # a speed that nothing limits
NEWTON_STEPS = 100  # at most; a few are typical


class Rows(NamedTuple):
    """Limits lower <= a u + b x <= upper (N, 2, n) of n values at both ends of N intervals; x is that of the end."""

    a: Array
    b: Array
    lower: Array
    upper: Array


class Lines(NamedTuple):
    """Limits of every interval as low - slope x <= u <= high - slope x (N, m), and floor <= x <= ceiling (N,).

    x is that of the left end. The last column is for the controllable set of the right end.
    """

    slope: Array
    low: Array
    high: Array
    floor: Array
    ceiling: Array
    rest: NDArray[np.bool_]  # the arm may stand still there


def lines_of(tables: list[Rows], h: Array, ceiling: Array) -> Lines:
    """The lines of all limits; h (N,) lengths of the intervals, ceiling (N + 1,) limits of x at the grid points."""
    N = len(h)
    parts = [_lines(rows, h) for rows in tables]
    nothing = np.full((N, 1), np.inf)
    slope = np.hstack([*(part[0] for part in parts), (0.5 / h)[:, None]])
    low = np.hstack([*(part[1] for part in parts), -nothing])
    high = np.hstack([*(part[2] for part in parts), nothing])
    floor = np.max([np.zeros(N), *(part[3] for part in parts)], axis=0)
    top = np.min([ceiling[:-1], *(part[4] for part in parts)], axis=0)
    rest = (low <= 0).all(axis=1) & (high >= 0).all(axis=1) & (floor == 0)
    return Lines(slope, low, high, floor, top, rest)


def _lines(rows: Rows, h: Array) -> tuple[Array, Array, Array, Array, Array]:
    """Slope, low, high (N, 2 n), floor and ceiling (N,) of one table; the x of the right end is x + 2 h u."""
    a = rows.a.copy()
    a[:, 1] += 2 * h[:, None] * rows.b[:, 1]
    steep = np.abs(a) > FLAT * np.abs(a).max(initial=0.0)
    divisor = np.where(steep, a, 1.0)
    ends = np.where(steep, [rows.lower / divisor, rows.upper / divisor], [[[[-np.inf]]], [[[np.inf]]]])
    slope = np.where(steep, rows.b / divisor, 0.0)
    floor, ceiling = _flat_bounds(rows, ~steep)
    N = len(h)
    return slope.reshape(N, -1), ends.min(axis=0).reshape(N, -1), ends.max(axis=0).reshape(N, -1), floor, ceiling


def _flat_bounds(rows: Rows, flat: NDArray[np.bool_]) -> tuple[Array, Array]:
    """Bounds of x (N,) by rows in which u has no part."""
    N, size = len(rows.b), np.abs(rows.b)
    some = size > FLAT * size.max(initial=0.0)
    divisor = np.where(some, rows.b, 1.0)
    ends = np.sort([rows.lower / divisor, rows.upper / divisor], axis=0)
    empty = ~some & ((rows.lower > 0) | (rows.upper < 0))  # no x helps
    low = np.where(some, ends[0], np.where(empty, np.inf, -np.inf))
    high = np.where(some, ends[1], np.inf)
    floor = np.where(flat, low, -np.inf).reshape(N, -1).max(axis=1, initial=0.0)
    return floor, np.where(flat, high, np.inf).reshape(N, -1).min(axis=1, initial=np.inf)


def fastest_profile(lines: Lines, h: Array) -> Array:
    """x (N + 1,) at the grid points, from rest to rest; raises `NoSpeed`.

    lines: of `lines_of`, changed in the last column.
    """
    least, most = controllable_sets(lines, h)
    if least[0] > 0:
        raise NoSpeed(0)
    x = np.zeros(len(h) + 1)
    for i, step in enumerate(2 * h):
        u = np.minimum.reduce(lines.high[i] - lines.slope[i] * x[i])
        x[i + 1] = min(max(x[i] + step * u, least[i + 1]), most[i + 1])
    return x


def controllable_sets(lines: Lines, h: Array) -> tuple[Array, Array]:
    """Least and largest controllable x (N + 1,) at the grid points; the set of the last is 0."""
    least, most = np.zeros(len(h) + 1), np.zeros(len(h) + 1)
    slope, low, high = lines.slope, lines.low, lines.high
    for i in range(len(h) - 1, -1, -1):
        low[i, -1], high[i, -1] = least[i + 1] * slope[i, -1], most[i + 1] * slope[i, -1]
        found = _extreme(slope[i], low[i], high[i], min(lines.ceiling[i], UNLIMITED), 1.0)
        if found is None or found < lines.floor[i]:
            raise NoSpeed(i)
        most[i] = found
        if not (lines.rest[i] and least[i + 1] == 0):
            lowest = _extreme(slope[i], low[i], high[i], lines.floor[i], -1.0)
            least[i] = most[i] if lowest is None else min(lowest, most[i])
    return least, most


def _extreme(slope: Array, low: Array, high: Array, x: float, side: float) -> float | None:
    """The feasible x nearest to x, below it for side 1, above it for side -1; None where none is feasible.

    The room for u, the least high minus the largest low, is a concave function of x: Newton's method comes from outside
    and is exact after finitely many steps.
    """
    for _ in range(NEWTON_STEPS):
        bend = slope * x
        up, down = high - bend, low - bend
        j, k = up.argmin(), down.argmax()
        if up[j] >= down[k]:
            return float(x)
        steep = slope[j] - slope[k]
        if side * steep <= 0:
            return None
        nearer = (high[j] - low[k]) / steep
        if side * (x - nearer) <= 0:  # the same two lines, but for rounding
            return float(x)
        x = nearer
    return float(x)
