"""By how much a motion exceeds its limits, with derivatives."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lissom.identification.excitation.distances import Distances
from lissom.identification.excitation.profile import Sampled
from lissom.identification.fit.masks import Indices
from lissom.model.arm import Arm
from lissom.motion.task.bounds import Bounds
from lissom.spatial.rotations import Array
from lissom.verbs.dynamics import inverse_dynamics
from lissom.verbs.sensitivity import inverse_dynamics_gradient

OF_PROFILES = ("position", "velocity", "acceleration", "jerk")  # by their order of derivatives


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
        self.arm, self.bounds, self.distances = arm, bounds, distances
        self.friction = arm.expanded(arm.friction)
        # torques are limited for friction in either direction: where joints turn around, it jumps
        self._torque = (bounds.lower["torque"] + self.friction, bounds.upper["torque"] - self.friction)

    def limits(self, quantity: str) -> tuple[Array, Array]:
        """Lower and upper limits (dof,) as they are kept here."""
        return self._torque if quantity == "torque" else (self.bounds.lower[quantity], self.bounds.upper[quantity])

    def size(self, quantity: str) -> Array:
        """(dof,) what the excess is measured by: half of the range, or the limit if there is one only."""
        lower, upper = self.limits(quantity)
        ends = [np.where(np.isfinite(x), x, np.nan) for x in (lower, upper)]
        half = np.where(np.isfinite(upper - lower), (upper - lower) / 2, np.fmax(*np.abs(ends)))
        return np.where(half > 0, half, 1.0)  # also where there is no limit

    def _values(self, at: Sampled, points: Array) -> dict[str, Array]:
        """All limited quantities (N, dof); torques without Coulomb friction."""
        q, qd, qdd = at.states(points)
        out = {word: at.derivative(order, points) for order, word in enumerate(OF_PROFILES) if order}
        out |= {"position": q}
        if self.bounds.limited("torque").any():
            out["torque"] = np.asarray(inverse_dynamics(self.arm, q, qd, qdd) - self.friction * np.sign(qd))
        return {word: values for word, values in out.items() if self.bounds.limited(word).any()}

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
                slope = self._slope(quantity, at, points, rows, joints)
                found.append(Excess(over[rows, joints], slope / self.size(quantity)[joints, None, None]))
        if self.distances:
            rows, over, by_q = self.distances.excess(at.position(points), room)
            found.append(Excess(over, at.rows[0][rows][:, :, None] * by_q[:, None, :]))
        nothing = Excess(np.zeros(0), np.zeros((0, *points.shape)))
        return Excess(*(np.concatenate(parts) for parts in zip(nothing, *found, strict=True)))

    def _slope(self, quantity: str, at: Sampled, points: Array, rows: Indices, joints: Indices) -> Array:
        """(k, m, dof) derivatives of a quantity of joints (k,) at samples (k,)."""
        if quantity != "torque":
            one = np.eye(points.shape[1])[joints]
            return np.asarray(at.rows[OF_PROFILES.index(quantity)][rows][:, :, None] * one[:, None, :])
        some, place = np.unique(rows, return_inverse=True)
        q, qd, qdd = (x[some] for x in at.states(points))
        slopes = inverse_dynamics_gradient(self.arm, q, qd, qdd)
        parts = (at.rows[r][rows][:, :, None] * D[place, joints][:, None, :] for r, D in enumerate(slopes))
        return np.asarray(sum(parts))

    def gradient(self, at: Sampled, points: Array) -> tuple[float, Array]:
        """The sum of squares of the excess per sample, and its derivatives (m, dof)."""
        over, slope = self.excess(at, points)
        return float(over @ over) / len(at.s), 2 * np.tensordot(over, slope, 1) / len(at.s)

    def largest(self, at: Sampled, points: Array) -> float:
        """The largest excess of any limit; 0 where all hold."""
        values = self._values(at, points).items()
        worst = max((float(np.abs(self._beyond(word, x, 0.0)).max()) for word, x in values), default=0.0)
        return max(worst, -float(self.distances.values(at.position(points)).min())) if self.distances else worst
