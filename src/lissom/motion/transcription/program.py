"""A motion as a nonlinear program: values, gradients, Jacobian and Hessian of the Lagrangian.

Sample k of a block has the rows r_k(u_k, T), u = U x + c. The rows of the program combine them, g = C r.
Jacobian and Hessian are constant sparse matrices times the nonzeros that the compiled samples give,

    J_g  = sum over samples of C (dr/du U + dr/dT e_T),         H = sum over samples of [U; e_T]^T H_k [U; e_T]

with values in the order the solver wants them (columns first, upper triangle).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import sparse

from lissom.motion.splines.curves import Curves
from lissom.motion.transcription.kernels.tape_sample import TapeSample
from lissom.motion.transcription.point_hessian import PointHessian
from lissom.motion.transcription.point_slopes import PointSlopes
from lissom.motion.transcription.rows import Block, Scaled
from lissom.motion.transcription.sparsity import Indices, Pattern, Sums, expanded
from lissom.spatial.rotations import Array


class _Placed:
    """A block in a program: its matrices."""

    def __init__(self, block: Block, curves: Curves, first_row: int) -> None:
        self.block, self.curves = block, curves
        sample, N = block.sample, len(block.s)
        local = curves.local(block.s, sample.orders, sample.n > curves.n)
        self.width = sample.orders * sample.n
        self.u = local
        self.N, self.first_row, self.count = N, first_row, len(block.lower)
        self.T = np.empty((1, 1))
        self.weights = np.ascontiguousarray(block.weights[:, None])
        # the local coordinates of a sample, u and then T, as rows of one matrix over the variables
        one = sparse.csr_array(([1.0], ([0], [curves.size - 1])), shape=(1, curves.size))
        last = one if curves.duration is None else sparse.csr_array((1, curves.size))
        self.reach = sparse.csr_array(sparse.vstack([local.A, last]))
        self.back = sparse.csr_array(block.combine.T)
        self.active = bool(np.any(block.weights))
        by_points = isinstance(sample, TapeSample) and curves.shared
        self.points = PointHessian(block, curves) if by_points else None
        self.slopes = PointSlopes(block, curves) if by_points else None

    def _row(self, k: Indices, local: Indices) -> Indices:
        """Row of `reach` of a local coordinate of sample k."""
        return np.where(local < self.width, k * self.width + local, self.N * self.width)

    def jacobian_terms(self, sums: Sums) -> int:
        """Add the terms of the program's Jacobian from the numbers of `first`; return how many those are."""
        if self.slopes is not None:
            return self.slopes.terms(sums, self.back, self.first_row)
        rows, columns = self.block.sample.jacobian
        nnz = len(rows)
        k = np.repeat(np.arange(self.N), nnz)
        inner, local = k * self.block.sample.m + np.tile(rows, self.N), np.tile(columns, self.N)
        which, outer, factor = expanded(self.back, inner)  # the rows of the program that hold a row of the sample
        again, column, value = expanded(self.reach, self._row(k[which], local[which]))
        sums.add(self.first_row + outer[again], column, which[again], factor[again] * value)
        return len(k)

    def first(self, given: list[Array]) -> tuple[Array, Array]:
        """First derivatives of the rows of all samples, flat, in the order of `jacobian_terms`; those of T c."""
        sample = self.block.sample
        if self.slopes is None:
            nonzeros, gradient = sample.first(given)
            return nonzeros.ravel(), gradient
        assert isinstance(sample, TapeSample)
        found = sample.row_slopes(given)
        self._points = self.slopes(found, float(given[1][0, 0])), found.along
        return np.append(*self._points), sample.gradient(given)

    def gradient_matrix(self) -> sparse.csr_array:
        """Matrix that maps the gradients of T c of all samples to the gradient of the cost."""
        k = np.repeat(np.arange(self.N), self.width + 1)
        local = np.tile(np.arange(self.width + 1), self.N)
        which, column, value = expanded(self.reach, self._row(k, local))
        entries = (value * self.block.weights[k[which]], (column, which))
        shape = (self.curves.size, self.N * (self.width + 1))
        return sparse.csr_array(sparse.coo_array(entries, shape=shape))

    def hessian_terms(self, sums: Sums) -> int:
        """Add the upper triangle of the program's Hessian from the numbers of `hessian`; return how many those are."""
        first = self.points.terms(sums) if self.points is not None else 0
        a, b = self.block.sample.hessian
        if self.points is not None:
            a, b = np.full(self.width + 1, self.width), np.arange(self.width + 1)
            if self.curves.duration is not None:
                return first
        k = np.repeat(np.arange(self.N), len(a))
        rows, columns = self._row(k, np.tile(a, self.N)), self._row(k, np.tile(b, self.N))
        sums.add_symmetric(self.reach, rows, columns, first + np.arange(len(k)))
        return first + len(k)

    def hessian(self, given: list[Array], lam: Array, w: Array) -> Array:
        """Second derivatives of all samples, flat, in the order of `hessian_terms`."""
        sample = self.block.sample
        if self.points is None:
            return sample.second(given, lam, w).ravel()
        assert isinstance(sample, TapeSample)
        found = sample.curvature(given, lam, w, self.curves.duration is None)
        inner = self.points.values(found, *self._points, float(given[1][0, 0]))
        return inner if found.last is None else np.append(inner, found.last)

    def given(self, x: Array) -> list[Array]:
        self.T[0, 0] = self.curves.T(x)
        u = self.u(x).reshape(self.N, self.width)
        T = np.broadcast_to(self.T, (self.N, 1))
        return [u, T, self.block.data] if self.block.sample.data else [u, T]


