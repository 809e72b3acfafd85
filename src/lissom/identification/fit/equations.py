"""Rows of the fit: one equation per sample and joint, of one log or several."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lissom.spatial.rotations import Array


@dataclass(frozen=True, eq=False)
class Equations:
    """Columns (nt, n, p) and torques (nt, n) of one log."""

    A: Array
    b: Array

    def residuals(self, x: Array) -> Array:
        """(nt, n) measured torques less those of parameters x."""
        return np.asarray(self.b - self.A @ x)

    def with_columns(self, more: Array) -> Equations:
        """More columns at the end."""
        return Equations(np.concatenate([self.A, more], axis=-1), self.b)

    def weighted(self, weights: Array) -> tuple[Array, Array]:
        """Rows (nt n, p) and right-hand sides times weights (nt, n)."""
        return (self.A * weights[..., None]).reshape(-1, self.A.shape[-1]), (self.b * weights).ravel()


def compressed(equations: list[Equations], weights: list[Array]) -> tuple[Array, Array]:
    """R (p, p) and z (p,) such that |R x - z| is the weighted norm of the residuals, but for a constant."""
    rows = [np.column_stack(one.weighted(w)) for one, w in zip(equations, weights, strict=True)]
    R = np.asarray(np.linalg.qr(np.vstack(rows), mode="r"))
    count = R.shape[1] - 1
    return R[:count, :count], R[:count, count]
