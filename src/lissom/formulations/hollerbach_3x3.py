"""Hollerbach 1980 with 3x3 matrices, equations (15)-(18) and appendix B, corrected: O(n).

W_j are rotations now, p_j the origins. Outwards Wdd_j by (10) and

    pdd_j = pdd_{j-1} + d2/dt2 (W_{j-1} p*_j)                                                     (16)

with p*_j(q_j) the origin of frame j in frame j-1, which a prismatic joint moves. Inwards

    e_i = e_{i+1} + m_i pdd_i^T + n_i^T Wdd_i^T                                                   (18)
    D_i = A_{i+1} D_{i+1} + ip_{i+1} e_{i+1} + n_i pdd_i^T + J_i Wdd_i^T                          (18)
    M_i = M_{i+1} + m_i,   c_i = n_i + A_{i+1} c_{i+1} + M_{i+1} ip_{i+1}                   (13) for 3x3
    F_i = tr(dW_i D_i) + e_i dp_i - g^T (dW_i c_i + M_i dp_i)                                     (17)

dW_i = dW_i/dq_i, dp_i = W_{i-1} dp*_i/dq_i. As printed, (17) has no dp_i and (13) no offsets: then the
weight of what a link carries is missing, and prismatic joints receive no force.
"""

from __future__ import annotations

from typing import Any

from lissom.formulations.lagrange import all_rates, base_rates, less_loads
from lissom.formulations.linkage import State
from lissom.formulations.matrices import (
    ONE,
    ZERO,
    dot,
    inner,
    minus,
    outer,
    plus,
    position,
    product,
    rotation,
    scaled,
    times,
    trace,
    transposed,
    value,
)


def generalized_forces(state: State) -> list[Any]:
    """F_i of all joints."""
    W, Wd, Wdd, dW = all_rates(state, three=True)
    pdd, dp = origin_accelerations(state, W, Wd, Wdd)
    D: Any = ZERO
    e: Any = ZERO
    c: Any = ZERO
    M: Any = ZERO
    forces: list[Any] = []
    for i in range(len(state.members) - 1, -1, -1):
        member = state.members[i]
        last = i + 1 == len(state.members)
        A = ZERO if last else rotation(state.frames.A[i + 1])
        p = ZERO if last else position(state.frames.A[i + 1])
        own = plus(_outer(member.moment, pdd[i]), product(member.second, transposed(Wdd[i])))
        D = plus(product(A, D), _outer(p, e), less_loads(state, i, own, W[i]))
        c = outboard_moment(member, A, c, M, p)
        e = plus(e, scaled(member.mass, pdd[i]), times(Wdd[i], member.moment))
        for push in state.pushes_on(i):
            e = minus(e, push.force)
        M = member.mass if M is ZERO else M + member.mass
        forces.append(generalized_force(dW[i], dp[i], D, e, c, M, state.gravity))
    return forces[::-1]


def _outer(a: Any, b: Any) -> Any:
    return ZERO if a is ZERO or b is ZERO else outer(a, b)


def origin_accelerations(state: State, W: Any, Wd: Any, Wdd: Any) -> tuple[list[Any], list[Any]]:
    """(16): pdd_j, and dp_j = W_{j-1} dp*_j/dq_j."""
    Wd_before, Wdd_before = base_rates(state.base)
    W_before: Any = ONE
    pdd: Any = ZERO if state.base is None else state.base.a
    out, slopes = [], []
    for j, (A, dA, ddA) in enumerate(zip(state.frames.A, state.frames.dA, state.frames.ddA, strict=True)):
        qd, qdd = state.qd[j], state.qdd[j]
        slope = times(W_before, position(dA))
        pdd = plus(
            pdd,
            times(Wdd_before, position(A)),
            scaled(2.0 * qd, times(Wd_before, position(dA))),
            scaled(qd * qd, times(W_before, position(ddA))),
            scaled(qdd, slope),
        )
        out.append(pdd)
        slopes.append(slope)
        W_before, Wd_before, Wdd_before = W[j], Wd[j], Wdd[j]
    return out, slopes


def outboard_moment(member: Any, A: Any, c: Any, M: Any, p: Any) -> Any:
    """(13) for 3x3 matrices: first moment about origin i of what link i carries, itself included."""
    return plus(member.moment, times(A, c), ZERO if M is ZERO else scaled(M, p))


def generalized_force(dW: Any, dp: Any, D: Any, e: Any, c: Any, M: Any, gravity: Any) -> Any:
    """The generalized force (17)."""
    inertial = trace(product(dW, D)) + value(inner(e, dp))
    return inertial - dot(gravity, plus(times(dW, c), scaled(M, dp)))
