"""One step of RODAS (Hairer and Wanner: linearly implicit, order 4, L-stable), many runs side by side.

Every run has a time and a step of its own. With g = 1/(gamma h), the inertia M, and the derivatives K and D of the
torques that are missing (inverse dynamics less the controller's) with respect to positions and rates, a stage solves

    (g M + D + K/g) u_qd = M r_qd - K r_q/g,        u_q = (r_q + u_qd)/g

The inertia alone is never inverted, so links of hardly any inertia make no trouble. Coordinates that are held (joints
that stick, prescribed joints) have rows of their own.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lissom.errors import LissomError
from lissom.simulation.closed_loop import ClosedLoop, Rates
from lissom.simulation.slopes import torque_slopes
from lissom.simulation.system import BEYOND
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
    """Values at the start of a step, one row per run: accelerations, their time derivative, M, D, K, free entries."""

    qdd: Array
    drift: Array
    M: Array
    D: Array
    K: Array
    free: NDArray[np.bool_]


class Path(NamedTuple):
    """A step from y to `end` (rows, 2 dof), its error, and its dense output."""

    y: Array
    end: Array
    error: Array
    curved: tuple[Array, Array]

    def at(self, part: Array) -> Array:
        """Return states (rows, 2 dof) at fractions of the step, of third order."""
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
        """Return the outputs (rows, ...) at states y (rows, 2 dof)."""
        n, loop = self.loop.dof, self.loop
        self.evaluations += len(runs)
        good: Any = (np.abs(y) < BEYOND).all(axis=1)
        state = np.where(good[:, None], y, 0.0)
        q, qd, way = (np.ascontiguousarray(x) for x in (state[:, :n], state[:, n:], way))
        given = self.given(runs, t, before)
        try:
            found = loop.rates(q, qd, way, given, threads=self.threads)
        except LissomError:
            found = self._one_by_one(q, qd, way, given)
        if not good.all():
            found = Rates(*(np.where(good[:, None], x, np.nan) for x in found))
        return found

    def _one_by_one(self, q: Array, qd: Array, way: Array, given: Array) -> Rates:
        """Compute the outputs one by one where some states cannot be evaluated."""
        n = self.loop.dof
        out = Rates(*(np.full((len(q), width), np.nan) for width in (n, n, len(self.loop.held), 3)))
        for k in range(len(q)):
            try:
                for whole, part in zip(out, self.loop.rates(q[k], qd[k], way[k], given[k]), strict=True):
                    whole[k] = part
            except LissomError:
                continue
        return out

    def slopes(self, runs: Index, t: Array, y: Array, way: Array, qdd: Array, h: Array) -> Slopes:
        """Return the derivatives at states with known accelerations; h: steps that will be tried."""
        n, loop = self.loop.dof, self.loop
        q, qd, given = np.ascontiguousarray(y[:, :n]), np.ascontiguousarray(y[:, n:]), self.given(runs, t, False)
        M, D, K = torque_slopes(loop, q, qd, qdd, given)
        free = np.ones((len(runs), n), bool)
        if loop.sliding:
            free[:, loop.sliding] = way != 0.0
        free[:, list(loop.prescribed)] = False
        drift = np.zeros_like(qdd)
        if self._varies:
            drift = (self.rates(runs, t + SHORT * h, y, way, False).qdd - qdd) / (SHORT * h)[:, None]
        return Slopes(qdd, drift, M * free[:, None, :] * free[:, :, None], D, K, free)

    def step(self, runs: Index, t: Array, y: Array, way: Array, h: Array, at: Slopes) -> Path:
        """Take one step h (rows,) of every run; NaN where it fails."""
        n = self.loop.dof
        g = 1.0 / (GAMMA * h)[:, None]
        inverse = _inverse(at, g[..., None])
        steps: list[Array] = []
        for row, less, moment, drift in zip(A, C, MOMENTS, DRIFT, strict=True):
            state = y + sum((a * u for a, u in zip(row, steps, strict=True)), np.zeros_like(y))
            qdd = at.qdd if not row else self.rates(runs, t + moment * h, state, way).qdd
            right = sum((c * u for c, u in zip(less, steps, strict=True)), np.zeros_like(y)) / h[:, None]
            rq, rv = right[:, :n] + state[:, n:], right[:, n:] + qdd + drift * h[:, None] * at.drift
            wanted = _times(at.M, rv) - _times(at.K, rq) / g
            uv = _times(inverse, np.where(at.free, wanted, g * rv))
            steps.append(np.concatenate([(rq + uv) / g, uv], axis=1))
        curved = [sum((w * u for w, u in zip(row, steps, strict=False)), np.zeros_like(y)) for row in DENSE]
        return Path(y, state + steps[-1], steps[-1], (curved[0], curved[1]))


def _times(matrix: Array, x: Array) -> Array:
    return (matrix @ x[..., None])[..., 0]


def _inverse(at: Slopes, g: Array) -> Array:
    """Return the inverse of g M + D + K/g, scaled by its diagonal: entries of light and heavy links differ widely."""
    B = np.where(at.free[:, :, None], g * at.M + at.D + at.K / g, g * np.eye(at.M.shape[-1]))
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
