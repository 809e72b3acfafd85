"""The layers of a function for casadi: its values, its derivatives, and theirs.

casadi numbers matrices by columns, so a matrix (n, samples) is our array (samples, n) in memory, and the nonzeros of a
Jacobian, block-diagonal as samples do not act on each other, are our matrices of every sample, transposed.

    values       y(x)                                 Jacobian: slopes; reverse: product
    slopes       dy/dx                                Jacobian: hessians
    product      adjoints of x from those of y        Jacobian: curvature
    hessians     d (dy/dx) / dx                       no derivatives
    curvature    derivatives of `product`             no derivatives
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import casadi as ca
import numpy as np

from lissom.export.smooth.base import AbstractSmooth
from lissom.spatial.rotations import Array

STATES = range(3)
Compute = Callable[[Sequence[Array]], Sequence[Any]]


class Layer(NamedTuple):
    """A function on the nonzeros of matrices.

    inputs, outputs : sparsities
    compute : results, in the order of nonzeros, from arrays (samples, n); None for one without nonzeros
    jacobian, reverse : make its derivatives, None where there are none
    """

    inputs: tuple[Any, ...]
    outputs: tuple[Any, ...]
    compute: Compute
    jacobian: Callable[[], Layer] | None = None
    reverse: Callable[[], Layer] | None = None


class Layers:
    """The layers of a function of an arm, for a number of samples."""

    def __init__(self, smooth: AbstractSmooth, samples: int):
        self.smooth, self.samples, self.n = smooth, samples, smooth.arm.dof
        self.column = ca.Sparsity.dense(self.n, samples)
        self.unused = ca.Sparsity(self.n, samples)  # results, given to derivatives that have no use for them
        self.block = ca.diagcat(*[ca.Sparsity.dense(self.n, self.n)] * samples)
        self.nothing = ca.Sparsity(self.n * samples, self.n * samples)

    def values(self) -> Layer:
        return Layer(
            (self.column,) * 3, (self.column,), lambda x: [self.smooth.value(*x)], self.slopes, self.product
        )  # fmt: skip

    def slopes(self) -> Layer:
        inputs = (*(self.column,) * 3, self.unused)
        return Layer(
            inputs, (self.block,) * 3, lambda x: [_by_columns(J) for J in self.smooth.gradient(*x[:3])], self.hessians
        )

    def product(self) -> Layer:
        inputs = (*(self.column,) * 3, self.unused, self.column)
        return Layer(
            inputs, (self.column,) * 3, lambda x: self.smooth.product(x[0], x[1], x[2], x[4]), self.curvature
        )  # fmt: skip

    def curvature(self) -> Layer:
        """Derivatives of the adjoints by the states, the results (none) and the adjoints of the results."""
        here = [(a, b) in self.smooth.pairs for a in STATES for b in STATES]
        rows = [here[3 * a : 3 * a + 3] for a in STATES]
        outputs = [
            [*[self.block if known else self.nothing for known in row], self.nothing, self.block] for row in rows
        ]
        inputs = (*(self.column,) * 3, self.unused, self.column, *(self.unused,) * 3)

        def compute(x: Sequence[Array]) -> list[Any]:
            H, J = self.smooth.hessian(x[0], x[1], x[2], x[4]), self.smooth.gradient(*x[:3])
            found = [[*[H.get((a, b)) for b in STATES], None, np.swapaxes(J[a], -1, -2)] for a in STATES]
            return [None if block is None else _by_columns(block) for row in found for block in row]

        return Layer(inputs, tuple(block for row in outputs for block in row), compute)

    def hessians(self) -> Layer:
        """Derivatives of the three matrices by the states and the results (none)."""
        inputs = (*(self.column,) * 3, self.unused, *(self.nothing,) * 3)
        none, some = ca.Sparsity(self.nothing.numel(), self.column.numel()), self._hessian_sparsity()
        outputs = [[some if (a, b) in self.smooth.pairs else none for b in STATES] for a in STATES]
        arranged = [block for row in outputs for block in (*row, none)]
        return Layer(inputs, tuple(arranged), self._hessians)

    def _hessians(self, x: Sequence[Array]) -> list[Any]:
        q, qd, u = (state[..., None, :] for state in x[:3])
        weights = np.broadcast_to(np.eye(self.n), (*x[0].shape[:-1], self.n, self.n))
        q, qd, u = (np.broadcast_to(state, weights.shape) for state in (q, qd, u))
        H = self.smooth.hessian(q, qd, u, weights)  # (..., result, first state, second state)
        found = [[*[H.get((a, b)) for b in STATES], None] for a in STATES]
        return [None if block is None else np.swapaxes(block, -1, -3) for row in found for block in row]

    def _hessian_sparsity(self) -> Any:
        """The place of d J[k, a] / d x[b] in a column for every sample and b, a row for every entry of J."""
        n, count = self.n, self.samples
        rows = np.array(self.block.find()).reshape(count, 1, n * n)  # entries of J as casadi counts them
        repeated = np.broadcast_to(rows, (count, n, n * n)).ravel()
        starts = np.arange(count * n + 1) * n * n
        return ca.Sparsity(self.nothing.numel(), count * n, starts.tolist(), repeated.tolist())


def _by_columns(matrices: Array) -> Array:
    """The entries in casadi's order."""
    return np.swapaxes(matrices, -1, -2)
