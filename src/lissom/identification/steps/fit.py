"""Gauss-Newton on the errors of windows, whose initial states are free and eliminated one by one.

With J = (X, P) the derivatives of a window's positions by its initial state and by what all windows share, the step of
the shared numbers solves  sum P'(1 - X (X'X)^-1 X')P dx = sum P'(1 - X (X'X)^-1 X') r.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from lissom.errors import LissomError, SolveError
from lissom.identification.correlation import memory
from lissom.identification.steps.elimination import inverse, projected, weighted
from lissom.identification.steps.windows import Integration
from lissom.spatial.rotations import Array

MOST = 40  # iterations
ROUNDS = 4  # of weights
FAR = 0.5  # largest step of a coordinate
CLOSE = 0.02  # steps this small against the standard deviations change nothing
STIFFEST, SOFTEST = 1e8, 1e-12  # regularisation relative to the diagonal
TOGETHER = 16  # samples whose products are summed at once


class State(NamedTuple):
    """What is sought.

    x : (numbers,)               coordinates of the numbers
    delays : (2,)                times by which torques and second encoders are logged late [s]
    x0 : (windows, 2 dof)        initial states
    """

    x: Array
    delays: Array
    x0: Array


class Sums(NamedTuple):
    """Residuals (samples, windows, channels), and sums over samples H (windows, channels, m, m), g (..., m)."""

    residuals: Array
    H: Array
    g: Array

    def cost(self, weights: Array) -> float:
        """Weighted sum of squares."""
        return float(((self.residuals**2).sum((0, 1)) * weights).sum())


class Fit(NamedTuple):
    """The minimum: what was sought, its covariance (shared numbers), residuals, and whether it converged."""

    at: State
    covariance: Array
    residuals: Array
    converged: bool
    iterations: int


class Fitter:
    """One fit. `shared`: which of the shared numbers are free, the delays of torques and second encoders last."""

    def __init__(self, steps: Integration, shared: Array, report: Callable[[str], None]):
        self.steps, self.shared, self.report = steps, np.flatnonzero(shared), report
        self.n = 2 * steps.n

    def sums(self, at: State) -> Sums:
        """Residuals and normal equations."""
        measured, n = self.steps.measured, self.steps.n
        windows, channels, m = len(at.x0), len(measured.C), self.steps.columns + 1
        H, g = np.zeros((windows, channels, m, m)), np.zeros((windows, channels, m))
        residuals = np.empty((measured.count, windows, channels))
        if not np.array_equal(self.steps.plant.x, at.x):
            self.steps.plant.put(at.x)
        some = np.empty((windows, channels, TOGETHER, m))
        with np.errstate(all="ignore"):
            for k, (x, S) in enumerate(self.steps.samples(at.x0, at.delays[0])):
                y, by_delay = measured.at(k + 1, at.delays[1])
                residuals[k] = y - x[:, :n] @ measured.C.T
                here = k % TOGETHER
                some[:, :, here, :-1], some[:, :, here, -1] = measured.C @ S[:, :n], -by_delay
                if here == TOGETHER - 1 or k == measured.count - 1:
                    J, r = some[:, :, : here + 1], residuals[k - here : k + 1].transpose(1, 2, 0)
                    H += J.swapaxes(-1, -2) @ J
                    g += (r[..., None, :] @ J)[..., 0, :]
        return Sums(residuals, H, g)

    def run(self, at: State) -> Fit:
        """The minimum from a start, channels weighted by their residuals."""
        sums = self.sums(at)
        if not np.isfinite(sums.residuals).all():
            raise SolveError(
                "identify: the arm as it is cannot be simulated over these windows; give shorter windows (window=), or "
                "an arm closer to the real one."
            )
        total = 0
        for _ in range(ROUNDS):
            weights = self._weights(sums)
            at, sums, used, converged = self._descend(at, sums, weights)
            total += used
            if np.allclose(self._weights(sums), weights, rtol=0.05):
                break
        return Fit(at, self._covariance(sums, weights), sums.residuals, converged, total)

    def _weights(self, sums: Sums) -> Array:
        """One over the variance of every channel; the free numbers count as degrees of freedom."""
        samples = sums.residuals[..., 0].size
        free = len(sums.g) * self.n + len(self.shared)
        room = max(1 - free / sums.residuals.size, 1e-3)
        mean = (sums.residuals**2).sum((0, 1)) / samples / room
        return 1 / np.maximum(mean, 1e-12 * mean.max() + 1e-300)

    def _descend(self, at: State, sums: Sums, weights: Array) -> tuple[State, Sums, int, bool]:
        stiff = 1e-9
        for used in range(1, MOST + 1):
            dx, d0, std = self._step(sums, weights, stiff)
            new = self._moved(at, dx, d0)
            tried = self._tried(new)
            small = bool((np.abs(dx) <= CLOSE * std).all()) and (len(dx) > 0 or used > 1)
            if tried is not None and tried.cost(weights) <= sums.cost(weights) * (1 + 1e-9):
                at, sums, stiff = new, tried, max(stiff / 10, SOFTEST)
                rms = np.sqrt((sums.residuals**2).mean())
                self.report(f"iteration {used}, error {rms:.3g}")
                if small:
                    return at, sums, used, True
            elif small or stiff > STIFFEST:
                return at, sums, used, small
            else:
                stiff = max(stiff, 1e-6) * 10
        return at, sums, MOST, False

    def _tried(self, at: State) -> Sums | None:
        """Sums at a state, None where no such arm exists or its simulation overflows."""
        try:
            found = self.sums(at)
        except LissomError:
            return None
        return found if np.isfinite(found.residuals).all() and np.isfinite(found.H).all() else None

    def _moved(self, at: State, dx: Array, d0: Array) -> State:
        whole = np.zeros(len(at.x) + 2)
        whole[self.shared] = dx
        x = self.steps.plant.numbers.bounded(at.x + np.clip(whole[:-2], -FAR, FAR))
        return State(x, at.delays + whole[-2:], at.x0 + d0)

    def _step(self, sums: Sums, weights: Array, stiff: float) -> tuple[Array, Array, Array]:
        """Steps of the shared numbers and of the initial states, and standard deviations if residuals were white."""
        H, g = weighted(sums.H, weights, 1 + stiff), np.einsum("c,wci->wi", weights, sums.g)
        T = self._eliminated(H)
        back, _ = inverse(projected(T, self._kept(H)))
        dx = back @ np.einsum("wij,wi->j", T, self._kept_vector(g))
        limit = np.max(np.abs(dx[self.shared < len(self.steps.plant.numbers)]), initial=0.0)
        dx = dx * min(1.0, 2 * FAR / limit) if limit > 0 else dx
        X, P = H[:, : self.n, : self.n], H[:, : self.n, self.n + self.shared]
        d0 = np.linalg.solve(X, (g[:, : self.n] - np.einsum("wij,j->wi", P, dx))[..., None])[..., 0]
        return dx, d0, np.sqrt(np.diag(back))

    def _kept(self, H: Array) -> Array:
        """H (windows, m, m) of the initial states and of those shared numbers that are free."""
        own = np.concatenate([np.arange(self.n), self.n + self.shared])
        return H[..., own[:, None], own]

    def _kept_vector(self, g: Array) -> Array:
        return g[..., np.concatenate([np.arange(self.n), self.n + self.shared])]

    def _eliminated(self, H: Array) -> Array:
        """(windows, 2 dof + shared, shared): how initial states follow the shared numbers, and these themselves."""
        X, P = H[:, : self.n, : self.n], H[:, : self.n, self.n + self.shared]
        unit = np.broadcast_to(np.eye(len(self.shared)), (len(H), len(self.shared), len(self.shared)))
        return np.concatenate([-np.linalg.solve(X, P), unit], axis=1)

    def _covariance(self, sums: Sums, weights: Array) -> Array:
        """Covariance of the shared numbers, which allows for residuals that are correlated in time.

        It is infinite for numbers that the windows do not show.
        """
        H = weighted(sums.H, weights, 1 + SOFTEST)
        T = self._eliminated(H)
        back, silent = inverse(projected(T, self._kept(H)))
        spread = np.einsum("c,wcij->wij", weights * memory(sums.residuals), sums.H)
        C = back @ projected(T, self._kept(spread)) @ back
        C[np.ix_(silent, silent)] = np.inf
        return np.asarray(C)
