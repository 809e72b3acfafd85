"""Places of contacts: where they hold they stay, elsewhere they do not enter their plane."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy import sparse

from lissom.motion.phased.holding import HeldRow
from lissom.motion.phased.layout import Layout
from lissom.motion.phased.points import PointsAt
from lissom.motion.phased.rows.block import AbstractBlock
from lissom.spatial.rotations import Array

SCALE = 10.0  # rows are per decimetre


class PlaceRows(AbstractBlock):
    """d . x(q) - sum c_k x_k - height between bounds, for contacts at places of phases; a sample is one row.

    Parameters
    ----------
    rows : sequence of HeldRow
    least : (rows,) or None     None: equalities; else how far above its plane a contact is at least [m]
    """

    def __init__(self, layout: Layout, rows: Sequence[HeldRow], least: Array | None = None) -> None:
        self._layout, self._rows = layout, list(rows)
        chains = layout.kinematics.chains
        self._most = max([len(chains[row.at.contact]) for row in rows], default=0)
        self.N, self.m, self.width = len(self._rows), 1, self._most + 1
        places = sorted({(row.phase, row.s) for row in rows})
        number = {place: k for k, place in enumerate(places)}
        self._posture = np.array([number[row.phase, row.s] for row in rows], np.intp)
        curves = [layout.curve(p, np.array([s]), 0) for p, s in places]
        self._Q = sparse.csr_array(sparse.vstack(curves)) if curves else sparse.csr_array((0, layout.size))
        self.W = self._reach()
        self._group()
        self._seen = b""
        self._constant = np.array([self._plane(row)[1] for row in rows])
        self.jacobian = np.zeros(self.width, np.intp), np.arange(self.width)
        self._lower = np.tril_indices(self._most)
        self.hessian = self._lower
        self.lower = np.zeros(self.N) if least is None else SCALE * least
        self.upper = np.zeros(self.N) if least is None else np.full(self.N, np.inf)
        what = "contact" if least is None else "distance of contact"
        self.names = [(what, layout.names[row.at.contact], row.phase + row.s) for row in rows]

    def _plane(self, row: HeldRow) -> tuple[Array, float]:
        plane = self._layout.planes[row.at.contact]
        return plane.directions[row.at.part], plane.height if row.at.part == 0 else 0.0

    def _reach(self) -> sparse.csr_array:
        """The coordinates of a row's chain, then its combination of variables."""
        rows, n, width = self._rows, self._layout.n, self.width
        which, columns, values = list[int](), list[int](), list[float]()
        pick = [(k * width + c, self._posture[k] * n + at) for k, row in enumerate(rows)
                for c, at in enumerate(self._layout.kinematics.chains[row.at.contact])]  # fmt: skip
        for k, row in enumerate(rows):
            which += [k * width + width - 1] * len(row.places)
            columns += row.places
            values += row.factors
        shape = (len(rows) * width, self._layout.size)
        out = sparse.csr_array(sparse.coo_array((values, (which, columns)), shape=shape))
        if pick:
            to, source = np.array(pick).T
            chosen = sparse.coo_array((np.ones(len(to)), (to, source)), shape=(shape[0], self._Q.shape[0]))
            out = out + sparse.csr_array(chosen) @ self._Q
        return sparse.csr_array(out)

    def _group(self) -> None:
        """Rows by their contact, with their directions."""
        self._groups = []
        for i in sorted({row.at.contact for row in self._rows}):
            at = np.array([k for k, row in enumerate(self._rows) if row.at.contact == i], np.intp)
            self._groups.append((i, at, np.array([self._plane(self._rows[k])[0] for k in at])))

    def _at(self, w: Array) -> PointsAt:
        """The points at the postures of all rows; of each only chains that rows depend on are filled in."""
        key = w.tobytes()
        if key != self._seen:
            q = np.zeros((self._Q.shape[0] // self._layout.n, self._layout.n))
            for i, at, _ in self._groups:
                chain = self._layout.kinematics.chains[i]
                q[self._posture[at][:, None], chain] = w[at, : len(chain)]
            self._seen, self._known = key, self._layout.kinematics.at(q)
        return self._known

    def value(self, w: Array) -> Array:
        """Return the rows (N, 1)."""
        out, points = -w[:, -1] - self._constant, self._at(w)
        for i, at, d in self._groups:
            out[at] += (points.place(i)[self._posture[at]] * d).sum(axis=1)
        return SCALE * out[:, None]

    def first(self, w: Array) -> Array:
        """Return the first derivatives (N, width)."""
        out, points = np.zeros((self.N, self.width)), self._at(w)
        out[:, -1] = -1.0
        for i, at, d in self._groups:
            found = (points.slopes(i)[self._posture[at]] @ d[:, :, None])[..., 0]
            out[at, : found.shape[1]] = found
        return SCALE * out

    def second(self, w: Array, lam: Array) -> Array:
        """Return the second derivatives (N, .)."""
        whole, points = np.zeros((self.N, self._most, self._most)), self._at(w)
        for i, at, d in self._groups:
            along = np.zeros((self._Q.shape[0] // self._layout.n, 3))  # of rows at one posture the sum
            np.add.at(along, self._posture[at], lam[at] * d)
            found = points.curvature(i, along)
            first = np.unique(self._posture[at], return_index=True)[1]
            whole[at[first], : found.shape[1], : found.shape[1]] = found[self._posture[at[first]]]
        return SCALE * whole[:, *self._lower]
