"""The regular Lagrangian (6)-(10) differentiated directly, (11): the way that section 4.4 compares the recursion with.

    tau_i = sum_j tr(W_ji I_j X_j^T) - m_j g^T W_ji r_j - f^T W_ji r_f        over the links j that joint i carries
    X_j   = sum_k W_jk qdd_k + sum_k sum_l W_jkl qd_k qd_l

with W_jk, W_jkl, W_jklm the derivatives of 0T_j by the joints named, each a product of the chain's matrices. (11) takes
every sum term by term, as the paper says it must: five nested sums.
"""

from __future__ import annotations

from typing import Any

from lissom.formulations.linkage import State
from lissom.formulations.matrices import dot, plus, product, times
from lissom.formulations.uicker_kahn import cascades, inertia_coefficient, velocity_term
from lissom.formulations.xiang import transforms_of
from lissom.formulations.xiang_sensitivity import Gradient


class Chain:
    """Derivatives of the 0T_j of a serial arm, each computed once."""

    def __init__(self, state: State) -> None:
        self.W = cascades(state)
        self.own = list(zip(*transforms_of(state), strict=True))  # per joint T and its derivatives
        self._known: dict[tuple[int, ...], Any] = {}

    def __call__(self, j: int, *by: int) -> Any:
        """The derivative of 0T_j by joints up to j."""
        key = (j, *sorted(by))
        if key not in self._known:
            joints = sorted(set(by))
            between = zip([-1, *joints], [*joints, j + 1], strict=True)
            factors = [self.W[a, b - 1] for a, b in between]
            turned = [self.own[k][by.count(k)] for k in joints]
            parts = [factors[0], *(X for pair in zip(turned, factors[1:], strict=True) for X in pair)]
            self._known[key] = product(*parts)
        return self._known[key]


def gradient(state: State) -> Gradient:
    """Derivatives of (6) by q, qd and qdd; forces on links, no moments, as (6) has them."""
    n, W = len(state.members), Chain(state)
    rows = range(n)
    q, qd, qdd = ([[_by(state, W, i, m, which) for m in rows] for i in rows] for which in range(3))
    return Gradient(q, qd, qdd)


def _by(state: State, W: Chain, i: int, m: int, which: int) -> Any:
    """One entry: torque i by position, rate or acceleration of joint m."""
    return sum_of([(_by_q, _by_qd, _by_qdd)[which](state, W, i, m, j) for j in range(max(i, m), len(state.members))])


def sum_of(terms: list[Any]) -> Any:
    total = terms[0]
    for term in terms[1:]:
        total = total + term
    return total


def _by_qdd(state: State, W: Chain, i: int, m: int, j: int) -> Any:
    return inertia_coefficient(W(j, i), state.members[j].pseudo, W(j, m))


def _by_qd(state: State, W: Chain, i: int, m: int, j: int) -> Any:
    I = state.members[j].pseudo
    return sum_of([2.0 * (inertia_coefficient(W(j, i), I, W(j, k, m)) * state.qd[k]) for k in range(j + 1)])


def _by_q(state: State, W: Chain, i: int, m: int, j: int) -> Any:
    member, gravity, terms = state.members[j], [*state.gravity, 0.0], []
    turned, I = W(j, i, m), member.pseudo
    for k in range(j + 1):
        both = inertia_coefficient(turned, I, W(j, k)) + inertia_coefficient(W(j, i), I, W(j, k, m))
        terms.append(both * state.qdd[k])
        for l in range(j + 1):
            both = plus(inertia_coefficient(turned, I, W(j, k, l)), inertia_coefficient(W(j, i), I, W(j, k, l, m)))
            terms.append(velocity_term(both, state, k, l))
    terms.append(-(member.mass * dot(gravity, times(turned, [*member.com, 1.0]))))
    for push in state.pushes_on(j):
        terms.append(-dot([*push.force, 0.0], times(turned, [*push.point, 1.0])))
    return sum_of(terms)
