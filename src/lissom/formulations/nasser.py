"""Nasser's recursive Newton-Euler formulation of forward dynamics (sections 2.1-2.3, corrected): O(n).

Six-dimensional, linear part first, everything of link i in the axes of frame i-1, about its origin.
The unknowns of link i are its reactions and its hinge acceleration, U_i = (f, n with thdd in the place
of the hinge direction):

    L_i U_i = F_i = A*_i q_{i-1} + B*_i                                                     (2.1.19)
    L_i     = I - Z Z^T - A*_i Z Z^T - J^a Z Z^T                                  (2.1.7.2), (2.1.19.1)

q_{i-1} is the acceleration of frame i-1. Inbound, what link i+1 does to link i:

    A*_i = A_i + sum P R* gamma G_{i+1} A*_{i+1} R*^T P^T                         (2.1.19.3), (2.1.19.4)
    B*_i = B_i + sum P R* gamma G_{i+1} B*_{i+1} + (that same part of A*) sigma*  (2.1.19.5)-(2.1.19.7)
    G = L^-1,   gamma = I - (1 + J^a) Z Z^T

and outbound thdd_i = Z^T G_i F_i, (q_i) = P^T (q_{i-1} + thdd_i Z + sigma*_i). L_i is the identity but for
one column, so nothing is inverted but one number. Each branch of a tree has its own P, R* and sigma*.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from lissom.formulations.linkage import Member, Push, State, parts
from lissom.formulations.matrices import (
    ONE,
    ZERO,
    Matrix,
    Vector,
    cross,
    minus,
    negative,
    plus,
    product,
    rotation,
    scaled,
    skew,
    times,
    transposed,
)

Z_AXIS = [0.0, 0.0, 1.0]
NOTHING = [0.0, 0.0, 0.0]


class Link(NamedTuple):
    """Link i in frame i-1: its velocities, and the inertia and bias of (2.1.7.4), (2.1.7.6)."""

    before: Any  # angular velocity of frame i-1
    after: Any  # angular velocity of link i
    A: Matrix  # 6x6
    B: Vector  # 6


class Hinge(NamedTuple):
    """Values of a joint stored by the inbound pass: A*, B*, and k = A* Z + J^a Z."""

    A: Matrix
    B: Vector
    k: Vector


def accelerations(state: State, tau: Any) -> list[Any]:
    """Hinge accelerations of all joints."""
    links = velocities(state, tau)
    hinges = inbound(state, links)
    return outbound(state, links, hinges)


def z_of(member: Member) -> int:
    """Index of the hinge direction among six."""
    return 2 if member.prismatic else 5


# ---- each link -----------------------------------------------------------------------------------


def velocities(state: State, tau: Any) -> list[Link]:
    """Outward: angular velocities, and with them A_i and B_i."""
    links: list[Link] = []
    turns = orientations(state) if state.pushes else []
    for i, member in enumerate(state.members):
        before: Any = ZERO
        if member.parent >= 0:
            R, _ = state.start(member)
            before = times(transposed(R), links[member.parent].after)
        elif state.base is not None:
            before = state.base.w if member.O is ONE else times(transposed(rotation(member.O)), state.base.w)
        after = before if member.prismatic else plus(before, [0.0, 0.0, state.qd[i]])
        R, p = parts(state.frames.A[i])
        r = plus(p, times(R, member.com))
        J = product(R, member.inertia, transposed(R))
        bias = bias_forces(state, i, before, after, r, J)
        control = control_loads(state, i, tau)
        external = [external_load(push, transposed(turns[i]), R, p) for push in state.pushes_on(i)]
        links.append(Link(before, after, inertia(member.mass, r, J), minus(bias, plus(control, *external))))
    return links


def orientations(state: State) -> list[Any]:
    """Orientations of frames i-1 in frame 0, for loads given in its axes."""
    after: list[Any] = []
    before: list[Any] = []
    for i, member in enumerate(state.members):
        R = ONE if member.parent < 0 else after[member.parent]
        R = R if member.O is ONE else product(R, rotation(member.O))
        before.append([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]] if R is ONE else R)
        after.append(product(R, rotation(state.frames.A[i])))
    return before


def inertia(m: Any, r: Vector, J: Matrix) -> Matrix:
    """(2.1.7.4): A_{i,i-1}."""
    S = scaled(m, skew(r))
    low = minus(J, product(S, skew(r)))
    top = [[m if a == b else 0.0 for b in range(3)] + [-S[a][b] for b in range(3)] for a in range(3)]
    return top + [S[a] + low[a] for a in range(3)]


def bias_forces(state: State, i: int, before: Any, after: Any, r: Vector, J: Matrix) -> Vector:
    """(2.1.3.2), (2.1.6.2), and (2.2.1), (2.2.2) for a translational joint: beta, and beta* + r* x beta."""
    member = state.members[i]
    rate = scaled(state.qd[i], Z_AXIS)
    spin = cross(after, cross(after, r))
    if member.prismatic:
        beta = scaled(member.mass, plus(spin, scaled(2.0, cross(before, rate))))
        star = cross(before, times(J, before))
    else:
        gyro = cross(before, rate)
        beta = scaled(member.mass, plus(spin, cross(gyro, r)))
        star = plus(times(J, gyro), cross(after, times(J, after)))
    return [*_three(beta), *_three(plus(star, cross(r, beta)))]


def _three(v: Any) -> Vector:
    return NOTHING if v is ZERO else v


def control_loads(state: State, i: int, tau: Any) -> Vector:
    """Control loads of (2.1.2), (2.1.5.3): of the drive of joint i, minus those of the joints that link i carries."""
    member = state.members[i]
    own = scaled(tau[i], Z_AXIS)
    total: Vector = [*own, *NOTHING] if member.prismatic else [*NOTHING, *own]
    for c, other in enumerate(state.members):
        if other.parent == i:
            R, P = state.start(other)
            push = scaled(tau[c], [row[2] for row in R])
            felt = [*push, *cross(P, push)] if other.prismatic else [*NOTHING, *push]
            total = minus(total, felt)
    return total


def external_load(push: Push, back: Matrix, R: Matrix, p: Vector) -> Vector:
    """F^E, and its moment about origin i-1 with N^E."""
    force, moment = times(back, push.force), times(back, push.moment)
    point = plus(p, times(R, push.point))
    return [*force, *plus(moment, cross(point, force))]


# ---- inbound -------------------------------------------------------------------------------------


def inbound(state: State, links: list[Link]) -> list[Hinge]:
    """A*, B* and L of all links, from the free ends."""
    A = [link.A for link in links]
    B = [link.B for link in links]
    hinges: list[Any] = [None] * len(links)
    for i in range(len(links) - 1, -1, -1):
        member, z = state.members[i], z_of(state.members[i])
        hinges[i] = Hinge(A[i], B[i], column(A[i], z, member.armature))
        if member.parent < 0:
            continue
        carrier = member.parent
        R, P = state.start(member)
        passed_A = carried_inertia(gamma_G(hinges[i], z, member.armature, A[i]), R, P)
        passed_B = carried_bias(gamma_G(hinges[i], z, member.armature, B[i]), R, P)
        A[carrier] = plus(A[carrier], passed_A)
        B[carrier] = plus(B[carrier], passed_B, times(passed_A, drift(state, carrier, links[carrier], P)))
    return hinges


def column(A: Matrix, z: int, armature: Any) -> Vector:
    """k = A* Z + J^a Z: the column of L_i that is not a unit vector, sign changed."""
    k = [row[z] for row in A]
    k[z] = k[z] + armature
    return k


def gamma_G(hinge: Hinge, z: int, armature: Any, X: Any) -> Any:
    """gamma L^-1 X of a 6x6 or a 6-vector: what link i passes on, its hinge acceleration eliminated.

    L^-1 X has -X_z / k_z in the hinge's row and X_m - k_m X_z / k_z in the others; gamma turns the
    hinge's row into -J^a times itself, the reaction of the drive's inertia.
    """
    share = scaled(1.0 / hinge.k[z], X[z])
    out = []
    for m, row in enumerate(X):
        out.append(scaled(armature, share) if m == z else minus(row, scaled(hinge.k[m], share)))
    return out


def carried_inertia(X: Matrix, R: Matrix, P: Vector) -> Matrix:
    """(2.1.19.4): P R* X R*^T P^T."""
    blocks = [[_block(X, a, b) for b in (0, 3)] for a in (0, 3)]
    turned = [[product(R, blocks[a][b], transposed(R)) for b in (0, 1)] for a in (0, 1)]
    S = skew(P)
    # P = [[1, 0], [S, 1]], P^T = [[1, -S], [0, 1]]
    low = [plus(product(S, turned[0][b]), turned[1][b]) for b in (0, 1)]
    right = [minus(turned[0][1], product(turned[0][0], S)), minus(low[1], product(low[0], S))]
    return [turned[0][0][r] + right[0][r] for r in range(3)] + [low[0][r] + right[1][r] for r in range(3)]


def _block(X: Matrix, a: int, b: int) -> Matrix:
    return [row[b : b + 3] for row in X[a : a + 3]]


def carried_bias(X: Vector, R: Matrix, P: Vector) -> Vector:
    """(2.1.19.7) and the first part of (2.1.19.6): P R* X."""
    f, n = times(R, X[:3]), times(R, X[3:])
    return [*f, *plus(n, cross(P, f))]


def drift(state: State, i: int, link: Link, P: Vector) -> Vector:
    """sigma*_i of (2.1.13.2), (2.2.6), for the branch that starts at P."""
    rate = scaled(state.qd[i], Z_AXIS)
    spin = cross(link.after, cross(link.after, P))
    if state.members[i].prismatic:
        return [*_three(plus(spin, scaled(2.0, cross(link.before, rate)))), *NOTHING]
    return [*_three(spin), *hinge_drift(link.before, rate)]


def hinge_drift(before: Any, rate: Vector) -> Vector:
    """The lower half of (2.1.13.2), with positive sign."""
    return _three(cross(before, rate))


# ---- outbound ------------------------------------------------------------------------------------


def outbound(state: State, links: list[Link], hinges: list[Hinge]) -> list[Any]:
    """(2.1.20): hinge accelerations, from the base."""
    thdd: list[Any] = []
    q: list[Any] = []  # acceleration of frame i-1, then with link i's own share
    for i, member in enumerate(state.members):
        z = z_of(member)
        before = base_acceleration(state, member) if member.parent < 0 else passed(state, q, links, i)
        F = plus(times(hinges[i].A, before), hinges[i].B)
        thdd.append(-(F[z] / hinges[i].k[z]))
        own = list(before)
        own[z] = own[z] + thdd[i]
        q.append(own)
    return thdd


def base_acceleration(state: State, member: Member) -> Vector:
    """Acceleration of the frame a root joint starts from, gravity as an acceleration upwards."""
    a: Any = negative(state.gravity)
    dw: Any = ZERO
    if state.base is not None:
        a, dw = plus(a, state.base.a), state.base.dw
    if member.O is not ONE:
        R, p = parts(member.O)  # type: ignore[arg-type]
        back = transposed(R)
        if state.base is not None:
            a = plus(a, cross(dw, p), cross(state.base.w, cross(state.base.w, p)))
        a, dw = times(back, a), times(back, dw)
    return [*a, *_three(dw)]


def passed(state: State, q: list[Any], links: list[Link], i: int) -> Vector:
    """(2.1.13): the acceleration of the frame that joint i starts from, in its axes."""
    member = state.members[i]
    carrier = member.parent
    R, P = state.start(member)
    moved = plus(q[carrier], drift(state, carrier, links[carrier], P))
    linear, angular = moved[:3], moved[3:]
    back = transposed(R)
    return [*times(back, plus(linear, cross(angular, P))), *times(back, angular)]
