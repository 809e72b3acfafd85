"""Derivatives of forward dynamics as a function of arrays, computed from those of inverse dynamics."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from lissom.engine.function import Function
from lissom.engine.joined import joined_kernel
from lissom.engine.kernel import shared_out, thread_count
from lissom.kernels.checked import Check, Checked
from lissom.kernels.non_finite import non_finite_stretches
from lissom.spatial.rotations import Array

ONE_THREAD = 2**18  # multiply-adds of a product that OpenBLAS does on one thread


class ForwardGradientFunction(Checked):
    """(q, qd, tau) to the derivatives of the accelerations: with D those of the torques, ``M^-1 (d tau - D)``.

    One kernel computes forward dynamics, D and the solution on the sparsity of the tree. States that it has no finite
    result for, and all states if there is no compiler, are computed from the two functions with NumPy.

    verb : its name, and the record of its results
    functions : forward dynamics, and the derivatives of inverse dynamics
    read : converts argument k into an array
    check : called with the arguments after each call; None: nothing is checked
    carriers : of every coordinate those that carry it and share entries of the factorised inertia, nearest first; None
        where friction depends on the load, and the derivatives of torques by accelerations are not symmetric
    """

    def __init__(
        self,
        verb: Any,
        functions: Sequence[Function],
        read: Callable[[ArrayLike, int], Array],
        check: Check | None,
        carriers: Sequence[Sequence[int]] | None,
    ):
        forward, slopes = functions
        n = forward.sizes[0]
        kernel = None
        if n and carriers is not None and forward.kernel is not None and slopes.kernel is not None:
            kernel = joined_kernel(forward.kernel, slopes.kernel, [max(above, default=-1) for above in carriers])
        given = (forward.arguments, forward.sizes, [(n, n)] * 3, forward.program, kernel, forward.explain)
        super().__init__(verb.name, *given, verb.record)
        self.forward, self.slopes, self.read, self.dof = forward, slopes, read, n
        if kernel is None:
            self.row_bytes += 8 * (n + 5 * n * n)  # accelerations, three matrices, and what inverting takes
        if check is not None:
            self.check_by(check)

    def fill(
        self, inputs: list[Array], flat: list[Array], batch: tuple[int, ...], threads: int | None, first: int = 0
    ) -> None:
        """Compute the derivatives from flat inputs into flat results."""
        if self.kernel is not None and self.kernel.run(inputs, flat, threads):
            return
        rows = len(flat[0])
        whole = self.kernel is None and rows > 0
        for some in [slice(0, rows)] if whole else non_finite_stretches([*inputs, *flat]):
            self._by_parts([x[some] for x in inputs], [y[some] for y in flat], batch, threads, first + some.start)

    def _by_parts(
        self, inputs: list[Array], flat: list[Array], batch: tuple[int, ...], threads: int | None, first: int
    ) -> None:
        """Compute the derivatives from the results of the two functions, which explain what is not finite."""
        rows, n = len(flat[0]), self.dof
        qdd, D = np.empty((rows, n)), [np.empty((rows, n * n)) for _ in range(3)]
        self.forward.fill(inputs, [qdd], batch, threads, first)
        self.slopes.fill([*inputs[:2], qdd, *inputs[3:]], D, batch, threads, first)
        stacks = [x.reshape(rows, n, n) for x in (*flat, *D)]
        shared_out(solved, stacks, thread_count(rows, 6 * n**3, threads))


def solved(by_q: Array, by_qd: Array, by_tau: Array, *D: Array) -> None:
    """Derivatives of the accelerations from those of the torques, stacks of matrices (rows, dof, dof).

    One matrix after the other: the bits of one do not depend on how many there are.
    """
    by_tau[...] = np.linalg.inv(D[2])
    for result, change in ((by_q, D[0]), (by_qd, D[1])):
        np.negative(product(by_tau, change), out=result)


def product(A: Array, B: Array) -> Array:
    """``A @ B`` of stacks of square matrices, some rows at a time: OpenBLAS shares out larger products to threads.

    On a busy machine those wait for each other a hundred times as long as the product takes, and the bits depend on
    their number.
    """
    n = A.shape[-1]
    few = max(ONE_THREAD // max(n, 1) ** 2, 8)
    out = np.empty_like(B)
    for k in range(0, n, few):
        np.matmul(A[..., k : k + few, :], B, out=out[..., k : k + few, :])
    return out
