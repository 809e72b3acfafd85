"""Xiang, Arora and Abdel-Malek 2008, equations (12)-(20) and (37): O(n).

T_i is frame i in the frame of the link that carries it, A_i in frame 0. Outwards, from A_0 = 1 and the base's motion,

    A_i = A_{i-1} T_i                                                                             (12)
    B_i = B_{i-1} T_i + A_{i-1} dT_i qd_i                                                         (13)
    C_i = C_{i-1} T_i + 2 B_{i-1} dT_i qd_i + A_{i-1} ddT_i qd_i^2 + A_{i-1} dT_i qdd_i           (14)

and inwards, summed over the links c that link i carries (37),

    D_i = I_i C_i^T - F_i + sum_c T_c D_c                                                         (17)
    E_i = m_i r_i + sum_c T_c E_c                                                                 (18)
    G_i = sum_k h_k + sum_c G_c                                                                   (20)
    tau_i = tr(dA_i D_i) - g^T dA_i E_i - G_i^T A_{i-1} z_0                                       (16)

The paper's F_i (19) is a lever and serves one loaded link. Here F_i = sum_k r_k f_k^T of all forces on link i, taken
off D_i, with which it is handed inwards. Forces f_k and moments h_k are in axes of frame 0. i-1 is the link that
carries link i; a branch that starts from a frame O of its own has it in T_i = O A_i of the linkage.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from lissom.formulations.lagrange import base_motion, rates
from lissom.formulations.linkage import State
from lissom.formulations.matrices import (
    ZERO,
    dot,
    inner,
    minus,
    negative,
    outer,
    plus,
    product,
    scaled,
    times,
    trace,
    transposed,
)

Z_0 = [0.0, 0.0, 1.0, 0.0]


class Transforms(NamedTuple):
    """Per link T_i and its first three derivatives by q_i."""

    T: list[Any]
    dT: list[Any]
    ddT: list[Any]
    dddT: list[Any]


class Motion(NamedTuple):
    """Per link A_i, B_i, C_i and dA_i/dq_i."""

    A: list[Any]
    B: list[Any]
    C: list[Any]
    dA: list[Any]


class Carried(NamedTuple):
    """Per link what its joint carries: D_i, E_i, G_i."""

    D: list[Any]
    E: list[Any]
    G: list[Any]


def generalized_forces(state: State) -> list[Any]:
    """tau_i of all joints."""
    transforms = transforms_of(state)
    motion = kinematics(state, transforms)
    carried = dynamics(state, transforms, motion)
    return [torque(state, motion, carried, i) for i in range(len(state.members))]


def transforms_of(state: State) -> Transforms:
    """T_i = O_i A_i of the linkage; the third derivative of a turn is its first, reversed."""
    out = Transforms([], [], [], [])
    for member, A, dA, ddA in zip(state.members, *state.frames[:3], strict=True):
        T, dT, ddT = (product(member.O, X) for X in (A, dA, ddA))
        for part, X in zip(out, (T, dT, ddT, ZERO if member.prismatic else negative(dT)), strict=True):
            part.append(X)
    return out


def before(state: State, motion: Motion, i: int) -> tuple[Any, Any, Any]:
    """(36), (37a): A, B, C of what carries link i."""
    parent = state.members[i].parent
    return base_motion(state.base) if parent < 0 else (motion.A[parent], motion.B[parent], motion.C[parent])


def kinematics(state: State, transforms: Transforms) -> Motion:
    """The outward pass (12), (13), (14)."""
    out = Motion([], [], [], [])
    for i, (T, dT, ddT, _) in enumerate(zip(*transforms, strict=True)):
        new = rates(*before(state, out, i), T, dT, ddT, state.qd[i], state.qdd[i])
        for part, X in zip(out, new, strict=True):
            part.append(X)
    return out


def dynamics(state: State, transforms: Transforms, motion: Motion) -> Carried:
    """The inward pass (17)-(20) with (37b)."""
    n = len(state.members)
    out = Carried([ZERO] * n, [ZERO] * n, [ZERO] * n)
    for i in range(n - 1, -1, -1):
        member = state.members[i]
        own = product(member.pseudo, transposed(motion.C[i]))
        out.D[i] = plus(minus(own, forces(state, i)), out.D[i])  # (17), (19)
        out.E[i] = plus(scaled(member.mass, [*member.com, 1.0]), out.E[i])  # (18)
        out.G[i] = plus(moments(state, i), out.G[i])  # (20)
        if member.parent >= 0:
            hand_in(out, member.parent, i, transforms.T[i])
    return out


def hand_in(carried: Carried, parent: int, i: int, T: Any) -> None:
    """(37b): what link i adds to the sums of the link that carries it."""
    carried.D[parent] = plus(carried.D[parent], product(T, carried.D[i]))
    carried.E[parent] = plus(carried.E[parent], times(T, carried.E[i]))
    carried.G[parent] = plus(carried.G[parent], carried.G[i])


def forces(state: State, i: int) -> Any:
    """F_i: the sum of r f^T over the forces on link i."""
    return plus(*(outer([*push.point, 1.0], [*push.force, 0.0]) for push in state.pushes_on(i)))


def moments(state: State, i: int) -> Any:
    """The sum of h over the moments on link i."""
    return plus(*([*push.moment, 0.0] for push in state.pushes_on(i)))


def torque(state: State, motion: Motion, carried: Carried, i: int) -> Any:
    """The joint torque (16)."""
    inertia = trace(product(motion.dA[i], carried.D[i]))
    weight = dot([*state.gravity, 0.0], times(motion.dA[i], carried.E[i]))
    A = before(state, motion, i)[0]
    return minus(inertia - weight, moment_along(state, carried, i, A))


def moment_along(state: State, carried: Carried, i: int, A: Any) -> Any:
    """G_i^T A z_0, with A where the joint of link i starts; zero for a prismatic joint."""
    member, G = state.members[i], carried.G[i]
    if member.prismatic or G is ZERO:
        return ZERO
    return inner(G, times(A, times(member.O, Z_0)))
