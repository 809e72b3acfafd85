"""Walker and Orin 1982: forward dynamics through the inertia matrix H, methods 1, 2 and 3.

    H(q) qdd = tau - bias(q, qd)

bias is inverse dynamics at qdd = 0, by `newton_euler_link`. The methods differ in how they find H:

1. column j is inverse dynamics at rest, without gravity, for a unit acceleration of joint j;
2. the same, but only joints beyond j are asked: H is symmetric, and what carries j need not move;
3. link j and all it carries make one composite body, whose inertial force acts on every joint that
   carries it.

H is then factored (Cholesky without roots) and solved.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from lissom.formulations.linkage import Frames, Member, State, parts
from lissom.formulations.matrices import (
    ONE,
    Matrix,
    Vector,
    cross,
    dot,
    plus,
    product,
    scaled,
    times,
    transposed,
)
from lissom.formulations.newton_euler_link import generalized_forces as newton_euler


def accelerations_1(state: State, tau: Any) -> list[Any]:
    return accelerations(state, tau, inertia_by_columns)


def accelerations_2(state: State, tau: Any) -> list[Any]:
    return accelerations(state, tau, inertia_by_lower_columns)


def accelerations_3(state: State, tau: Any) -> list[Any]:
    return accelerations(state, tau, inertia_by_composites)


def accelerations(state: State, tau: Any, inertia: Any) -> list[Any]:
    """Accelerations qdd from torques."""
    n = len(state.members)
    bias = newton_euler(state._replace(qdd=[0.0] * n))
    H = inertia(state)
    for i, member in enumerate(state.members):
        H[i][i] = H[i][i] + member.armature
    return solve(H, [t - b for t, b in zip(tau, bias, strict=True)])


# ---- method 1 ------------------------------------------------------------------------------------


def at_rest(state: State, qdd: Sequence[Any]) -> State:
    """A state without velocity, gravity, loads and base motion."""
    nothing = [0.0] * len(state.members)
    return State(state.members, state.frames, nothing, qdd, [0.0, 0.0, 0.0])


def inertia_by_columns(state: State) -> Matrix:
    n = len(state.members)
    columns = [newton_euler(at_rest(state, [1.0 if k == j else 0.0 for k in range(n)])) for j in range(n)]
    return transposed(columns)


# ---- method 2 ------------------------------------------------------------------------------------


def inertia_by_lower_columns(state: State) -> Matrix:
    n = len(state.members)
    H = [[0.0 for _ in range(n)] for _ in range(n)]
    for j in range(n):
        kept = beyond(state.members, j)
        column = newton_euler(at_rest(part(state, kept), [1.0] + [0.0] * (len(kept) - 1)))
        for i, entry in zip(kept, column, strict=True):
            H[i][j] = H[j][i] = entry
    return H


def beyond(members: Sequence[Member], j: int) -> list[int]:
    """Link j and all links it carries."""
    kept = {j}
    for k in range(j + 1, len(members)):
        if members[k].parent in kept:
            kept.add(k)
    return sorted(kept)


def part(state: State, kept: list[int]) -> State:
    """The links `kept` as an arm of their own, the first one's joint on a base at rest."""
    number = {k: at for at, k in enumerate(kept)}
    members = [state.members[k]._replace(parent=number.get(state.members[k].parent, -1)) for k in kept]
    members[0] = members[0]._replace(O=ONE)
    frames = Frames(*([entries[k] for k in kept] for entries in state.frames))
    return State(members, frames, [], [], state.gravity)


# ---- method 3 ------------------------------------------------------------------------------------


class Composite(NamedTuple):
    """Mass, first moment and inertia about the origin of frame i-1, in its axes."""

    m: Any
    h: Vector
    I: Matrix


def inertia_by_composites(state: State) -> Matrix:
    n = len(state.members)
    H = [[0.0 for _ in range(n)] for _ in range(n)]
    composite: list[Any] = [own(state, i) for i in range(n)]
    for j in range(n - 1, -1, -1):
        member = state.members[j]
        F, N = unit_force(member, composite[j])
        H[j][j] = F[2] if member.prismatic else N[2]
        at = j
        while state.members[at].parent >= 0:
            R, P = state.start(state.members[at])
            F, N = times(R, F), times(R, N)
            N = plus(N, cross(P, F))
            at = state.members[at].parent
            H[at][j] = H[j][at] = F[2] if state.members[at].prismatic else N[2]
        if member.parent >= 0:
            composite[member.parent] = joined(composite[member.parent], composite[j], *state.start(member))
    return H


def own(state: State, i: int) -> Composite:
    """The composite of link i alone, in frame i-1."""
    member = state.members[i]
    R, p = parts(state.frames.A[i])
    r = plus(p, times(R, member.com))
    I = product(R, member.inertia, transposed(R))
    return Composite(member.mass, scaled(member.mass, r), plus(I, shift_inertia(member.mass, r)))


def shift_inertia(m: Any, r: Vector) -> Matrix:
    """Inertia m (r.r 1 - r r^T) of a point mass."""
    square = dot(r, r)
    return [[m * ((square if a == b else 0.0) - r[a] * r[b]) for b in range(3)] for a in range(3)]


def joined(inner: Composite, outer: Composite, R: Matrix, P: Vector) -> Composite:
    """Two composites in the inner one's frame; P and R place the outer one's."""
    h = times(R, outer.h)
    I = product(R, outer.I, transposed(R))
    reach = dot(P, h)
    steiner = [[(2.0 * reach if a == b else 0.0) - (P[a] * h[b] + h[a] * P[b]) for b in range(3)] for a in range(3)]
    moved = plus(I, steiner, shift_inertia(outer.m, P))
    return Composite(inner.m + outer.m, plus(inner.h, h, scaled(outer.m, P)), plus(inner.I, moved))


def unit_force(member: Member, C: Composite) -> tuple[Vector, Vector]:
    """Force and moment about origin i-1 that a unit acceleration of the joint takes."""
    if member.prismatic:
        return [0.0, 0.0, C.m], [C.h[1], -C.h[0], 0.0]
    return [-C.h[1], C.h[0], 0.0], [C.I[0][2], C.I[1][2], C.I[2][2]]


# ---- solution ------------------------------------------------------------------------------------


def solve(H: Matrix, b: Vector) -> Vector:
    """x with H x = b, by L D L^T of a symmetric positive definite H."""
    n = len(b)
    L: dict[tuple[int, int], Any] = {}
    D: list[Any] = []
    for j in range(n):
        pivot = H[j][j]
        for k in range(j):
            pivot = pivot - L[j, k] * L[j, k] * D[k]
        D.append(pivot)
        inverse = 1.0 / pivot
        for i in range(j + 1, n):
            entry = H[i][j]
            for k in range(j):
                entry = entry - L[i, k] * L[j, k] * D[k]
            L[i, j] = entry * inverse
    x = list(b)
    for i in range(n):
        for k in range(i):
            x[i] = x[i] - L[i, k] * x[k]
    x = [value / d for value, d in zip(x, D, strict=True)]
    for i in range(n - 1, -1, -1):
        for k in range(i + 1, n):
            x[i] = x[i] - L[k, i] * x[k]
    return x