class Program:
    """min f(x), lower <= g(x) <= upper, low <= x <= high; also what a solver asks of it.

    `typical` and `sizes` say how large costs and rows are, so that a solver's tolerances mean the same for all arms;
    `smooth` whether it is without jumps that are rounded off (Coulomb friction, |power|).
    """

    def __init__(
        self,
        curves: Curves,
        blocks: Sequence[Block],
        scaled: Sequence[Scaled],
        low: Array,
        high: Array,
        typical: float = 1.0,
        smooth: bool = True,
    ) -> None:
        self.curves, self.low, self.high, self.typical, self.smooth = curves, low, high, typical, smooth
        self.size = curves.size
        at, self.blocks = 0, []
        for block in blocks:
            self.blocks.append(_Placed(block, curves, at))
            at += len(block.lower)
        self.scaled = list(zip(np.cumsum([at, *(len(rows.c) for rows in scaled)]).tolist(), scaled, strict=False))
        self.count = at + sum(len(rows.c) for rows in scaled)
        parts: list[Any] = [*blocks, *scaled]
        self.lower = np.concatenate([part.lower for part in parts]) if parts else np.zeros(0)
        self.upper = np.concatenate([part.upper for part in parts]) if parts else np.zeros(0)
        self.names = [name for part in parts for name in part.names]
        ones = [np.ones(len(part.lower)) if isinstance(part, Scaled) else part.sizes for part in parts]
        self.sizes = np.concatenate(ones) if parts else np.zeros(0)
        self._free = curves.duration is None
        self._prepare_jacobian()
        self._prepare_hessian()
        self._gradients = [placed.gradient_matrix() for placed in self.blocks]
        self._x = b""
        self._known: dict[str, Any] = {}

    # ---- patterns -----------------------------------------------------------------------------------

    def _prepare_jacobian(self) -> None:
        sums = [Sums() for _ in self.blocks]
        totals = [placed.jacobian_terms(terms) for placed, terms in zip(self.blocks, sums, strict=True)]
        rows, columns = [terms.places[0] for terms in sums], [terms.places[1] for terms in sums]
        last = self.size - 1
        for at, part in self.scaled:
            A = sparse.coo_array(part.A)
            rows.append(at + A.row)
            columns.append(A.col)
            if self._free and part.power:
                rows.append(at + np.arange(len(part.c)))
                columns.append(np.full(len(part.c), last))
        self.jacobian_pattern = pattern = Pattern(
            (self.count, self.size), np.concatenate(rows), np.concatenate(columns)
        )
        self._jacobians = [terms.matrix(pattern, total) for terms, total in zip(sums, totals, strict=True)]
        self._constant = np.zeros(pattern.size)
        self._by_T: list[tuple[Indices, Scaled]] = []
        for at, part in self.scaled:
            A = sparse.coo_array(part.A)
            np.add.at(self._constant, self._at(at + A.row, A.col), A.data)
            if self._free and part.power:
                self._by_T.append((self._at(at + np.arange(len(part.c)), last), part))

    def _at(self, rows: Any, columns: Any) -> Indices:
        shape = self.jacobian_pattern.shape[0]
        keys = np.asarray(columns, np.int64) * shape + np.asarray(rows, np.int64)
        return np.searchsorted(self.jacobian_pattern.keys, keys)

    def _prepare_hessian(self) -> None:
        sums = [Sums() for _ in self.blocks]
        totals = [placed.hessian_terms(terms) for placed, terms in zip(self.blocks, sums, strict=True)]
        rows, columns = [terms.places[0] for terms in sums], [terms.places[1] for terms in sums]
        if self._free:
            rows.append(np.array([self.size - 1]))
            columns.append(np.array([self.size - 1]))
        rows = rows or [np.zeros(0, np.intp)]
        columns = columns or [np.zeros(0, np.intp)]
        self.hessian_pattern = pattern = Pattern((self.size, self.size), np.concatenate(rows), np.concatenate(columns))
        self._hessians = [terms.matrix(pattern, total) for terms, total in zip(sums, totals, strict=True)]

    # ---- values -------------------------------------------------------------------------------------

    def _fresh(self, x: Array) -> dict[str, Any]:
        """What is known at x."""
        name = x.tobytes()
        if name != self._x:
            self._x = name
            self._known = {"given": [placed.given(x) for placed in self.blocks]}
        return self._known

    def _values(self, x: Array) -> list[list[Array]]:
        known = self._fresh(x)
        if "value" not in known:
            known["value"] = [  # copies: blocks may share a sample, and its room
                [part.copy() for part in p.block.sample.value(g)]
                for p, g in zip(self.blocks, known["given"], strict=True)
            ]
            known["f"] = sum(
                float(p.block.weights @ v[1][:, 0]) for p, v in zip(self.blocks, known["value"], strict=True)
            )
            known["g"] = self._rows(x, known["value"])
        return known["value"]

    def _rows(self, x: Array, values: list[list[Array]]) -> Array:
        g, T = np.empty(self.count), self.curves.T(x)
        for placed, (rows, _) in zip(self.blocks, values, strict=True):
            g[placed.first_row : placed.first_row + placed.count] = placed.block.combine @ rows.ravel()
        for at, part in self.scaled:
            g[at : at + len(part.c)] = part.A @ x + part.c - part.limit * T**part.power
        return g

    def f(self, x: Array) -> float:
        """The cost."""
        self._values(x)
        return float(self._known["f"])

    def g(self, x: Array) -> Array:
        """The rows."""
        self._values(x)
        return np.asarray(self._known["g"])

    def _firsts(self, x: Array) -> None:
        known = self._fresh(x)
        if "J" in known:
            return
        J, gradient, T = self._constant.copy(), np.zeros(self.size), self.curves.T(x)
        for k, placed in enumerate(self.blocks):
            nonzeros, slope = placed.first(known["given"][k])
            J += self._jacobians[k] @ nonzeros
            if placed.active:
                gradient += self._gradients[k] @ slope.ravel()
        for places, part in self._by_T:
            J[places] -= part.power * part.limit * T ** (part.power - 1)
        known["J"], known["gradient"] = J, gradient

    def gradient(self, x: Array) -> Array:
        """Gradient of the cost (size,)."""
        self._firsts(x)
        return np.asarray(self._known["gradient"])

    def jacobian(self, x: Array) -> Array:
        """Nonzeros, in the order of `jacobian_pattern`."""
        self._firsts(x)
        return np.asarray(self._known["J"])

    def hessian(self, x: Array, sigma: float, lam: Array) -> Array:
        """Nonzeros of the upper triangle of that of sigma f + lam . g, in the order of `hessian_pattern`."""
        self._firsts(x)
        known, T = self._known, self.curves.T(x)
        out = np.zeros(self.hessian_pattern.size)
        for k, placed in enumerate(self.blocks):
            own = lam[placed.first_row : placed.first_row + placed.count]
            inner = np.ascontiguousarray((placed.back @ own).reshape(placed.N, placed.block.sample.m))
            out += self._hessians[k] @ placed.hessian(known["given"][k], inner, sigma * placed.weights)
        if self._free:
            for at, part in self.scaled:
                if part.power > 1:
                    curved = part.power * (part.power - 1) * T ** (part.power - 2)
                    out[-1] -= curved * float(part.limit @ lam[at : at + len(part.c)])
        return out
