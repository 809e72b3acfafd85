"""How much of every limit a motion uses, on a fine grid: the report, and where the exchange has to look again."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lissom.model.limits import exceeded, nearest, nearest_in_range, used, used_range
from lissom.motion.splines.curves import Curves
from lissom.motion.task.bounds import Bounds
from lissom.motion.transcription.peak import EXCESS, Peak
from lissom.spatial.rotations import Array

AGAIN = 0.9 * EXCESS  # from which it is sampled where it is exceeded: a closer look may find a little more
NEAR = 0.03  # of a limit: summits lower than that below it are not looked at again
CLOSER = 17  # places around a summit
BESIDE = 1e-6  # of the duration: how near a turn one looks
NEARBY = 1e-7  # of the duration: rates of torque are differences over it


class Excess(NamedTuple):
    """A sampled limit that is exceeded: where most, which quantity of which coordinate, by which part of the limit."""

    s: float
    quantity: str
    coordinate: str
    part: float


def peaks_of(bounds: Bounds, names: Sequence[str], s: Array, T: float, values: Mapping[str, Array]) -> list[Peak]:
    """The largest utilisation of every limit; `values` (N, n) by quantity, at fractions s (N,)."""
    peaks = []
    for quantity, table in values.items():
        lower, upper = bounds.lower[quantity], bounds.upper[quantity]
        if not bounds.limited(quantity).any():
            continue
        ranged = quantity == "position"
        use = (used_range if ranged else used)(table, lower, upper)
        row, k = np.unravel_index(int(np.argmax(use)), use.shape)
        value, unit = float(table[row, k]), bounds.units[quantity][int(k)]
        limit = (nearest_in_range if ranged else nearest)(value, float(lower[k]), float(upper[k]))
        peaks.append(Peak(quantity, names[int(k)], float(s[row] * T), value, limit, float(use[row, k]), unit))
    return peaks


def excesses_of(bounds: Bounds, names: Sequence[str], s: Array, values: Mapping[str, Array]) -> list[Excess]:
    """Where limits are exceeded by more than `AGAIN`; `values` (N, n) by quantity, at fractions s (N,)."""
    return [
        Excess(at, quantity, name, float(np.interp(at, s, column)) - 1)
        for quantity, table in values.items()
        if bounds.limited(quantity).any()
        for name, column in zip(names, used(table, bounds.lower[quantity], bounds.upper[quantity]).T, strict=True)
        for at in exceeded(column[:, None], s, AGAIN)
    ]


def summits(bounds: Bounds, s: Array, qd: Array, tau: Array) -> Array:
    """Fractions around the places of s (N,) where torque or power peaks near its limit: the grid may miss the top."""
    out = [np.zeros(0)]
    for quantity, table in (("torque", tau), ("power", tau * qd)):
        if not bounds.limited(quantity).any():
            continue
        use = used(table, bounds.lower[quantity], bounds.upper[quantity])
        tops = (use[1:-1] >= use[:-2]) & (use[1:-1] >= use[2:]) & (use[1:-1] > 1 - NEAR)
        rows = np.flatnonzero(tops.any(axis=1))
        out.append(np.linspace(s[rows], s[rows + 2], CLOSER).ravel())
    return np.concatenate(out)


def both_sides(s: Array, breaks: Array) -> Array:
    """s, and the left side of every break: rates of torque jump there."""
    return np.union1d(s, np.nextafter(breaks[1:-1], 0.0))


def rates_of(tau: Callable[[Array], Array], s: Array, breaks: Array, T: float, bounds: Bounds) -> Array | None:
    """(N, n) rates of torque at fractions s, by differences that do not reach over a break; where they are limited."""
    if not bounds.limited("torque_rate").any():
        return None
    ends = breaks[np.clip(np.searchsorted(breaks, s, side="right"), 1, len(breaks) - 1)]
    ahead = np.where(ends - s > 2 * NEARBY, NEARBY, -NEARBY)
    return np.asarray((tau(s + ahead) - tau(s)) / (ahead[:, None] * T))


def turns(curves: Curves, x: Array, s: Array, k: NDArray[np.intp]) -> Array:
    """Fractions on both sides of where joints k turn around; with friction, their torques jump there."""
    v = curves.at(x, s, 2)[1][:, k]
    row, joint = np.nonzero(v[:-1] * v[1:] < 0)
    if not len(row):
        return np.zeros(0)
    near = s[row] - v[row, joint] * (s[row + 1] - s[row]) / (v[row + 1, joint] - v[row, joint])
    at = curves.at(x, near, 3)
    pick = np.arange(len(near)), k[joint]
    exact = near - at[1][pick] / (at[2][pick] * curves.T(x))  # one step of Newton's: v is smooth there
    exact = np.clip(np.where(np.isfinite(exact), exact, near), s[row], s[row + 1])
    return np.clip(np.concatenate([exact - BESIDE, exact + BESIDE]), 0.0, 1.0)
