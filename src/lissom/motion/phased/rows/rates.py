"""Contacts that are at rest where they begin and end to hold."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy import sparse

from lissom.motion.phased.holding import StillRow
from lissom.motion.phased.layout import Layout, beside
from lissom.motion.phased.points import PointsAt
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
        self.W = sparse.csr_array(sparse.vstack(parts)) if parts else sparse.csr_array((0, layout.size))
        places = sorted({(row.phase, row.s) for row in rows})
        self._posture = [places.index((row.phase, row.s)) for row in rows]
        self._postures = [next(k for k, row in enumerate(rows) if (row.phase, row.s) == place) for place in places]
        self._seen = b""
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

    def _at(self, w: Array) -> PointsAt:
        key = w.tobytes()
        if key != self._seen:
            self._seen = key
            self._rates = w[self._postures, self._layout.n :]
            self._known = self._layout.kinematics.at(w[self._postures, : self._layout.n])
            self._turned = {i: self._known.turned(i, self._rates) for i in {row.at.contact for row in self._rows}}
        return self._known

    def _direction(self, row: StillRow) -> Array:
        return np.asarray(self._layout.planes[row.at.contact].directions[row.at.part])

    def value(self, w: Array) -> Array:
        """Return the rows (N, 1)."""
        n = self._layout.n
        return np.einsum("nk,nk->n", self.first(w)[:, n:], w[:, n:])[:, None]

    def first(self, w: Array) -> Array:
        """Return the first derivatives (N, 2 n)."""
        n, at = self._layout.n, self._at(w)
        out, slopes = np.zeros((self.N, 2 * n)), {i: at.slopes(i) for i in self._turned}
        for k, (row, p) in enumerate(zip(self._rows, self._posture, strict=True)):
            i, d = row.at.contact, self._direction(row)
            chain = self._layout.kinematics.chains[i]
            out[k, chain] = self._turned[i][p] @ d
            out[k, n + chain] = slopes[i][p] @ d
        return out * self._scale[:, None]

    def second(self, w: Array, lam: Array) -> Array:
        """Return the second derivatives (N, .); of rows of one contact at one posture, the sum in the first."""
        n, at = self._layout.n, self._at(w)
        out = np.zeros((self.N, len(self.hessian[0])))
        for i in self._turned:
            chain = self._layout.kinematics.chains[i]
            own = [k for k, row in enumerate(self._rows) if row.at.contact == i]
            along = np.zeros((len(self._postures), 3))
            for k in own:
                along[self._posture[k]] += self._scale[k] * lam[k] * self._direction(self._rows[k])
            straight, turned = at.curvature(i, along), at.turned_curvature(i, self._rates, along)
            for p in {self._posture[k] for k in own}:
                both, mixed = np.zeros((2, n, n))
                both[np.ix_(chain, chain)], mixed[np.ix_(chain, chain)] = turned[p], straight[p]
                first = next(k for k in own if self._posture[k] == p)
                out[first] = np.concatenate([both[self._lower], mixed[self._full]])
        return out
