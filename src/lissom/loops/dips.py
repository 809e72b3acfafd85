"""Zeros of a nonnegative measure over time, such as a singular value of closures: singular configurations.

Near a singular configuration the measure falls to zero and rises again, so the path is searched for local minima, and
each is refined. The square of the measure is a parabola around a zero, which is found quickly.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from lissom.spatial.rotations import Array

DIP = 0.5  # of the highest value so far; less deep ones do not come near zero
SINGULAR = 1e-5  # of the largest singular value: nearer than a way is known

Measure = Callable[[Array], Array]  # times (k,) -> (k,)


class Low(NamedTuple):
    """A local minimum of a measure: time and value."""

    t: float
    value: float


def zeros(measure: Measure, t: Array, small: float = SINGULAR) -> list[float]:
    """Times at which a measure is zero, in order; between neighbours of t (nt,) it is smooth."""
    return [low.t for low in lows(measure, t) if low.value <= small]


def lows(measure: Measure, t: Array) -> list[Low]:
    """Local minima of the measure, in order of time."""
    if len(t) < 3:
        return []
    size = measure(t)
    highest = np.maximum.accumulate(size)
    dips = np.flatnonzero((size[1:-1] <= size[:-2]) & (size[1:-1] <= size[2:]) & (size[1:-1] < DIP * highest[1:-1])) + 1
    found: list[Low] = []
    for k in dips:
        low = _lowest(measure, float(t[k - 1]), float(t[k]))
        if low.value > SINGULAR:  # the lowest point is on either side
            low = min(low, _lowest(measure, float(t[k]), float(t[k + 1])), key=lambda low: low.value)
        if not found or low.t > found[-1].t:
            found.append(low)
    return found


def _lowest(measure: Measure, begin: float, end: float) -> Low:
    """The minimum between two times."""
    from scipy.optimize import minimize_scalar

    low = minimize_scalar(
        lambda s: float(measure(np.array([begin + s * (end - begin)]))[0]) ** 2,
        bounds=(0.0, 1.0), method="bounded", options={"xatol": 1e-8},
    )  # fmt: skip
    return Low(begin + float(low.x) * (end - begin), float(np.sqrt(low.fun)))
