"""Hollerbach 1980 with 4x4 matrices, equations (8)-(14): O(n).

Outwards the accelerations Wdd_j by (10); inwards

    D_i = J_i Wdd_i^T + A_{i+1} D_{i+1}                                                           (12)
    c_i = m_i r_i + A_{i+1} c_{i+1}                                                               (13)
    F_i = tr(dW_i/dq_i D_i) - g^T dW_i/dq_i c_i                                                   (14)

with r_i = (x, y, z, 1): the last entry of c_i is the outboard mass. Loads are taken off D_i.
"""

from __future__ import annotations

from typing import Any

from lissom.formulations.lagrange import all_rates, less_loads
from lissom.formulations.linkage import State
from lissom.formulations.matrices import ZERO, dot, plus, product, scaled, times, trace, transposed


def generalized_forces(state: State) -> list[Any]:
    """F_i of all joints."""
    W, _, Wdd, dW = all_rates(state)
    D: Any = ZERO
    c: Any = ZERO
    forces: list[Any] = []
    for i in range(len(state.members) - 1, -1, -1):
        member = state.members[i]
        onward = state.frames.A[i + 1] if i + 1 < len(state.members) else ZERO
        own = less_loads(state, i, product(member.pseudo, transposed(Wdd[i])), W[i])
        D = plus(own, product(onward, D))
        c = plus(scaled(member.mass, [*member.com, 1.0]), times(onward, c))
        forces.append(generalized_force(dW[i], D, c, [*state.gravity, 0.0]))
    return forces[::-1]


def generalized_force(dW: Any, D: Any, c: Any, gravity: Any) -> Any:
    """The generalized force (14)."""
    return trace(product(dW, D)) - dot(gravity, times(dW, c))
