"""How much the torques along a motion say about the parameters: D-optimality, and its gradient.

With A the columns of the torque model, each row divided by the noise of its torque, the inverse of A^T A is the
covariance of the estimated parameters. Its determinant is the squared volume of their confidence ellipsoid. With
parameters n that are estimated too but do not count, the volume of the others is

    log det (A^T A) - log det (A_n^T A_n)        d/dA = 2 A (A^T A)^-1 - 2 A_n (A_n^T A_n)^-1

Only ratios of the noise decide which motion is best, and units of parameters do not matter.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve

from lissom.identification.excitation.torque_model import States, TorqueModel
from lissom.spatial.rotations import Array

RIDGE = 1e-12  # of a scaled column: what is not excited at all has a finite logarithm


class Known(NamedTuple):
    """What a motion says: standard deviations (p,) of all estimated parameters, log det and condition of those that
    count."""

    std: Array
    log_det: float
    condition: float


class Design:
    """The information in a motion.

    Parameters
    ----------
    model : TorqueModel
    columns : (p,)      columns of the model that are estimated
    counts : (p,)       whether their precision counts
    noise : (dof,)      standard deviation of each torque, infinite where it is not measured
    """

    def __init__(self, model: TorqueModel, columns: NDArray[np.intp], counts: NDArray[np.bool_], noise: Array) -> None:
        self.model, self.columns, self.counts = model, columns, counts
        self.rows = np.flatnonzero(np.isfinite(noise))
        self.weight = 1.0 / noise[self.rows]
        self.scale = np.ones(len(columns))

    def rescale(self, at: States) -> None:
        """Have columns of length 1 on these states, so that determinants and inverses lose no digits."""
        self.scale = np.ones(len(self.columns))
        length = np.linalg.norm(self.matrix(at), axis=0)
        self.scale = np.where(length > 0, length, 1.0)

    def matrix(self, at: States) -> Array:
        """A (N rows, p), in scaled columns."""
        some = self.model.columns(at)[:, self.rows][:, :, self.columns]
        return np.asarray((some * self.weight[:, None]).reshape(-1, len(self.columns)) / self.scale)

    def value(self, at: States) -> float:
        """Log det per parameter that counts, in scaled columns."""
        return self._factors(self.matrix(at))[0]

    def log_det(self, value: float, more: float = 1.0) -> float:
        """Log det, from its value per parameter in scaled columns, with `more` times as many samples."""
        return float((self.counts * (value + 2 * np.log(self.scale) + np.log(more))).sum())

    def gradient(self, at: States) -> tuple[float, States]:
        """The value, and its derivatives (N, dof)."""
        A = self.matrix(at)
        value, whole, rest = self._factors(A)
        slope = cho_solve(whole, A.T).T
        if rest is not None:
            slope[:, ~self.counts] -= cho_solve(rest, A[:, ~self.counts].T).T
        slope *= 2.0 / (self.counts.sum() * self.scale)
        weights = np.zeros((len(at.q), self.model.arm.dof, len(self.model.names)))
        shape = (len(at.q), len(self.rows), len(self.columns))
        weights[:, self.rows[:, None], self.columns] = slope.reshape(shape) * self.weight[:, None]
        return value, self.model.gradient(at, weights)

    def _factors(self, A: Array) -> tuple[float, tuple[Array, bool], tuple[Array, bool] | None]:
        """The value, and Cholesky's factors of all columns and of those that do not count."""
        M = A.T @ A + RIDGE * np.eye(A.shape[1])
        whole, some = cho_factor(M), ~self.counts
        rest = cho_factor(M[np.ix_(some, some)]) if some.any() else None
        log_det = _log_det(whole) - (0.0 if rest is None else _log_det(rest))
        return log_det / int(self.counts.sum()), whole, rest

    def known(self, at: States, more: float = 1.0) -> Known:
        """What a motion says, with `more` times as many samples as these."""
        A = self.matrix(at)
        _, R = np.linalg.qr(A)
        inverse = np.linalg.pinv(R)
        std = np.linalg.norm(inverse, axis=1) / self.scale / np.sqrt(more)
        own = inverse[self.counts] / self.scale[self.counts, None]  # rows of the covariance's root
        log_det = -np.linalg.slogdet(own @ own.T)[1] + self.counts.sum() * np.log(more)
        raw = A[:, self.counts] * self.scale[self.counts]
        return Known(std, float(log_det), float(np.linalg.cond(raw)))


def _log_det(factor: tuple[Array, bool]) -> float:
    return float(2 * np.log(np.diag(factor[0])).sum())
