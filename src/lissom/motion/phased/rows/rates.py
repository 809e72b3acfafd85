"""Contacts that are at rest where they begin and end to hold."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lissom.motion.phased.holding import StillRow
from lissom.motion.phased.layout import Layout, beside
from lissom.motion.phased.rows.block import AbstractBlock, pairs
from lissom.spatial.rotations import Array


class StillRows(AbstractBlock):
    """d . J(q) u' = 0, u' the derivatives of positions by the fraction s of a phase; a sample is one row.

    typical : (phases,) durations by which rows are of size one
    """

    def __init__(self, layout: Layout, rows: Sequence[StillRow], typical: Array) -> None:
        self._layout, self._rows = layout, list(rows)
        n = layout.n
        self.N, self.m, self.width = len(rows), 1, 2 * n
        parts = [beside([layout.curve(row.phase, np.array([row.s]), order) for order in range(2)], 1) for row in rows]
        from scipy import sparse

        self.W = sparse.csr_array(sparse.vstack(parts)) if parts else sparse.csr_array((0, layout.size))
        self._scale = np.array([1 / typical[row.phase] for row in rows])
        every = np.arange(2 * n)
        self.jacobian = np.zeros(2 * n, np.intp), every
        lower, (i, j) = np.tril_indices(n), (x.ravel() for x in np.indices((n, n)))
        self._lower = lower
        moved = np.zeros((n, n), bool)
        for chain in layout.kinematics.chains:
            moved[np.ix_(chain, chain)] = True
        some = moved[lower]
        self._lower = lower[0][some], lower[1][some]
        self._full = i[moved.ravel()], j[moved.ravel()]
        self.hessian = pairs(self._lower, (n + self._full[0], self._full[1]))
        self.lower = self.upper = np.zeros(self.N)
        self.names = [("rate of contact", layout.names[row.at.contact], row.phase + row.s) for row in rows]

    def _each(self, w: Array) -> list[tuple[StillRow, Array, Array, object]]:
        n = self._layout.n
        at = self._layout.kinematics.at
        return [(row, x[None, :n], x[None, n:], at(x[None, :n])) for row, x in zip(self._rows, w, strict=True)]

    def _direction(self, row: StillRow) -> Array:
        return np.asarray(self._layout.planes[row.at.contact].directions[row.at.part])

    def value(self, w: Array) -> Array:
        """Return the rows (N, 1)."""
        n = self._layout.n
        return np.einsum("nk,nk->n", self.first(w)[:, n:], w[:, n:])[:, None]

    def first(self, w: Array) -> Array:
        """Return the first derivatives (N, 2 n)."""
        n = self._layout.n
        out = np.zeros((self.N, 2 * n))
        for k, (row, _, u, at) in enumerate(self._each(w)):
            i, d = row.at.contact, self._direction(row)
            chain = self._layout.kinematics.chains[i]
            out[k, chain] = at.turned(i, u)[0] @ d
            out[k, n + chain] = at.slopes(i)[0] @ d
        return out * self._scale[:, None]

    def second(self, w: Array, lam: Array) -> Array:
        """Return the second derivatives (N, .)."""
        n = self._layout.n
        out = np.zeros((self.N, len(self.hessian[0])))
        for k, (row, _, u, at) in enumerate(self._each(w)):
            i, d = row.at.contact, self._direction(row)
            chain = self._layout.kinematics.chains[i]
            both, mixed = np.zeros((2, n, n))
            both[np.ix_(chain, chain)] = at.turned_curvature(i, u, d)[0]
            mixed[np.ix_(chain, chain)] = at.curvature(i, d)[0]
            out[k] = np.concatenate([both[self._lower], mixed[self._full]])
        return out * (self._scale[:, None] * lam)
