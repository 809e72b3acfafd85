"""One time sample of a motion, compiled: rows and the rate of cost, their first and second derivatives.

A sample sees u_r, the derivatives of the profiles by s = t / T, and T; positions, rates and accelerations are
q^(r) = u_r / T^r. All that differs from program to program (bases, meshes, end conditions, free or given duration) is
outside, in constant matrices: u is affine in the variables. The program of a whole motion is never a graph.

    value     rows (m), T c
    first     nonzeros of d rows / d(u, T), gradient of T c
    second    lower triangle of the Hessian of lam . rows + w T c
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from lissom.engine import compile as compiler
from lissom.engine import kernel
from lissom.engine.graph import from_casadi, fused
from lissom.spatial.rotations import Array
from lissom.verbs.library import sources

LANES = 4  # samples done together; blocks have at least as many


class Symbols(NamedTuple):
    """What rows and costs are made of: q, qd, qdd (and the jerk, where asked for), data of the sample, T."""

    q: Any
    qd: Any
    qdd: Any
    jerk: Any
    data: Any
    T: Any


Build = Callable[[Symbols], tuple[Any, Any]]


class Sample:
    """Compiled functions of one kind of sample.

    Parameters
    ----------
    key : str          stands for `build` and all numbers in it, in the cache of compiled code
    n : int            coordinates
    build : f(Symbols) -> rows, rate of cost     casadi expressions
    orders : int       3, or 4 where the jerk is asked for
    data : int         numbers that differ from sample to sample
    """

    def __init__(self, key: str, n: int, build: Build, orders: int = 3, data: int = 0) -> None:
        self.n, self.orders, self.data = n, orders, data
        u, T, extra = ca.SX.sym("u", orders * n), ca.SX.sym("T"), ca.SX.sym("data", data)
        parts = [u[r * n : (r + 1) * n] / T**r for r in range(orders)]
        jerk = parts[3] if orders > 3 else ca.SX.zeros(n)
        rows, rate = build(Symbols(parts[0], parts[1], parts[2], jerk, extra, T))
        rows, cost = ca.densify(ca.SX(rows)), ca.SX(rate) * T
        self.m = rows.numel()
        z = ca.vertcat(u, T)
        lam, w = ca.SX.sym("lam", self.m), ca.SX.sym("w")
        J = ca.jacobian(rows, z)
        H = ca.tril(ca.hessian(ca.dot(lam, rows) + w * cost, z)[0])
        given = [u, T, *([extra] if data else [])]
        self.jacobian, self.hessian = _places(J), _places(H)
        self._value = _Compiled(f"{key}|value", given, [rows, cost])
        self._first = _Compiled(f"{key}|first", given, [_nonzeros(J), ca.densify(ca.gradient(cost, z))])
        self._second = _Compiled(f"{key}|second", [*given, lam, w], [_nonzeros(H)])

    def value(self, given: Sequence[Array]) -> list[Array]:
        """rows (N, m), T c (N, 1)."""
        return self._value(given)

    def first(self, given: Sequence[Array]) -> list[Array]:
        """Nonzeros of the Jacobian of the rows (N, .), gradient of T c (N, orders n + 1)."""
        return self._first(given)

    def second(self, given: Sequence[Array], lam: Array, w: Array) -> Array:
        """Nonzeros of the lower triangle of the Hessian (N, .)."""
        return self._second([*given, lam, w])[0]


Places = tuple[NDArray[np.intp], NDArray[np.intp]]


def _places(A: Any) -> Places:
    """Rows and columns of the nonzeros, in casadi's order."""
    rows, columns = A.sparsity().get_triplet()
    return np.array(rows, np.intp), np.array(columns, np.intp)


def _nonzeros(A: Any) -> Any:
    return ca.vertcat(*A.nonzeros()) if A.nnz() else ca.SX(0, 1)


class _Compiled:
    """A casadi function mapped over rows by machine code."""

    def __init__(self, key: str, given: list[Any], results: list[Any]) -> None:
        sizes, lengths = [x.numel() for x in given], [x.numel() for x in results]
        self._lengths = lengths
        self._some = [k for k, n in enumerate(lengths) if n]
        self._room: dict[int, list[Array]] = {}
        if not self._some:  # rows that nothing changes have no derivatives
            return
        made = ca.Function("sample", given, ca.cse([results[k] for k in self._some]))
        key = hashlib.sha256(f"{key}|{sources()}".encode()).hexdigest()
        self._kernel = kernel.straight_kernel(
            f"motion|{key}", sizes, [n for n in lengths if n], lambda: _graph(made), widths=(LANES,)
        )

    def __call__(self, given: Sequence[Array]) -> list[Array]:
        N = len(given[0])
        if N not in self._room:
            self._room[N] = [np.empty((N, n)) for n in self._lengths]
        out = self._room[N]
        if self._some:
            self._kernel.run(given, [out[k] for k in self._some], 1)
        return out


def _graph(function: Any) -> Any:
    graph = from_casadi(function)
    return fused(graph) if compiler.has_fma() else graph
