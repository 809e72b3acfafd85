"""Uicker 1965 and Kahn 1969, as given by Hollerbach 1980, equations (1)-(5): O(n^4).

    F_i = sum_{j=i}^n [ sum_{k=1}^j tr(dW_j/dq_i J_j dW_j/dq_k^T) qdd_k
                      + sum_{k=1}^j sum_{l=1}^j tr(dW_j/dq_i J_j d2W_j/dq_k dq_l^T) qd_k qd_l
                      - m_j g^T dW_j/dq_i r_j ]                                                    (4)

W_j = A_1 ... A_j are 4x4 transforms, J_j is the 4x4 pseudo-inertia about the origin of frame j. The
operations are carried out as set forth, with the savings the paper grants itself: the kW_j are stored,
and from them the derivatives (5).
"""

from __future__ import annotations

from typing import Any

from lissom.formulations.lagrange import load_matrix
from lissom.formulations.linkage import State
from lissom.formulations.matrices import ONE, Matrix, dot, product, times, trace, transposed


def generalized_forces(state: State) -> list[Any]:
    """F_i of all joints."""
    n = len(state.members)
    W = cascades(state)
    first = {(j, k): first_derivative(state, W, j, k) for j in range(n) for k in range(j + 1)}
    second = {(j, k, l): second_derivative(state, W, j, k, l)
              for j in range(n) for l in range(j + 1) for k in range(l + 1)}  # fmt: skip
    return [generalized_force(state, W, first, second, i) for i in range(n)]


def cascades(state: State) -> dict[tuple[int, int], Any]:
    """(3): (i, j) -> iW_j = A_{i+1} ... A_j; frame 0 of the paper is -1 here."""
    n = len(state.members)
    W: dict[tuple[int, int], Any] = {}
    for i in range(-1, n):
        W[i, i] = ONE
        for j in range(i + 1, n):
            W[i, j] = product(W[i, j - 1], state.frames.A[j])
    return W


def first_derivative(state: State, W: Any, j: int, k: int) -> Any:
    """(5): dW_j/dq_k = W_{k-1} dA_k kW_j."""
    return product(W[-1, k - 1], state.frames.dA[k], W[k, j])


def second_derivative(state: State, W: Any, j: int, k: int, l: int) -> Any:
    """(5): d2W_j/dq_k dq_l for k <= l <= j."""
    if k == l:
        return product(W[-1, k - 1], state.frames.ddA[k], W[k, j])
    return product(W[-1, k - 1], state.frames.dA[k], W[k, l - 1], state.frames.dA[l], W[l, j])


def generalized_force(state: State, W: Any, first: Any, second: Any, i: int) -> Any:
    """The generalized force (4)."""
    total: Any = None

    def gather(term: Any) -> None:
        nonlocal total
        total = term if total is None else total + term

    gravity = [*state.gravity, 0.0]
    for j in range(i, len(state.members)):
        member = state.members[j]
        for k in range(j + 1):
            gather(inertia_coefficient(first[j, i], member.pseudo, first[j, k]) * state.qdd[k])
        for k in range(j + 1):
            for l in range(j + 1):
                kl = second[j, min(k, l), max(k, l)]
                gather(velocity_term(inertia_coefficient(first[j, i], member.pseudo, kl), state, k, l))
        gather(-(member.mass * dot(gravity, times(first[j, i], [*member.com, 1.0]))))
        for push in state.pushes_on(j):
            gather(-trace(product(first[j, i], load_matrix(push, W[-1, j]))))
    return total


def inertia_coefficient(left: Matrix, J: Matrix, right: Matrix) -> Any:
    """tr(left J right^T)."""
    return trace(product(left, J, transposed(right)))


def velocity_term(coefficient: Any, state: State, k: int, l: int) -> Any:
    """The product of two velocities (the scan of (4) prints accelerations)."""
    return coefficient * state.qd[k] * state.qd[l]
