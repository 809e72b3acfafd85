"""What limits are about, along a motion: values at samples, and derivatives by the free control points.

Torques jump where joints with friction turn around; derivatives are those on the side of the sample.
"""

from __future__ import annotations

import numpy as np

from lissom.identification.excitation.profile import Sampled
from lissom.identification.fit.masks import Indices
from lissom.model.arm import Arm
from lissom.spatial.rotations import Array
from lissom.verbs.dynamics import inverse_dynamics
from lissom.verbs.sensitivity import inverse_dynamics_gradient

OF_PROFILES = ("position", "velocity", "acceleration", "jerk")  # by their order of derivatives
LIMITED = (*OF_PROFILES, "torque", "torque_rate", "power")


class Quantities:
    """The limited quantities of an arm."""

    def __init__(self, arm: Arm) -> None:
        self.arm = arm

    def values(self, quantity: str, at: Sampled, points: Array) -> Array:
        """(N, dof)."""
        if quantity in OF_PROFILES:
            order = OF_PROFILES.index(quantity)
            return at.derivative(order, points) if order else at.position(points)
        if quantity == "torque_rate":
            before, after = (self._torques(other, points) for other in at.beside)
            return (after - before) / at.apart[:, None]
        tau, qd = self._torques(at, points), at.derivative(1, points)
        return tau if quantity == "torque" else tau * qd

    def slope(self, quantity: str, at: Sampled, points: Array, rows: Indices, joints: Indices) -> Array:
        """(k, m, dof) derivatives of a quantity of joints (k,) at samples (k,)."""
        if quantity in OF_PROFILES:
            return self._of_profile(OF_PROFILES.index(quantity), at, points, rows, joints)
        if quantity == "torque_rate":
            before, after = (self._of_torque(other, points, rows, joints) for other in at.beside)
            return (after - before) / at.apart[rows, None, None]
        slope = self._of_torque(at, points, rows, joints)
        if quantity == "torque":
            return slope
        qd, tau = at.derivative(1, points), self._torques(at, points)
        by_rate = tau[rows, joints][:, None, None] * self._of_profile(1, at, points, rows, joints)
        return np.asarray(qd[rows, joints][:, None, None] * slope + by_rate)

    def _torques(self, at: Sampled, points: Array) -> Array:
        q, qd, qdd = at.states(points)
        return inverse_dynamics(self.arm, q, qd, qdd)

    def _of_profile(self, order: int, at: Sampled, points: Array, rows: Indices, joints: Indices) -> Array:
        one = np.eye(points.shape[1])[joints]
        return np.asarray(at.rows[order][rows][:, :, None] * one[:, None, :])

    def _of_torque(self, at: Sampled, points: Array, rows: Indices, joints: Indices) -> Array:
        some, place = np.unique(rows, return_inverse=True)
        q, qd, qdd = (x[some] for x in at.states(points))
        slopes = inverse_dynamics_gradient(self.arm, q, qd, qdd)
        parts = (at.rows[r][rows][:, :, None] * D[place, joints][:, None, :] for r, D in enumerate(slopes))
        return np.asarray(sum(parts))
