"""Recursive Newton-Euler dynamics in base coordinates, Hollerbach 1980 after Luh, Walker and Paul 1979: O(n).

Outwards, for a rotational joint i about z_{i-1}:

    w_i   = w_{i-1} + z qd_i
    dw_i  = dw_{i-1} + z qdd_i + w_{i-1} x z qd_i
    pdd_i = dw_i x p*_i + w_i x (w_i x p*_i) + pdd_{i-1}
    rdd_i = w_i x (w_i x r*_i) + dw_i x r*_i + pdd_i                 (printed with rdd_{i-1})
    F_i   = m_i rdd_i                     N_i = I_i dw_i + w_i x (I_i w_i)

a prismatic one leaves w and dw as they are and adds z qdd_i + 2 w_i x z qd_i to pdd_i. Inwards

    f_i = F_i + f_{i+1}
    n_i = n_{i+1} + N_i + (p*_i + r*_i) x F_i + p*_i x f_{i+1}
    tau_i = z_{i-1} . n_i  or, prismatic,  z_{i-1} . f_i

Gravity is an acceleration of the base, upwards. A branch starts from a frame of its own on the link
that carries it; its force and moment are added there.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from lissom.formulations.linkage import Member, Push, State, parts
from lissom.formulations.matrices import (
    ONE,
    ZERO,
    cross,
    dot,
    minus,
    negative,
    plus,
    product,
    scaled,
    times,
    transposed,
)


class Motion(NamedTuple):
    """Orientation of a frame, angular velocity and acceleration, acceleration of its origin."""

    W: Any
    w: Any
    dw: Any
    pdd: Any


class Moved(NamedTuple):
    """State of a link in the recursion: motion, joint axis z, vectors p* and r*, and F and N."""

    motion: Motion
    z: Any
    p: Any
    r: Any
    F: Any
    N: Any


def generalized_forces(state: State) -> list[Any]:
    """tau_i of all joints."""
    links: list[Moved] = []
    for i, member in enumerate(state.members):
        carrier = base_motion(state) if member.parent < 0 else links[member.parent].motion
        links.append(outward(state, i, branch(carrier, member)))
    return inward(state, links)


def base_motion(state: State) -> Motion:
    """Motion of the base, with gravity as its acceleration."""
    up = negative(state.gravity)
    if state.base is None:
        return Motion(ONE, ZERO, ZERO, up)
    return Motion(ONE, state.base.w, state.base.dw, plus(up, state.base.a))


def branch(carrier: Motion, member: Member) -> Motion:
    """Motion of the frame that a joint starts from."""
    if member.O is ONE:
        return carrier
    R, p = parts(member.O)  # type: ignore[arg-type]
    r = times(carrier.W, p)
    pdd = plus(carrier.pdd, cross(carrier.dw, r), cross(carrier.w, cross(carrier.w, r)))
    return Motion(product(carrier.W, R), carrier.w, carrier.dw, pdd)


def outward(state: State, i: int, before: Motion) -> Moved:
    """Motion and inertial force of link i."""
    member, qd, qdd = state.members[i], state.qd[i], state.qdd[i]
    A, p_local = parts(state.frames.A[i])
    z = [0.0, 0.0, 1.0] if before.W is ONE else [row[2] for row in before.W]
    W, p = product(before.W, A), times(before.W, p_local)
    if member.prismatic:
        w, dw = before.w, before.dw
        slide = plus(scaled(qdd, z), scaled(2.0, cross(w, scaled(qd, z))))
    else:
        turn = scaled(qd, z)
        w, dw = plus(before.w, turn), plus(before.dw, scaled(qdd, z), cross(before.w, turn))
        slide = ZERO
    pdd = plus(cross(dw, p), cross(w, cross(w, p)), before.pdd, slide)
    r = times(W, member.com)
    rdd = mass_centre_acceleration(w, dw, r, pdd)
    I = product(W, member.inertia, transposed(W))
    N = plus(times(I, dw), cross(w, times(I, w)))
    return Moved(Motion(W, w, dw, pdd), z, p, r, scaled(member.mass, rdd), N)


def mass_centre_acceleration(w: Any, dw: Any, r: Any, pdd: Any) -> Any:
    """rdd_i: of the centre of mass, from that of the link's own origin."""
    return plus(cross(w, cross(w, r)), cross(dw, r), pdd)


def inward(state: State, links: list[Moved]) -> list[Any]:
    """f, n and tau, from the tips to the base."""
    n = len(links)
    f: list[Any] = [ZERO] * n  # of what the link carries, about its origin
    moment: list[Any] = [ZERO] * n
    tau: list[Any] = [None] * n
    for i in range(n - 1, -1, -1):
        member, link = state.members[i], links[i]
        total_f = plus(link.F, f[i])
        total_n = plus(moment[i], link.N, cross(plus(link.p, link.r), link.F), cross(link.p, f[i]))
        for push in state.pushes_on(i):
            total_f, total_n = less_load(push, link, total_f, total_n)
        tau[i] = dot(link.z, total_f if member.prismatic else total_n)
        if member.parent >= 0:
            at = ZERO
            if member.O is not ONE:
                at = times(links[member.parent].motion.W, parts(member.O)[1])  # type: ignore[arg-type]
            f[member.parent] = plus(f[member.parent], total_f)
            moment[member.parent] = plus(moment[member.parent], total_n, cross(at, total_f))
    return tau


def less_load(push: Push, link: Moved, f: Any, n: Any) -> tuple[Any, Any]:
    """Force and moment (about origin i-1) of the joint, minus a load."""
    arm = plus(link.p, times(link.motion.W, push.point))
    return minus(f, push.force), minus(n, plus(push.moment, cross(arm, push.force)))
