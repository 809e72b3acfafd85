"""One time sample of a motion, compiled: rows and the rate of cost, their first and second derivatives.

A sample sees u_r, the derivatives of the profiles by s = t / T, and T; positions, rates and accelerations are
q^(r) = u_r / T^r. All that differs from program to program (bases, meshes, end conditions, free or given duration) is
outside, in constant matrices: u is affine in the variables. The program of a whole motion is never a graph.

    value     rows (m), T c
    first     nonzeros of d rows / d(u, T), gradient of T c
    second    lower triangle of the Hessian of lam . rows + w T c

Squares of the first rows, k . r^2, may be part of the rate of cost without being compiled into it: their second
derivatives need those of lam . rows for other lam, and products of first ones, which are many and quick,

    (T k . r^2)'' = (2 T k r) . r'' + 2 T J^T k J + e_T (2 k r J)^T + (2 k r J) e_T^T
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from lissom.engine import compile as compiler, kernel
from lissom.engine.graph import from_casadi, fused
from lissom.engine.symbolics import Kept, alone
from lissom.kernels.keys import sources
from lissom.later import cached_property
from lissom.spatial.rotations import Array

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
    squares : (k,)     weights of the squares of the first rows, beside the rate of cost that `build` gives
    check : f()        called before each of its functions is compiled, and may raise
    """

    @alone
    def __init__(
        self, key: str, n: int, build: Build, orders: int = 3, data: int = 0, squares: Array | None = None,
        check: Callable[[], None] = lambda: None,
    ) -> None:  # fmt: skip
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
        self._squares = None if squares is None or not squares.any() else _Squares(squares, z.numel(), self)
        made = []
        for word, inputs, results in (
            ("value", given, [rows, cost]),
            ("first", given, [_nonzeros(J), ca.densify(ca.gradient(cost, z))]),
            ("second", [*given, lam, w], [_nonzeros(H)]),
        ):
            check()
            made.append(_Compiled(f"{key}|{word}", inputs, results))
        self._value, self._first, self._second = made

    @cached_property
    def structure(self) -> tuple[Any, ...]:
        """What decides the patterns of programs of such samples."""
        places = np.concatenate([*self.jacobian, *self.hessian])
        return "straight", self.n, self.m, self.orders, len(self.jacobian[0]), places.tobytes()

    def value(self, given: Sequence[Array]) -> list[Array]:
        """rows (N, m), T c (N, 1)."""
        found = self._value(given)
        if self._squares is not None:
            found[1] += self._squares.value(given[1], found[0])
        return found

    def first(self, given: Sequence[Array]) -> list[Array]:
        """Nonzeros of the Jacobian of the rows (N, .), gradient of T c (N, orders n + 1)."""
        found = self._first(given)
        if self._squares is not None:
            found[1] += self._squares.first(given[1], self._value(given)[0], found[0])
        return found

    def second(self, given: Sequence[Array], lam: Array, w: Array) -> Array:
        """Nonzeros of the lower triangle of the Hessian (N, .)."""
        if self._squares is None:
            return self._second([*given, lam, w])[0]
        rows, J = self._value(given)[0], self._first(given)[0]
        plain = self._second([*given, self._squares.weighted(given[1], rows, lam, w), w])[0]
        return self._squares.second(given[1], rows, J, plain, w)


class _Squares:
    """T k . r^2 of the first rows r of a sample, by their values and slopes."""

    def __init__(self, k: Array, size: int, sample: Sample) -> None:
        self._k, self._size, self._count = k, size, len(k)
        rows, columns = sample.jacobian
        self._some = np.flatnonzero(rows < len(k))
        self._at = rows[self._some], columns[self._some]
        reach = np.zeros((len(k), size), bool)
        reach[self._at] = True
        reach[:, -1] = True
        plain = np.zeros((size, size), bool)
        plain[sample.hessian] = True
        rows, columns = np.nonzero(plain | np.tril(reach.T @ reach))
        union: Places = (rows, columns)
        where = np.full((size, size), -1)
        where[union] = np.arange(len(union[0]))
        self._plain, sample.hessian = where[sample.hessian], union
        self._union = union

    def _slopes(self, J: Array) -> Array:
        """(N, k, size)."""
        out = np.zeros((len(J), self._count, self._size))
        out[:, self._at[0], self._at[1]] = J[:, self._some]
        return out

    def value(self, T: Array, rows: Array) -> Array:
        r = rows[:, : self._count]
        return np.asarray(T * ((r * r) @ self._k)[:, None])

    def first(self, T: Array, rows: Array, J: Array) -> Array:
        r = rows[:, : self._count]
        out = np.einsum("ni,nij->nj", 2 * T * self._k * r, self._slopes(J))
        out[:, -1] += (r * r) @ self._k
        return np.asarray(out)

    def weighted(self, T: Array, rows: Array, lam: Array, w: Array) -> Array:
        """Multipliers for which the rows' second derivatives are those of the squares too."""
        out = lam.copy()
        out[:, : self._count] += 2 * w * T * self._k * rows[:, : self._count]
        return out

    def second(self, T: Array, rows: Array, J: Array, plain: Array, w: Array) -> Array:
        slopes = self._slopes(J)
        H = np.swapaxes(slopes, 1, 2) @ ((2 * w * T * self._k)[:, :, None] * slopes)
        cross = np.einsum("ni,nij->nj", 2 * w * self._k * rows[:, : self._count], slopes)
        H[:, -1] += cross
        H[:, -1, -1] += cross[:, -1]
        out = H[:, self._union[0], self._union[1]]
        out[:, self._plain] += plain
        return np.ascontiguousarray(out)


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
        made = Kept(ca.Function("sample", given, ca.cse([results[k] for k in self._some])))
        key = hashlib.sha256(f"{key}|{sources('motion')}".encode()).hexdigest()
        self._kernel = kernel.straight_kernel(
            f"motion|{key}", sizes, [n for n in lengths if n], lambda: _graph(made.function)
        )

    def __call__(self, given: Sequence[Array]) -> list[Array]:
        N = len(given[0])
        if N not in self._room:
            self._room[N] = [np.empty((N, n)) for n in self._lengths]
        out = self._room[N]
        if self._some:
            self._kernel.run(given, [out[k] for k in self._some], 1)
        return out


@alone
def _graph(function: Any) -> Any:
    graph = from_casadi(function)
    return fused(graph) if compiler.has_fma() else graph
