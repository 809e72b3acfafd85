"""Poles of the closed loop around a state: stiffness, stability, and advice for failed runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from lissom.errors import LissomError
from lissom.simulation.loop.closed_loop import ClosedLoop
from lissom.simulation.loop.friction import settled
from lissom.simulation.loop.singular_inertia import singular_at
from lissom.simulation.loop.slopes import slopes
from lissom.simulation.loop.stability import cause_at
from lissom.spatial.rotations import Array

GROWS = 20.0  # 1/s; gravity alone lets an arm fall more slowly


class Spectrum(NamedTuple):
    """Largest |pole|, largest decay rate and largest growth rate around a state [1/s]."""

    fastest: float
    decay: float
    growth: float

    @property
    def unstable(self) -> bool:
        """Whether an error grows faster than gravity alone explains; rounding of fast decaying poles is ignored."""
        return self.growth > GROWS * max(1.0, self.decay * 1e-3)


def spectrum(loop: ClosedLoop, t: float, y: Array, way: Array | None = None) -> Spectrum | None:
    """Return the spectrum from the derivatives of the closed loop; None where they are not available."""
    try:
        way = settled(loop, t, y) if way is None else way
        poles = np.linalg.eigvals(slopes(loop, t, y, way))
    except (LissomError, np.linalg.LinAlgError):
        return None
    return Spectrum(float(np.abs(poles).max()), float(max(0.0, -poles.real.min())), float(max(0.0, poles.real.max())))


class StabilityWatch:
    """Detects during integration that steps of an explicit method are limited by stability, not by accuracy.

    reach : largest stable product of decay rate and step
    """

    EVERY = 200  # steps between two looks at the poles
    NEAR = 0.3  # of the reach, in the mean of the steps since the last look
    WORTH = 1000  # steps left, below which the explicit method may as well finish

    def __init__(self, loop: ClosedLoop, reach: float):
        self.loop, self.reach = loop, reach
        self._count, self._since = 0, 0.0

    def begin(self, t: float) -> None:
        """Start a new smooth interval."""
        self._count, self._since = 0, t

    def stiff(self, t: float, end: float, y: Array, way: Array) -> Spectrum | None:
        """Return the spectrum if stability limits the steps, otherwise None; call it after every step."""
        self._count += 1
        if self._count < self.EVERY:
            return None
        mean = (t - self._since) / self._count
        self.begin(t)
        if (end - t) / mean < self.WORTH:
            return None
        found = spectrum(self.loop, t, y, way)
        return found if found is not None and found.decay * mean > self.NEAR * self.reach else None


# ---- advice --------------------------------------------------------------------------------------


def advice(loop: ClosedLoop, states: Sequence[tuple[float, Array]], reach: float, h: float | None) -> str | None:
    """Return advice for a failed run from mass matrix and poles of the closed loop at its start, then at its end.

    reach : largest stable product of decay rate and fixed step h. Returns None if the poles explain nothing.
    """
    for (t, y), when in zip(states, ("at the start", "there"), strict=True):
        singular = singular_at(loop, t, y[: loop.dof])
        if singular:
            return singular
        found = spectrum(loop, t, y)
        if found is None:
            continue
        if found.unstable:
            return f"The closed loop is unstable {when} (pole +{found.growth:.3g} 1/s){cause_at(loop, t, y)}"
        if h is not None and found.decay * h > reach:
            return (
                f"The closed loop has a decay rate of {found.decay:.3g} 1/s {when}, for which steps above "
                f"{reach / found.decay:.3g} s are unstable (dt is {h:.3g} s). Use a smaller dt, smaller gains, or "
                "method='radau'."
            )
    return None
