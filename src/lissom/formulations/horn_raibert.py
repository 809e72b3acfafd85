"""Horn and Raibert 1978, configuration-space form, as given by Hollerbach 1980:

    F_i = G_i(q) + sum_j J_ij(q) qdd_j + sum_j sum_k C_ijk(q) qd_j qd_k

G, J and C depend on the position alone, so they can be tabulated; what is left is 2n^3 + n^2 products.
Here they are evaluated exactly, from the derivatives of the transforms (5):

    J_ij  = sum_l tr(dW_l/dq_i J_l dW_l/dq_j^T)            l >= max(i, j)
    C_ijk = sum_l tr(dW_l/dq_i J_l d2W_l/dq_j dq_k^T)      l >= max(i, j, k)
    G_i   = -sum_l m_l g^T dW_l/dq_i r_l

The table itself is `lissom.ConfigurationTable`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from lissom.formulations.lagrange import load_matrix
from lissom.formulations.linkage import State
from lissom.formulations.matrices import Matrix, dot, product, times, trace
from lissom.formulations.uicker_kahn import cascades, first_derivative, second_derivative


class Coefficients(NamedTuple):
    """G (n), J (n, n), C (n, n, n) at one position."""

    G: list[Any]
    J: Matrix
    C: list[Matrix]


def generalized_forces(state: State) -> list[Any]:
    """F_i of all joints."""
    found, held = coefficients(state)
    forces = combined(found, state.qd, state.qdd)
    return [F if load is None else F - load for F, load in zip(forces, held, strict=True)]


def combined(found: Coefficients, qd: Any, qdd: Any) -> list[Any]:
    """The sum of the configuration-space form."""
    n = len(found.G)
    forces = []
    for i in range(n):
        F = found.G[i]
        for j in range(n):
            F = F + found.J[i][j] * qdd[j]
            for k in range(n):
                F = F + found.C[i][j][k] * qd[j] * qd[k]
        forces.append(F)
    return forces


def coefficients(state: State) -> tuple[Coefficients, list[Any]]:
    """Coefficients G, J, C, and the forces of the loads (None without loads)."""
    n = len(state.members)
    W = cascades(state)
    gravity = [*state.gravity, 0.0]
    first = {(l, k): first_derivative(state, W, l, k) for l in range(n) for k in range(l + 1)}
    pulled = {(l, i): product(first[l, i], state.members[l].pseudo) for l, i in first}
    G: list[Any] = [None] * n
    held: list[Any] = [None] * n
    J: dict[tuple[int, int], Any] = {}
    C: dict[tuple[int, int, int], Any] = {}
    for l, member in enumerate(state.members):
        second = {(j, k): second_derivative(state, W, l, j, k) for k in range(l + 1) for j in range(k + 1)}
        for i in range(l + 1):
            G[i] = _more(G[i], -(member.mass * dot(gravity, times(first[l, i], [*member.com, 1.0]))))
            for push in state.pushes_on(l):
                held[i] = _more(held[i], trace(product(first[l, i], load_matrix(push, W[-1, l]))))
            for j in range(i + 1):
                J[i, j] = _more(J.get((i, j)), entrywise(pulled[l, i], first[l, j]))
            for (j, k), twice in second.items():
                C[i, j, k] = _more(C.get((i, j, k)), entrywise(pulled[l, i], twice))
    square = [[J[max(i, j), min(i, j)] for j in range(n)] for i in range(n)]
    cube = [[[C[i, min(j, k), max(j, k)] for k in range(n)] for j in range(n)] for i in range(n)]
    return Coefficients(G, square, cube), held


def entrywise(A: Matrix, B: Matrix) -> Any:
    """tr(A B^T)."""
    total = dot(A[0], B[0])
    for a, b in zip(A[1:], B[1:], strict=True):
        total = total + dot(a, b)
    return total


def _more(total: Any, term: Any) -> Any:
    return term if total is None else total + term
