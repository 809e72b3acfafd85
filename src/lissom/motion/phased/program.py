"""A motion with contacts as a nonlinear program, as solvers see it: values, gradients, Jacobian and Hessian.

The cost is the mean over the motion, (sum of the costs of blocks) / (T_1 + ... + T_P), and a weight times the duration.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import numpy as np
from scipy import sparse

from lissom.motion.phased.layout import Layout
from lissom.motion.phased.rows.block import AbstractBlock, AbstractCostBlock, AbstractSamples, LinearRows
from lissom.motion.splines.curves import Curves
from lissom.motion.transcription.program import Program
from lissom.motion.transcription.sparsity import Indices, Pattern, Sums, expanded
from lissom.spatial.rotations import Array


class _Duration:
    """What solvers ask of the curves of a program."""

    def __init__(self, places: Indices) -> None:
        self._places = places

    def T(self, x: Array) -> float:
        """Return the duration of the whole motion."""
        return float(x[self._places].sum())


class PhasedProgram(Program):
    """min f(x), lower <= g(x) <= upper, low <= x <= high, of blocks and linear rows."""

    def __init__(
        self, layout: Layout, blocks: Sequence[AbstractBlock], costs: Sequence[AbstractCostBlock], linear: LinearRows,
        low: Array, high: Array, time: float, typical: float,
    ) -> None:  # fmt: skip
        self.layout, self.low, self.high, self.typical, self.smooth = layout, low, high, typical, True
        self.curves = cast(Curves, _Duration(layout.durations))
        self.size = layout.size
        self.rows = [block for block in blocks if block.N * block.m]
        self.costs = [block for block in costs if block.N]
        self.linear, self._time = linear, time
        self._firsts_of = np.cumsum([0, *(block.N * block.m for block in self.rows)]).tolist()
        self.count = self._firsts_of[-1] + len(linear.lower)
        self.lower = np.concatenate([*(block.lower for block in self.rows), linear.lower])
        self.upper = np.concatenate([*(block.upper for block in self.rows), linear.upper])
        self.names = [name for block in self.rows for name in block.names] + linear.names
        self.sizes = np.ones(self.count)
        self._free = bool((low < high)[layout.durations].any())
        self._prepare_jacobian()
        self._prepare_hessian()
        self._back = [sparse.csr_array(block.W.T) for block in self.costs]
        self._x, self._known = b"", {}

    def _prepare_jacobian(self) -> None:
        sums = []
        for block, first in zip(self.rows, self._firsts_of[:-1], strict=True):
            rows, columns = block.jacobian
            k = np.repeat(np.arange(block.N), len(rows))
            which, column, value = expanded(block.W, k * block.width + np.tile(columns, block.N))
            terms = Sums()
            terms.add((first + k * block.m + np.tile(rows, block.N))[which], column, which, value)
            sums.append(terms)
        A = sparse.coo_array(self.linear.A)
        at = self._firsts_of[-1] + A.row
        rows = np.concatenate([*(terms.places[0] for terms in sums), at])
        columns = np.concatenate([*(terms.places[1] for terms in sums), A.col])
        self.jacobian_pattern = pattern = Pattern((self.count, self.size), rows, columns)
        self._jacobians = [
            terms.matrix(pattern, block.N * len(block.jacobian[0]))
            for terms, block in zip(sums, self.rows, strict=True)
        ]
        self._constant = np.zeros(pattern.size)
        np.add.at(self._constant, pattern.at(at, A.col), A.data)

    def _prepare_hessian(self) -> None:
        sums, totals = list[Sums](), list[int]()
        every_block: list[AbstractSamples] = [*self.rows, *self.costs]
        for block in every_block:
            a, b = block.hessian
            k = np.repeat(np.arange(block.N), len(a))
            terms = Sums()
            terms.add_symmetric(
                block.W, k * block.width + np.tile(a, block.N), k * block.width + np.tile(b, block.N), np.arange(len(k))
            )
            sums.append(terms)
            totals.append(len(k))
        T, every = self.layout.durations, np.arange(self.size)
        rows, columns = [terms.places[0] for terms in sums], [terms.places[1] for terms in sums]
        if self._free:
            rows += [np.minimum(every, t) for t in T]
            columns += [np.maximum(every, t) for t in T]
        shape = (self.size, self.size)
        self.hessian_pattern = pattern = Pattern(shape, np.concatenate(rows), np.concatenate(columns))
        self._hessians = [terms.matrix(pattern, total) for terms, total in zip(sums, totals, strict=True)]
        if self._free:
            self._dense = [pattern.at(np.minimum(every, t), np.maximum(every, t)) for t in T]

    # ---- values -------------------------------------------------------------------------------------

    def _fresh(self, x: Array) -> dict[str, Any]:
        name = x.tobytes()
        if name != self._x:
            self._x = name
            self._known = {
                "w": [np.ascontiguousarray((b.W @ x).reshape(b.N, b.width)) for b in self.rows],
                "c": [np.ascontiguousarray((b.W @ x).reshape(b.N, b.width)) for b in self.costs],
            }
        return self._known

    def f(self, x: Array) -> float:
        """Return the cost."""
        T = float(x[self.layout.durations].sum())
        return self._sum(x) / T + self._time * T

    def _sum(self, x: Array) -> float:
        known = self._fresh(x)
        if "f" not in known:
            known["f"] = sum(float(b.value(w).sum()) for b, w in zip(self.costs, known["c"], strict=True))
        return float(known["f"])

    def g(self, x: Array) -> Array:
        """Return the rows."""
        known = self._fresh(x)
        if "g" not in known:
            parts = [b.value(w).ravel() for b, w in zip(self.rows, known["w"], strict=True)]
            known["g"] = np.concatenate([*parts, self.linear.A @ x])
        return np.asarray(known["g"])

    def _slope(self, x: Array) -> Array:
        known = self._fresh(x)
        if "slope" not in known:
            out = np.zeros(self.size)
            for block, w, back in zip(self.costs, known["c"], self._back, strict=True):
                out += back @ block.first(w).ravel()
            known["slope"] = out
        return np.asarray(known["slope"])

    def gradient(self, x: Array) -> Array:
        """Return the gradient of the cost (size,)."""
        T = float(x[self.layout.durations].sum())
        out = self._slope(x) / T
        out[self.layout.durations] += self._time - self._sum(x) / T**2
        return out

    def jacobian(self, x: Array) -> Array:
        """Return the nonzeros, in the order of `jacobian_pattern`."""
        known = self._fresh(x)
        if "J" not in known:
            J = self._constant.copy()
            for block, w, A in zip(self.rows, known["w"], self._jacobians, strict=True):
                J += A @ block.first(w).ravel()
            known["J"] = J
        return np.asarray(known["J"])

    def hessian(self, x: Array, sigma: float, lam: Array) -> Array:
        """Return the nonzeros of the upper triangle of that of sigma f + lam . g, in the order of `hessian_pattern`."""
        known, out = self._fresh(x), np.zeros(self.hessian_pattern.size)
        count, T = len(self.rows), float(x[self.layout.durations].sum())
        for cost, w, A in zip(self.costs, known["c"], self._hessians[count:], strict=True):
            out += A @ cost.second(w).ravel()
        out *= sigma / T
        for k, (block, w, A) in enumerate(zip(self.rows, known["w"], self._hessians[:count], strict=True)):
            own = lam[self._firsts_of[k] : self._firsts_of[k + 1]].reshape(block.N, block.m)
            out += A @ block.second(w, np.ascontiguousarray(own)).ravel()
        if self._free:
            self._add_mean(x, sigma, T, out)
        return out

    def _add_mean(self, x: Array, sigma: float, T: float, out: Array) -> None:
        """Add what the division by the duration does to second derivatives."""
        slope, places, F = self._slope(x), self.layout.durations, self._sum(x)
        for t, dense in zip(places, self._dense, strict=True):
            part = -sigma / T**2 * slope
            part[t] *= 2
            np.add.at(out, dense, part)
            upper = places[places <= t]
            np.add.at(out, self.hessian_pattern.at(upper, np.full(len(upper), t)), 2 * sigma * F / T**3)

    def unscaled_violation(self, x: Array) -> float:
        """Return the largest violation of a row, in the units of rows."""
        g = self.g(x)
        return float(np.maximum(np.maximum(self.lower - g, g - self.upper), 0.0).max(initial=0.0))
