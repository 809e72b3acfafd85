"""Accelerations of an arm with other numbers, and their derivatives by state and numbers, for many states at once.

With M qdd + h = u, numbers p move the accelerations by dqdd/dp = -M^-1 dtau/dp, where tau is inverse dynamics at the
accelerations that are there. What changes between iterations is a row of numbers, an input of the compiled functions.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lissom.dynamics.acting import Acting
from lissom.dynamics.varied import Varied
from lissom.identification.parameters import Numbers
from lissom.identification.steps.friction import Resistance, without_friction
from lissom.kernels.cache import functions_of
from lissom.kernels.verbs import FORWARD_DYNAMICS, FORWARD_DYNAMICS_GRADIENT, INVERSE_DYNAMICS
from lissom.model.arm import Arm
from lissom.spatial.rotations import Array

STRIDE = 0.02  # of differences by a coordinate
# Torques are polynomials of low degree in masses, stiffness and damping: these differences have no error there, and
# of order STRIDE^4 / 500 elsewhere (the shapes of a beam depend on what hangs on its tip).
OFFSETS = np.array([1.0, -1.0, 0.5, -0.5]) * STRIDE
WEIGHTS = np.array([-1 / 6, 1 / 6, 4 / 3, -4 / 3]) / STRIDE


class Slopes(NamedTuple):
    """Accelerations (lanes, dof), and their derivatives by q, qd, torques and numbers (lanes, dof, ...)."""

    qdd: Array
    q: Array
    qd: Array
    tau: Array
    numbers: Array


class Plant:
    """The compiled functions of an arm, whose chosen numbers are inputs."""

    def __init__(self, numbers: Numbers):
        self.numbers, self.dof, count = numbers, numbers.arm.dof, len(numbers)
        base = without_friction(numbers.arm)
        self._varied = Varied(base, [without_friction(numbers.arm_at(x)) for x in STRIDE * np.eye(count)])
        acting = Acting(varied=self._varied if self._varied.size else None)
        verbs = (FORWARD_DYNAMICS, FORWARD_DYNAMICS_GRADIENT, INVERSE_DYNAMICS)
        self._forward, self._gradient, self._inverse = (functions_of(base).get(verb, acting) for verb in verbs)
        self.put(np.zeros(count))

    def put(self, x: Array) -> None:
        """Take the numbers at coordinates x."""
        self.x = np.array(x, float)
        self.arm = self.numbers.arm_at(self.x)
        arms = [self.arm, *self._neighbours()]
        rows = self._varied.rows([without_friction(arm) for arm in arms])
        self._row, self._others = rows[0], rows[1:].reshape(len(self.numbers), len(OFFSETS), -1)
        self._friction, *others = map(Resistance, arms)
        groups = [others[len(OFFSETS) * k : len(OFFSETS) * (k + 1)] for k in range(len(self.numbers))]
        self._frictions = {k: group for k, group in enumerate(groups) if not group[0].same(group[1])}
        moves = (self._others != self._row).any((1, 2))
        self._inside = np.flatnonzero(moves)  # numbers that the compiled functions know; friction is none of them

    def _neighbours(self) -> list[Arm]:
        """Arms for differences, all offsets of the first number, then of the next."""
        arms = []
        for k, number in enumerate(self.numbers.list):
            lowest = number.coordinate(number.least) if not number.logarithmic else -np.inf
            centre = max(self.x[k], lowest + STRIDE)
            arms += [self.numbers.changed(self.arm, k, centre + offset, self.x[k]) for offset in OFFSETS]
        return arms

    def accelerations(self, q: Array, qd: Array, tau: Array) -> Array:
        """Accelerations (lanes, dof) under torques of the motors."""
        return np.asarray(
            self._forward(q, qd, tau - self._friction.torque(qd), *self._given(self._row, len(q)), threads=1)
        )

    def slopes(self, q: Array, qd: Array, tau: Array) -> Slopes:
        """Accelerations with their derivatives."""
        given, moving = self._given(self._row, len(q)), tau - self._friction.torque(qd)
        qdd = np.asarray(self._forward(q, qd, moving, *given, threads=1))
        by = self._gradient(q, qd, moving, *given, threads=1)
        change = self._torque_slopes(q, qd, qdd)
        by_rate = by.qd
        if self._friction.there:
            by_rate = by.qd - by.tau * self._friction.slope(qd)[:, None, :]
        for k, group in self._frictions.items():
            change[:, :, k] += np.einsum("o,oij->ij", WEIGHTS, [one.torque(qd) for one in group])
        return Slopes(qdd, by.q, by_rate, by.tau, -by.tau @ change)

    def _torque_slopes(self, q: Array, qd: Array, qdd: Array) -> Array:
        """Derivatives (lanes, dof, numbers) of inverse dynamics by the numbers."""
        out = np.zeros((*q.shape, len(self.numbers)))
        if not len(self._inside):
            return out
        rows = self._others[self._inside].reshape(-1, self._others.shape[-1])
        shape = (len(rows), *q.shape)
        state = (np.broadcast_to(x, shape).reshape(-1, self.dof) for x in (q, qd, qdd))
        tau = self._inverse(*state, np.repeat(rows, len(q), axis=0), threads=1)
        parts = np.asarray(tau).reshape(len(self._inside), len(OFFSETS), *q.shape)
        out[:, :, self._inside] = np.einsum("o,noij->ijn", WEIGHTS, parts)
        return out

    def _given(self, row: Array, lanes: int) -> tuple[Array, ...]:
        return (np.broadcast_to(row, (lanes, len(row))).copy(),) if self._varied.size else ()
