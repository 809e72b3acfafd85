"""By how much a motion exceeds its limits, with derivatives."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lissom.identification.excitation.distances import Distances
from lissom.identification.excitation.profile import Sampled
from lissom.identification.excitation.quantities import LIMITED, Quantities
from lissom.model.arm import Arm
from lissom.motion.task.bounds import Bounds
from lissom.spatial.rotations import Array


class Excess(NamedTuple):
    """What is beyond limits, in parts of them (k,), and its derivatives by the free control points (k, m, dof)."""

    over: Array
    slope: Array


class Penalty:
    """Limits of profiles, torques and distances.

    Parameters
    ----------
    arm : Arm
    bounds : Bounds
    distances : Distances
    """

    def __init__(self, arm: Arm, bounds: Bounds, distances: Distances) -> None:
        self.bounds, self.distances = bounds, distances
        self.quantities = Quantities(arm)
        self._limited = [word for word in LIMITED if bounds.limited(word).any()]

    def limits(self, quantity: str) -> tuple[Array, Array]:
        """Lower and upper limits (dof,)."""
        return self.bounds.lower[quantity], self.bounds.upper[quantity]

    def size(self, quantity: str) -> Array:
        """(dof,) what the excess is measured by: half of the range, or the limit if there is one only."""
        lower, upper = self.limits(quantity)
        ends = [np.where(np.isfinite(x), x, np.nan) for x in (lower, upper)]
        half = np.where(np.isfinite(upper - lower), (upper - lower) / 2, np.fmax(*np.abs(ends)))
        return np.where(half > 0, half, 1.0)  # also where there is no limit

    def _values(self, at: Sampled, points: Array) -> dict[str, Array]:
        """All limited quantities (N, dof)."""
        return {word: self.quantities.values(word, at, points) for word in self._limited}

    def _beyond(self, quantity: str, values: Array, room: float) -> Array:
        """(N, dof) what is above the upper limit, or below the lower one and then negative, in parts of the limit."""
        (lower, upper), size = self.limits(quantity), self.size(quantity)
        above, below = np.maximum(values - upper + room * size, 0.0), np.minimum(values - lower - room * size, 0.0)
        return np.asarray((above + below) / size)

    def excess(self, at: Sampled, points: Array, room: float = 0.0) -> Excess:
        """What free control points (m, dof) exceed at samples.

        room : part of every limit that is to be left
        """
        found = []
        for quantity, values in self._values(at, points).items():
            over = self._beyond(quantity, values, room)
            rows, joints = np.nonzero(over)
            if len(rows):
                slope = self.quantities.slope(quantity, at, points, rows, joints)
                found.append(Excess(over[rows, joints], slope / self.size(quantity)[joints, None, None]))
        if self.distances:
            rows, over, by_q = self.distances.excess(at.position(points), room)
            found.append(Excess(over, at.rows[0][rows][:, :, None] * by_q[:, None, :]))
        nothing = Excess(np.zeros(0), np.zeros((0, *points.shape)))
        return Excess(*(np.concatenate(parts) for parts in zip(nothing, *found, strict=True)))

    def gradient(self, at: Sampled, points: Array) -> tuple[float, Array]:
        """The sum of squares of the excess per sample, and its derivatives (m, dof)."""
        over, slope = self.excess(at, points)
        return float(over @ over) / len(at.s), 2 * np.tensordot(over, slope, 1) / len(at.s)

    def largest(self, at: Sampled, points: Array) -> float:
        """The largest excess of any limit; 0 where all hold."""
        values = self._values(at, points).items()
        worst = max((float(np.abs(self._beyond(word, x, 0.0)).max()) for word, x in values), default=0.0)
        return max(worst, -float(self.distances.values(at.position(points)).min())) if self.distances else worst
