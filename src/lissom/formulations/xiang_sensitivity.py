"""Xiang, Arora and Abdel-Malek 2008, equations (21)-(35): all first derivatives of the torques, O(n^2).

A, B, C of link i depend on the joints k that carry it, D and E on these and on those it carries. So, with k <= i read
as "k carries i, or is it" and sums over the links c that link i carries, outwards

    dA_i/dq_k = dA_{i-1}/dq_k T_i                                  k < i
              = A_{i-1} dT_i                                       k = i                          (21)

and (22)-(26) likewise for B and C, inwards

    dD_i/dq_k = I_i dC_i^T/dq_k + sum_c T_c dD_c/dq_k              k <= i
              = dT_c D_c + T_c dD_c/dq_k                           k = c
              = T_c dD_c/dq_k                                      k beyond c                     (27)

and (28)-(30). The derivatives of F_i of (31) are in those of D_i, which it was taken off; G_i has none (32).
As corrected, (23) and (26) repeat (21), and (25) is twice (22); they are carried out as the paper sets them forth.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from lissom.formulations.linkage import State
from lissom.formulations.matrices import ZERO, inner, minus, plus, product, scaled, times, trace, transposed, value
from lissom.formulations.xiang import (
    Carried,
    Motion,
    Transforms,
    before,
    dynamics,
    kinematics,
    moment_along,
    transforms_of,
)


class MotionSlopes(NamedTuple):
    """Derivatives of A_i, B_i, C_i by q, qd, qdd of one joint; nothing when the joint does not carry link i."""

    A_q: Any = ZERO
    B_q: Any = ZERO
    B_qd: Any = ZERO
    C_q: Any = ZERO
    C_qd: Any = ZERO
    C_qdd: Any = ZERO


class CarriedSlopes(NamedTuple):
    """Derivatives of D_i and E_i by q, qd, qdd of one joint."""

    D_q: Any = ZERO
    D_qd: Any = ZERO
    D_qdd: Any = ZERO
    E_q: Any = ZERO


class Gradient(NamedTuple):
    """Derivatives of the torques; rows are torques."""

    q: list[list[Any]]
    qd: list[list[Any]]
    qdd: list[list[Any]]


def gradient(state: State) -> Gradient:
    """(33), (34), (35) for all pairs of joints; zero where neither carries the other."""
    n = len(state.members)
    transforms = transforms_of(state)
    motion = kinematics(state, transforms)
    carried = dynamics(state, transforms, motion)
    moving = kinematic_slopes(state, transforms, motion)
    carrying = dynamic_slopes(state, transforms, carried, moving)
    out = Gradient(*([[0.0] * n for _ in range(n)] for _ in range(3)))
    for i in range(n):
        for k, slopes in carrying[i].items():
            above = slopes_before(state, moving, i, k)
            second = second_slope(state, transforms, motion, above, i, k)
            out.q[i][k] = value(torque_slope(state, motion, carried, slopes, above, second, i))
            out.qd[i][k] = value(trace(product(motion.dA[i], slopes.D_qd)))  # (34)
            out.qdd[i][k] = value(trace(product(motion.dA[i], slopes.D_qdd)))  # (35)
    return out


# ---- outwards ------------------------------------------------------------------------------------


def kinematic_slopes(state: State, transforms: Transforms, motion: Motion) -> list[dict[int, MotionSlopes]]:
    """(21)-(26): per link i, by the joints k that move it."""
    out: list[dict[int, MotionSlopes]] = []
    for i, (T, dT, ddT, dddT) in enumerate(zip(*transforms, strict=True)):
        qd, qdd = state.qd[i], state.qdd[i]
        parent = state.members[i].parent
        above = {} if parent < 0 else out[parent]
        mine = {k: slopes_by_earlier(slopes, T, dT, ddT, qd, qdd) for k, slopes in above.items()}
        mine[i] = slopes_by_own(*before(state, motion, i), dT, ddT, dddT, qd, qdd)
        out.append(mine)
    return out


def slopes_by_earlier(above: MotionSlopes, T: Any, dT: Any, ddT: Any, qd: Any, qdd: Any) -> MotionSlopes:
    """(21)-(26), k < i, from the slopes of what carries link i."""
    return MotionSlopes(
        A_q=product(above.A_q, T),  # (21)
        B_q=plus(product(above.B_q, T), scaled(qd, product(above.A_q, dT))),  # (22)
        B_qd=product(above.B_qd, T),  # (23)
        C_q=plus(
            product(above.C_q, T),
            scaled(2.0 * qd, product(above.B_q, dT)),
            scaled(qd * qd, product(above.A_q, ddT)),
            scaled(qdd, product(above.A_q, dT)),
        ),  # (24)
        C_qd=plus(product(above.C_qd, T), scaled(2.0 * qd, product(above.B_qd, dT))),  # (25)
        C_qdd=product(above.C_qdd, T),  # (26)
    )


def slopes_by_own(A: Any, B: Any, C: Any, dT: Any, ddT: Any, dddT: Any, qd: Any, qdd: Any) -> MotionSlopes:
    """(21)-(26), k = i, from A, B, C of what carries link i; in (23) and (26) dT_i/dq_i, not by qd_i and qdd_i."""
    return MotionSlopes(
        A_q=product(A, dT),  # (21)
        B_q=plus(product(B, dT), scaled(qd, product(A, ddT))),  # (22)
        B_qd=product(A, dT),  # (23)
        C_q=plus(
            product(C, dT),
            scaled(2.0 * qd, product(B, ddT)),
            scaled(qd * qd, product(A, dddT)),
            scaled(qdd, product(A, ddT)),
        ),  # (24)
        C_qd=plus(scaled(2.0, product(B, dT)), scaled(2.0 * qd, product(A, ddT))),  # (25)
        C_qdd=product(A, dT),  # (26)
    )


def slopes_before(state: State, moving: list[dict[int, MotionSlopes]], i: int, k: int) -> MotionSlopes:
    """Slopes by joint k of what carries link i."""
    parent = state.members[i].parent
    return MotionSlopes() if parent < 0 else moving[parent].get(k, MotionSlopes())


# ---- inwards -------------------------------------------------------------------------------------


def dynamic_slopes(
    state: State, transforms: Transforms, carried: Carried, moving: list[dict[int, MotionSlopes]]
) -> list[dict[int, CarriedSlopes]]:
    """(27)-(31): per link i, by the joints k on its branch."""
    out: list[dict[int, CarriedSlopes]] = [{} for _ in state.members]
    for i in range(len(state.members) - 1, -1, -1):
        member = state.members[i]
        for k, slopes in moving[i].items():  # k <= i
            own = (product(member.pseudo, transposed(C)) for C in (slopes.C_q, slopes.C_qd, slopes.C_qdd))
            out[i][k] = summed(CarriedSlopes(*own), out[i].get(k))
        if member.parent < 0:
            continue
        T, dT = transforms.T[i], transforms.dT[i]
        below = out[member.parent]
        for k, inner_slopes in out[i].items():
            passed = handed_in(T, inner_slopes)
            if k == i:  # k = c
                turned = CarriedSlopes(D_q=product(dT, carried.D[i]), E_q=times(dT, carried.E[i]))
                passed = summed(turned, passed)
            below[k] = summed(passed, below.get(k))
    return out


def handed_in(T: Any, slopes: CarriedSlopes) -> CarriedSlopes:
    """T_c times the slopes of link c."""
    D_q, D_qd, D_qdd, E_q = slopes
    return CarriedSlopes(product(T, D_q), product(T, D_qd), product(T, D_qdd), times(T, E_q))


def summed(a: CarriedSlopes, b: CarriedSlopes | None) -> CarriedSlopes:
    return a if b is None else CarriedSlopes(*(plus(x, y) for x, y in zip(a, b, strict=True)))


# ---- torques -------------------------------------------------------------------------------------


def second_slope(state: State, transforms: Transforms, motion: Motion, above: MotionSlopes, i: int, k: int) -> Any:
    """d2A_i/dq_i dq_k; nothing for k beyond i."""
    if k == i:
        return product(before(state, motion, i)[0], transforms.ddT[i])
    return product(above.A_q, transforms.dT[i])


def torque_slope(
    state: State, motion: Motion, carried: Carried, slopes: CarriedSlopes, above: MotionSlopes, second: Any, i: int
) -> Any:
    """(33), both its cases: for k <= i E_i has no slope, for k > i there is no second slope of A_i."""
    dA, D, E = motion.dA[i], carried.D[i], carried.E[i]
    inertia = plus(trace(product(second, D)), trace(product(dA, slopes.D_q)))
    weight = inner([*state.gravity, 0.0], plus(times(second, E), times(dA, slopes.E_q)))
    return minus(minus(inertia, weight), moment_along(state, carried, i, above.A_q))
