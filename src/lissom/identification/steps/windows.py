"""Simulation of all windows at once, with derivatives by initial states, numbers and the delay of the logged torques.

x' = f(x, u, p),   S' = df/dx S + df/dp,   S(0) = (1, 0)

Column 0 of the states Y (windows, 2 dof, 1 + columns) is x, the others are S.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from lissom.identification.steps.measured import Measured
from lissom.identification.steps.plant import Plant
from lissom.simulation.integrators.tableau import Tableau, tableau
from lissom.spatial.rotations import Array

SMOOTH = 0.25  # rate of the fastest motion times the sampling period, up to which four stages are exact enough
REACH = 1.2  # the same for steps of order eight: phases are wrong by 1e-7
STATES = 12  # of a log, at which the fastest motion is sought


class Integration:
    """Steps between the samples of a log.

    The method is of order four where one step takes a small part of the fastest motion, of order eight otherwise.
    """

    def __init__(self, plant: Plant, measured: Measured):
        self.plant, self.measured, self.n = plant, measured, plant.dof
        fastest = self._fastest() / measured.torques.rate
        self.method: Tableau = tableau("rk4" if fastest <= SMOOTH else "rk8")
        self.substeps = 1 if fastest <= SMOOTH else int(np.ceil(fastest / REACH))

    def _fastest(self) -> float:
        """The largest rate of motions about states of the log [1/s]."""
        x, n = self.measured.first_states(), self.n
        some = x[:: max(len(x) // STATES, 1)]
        by = self.plant.slopes(some[:, :n].copy(), some[:, n:].copy(), np.zeros((len(some), n)))
        A = np.zeros((len(some), 2 * n, 2 * n))
        A[:, :n, n:], A[:, n:, :n], A[:, n:, n:] = np.eye(n), by.q, by.qd
        return float(np.abs(np.linalg.eigvals(A)).max())

    @property
    def columns(self) -> int:
        """Number of derivatives: by initial states, numbers and the delay of the torques."""
        return 2 * self.n + len(self.plant.numbers) + 1

    def samples(self, x0: Array, late: float) -> Iterator[tuple[Array, Array]]:
        """Yield states (windows, 2 dof) and derivatives (windows, 2 dof, columns) at each sample but the first."""
        Y = np.zeros((len(x0), 2 * self.n, 1 + self.columns))
        Y[:, :, 0], Y[:, :, 1 : 1 + 2 * self.n] = x0, np.eye(2 * self.n)
        h = 1 / self.measured.torques.rate / self.substeps
        for k in range(self.measured.count):
            for part in range(self.substeps):
                Y = self._step(Y, h, k, part, late)
            yield Y[:, :, 0], Y[:, :, 1:]

    def _step(self, Y: Array, h: float, k: int, part: int, late: float) -> Array:
        method, slopes, lanes = self.method, list[Array](), self.measured.lanes
        moments = [self.measured.torques.at(lanes, k, (part + c) / self.substeps, late) for c in method.moments]
        for stage, asked in enumerate(method.asks):
            now = Y if stage == 0 else method.stages[stage - 1].at(Y, h, slopes)
            slopes.append(self._slope(now, *moments[asked]))
        return method.finish.at(Y, h, slopes)

    def _slope(self, Y: Array, tau: Array, tau_rate: Array) -> Array:
        n = self.n
        by = self.plant.slopes(np.ascontiguousarray(Y[:, :n, 0]), np.ascontiguousarray(Y[:, n:, 0]), tau)
        out = np.empty_like(Y)
        out[:, :n] = Y[:, n:]
        out[:, n:, 0] = by.qdd
        out[:, n:, 1:] = by.q @ Y[:, :n, 1:] + by.qd @ Y[:, n:, 1:]
        out[:, n:, 1 + 2 * n : -1] += by.numbers
        out[:, n:, -1] += np.einsum("wij,wj->wi", by.tau, tau_rate)
        return out
