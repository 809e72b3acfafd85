"""Where a measure that is never negative comes down to zero along a way, such as a singular value of closures.

On the way through a singular configuration it falls to zero and rises again, so the way is looked through for dips, and
each is followed down. Its square is a parabola around a zero, which is quickly found.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from lissom.spatial.rotations import Array

DIP = 0.5  # of the highest value so far; less deep ones do not come near zero
SINGULAR = 1e-5  # of the largest singular value: nearer than a way is known

Measure = Callable[[Array], Array]  # times (k,) -> (k,)


def zeros(measure: Measure, t: Array) -> list[float]:
    """Times at which a measure is zero, in order; between neighbours of t (nt,) it is smooth."""
    if len(t) < 3:
        return []
    size = measure(t)
    highest = np.maximum.accumulate(size)
    dips = np.flatnonzero((size[1:-1] <= size[:-2]) & (size[1:-1] <= size[2:]) & (size[1:-1] < DIP * highest[1:-1])) + 1
    found: list[float] = []
    for k in dips:
        for i in (k - 1, k):  # the lowest point is on either side
            at = _lowest(measure, float(t[i]), float(t[i + 1]))
            if at is not None:
                if not found or at > found[-1]:
                    found.append(at)
                break
    return found


def _lowest(measure: Measure, begin: float, end: float) -> float | None:
    """The zero between two times, None where there is none."""
    from scipy.optimize import minimize_scalar

    low = minimize_scalar(
        lambda s: float(measure(np.array([begin + s * (end - begin)]))[0]) ** 2,
        bounds=(0.0, 1.0), method="bounded", options={"xatol": 1e-8},
    )  # fmt: skip
    return begin + float(low.x) * (end - begin) if low.fun <= SINGULAR**2 else None
