"""Linear algebra of closures for batches of states: consistent motions, closure forces, least torques.

With G (m, n) of rank r, G = U S V^T: motions that keep the loops closed are those without a part in V (n, r);
closure forces act as G^T lambda. Redundant rows (r < m) leave the motion unique and the forces not: of all that do
the same, the smallest lambda is meant, which has no part outside U.

Everything here is on stacks of matrices; the rank may differ from state to state, so columns that do not count are
zero instead of missing.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lissom.spatial.rotations import Array

# Singular values below this part of the largest count as zero: a redundant row of a loop that is open by some 1e-7
# has one of that size.
RANK = 1e-6
NOTHING = 1e-12  # m or rad per unit of any coordinate: rounding
REACHED = 1e-9  # part of a motion that a motor must have to be able to drive it


class Split(NamedTuple):
    """G = U diag(s) V^T, columns beyond the rank zero, their s one."""

    U: Array  # (..., m, k)
    s: Array  # (..., k)
    V: Array  # (..., n, k)
    kept: NDArray[np.bool_]  # (..., k)

    @property
    def rank(self) -> NDArray[np.intp]:
        """(...) rank of the closures."""
        return np.asarray(self.kept.sum(axis=-1))

    def least_force(self, tau: Array) -> Array:
        """The smallest lambda for which G^T lambda is the part of tau (..., n) that closures can support."""
        return mul(self.U, mul(self.V.swapaxes(-1, -2), tau) / self.s)

    def least_motion(self, rows: Array) -> Array:
        """The smallest x with G x = rows (..., m), in the least-squares sense."""
        return mul(self.V, mul(self.U.swapaxes(-1, -2), rows) / self.s)

    def tangent(self, x: Array) -> Array:
        """The part of x (..., n) that keeps the loops closed."""
        return x - mul(self.V, mul(self.V.swapaxes(-1, -2), x))


def mul(A: Array, x: Array) -> Array:
    """A x for stacks of matrices and vectors."""
    return np.asarray((A @ x[..., None])[..., 0])


def split(G: Array) -> Split:
    """Decompose G, without singular values that are numerically zero."""
    U, s, Vt = np.linalg.svd(G, full_matrices=False)
    kept = s > np.maximum(RANK * s[..., :1], NOTHING)
    return Split(
        np.where(kept[..., None, :], U, 0.0),
        np.where(kept, s, 1.0),
        np.where(kept[..., None, :], Vt.swapaxes(-1, -2), 0.0),
        kept,
    )


def null_basis(G: Array) -> Array:
    """(n, n - r) orthonormal basis of the motions that keep one state's loops closed."""
    _, s, Vt = np.linalg.svd(G, full_matrices=True)
    rank = int((s > max(RANK * float(s.max(initial=0.0)), NOTHING)).sum())
    return np.asarray(Vt[rank:].T)


class Forces(NamedTuple):
    """Torques of the motors (..., n), closure forces (..., m), and what neither can produce (..., n)."""

    u: Array
    force: Array
    left: Array


def least_torques(tau: Array, parts: Split, motors: NDArray[np.bool_]) -> Forces:
    """Torques u of the motors and closure forces with u + G^T lambda = tau, of all the least sum of u^2.

    On motions that keep the loops closed, P = 1 - V V^T, closure forces do no work: P u = P tau is what the motors
    must do, and the smallest u with it is a pseudoinverse; the rest is borne by the closures, as little as it takes.
    """
    n = tau.shape[-1]
    P = np.eye(n) - parts.V @ parts.V.swapaxes(-1, -2)
    reach = np.where(motors, P, 0.0)  # columns of motors
    A, s, Bt = np.linalg.svd(reach)  # singular values of a projection are at most one
    done = mul(A.swapaxes(-1, -2), mul(P, tau)) * np.where(s > REACHED, 1.0 / np.maximum(s, REACHED), 0.0)
    u = np.where(motors, mul(Bt.swapaxes(-1, -2), done), 0.0)
    force = parts.least_force(tau - u)
    return Forces(u, force, parts.tangent(tau - u))


class Bordered:
    """Solutions x, lambda of M x - G^T lambda = f, G x = b, for stacks of matrices and several right sides."""

    def __init__(self, M: Array, parts: Split):
        self.M, self.parts = M, parts
        self._V_over_M = np.linalg.solve(M, parts.V)  # M^-1 V
        S = parts.V.swapaxes(-1, -2) @ self._V_over_M
        S[..., range(S.shape[-1]), range(S.shape[-1])] += ~parts.kept  # rows beyond the rank stand alone
        self._S = S

    def solve(self, f: Array, b: Array) -> tuple[Array, Array]:
        """x (..., n, k) and the smallest lambda (..., m, k) for f (..., n, k), b (..., m, k)."""
        free = np.asarray(np.linalg.solve(self.M, f), float)
        change, force = self._pushed(free, b)
        return np.asarray(free + change), force

    def corrected(self, free: Array, b: Array) -> tuple[Array, Array]:
        """The correction of x = M^-1 f (..., n) by the closures, and the smallest lambda (..., m)."""
        change, force = self._pushed(free[..., None], b[..., None])
        return change[..., 0], force[..., 0]

    def _pushed(self, free: Array, b: Array) -> tuple[Array, Array]:
        U, s, V, _ = self.parts
        wanted = U.swapaxes(-1, -2) @ b / s[..., None]  # V^T x
        push = np.linalg.solve(self._S, wanted - V.swapaxes(-1, -2) @ free)
        return np.asarray(self._V_over_M @ push), np.asarray(U @ (push / s[..., None]))


def bordered_once(M: Array, G: Array, f: Array, b: Array, soft: float = 0.0) -> tuple[Array, Array]:
    """x (n,) and lambda (r,) of M x - G^T lambda = f, G x = b at one state, for rows that are independent.

    soft : how far closures give way, G x + soft c lambda = b, c that of the mechanism; keeps forces finite where
        rows are about to lose their independence
    """
    n, r = len(M), len(G)
    K = np.zeros((n + r, n + r))
    K[:n, :n], K[n:, :n], K[:n, n:] = M, G, -G.T
    if soft:
        K[range(n, n + r), range(n, n + r)] = soft * np.sum(G * G) / r * n / np.trace(M)
    found = np.linalg.solve(K, np.concatenate([f, b]))
    return found[:n], found[n:]


# ---- choices -------------------------------------------------------------------------------------


def pivots(A: Array, count: int) -> NDArray[np.intp]:
    """`count` rows of A chosen one by one, each the one with the largest part outside those before it; in order."""
    A = A.copy()
    sizes = np.einsum("ij,ij->i", A, A)
    chosen = []
    for _ in range(count):
        k = int(np.argmax(sizes))
        chosen.append(k)
        e = A[k] / max(float(np.sqrt(A[k] @ A[k])), np.finfo(float).tiny)
        A -= np.outer(A @ e, e)
        sizes = np.einsum("ij,ij->i", A, A)
        sizes[chosen] = -1.0
    return np.sort(np.array(chosen, np.intp))


def independent_rows(G: Array, rank: int) -> NDArray[np.intp]:
    """Indices of `rank` independent rows at one state."""
    return pivots(G, rank)


def independent_coordinates(N: Array, weights: Array) -> NDArray[np.intp]:
    """Coordinates that fix all others, from a null basis (n, f); heavier ones are preferred."""
    return pivots(weights[:, None] * N, N.shape[1])
