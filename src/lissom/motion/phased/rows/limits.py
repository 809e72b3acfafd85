"""Limits of accelerations and jerks, on control points of the derivatives: they hold at all times of a phase."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from lissom.motion.phased.layout import Layout, beside
from lissom.motion.phased.rows.block import AbstractBlock, pairs
from lissom.motion.task.bounds import Bounds
from lissom.spatial.rotations import Array

ORDERS = {"acceleration": 2, "jerk": 3}  # limits of rates are linear rows


class LimitRows(AbstractBlock):
    """u / T^r between limits, u the control points of the derivative of order r by the fraction of a phase.

    A cubic spline has accelerations that are straight lines between its knots, and jerks that are constant there: these
    rows are their largest and smallest values. A sample is one control point of one coordinate.

    quantity : "acceleration" or "jerk"
    """

    def __init__(self, layout: Layout, bounds: Bounds, quantity: str) -> None:
        self._order, some = ORDERS[quantity], np.flatnonzero(bounds.limited(quantity))
        low, high = bounds.lower[quantity][some], bounds.upper[quantity][some]
        size = np.array([np.abs(pair[np.isfinite(pair)]).max() for pair in np.stack([low, high], axis=1)])
        size[size == 0.0] = 1.0
        parts, self.names = [], list[tuple[str, str, float]]()
        for p, mesh in enumerate(layout.phases):
            D = mesh.basis.differences(self._order)
            for k in some:
                u = D @ layout.picked(layout.points[p][:, k])
                T = layout.picked(np.full((D.shape[0], 1), layout.durations[p]))
                parts.append(beside([sparse.csr_array(u), T], D.shape[0]))
                self.names += [(quantity, layout.arm.coordinates[k], p + j / D.shape[0]) for j in range(D.shape[0])]
        self.W = sparse.csr_array(sparse.vstack(parts)) if parts else sparse.csr_array((0, layout.size))
        self.N, self.m, self.width = len(self.names), 1, 2
        counts = [mesh.basis.differences(self._order).shape[0] for mesh in layout.phases]

        def spread(values: Array) -> Array:
            return np.concatenate([np.repeat(values, count) for count in counts])

        self._scale, self.lower, self.upper = spread(1 / size), spread(low / size), spread(high / size)
        self.jacobian = np.zeros(2, np.intp), np.arange(2)
        self.hessian = pairs((np.array([1, 1]), np.array([0, 1])))

    def value(self, w: Array) -> Array:
        """Return the rows (N, 1)."""
        return np.asarray(self._scale * w[:, 0] / w[:, 1] ** self._order)[:, None]

    def first(self, w: Array) -> Array:
        """Return the first derivatives (N, 2)."""
        r, (u, T) = self._order, w.T
        return np.stack([T**-r, -r * u * T ** (-r - 1)], axis=1) * self._scale[:, None]

    def second(self, w: Array, lam: Array) -> Array:
        """Return the second derivatives (N, 2)."""
        r, (u, T) = self._order, w.T
        found = [-r * T ** (-r - 1), r * (r + 1) * u * T ** (-r - 2)]
        return np.asarray(np.stack(found, axis=1) * (self._scale[:, None] * lam))
