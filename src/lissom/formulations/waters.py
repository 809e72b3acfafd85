"""Waters 1979, as given by Hollerbach 1980, equations (6)-(10): O(n^2).

    F_i = sum_{j=i}^n [ tr(dW_j/dq_i J_j Wdd_j^T) - m_j g^T dW_j/dq_i r_j ]                         (6)

The accelerations Wdd_j are left unexpanded and found by recursion outwards:

    W_j   = W_{j-1} A_j                                                                            (8)
    Wd_j  = Wd_{j-1} A_j + W_{j-1} dA_j qd_j                                                       (9)
    Wdd_j = Wdd_{j-1} A_j + 2 Wd_{j-1} dA_j qd_j + W_{j-1} ddA_j qd_j^2 + W_{j-1} dA_j qdd_j      (10)

`Wdd` may start from a moving base; (6) holds all the same.
"""

from __future__ import annotations

from typing import Any

from lissom.formulations.lagrange import all_rates, less_loads
from lissom.formulations.linkage import State
from lissom.formulations.matrices import ONE, dot, product, times, trace, transposed


def generalized_forces(state: State) -> list[Any]:
    """F_i of all joints."""
    n = len(state.members)
    W, _, Wdd, dW = all_rates(state)
    pulled = [less_loads(state, j, product(m.pseudo, transposed(Wdd[j])), W[j]) for j, m in enumerate(state.members)]
    forces = []
    for i in range(n):
        total: Any = None
        onward: Any = ONE  # iW_j
        for j in range(i, n):
            if j > i:
                onward = product(onward, state.frames.A[j])
            term = generalized_force(state, product(dW[i], onward), pulled[j], j)
            total = term if total is None else total + term
        forces.append(total)
    return forces


def generalized_force(state: State, slope: Any, pulled: Any, j: int) -> Any:
    """One term of (6): slope = dW_j/dq_i = dW_i/dq_i iW_j, pulled = J_j Wdd_j^T less the loads."""
    member = state.members[j]
    weight = member.mass * dot([*state.gravity, 0.0], times(slope, [*member.com, 1.0]))
    return trace(product(slope, pulled)) - weight
