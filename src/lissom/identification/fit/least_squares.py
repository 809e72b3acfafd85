"""Weighted, robust least squares: one standard deviation per joint, large residuals count less (Huber)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lissom.identification.fit.equations import Equations, compressed
from lissom.spatial.rotations import Array

HUBER = 1.5  # standard deviations from which a residual counts less
RANK = 1e-8  # of the largest singular value of scaled columns: below, the log says nothing
FLOOR = 1e-7  # of a joint's torque is the least standard deviation
NORMAL = 1.4826  # times the median of |residual| is the standard deviation of normal ones


class Solution(NamedTuple):
    """A solution: parameters, directions that the rows say nothing about (p, k), and R, z of the weighted rows."""

    x: Array
    silent: Array
    R: Array
    z: Array


def solve(R: Array, z: Array, prior: Array) -> Solution:
    """Least squares of R x = z; where the rows say nothing, x is as near to the prior as scaled columns allow."""
    size = np.linalg.norm(R, axis=0)
    scale = np.where(size > 0.0, size, 1.0)
    U, S, Vt = np.linalg.svd(R / scale)
    count = len(S)
    seen = S / max(S.max(initial=0.0), 1e-300) > RANK
    step = Vt[:count][seen].T @ ((U[:, :count].T @ (z - R @ prior))[seen] / S[seen])
    silent = np.vstack([Vt[:count][~seen], Vt[count:]])
    return Solution(prior + step / scale, silent.T / scale[:, None], R, z)


def fit(equations: list[Equations], weights: list[Array], prior: Array) -> Solution:
    """Weighted least squares of the rows of logs."""
    return solve(*compressed(equations, weights), prior)


def weights_of(residuals: list[Array], torques: list[Array], robust: bool = True) -> list[Array]:
    """Weights (nt, n) of the rows of logs: of the joint, and less for outliers."""
    sigma = deviations(residuals, torques)
    if not robust:
        return [np.broadcast_to(1.0 / sigma, r.shape) for r in residuals]
    return [np.sqrt(np.minimum(1.0, HUBER / np.maximum(np.abs(r) / sigma, 1e-9))) / sigma for r in residuals]


def deviations(residuals: list[Array], torques: list[Array]) -> Array:
    """Standard deviations (n,) of residuals, those of outliers left out."""
    sigma = NORMAL * np.median(np.abs(np.concatenate(residuals)), axis=0)
    torque = np.sqrt(np.mean(np.concatenate(torques) ** 2, axis=0))
    least = FLOOR * np.where(torque > 0.0, torque, max(float(torque.max()), 1e-9))
    return np.maximum(sigma, least)
