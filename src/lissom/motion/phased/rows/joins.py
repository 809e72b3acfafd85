"""Joins of phases: rates, and accelerations where no contact begins. Positions are joined by linear rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy import sparse

from lissom.motion.phased.layout import Layout, Reflection, beside
from lissom.motion.phased.rows.block import AbstractBlock, pairs
from lissom.spatial.rotations import Array


class Join(NamedTuple):
    """The end of a phase at the beginning of another, which is its image where `reflected`."""

    before: int
    after: int
    reflected: bool


def joins_of(layout: Layout) -> list[Join]:
    """Return the joins of a motion."""
    count = len(layout.phases)
    found = [Join(p, p + 1, False) for p in range(count - 1)]
    return [*found, Join(count - 1, 0, True)] if layout.task.periodic else found


class JoinRows(AbstractBlock):
    """u_a / T_a^r - u_b / T_b^r = 0 of the derivatives of order r by s; a sample is one coordinate at one join."""

    def __init__(
        self, layout: Layout, joins: Sequence[Join], order: int, reflection: Reflection, typical: Array
    ) -> None:
        self._order, n = order, layout.n
        self.N, self.m, self.width = n * len(joins), 1, 4
        parts = []
        for join in joins:
            a, b = (layout.curve(p, np.array([s]), order) for p, s in ((join.before, 1.0), (join.after, 0.0)))
            if join.reflected:
                a = sparse.csr_array(sparse.diags_array(reflection.sign) @ a[reflection.order])
            durations = [np.full((n, 1), layout.durations[p]) for p in (join.before, join.after)]
            parts.append(beside([a, b, *(layout.picked(place) for place in durations)], n))
        self.W = sparse.csr_array(sparse.vstack(parts)) if parts else sparse.csr_array((0, layout.size))
        scale = [min(typical[join.before], typical[join.after]) ** order for join in joins]
        self._scale = np.repeat(scale, n)
        self.jacobian = np.zeros(4, np.intp), np.arange(4)
        self.hessian = pairs((np.array([2, 2, 3, 3]), np.array([0, 2, 1, 3])))
        self.lower = self.upper = np.zeros(self.N)
        what = "joined rate" if order == 1 else "joined acceleration"
        self.names = [(what, name, join.before + 1.0) for join in joins for name in layout.arm.coordinates]

    def value(self, w: Array) -> Array:
        """Return the rows (N, 1)."""
        r = self._order
        return np.asarray((w[:, 0] / w[:, 2] ** r - w[:, 1] / w[:, 3] ** r) * self._scale)[:, None]

    def first(self, w: Array) -> Array:
        """Return the first derivatives (N, 4)."""
        r, (a, b, Ta, Tb) = self._order, w.T
        found = [Ta**-r, -(Tb**-r), -r * a * Ta ** (-r - 1), r * b * Tb ** (-r - 1)]
        return np.stack(found, axis=1) * self._scale[:, None]

    def second(self, w: Array, lam: Array) -> Array:
        """Return the second derivatives (N, 4)."""
        r, (a, b, Ta, Tb) = self._order, w.T
        found = [-r * Ta ** (-r - 1), r * (r + 1) * a * Ta ** (-r - 2),
                 r * Tb ** (-r - 1), -r * (r + 1) * b * Tb ** (-r - 2)]  # fmt: skip
        return np.asarray(np.stack(found, axis=1) * (self._scale[:, None] * lam))
