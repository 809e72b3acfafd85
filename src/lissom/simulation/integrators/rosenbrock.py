"""One step of RODAS (Hairer and Wanner: linearly implicit, order 4, L-stable), many runs side by side.

Every run has a time and a step of its own. With g = 1/(gamma h), the inertia M, and the derivatives K and D of the
torques that are missing (inverse dynamics less the controller's) with respect to positions and rates, a stage solves

    (g M + D + K/g) u_qd = M r_qd - K r_q/g,        u_q = (r_q + u_qd)/g

States z of the controller, z' = f(q, qd, z), with torques T z, are eliminated: with S = (g - Z_z)^-1 they add
-T S (Z_q/g + Z_qd) to the matrix and T S (r_z + Z_q r_q/g) to the right-hand side;
u_z = S (r_z + Z_q u_q + Z_qd u_qd).

The inertia alone is never inverted, so links of hardly any inertia make no trouble. Coordinates that are held (joints
that stick, prescribed joints) have rows of their own.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lissom.errors import LissomError
from lissom.simulation.integrators.system import BEYOND
from lissom.simulation.loop.closed_loop import ClosedLoop, Rates, States
from lissom.simulation.loop.slopes import torque_slopes
from lissom.spatial.rotations import Array

GAMMA = 0.25
ORDER = 4
MOMENTS = (0.0, 0.386, 0.21, 0.63, 1.0, 1.0)
DRIFT = (0.25, -0.1043, 0.1035, -0.0362, 0.0, 0.0)
A = (
    (),
    (1.544,),
    (0.9466785280815826, 0.2557011698983284),
    (3.314825187068521, 2.896124015972201, 0.9986419139977817),
    (1.221224509226641, 6.019134481288629, 12.53708332932087, -0.6878860361058950),
    (1.221224509226641, 6.019134481288629, 12.53708332932087, -0.6878860361058950, 1.0),
)
C = (
    (),
    (-5.6688,),
    (-2.430093356833875, -0.2063599157091915),
    (-0.1073529058151375, -9.594562251023355, -20.47028614809616),
    (7.496443313967647, -10.24680431464352, -33.99990352819905, 11.70890893206160),
    (8.083246795921522, -7.981132988064893, -31.52159432874371, 16.31930543123136, -6.058818238834054),
)
DENSE = np.array(
    [
        [10.12623508344586, -7.487995877610167, -34.80091861555747, -7.992771707568823, 1.025137723295662],
        [-0.6762803392801253, 6.087714651680015, 16.43084320892478, 24.76722511418386, -6.594389125716872],
    ]
)
Index = NDArray[Any]  # numbers of runs
SHORT = 1e-5  # of a step, for derivatives with respect to time


class Slopes(NamedTuple):
    """Values at the start of a step, one row per run: rates of (qd, z), their time derivative, M, D, K, free entries.

    torque, q, qd, z : derivatives of torques by z, and of rates of z by q, qd and z
    """

    rates: Array
    drift: Array
    M: Array
    D: Array
    K: Array
    free: NDArray[np.bool_]
    torque: Array
    q: Array
    qd: Array
    z: Array


class Path(NamedTuple):
    """A step from y to `end` (rows, size), its error, and its dense output."""

    y: Array
    end: Array
    error: Array
    curved: tuple[Array, Array]

    def at(self, part: Array) -> Array:
        """Return states (rows, size) at fractions of the step, of third order."""
        s = part[:, None]
        return self.y + s * (self.end - self.y + (1 - s) * (self.curved[0] + s * self.curved[1]))

    def rows(self, some: Index) -> Path:
        """Return the step of some of the runs."""
        return Path(self.y[some], self.end[some], self.error[some], (self.curved[0][some], self.curved[1][some]))


class Runs:
    """Closed loops of many runs, each at its own time; values that cannot be computed are NaN."""

    def __init__(self, loop: ClosedLoop, count: int, threads: int | None):
        self.loop, self.threads = loop, threads
        self.evaluations = 0
        self._steady = loop.inputs.steady(count)
        self._varies = loop.inputs.size > loop.inputs.steady_size

    def given(self, runs: Index, t: Array, before: bool) -> Array:
        """(rows, size) inputs of the runs at their times."""
        steady = self._steady[runs]
        if not self._varies:
            return np.ascontiguousarray(steady)
        table = self.loop.inputs.varying_over(t, before)
        varying = table[np.arange(len(runs)), runs] if table.ndim == 3 else table
        return np.ascontiguousarray(np.concatenate([steady, varying], axis=1))

    def rates(self, runs: Index, t: Array, y: Array, way: Array, before: bool = True) -> Rates:
        """Return the outputs (rows, ...) at states y (rows, size)."""
        self.evaluations += len(runs)
        good: Any = (np.abs(y[:, : 2 * self.loop.dof]) < BEYOND).all(axis=1) & np.isfinite(y).all(axis=1)
        state = self.loop.split(np.where(good[:, None], y, 0.0))
        way, given = np.ascontiguousarray(way), self.given(runs, t, before)
        try:
            found = self.loop.rates(state, way, given, threads=self.threads)
        except LissomError:
            found = self._one_by_one(state, way, given)
        if not good.all():
            found = Rates(*(np.where(good[:, None], x, np.nan) for x in found))
        return found

    def _one_by_one(self, states: States, way: Array, given: Array) -> Rates:
        """Compute the outputs one by one where some states cannot be evaluated."""
        out = self.loop.unknown_rates(len(way))
        for k in range(len(way)):
            with suppress(LissomError):
                found = self.loop.rates(States(*(x[k] for x in states)), way[k], given[k])
                for whole, part in zip(out, found, strict=True):
                    whole[k] = part
        return out

    def slopes(self, runs: Index, t: Array, y: Array, way: Array, rates: Array, h: Array) -> Slopes:
        """Return the derivatives at states with known rates of (qd, z); h: steps that will be tried."""
        n, loop = self.loop.dof, self.loop
        qdd = np.ascontiguousarray(rates[:, :n])
        M, D, K, law = torque_slopes(loop, loop.split(y), qdd, self.given(runs, t, False))
        free = np.ones((len(runs), n), bool)
        if loop.sliding:
            free[:, loop.sliding] = way != 0.0
        free[:, list(loop.prescribed)] = False
        drift = np.zeros_like(rates)
        if self._varies:
            drift = (self.changes(runs, t + SHORT * h, y, way, False) - rates) / (SHORT * h)[:, None]
        inertia = M * free[:, None, :] * free[:, :, None]
        return Slopes(rates, drift, inertia, D, K, free, law.z[:, :n], *(part[:, n:] for part in law))

    def changes(self, runs: Index, t: Array, y: Array, way: Array, before: bool = True) -> Array:
        """(rows, dof + m) rates of qd and of the controller's states."""
        found = self.rates(runs, t, y, way, before)
        return np.hstack([found.qdd, found.z]) if found.z.shape[1] else found.qdd

    def step(self, runs: Index, t: Array, y: Array, way: Array, h: Array, at: Slopes) -> Path:
        """Take one step h (rows,) of every run; NaN where it fails."""
        n, own = self.loop.dof, bool(self.loop.controller_states)
        g = 1.0 / (GAMMA * h)[:, None]
        S: Array = np.linalg.inv(g[..., None] * np.eye(at.z.shape[-1]) - at.z) if own else at.z  # type: ignore[assignment]
        inverse = _inverse(at, g[..., None], S)
        steps: list[Array] = []
        for row, less, moment, drift in zip(A, C, MOMENTS, DRIFT, strict=True):
            state = y + sum((a * u for a, u in zip(row, steps, strict=True)), np.zeros_like(y))
            rates = at.rates if not row else self.changes(runs, t + moment * h, state, way)
            right = sum((c * u for c, u in zip(less, steps, strict=True)), np.zeros_like(y)) / h[:, None]
            rq, rest = right[:, :n] + state[:, n : 2 * n], right[:, n:] + rates + drift * h[:, None] * at.drift
            rv, rz = rest[:, :n], rest[:, n:]
            wanted = _times(at.M, rv) - _times(at.K, rq) / g
            if own:
                wanted = wanted + _times(at.torque, _times(S, rz + _times(at.q, rq) / g))
            uv = _times(inverse, np.where(at.free, wanted, g * rv))
            uq = (rq + uv) / g
            uz = [_times(S, rz + _times(at.q, uq) + _times(at.qd, uv))] if own else []
            steps.append(np.concatenate([uq, uv, *uz], axis=1))
        curved = [sum((w * u for w, u in zip(row, steps, strict=False)), np.zeros_like(y)) for row in DENSE]
        return Path(y, state + steps[-1], steps[-1], (curved[0], curved[1]))


def _times(matrix: Array, x: Array) -> Array:
    return (matrix @ x[..., None])[..., 0]


def _inverse(at: Slopes, g: Array, S: Array) -> Array:
    """Return the inverse of g M + D + K/g, scaled by its diagonal: entries of light and heavy links differ widely."""
    B = g * at.M + at.D + at.K / g
    if S.shape[-1]:
        B = B - at.torque @ S @ (at.q / g + at.qd)
    B = np.where(at.free[:, :, None], B, g * np.eye(at.M.shape[-1]))
    size = np.abs(np.diagonal(B, axis1=-2, axis2=-1))
    scale = 1.0 / np.sqrt(np.where(size > 0, size, 1.0))
    B = scale[:, :, None] * B * scale[:, None, :]
    try:
        found = np.linalg.inv(B)
    except np.linalg.LinAlgError:
        found = np.stack([_inverse_or_nan(b) for b in B])
    return np.asarray(scale[:, :, None] * found * scale[:, None, :], float)


def _inverse_or_nan(B: Array) -> Array:
    try:
        return np.asarray(np.linalg.inv(B), float)
    except np.linalg.LinAlgError:
        return np.full_like(B, np.nan)
