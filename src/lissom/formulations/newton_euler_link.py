"""Recursive Newton-Euler dynamics in link coordinates, Hollerbach 1980 after Luh, Walker and Paul 1979: O(n).

The equations of `newton_euler_base`, with every vector in the axes of its own link, where inertias,
r*_i and (for rotational joints) p*_i are constant:

    w_i   = A_i^T (w_{i-1} + z qd_i)                      z = (0, 0, 1), axes of frame i-1
    dw_i  = A_i^T (dw_{i-1} + z qdd_i + w_{i-1} x z qd_i)
    pdd_i = dw_i x p*_i + w_i x (w_i x p*_i) + A_i^T pdd_{i-1}
    f_i   = F_i + A_{i+1} f_{i+1}
    n_i   = A_{i+1} n_{i+1} + N_i + (p*_i + r*_i) x F_i + p*_i x A_{i+1} f_{i+1}
    tau_i = (A_i^T z) . n_i

prismatic: w_i = A_i^T w_{i-1}, dw_i likewise, pdd_i with z qdd_i + 2 w_i x z qd_i more, tau_i = (A_i^T z) . f_i.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from lissom.formulations.linkage import Member, State, parts
from lissom.formulations.matrices import (
    ONE,
    ZERO,
    cross,
    dot,
    minus,
    negative,
    plus,
    product,
    rotation,
    scaled,
    times,
    transposed,
)


class Motion(NamedTuple):
    """Angular velocity and acceleration of a frame and acceleration of its origin, in its own axes."""

    w: Any
    dw: Any
    pdd: Any


class Moved(NamedTuple):
    """State of a link in the recursion: its motion, and F and N."""

    motion: Motion
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
        return Motion(ZERO, ZERO, up)
    return Motion(state.base.w, state.base.dw, plus(up, state.base.a))


def branch(carrier: Motion, member: Member) -> Motion:
    """Motion of the frame that a joint starts from, in its axes."""
    if member.O is ONE:
        return carrier
    R, p = parts(member.O)  # type: ignore[arg-type]
    back = transposed(R)
    pdd = plus(carrier.pdd, cross(carrier.dw, p), cross(carrier.w, cross(carrier.w, p)))
    return Motion(times(back, carrier.w), times(back, carrier.dw), times(back, pdd))


def outward(state: State, i: int, before: Motion) -> Moved:
    """Motion and inertial force of link i."""
    member, qd, qdd = state.members[i], state.qd[i], state.qdd[i]
    back, p = transposed(rotation(state.frames.A[i])), state.frames.reach[i]
    if member.prismatic:
        w, dw = times(back, before.w), times(back, before.dw)
        z = [row[2] for row in back]
        slide = plus(scaled(qdd, z), scaled(2.0 * qd, cross(w, z)))
    else:
        w, dw = turned(back, before, qd, qdd)
        slide = ZERO
    pdd = plus(cross(dw, p), cross(w, cross(w, p)), times(back, before.pdd), slide)
    rdd = plus(cross(w, cross(w, member.com)), cross(dw, member.com), pdd)
    N = plus(times(member.inertia, dw), cross(w, times(member.inertia, w)))
    return Moved(Motion(w, dw, pdd), scaled(member.mass, rdd), N)


def turned(back: Any, before: Motion, qd: Any, qdd: Any) -> tuple[Any, Any]:
    """w_i and dw_i behind a rotational joint; w x z qd = (w_y qd, -w_x qd, 0)."""
    if before.w is ZERO:
        return scaled(qd, [row[2] for row in back]), scaled(qdd, [row[2] for row in back])
    w, dw = before.w, before.dw
    return (
        times(back, [w[0], w[1], w[2] + qd]),
        times(back, [dw[0] + w[1] * qd, dw[1] - w[0] * qd, dw[2] + qdd]),
    )


def inward(state: State, links: list[Moved]) -> list[Any]:
    """f, n and tau, from the tips to the base."""
    n = len(links)
    orientations = world_orientations(state) if state.pushes else []
    f: list[Any] = [ZERO] * n  # of what the link carries, about its origin
    moment: list[Any] = [ZERO] * n
    tau: list[Any] = [None] * n
    for i in range(n - 1, -1, -1):
        member, link, p = state.members[i], links[i], state.frames.reach[i]
        total_f = plus(link.F, f[i])
        total_n = plus(moment[i], link.N, cross(plus(p, member.com), link.F), cross(p, f[i]))
        for push in state.pushes_on(i):
            back = transposed(orientations[i])
            force = times(back, push.force)
            total_f = minus(total_f, force)
            total_n = minus(total_n, plus(times(back, push.moment), cross(plus(p, push.point), force)))
        A = rotation(state.frames.A[i])
        tau[i] = dot(A[2], total_f if member.prismatic else total_n)
        if member.parent >= 0:
            on_f, on_n = times(A, total_f), times(A, total_n)
            if member.O is not ONE:
                R, at = parts(member.O)  # type: ignore[arg-type]
                on_f, on_n = times(R, on_f), times(R, on_n)
                on_n = plus(on_n, cross(at, on_f))
            f[member.parent] = plus(f[member.parent], on_f)
            moment[member.parent] = plus(moment[member.parent], on_n)
    return tau


def world_orientations(state: State) -> list[Any]:
    """Orientation of every frame in frame 0, for loads that are given there."""
    out: list[Any] = []
    for i, member in enumerate(state.members):
        before = ONE if member.parent < 0 else out[member.parent]
        if member.O is not ONE:
            before = product(before, rotation(member.O))
        out.append(product(before, rotation(state.frames.A[i])))
    return out
