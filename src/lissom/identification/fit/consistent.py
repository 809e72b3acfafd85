"""Physically consistent parameters: the best fit among bodies that can exist, held near a prior by a convex divergence.

min 1/2 |R x - z|^2 + strength sum_i D(P_i | P0_i), with D = tr(P0^-1 P) - log det(P0^-1 P) - 4 (Stein's divergence, the
Bregman divergence of -log det). D contains the barrier of the cone of positive definite matrices: damped Newton steps
stay inside it, and the problem is convex. Parameters of drives that cannot be negative have the same divergence in one
dimension, x / x0 - log(x / x0) - 1, of a small strength.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lissom.identification.fit.masks import Indices
from lissom.identification.fit.pseudo_inertia import BASIS, COUNT, parameters_of_pseudo, pseudo_inertia
from lissom.spatial.rotations import Array

START = 1e6  # the path of strengths begins near the prior
STEP = 10.0  # between strengths on the path
MOST_STEPS = 100
SMALL = 1e-3  # strength of the divergence of drive terms
ROUGH, PRECISE = 1e-4, 1e-10  # decrease of the cost at which steps end, on the path and at its end
RIDGE = 1e-13  # of the scaled Hessian, for parameters that cannot be told apart


@dataclass(frozen=True, eq=False)
class Prior:
    """What is known before the fit.

    Parameters
    ----------
    bodies : (n_bodies, 4, 4)     pseudo-inertias of the first 10 n_bodies parameters
    at : (k,)                     indices of parameters that cannot be negative
    near : (k,)                   their prior values, above 0
    """

    bodies: Array
    at: Indices
    near: Array

    @property
    def parameters(self) -> Array:
        """Ten parameters of each body."""
        return np.concatenate([parameters_of_pseudo(P) for P in self.bodies])


class Objective:
    """The cost, its gradient and its Hessian."""

    def __init__(self, R: Array, z: Array, prior: Prior, strength: float, small: float = SMALL) -> None:
        self.R, self.z, self.prior, self.strength, self.small = R, z, prior, strength, small
        self._H, self._g = R.T @ R, R.T @ z
        self._count = COUNT * len(prior.bodies)
        self._slope = np.einsum("iab,kba->ik", np.linalg.inv(prior.bodies), BASIS)
        self._constant = np.linalg.slogdet(prior.bodies)[1].sum() - 4.0 * len(prior.bodies)

    def value(self, x: Array) -> float:
        """The cost; infinite outside the cone."""
        P, positive = pseudo_inertia(x[: self._count]), x[self.prior.at] / self.prior.near
        if (positive <= 0.0).any() or (np.linalg.eigvalsh(P)[:, 0] <= 0.0).any():
            return np.inf
        error = self.R @ x - self.z
        bodies = self._slope.ravel() @ x[: self._count] - np.linalg.slogdet(P)[1].sum() + self._constant
        drives = (positive - np.log(positive) - 1.0).sum()
        return float(0.5 * error @ error + self.strength * bodies + self.small * drives)

    def derivatives(self, x: Array) -> tuple[Array, Array]:
        """Gradient (p,) and Hessian (p, p)."""
        g, H = self._H @ x - self._g, self._H.copy()
        inverse = np.linalg.inv(pseudo_inertia(x[: self._count]))
        VE = np.einsum("iab,kbc->ikac", inverse, BASIS)
        blocks = np.einsum("ikab,ilba->ikl", VE, VE)
        g[: self._count] += self.strength * (self._slope - np.einsum("ikaa->ik", VE)).ravel()
        for i, block in enumerate(blocks):
            here = slice(COUNT * i, COUNT * (i + 1))
            H[here, here] += self.strength * block
        at, near = self.prior.at, self.prior.near
        g[at] += self.small * (1.0 / near - 1.0 / x[at])
        H[at, at] += self.small / x[at] ** 2
        return g, H


def consistent_fit(R: Array, z: Array, prior: Prior, strength: float, start: Array) -> Array:
    """Parameters (p,) of the least cost; `start` (p,) has those without a bound."""
    x = start.copy()
    x[: COUNT * len(prior.bodies)] = prior.parameters
    x[prior.at] = prior.near
    level = START
    while level > strength:
        x = _newton(Objective(R, z, prior, level), x, ROUGH)
        level /= STEP
    return _newton(Objective(R, z, prior, strength), x, PRECISE)


def _newton(cost: Objective, x: Array, precise: float) -> Array:
    """Damped Newton steps to the minimum."""
    value = cost.value(x)
    for _ in range(MOST_STEPS):
        g, H = cost.derivatives(x)
        size = np.sqrt(np.diag(H))
        step = -np.linalg.solve(H / np.outer(size, size) + RIDGE * np.eye(len(x)), g / size) / size
        decrease, length = float(-g @ step), 1.0
        while (new := cost.value(x + length * step)) > value - 1e-4 * length * decrease and length > 1e-12:
            length *= 0.5
        if length <= 1e-12:
            return x
        x, value = x + length * step, new
        if decrease < precise * (1.0 + abs(value)):
            return x
    return x
