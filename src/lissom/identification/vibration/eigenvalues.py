"""Natural frequencies and damping ratios of an arm for many measurements at once, with exact derivatives by numbers.

Small motions obey  M x'' + D x' + K x = 0  in the coordinates that are free. A vibration has  (s^2 M + s D + K) v = 0,
its frequency is |s| and its damping ratio -Re s / |s|; a change of the matrices moves s by

    ds = -v'(s^2 dM + s dD + dK)v / v'(2 s M + D)v
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lissom.dynamics.acting import Acting
from lissom.dynamics.varied import Varied
from lissom.errors import InputError, SolveError
from lissom.identification.parameters import Numbers
from lissom.identification.steps.friction import without_friction
from lissom.identification.steps.plant import OFFSETS, STRIDE, WEIGHTS
from lissom.identification.vibration.measured_modes import MeasuredModes
from lissom.kernels.arguments import as_state
from lissom.kernels.cache import functions_of
from lissom.kernels.verbs import INVERSE_DYNAMICS_GRADIENT
from lissom.model.arm import Arm
from lissom.spatial.rotations import Array


class Predicted(NamedTuple):
    """Frequencies [Hz] and damping ratios (modes,) of one measurement, and their derivatives (modes, numbers)."""

    frequencies_hz: Array
    damping: Array
    by_frequency: Array
    by_damping: Array


class Eigenvalues:
    """Modes of an arm at the poses and with the payloads of measurements; the chosen numbers are inputs."""

    def __init__(self, numbers: Numbers, measured: tuple[MeasuredModes, ...]):
        self.numbers, self.measured = numbers, measured
        arm = numbers.arm
        self.poses = np.array([_pose(arm, one) for one in measured])
        self.free = [np.flatnonzero(np.ones(arm.dof, bool) if m.joints == "free" else ~arm.actuated) for m in measured]
        for one, free in zip(measured, self.free, strict=True):
            if len(free) < one.order.max():
                raise InputError(
                    f"identify_modes: mode {one.order.max()} is asked for, arm {arm.name!r} has {len(free)} "
                    f"coordinates that are free (joints {one.joints}): give its links more modes, or elastic parts."
                )
        base = without_friction(arm)
        samples = [self._arms(numbers.arm_at(x)) for x in (np.zeros(len(numbers)), *(STRIDE * np.eye(len(numbers))))]
        self._varied = Varied(base, [one for row in samples for one in row])
        acting = Acting(varied=self._varied if self._varied.size else None)
        self._slopes = functions_of(base).get(INVERSE_DYNAMICS_GRADIENT, acting)

    def _arms(self, arm: Arm) -> list[Arm]:
        """The arm with the payload of every measurement."""
        return [without_friction(one.arm_of(arm)) for one in self.measured]

    def at(self, x: Array) -> list[Predicted]:
        """Predictions at coordinates of the numbers, for all measurements."""
        arm = self.numbers.arm_at(x)
        arms = [arm]
        for k, number in enumerate(self.numbers.list):
            lowest = number.coordinate(number.least) if not number.logarithmic else -np.inf
            centre = max(float(x[k]), lowest + STRIDE)
            arms += [self.numbers.changed(arm, k, centre + offset, float(x[k])) for offset in OFFSETS]
        every = [one for other in arms for one in self._arms(other)]
        q = np.tile(self.poses, (len(arms), 1))
        rows = (np.ascontiguousarray(self._varied.rows(every)),) if self._varied.size else ()
        by = self._slopes(q, np.zeros_like(q), np.zeros_like(q), *rows, threads=1)
        shape = (len(arms), len(self.measured), *q.shape[-1:], *q.shape[-1:])
        M, D, K = (((A + A.swapaxes(-1, -2)) / 2).reshape(shape) for A in (by.qdd, by.qd, by.q))
        return [self._predicted(i, M[:, i], D[:, i], K[:, i]) for i in range(len(self.measured))]

    def _predicted(self, i: int, M: Array, D: Array, K: Array) -> Predicted:
        """One measurement; matrices of the arm and of its neighbours (1 + 4 numbers, dof, dof)."""
        inside = np.ix_(self.free[i], self.free[i])
        M0, D0, K0 = (A[0][inside] for A in (M, D, K))
        change = [
            np.einsum("o,koij->kij", WEIGHTS, A[1:].reshape(-1, len(OFFSETS), *A.shape[1:]))[:, inside[0], inside[1]]
            for A in (M, D, K)
        ]
        s, v = self._modes(i, M0, D0, K0)
        rise = []
        for root, shape in zip(s, v.T, strict=True):
            moved = [np.einsum("i,kij,j->k", shape, A, shape) for A in change]
            below = shape @ (2 * root * M0 + D0) @ shape
            rise.append(-(root**2 * moved[0] + root * moved[1] + moved[2]) / below)
        ds, size = np.array(rise), np.abs(s)
        by_size = (s.conj()[:, None] * ds).real / size[:, None]
        ratio = -s.real / size
        return Predicted(
            size / (2 * np.pi), ratio, by_size / (2 * np.pi), -(ds.real + ratio[:, None] * by_size) / size[:, None]
        )

    def _modes(self, i: int, M: Array, D: Array, K: Array) -> tuple[Array, Array]:
        """Roots s (modes,) above the real axis and shapes (free, modes) of the modes that were measured."""
        n = len(M)
        A = np.block([[np.zeros((n, n)), np.eye(n)], [-np.linalg.solve(M, np.hstack([K, D]))]])
        roots, shapes = np.linalg.eig(A)
        up = np.flatnonzero(roots.imag > 1e-9 * np.abs(roots).max())
        up = up[np.argsort(np.abs(roots[up]))]
        one = self.measured[i]
        if len(up) < one.order.max():
            raise SolveError(
                f"identify_modes: measurement {i + 1}: mode {one.order.max()} is asked for, the arm has {len(up)} "
                "vibrations at this pose; the others are overdamped, or nothing pulls them back."
            )
        chosen = up[one.order - 1]
        return roots[chosen], shapes[:n, chosen]


def _pose(arm: Arm, one: MeasuredModes) -> Array:
    q = as_state(arm, arm.home if one.q is None else one.q, "q", "identify_modes")
    if q.ndim != 1 or not np.isfinite(q).all():
        raise InputError(f"identify_modes: q has shape {q.shape}; expected one pose ({arm.dof},) of finite numbers.")
    return q
