"""Forward dynamics: accelerations from torques.

Few joints: mass matrix and bias forces, solved by the sparse L^T D L of the tree (Featherstone 2008,
section 6.5), straight-line. Many: articulated bodies (Featherstone 1983), O(n), on the tape, in world
axes about each body's own origin, so that articulated inertias are shifted but never turned:

    outward   w, c = velocity terms of the joint, p = velocity forces of the body
    inward    U = IA S,  D = S.U + armature,  u = tau - S.p
              Ia = IA - U U^T / D,  pa = p + Ia c + U u / D,  both shifted to the parent's origin
    outward   a' = a(parent) shifted + c,  qdd = (u - U.a') / D,  a = a' + S qdd

An articulated inertia is I (6), H (9), M (6): N = I dw + H a, F = H^T dw + M a.

A joint that moves no inertia (two axes in line, say) leaves a pivot D of rounding. D is therefore compared
with the inertia that would move if the joints beyond were locked (a bound of it on the tape: the trace of
the composite inertia, carried along as first moment h and trace t); below NEGLIGIBLE of that, 1/D is made
infinite, which is noticed. Such a state is computed again without the guard and kept if inverse dynamics
gives the torques back, as it does for long chains of thin links; otherwise it is singular.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from lissom.dynamics.bodies import BASE, Bodies, Body
from lissom.dynamics.inverse import (
    CONSTANTS,
    FALL,
    Setting,
    base_motion,
    constants_of,
    joint_torques,
    read_loads,
)
from lissom.dynamics.mass import matrix_in_body_axes
from lissom.dynamics.moves import STEPS as MOVES
from lissom.dynamics.moves import carried, moves
from lissom.dynamics.vectors import (
    UPPER,
    add,
    cross,
    dot,
    full,
    scale,
    sub,
    symmetric_times,
    times,
    transposed,
    turned_symmetric,
)
from lissom.engine.program import Step, sign

NEGLIGIBLE = 1e-13
RETURNED = 1e-6  # relative error of the torques that accelerations must give back where a pivot is in doubt


def reciprocal(D: Any, locked: Any) -> Any:
    """1 / D, infinite where D is negligible beside `locked`."""
    return 1 / (D * (0.5 + 0.5 * sign(D - NEGLIGIBLE * locked)))


def unguarded(D: Any, _locked: Any) -> Any:
    """1 / D."""
    return 1 / D


# ---- few joints: M qdd = tau - bias --------------------------------------------------------------


def program_by_matrix(run: Any, bodies: Bodies, setting: Setting) -> None:
    """Inputs q, qd, tau, then the base's motion and the loads; output qdd."""
    n = len(bodies)
    q, qd, tau = run.input(n), run.input(n), run.input(n)
    base, loads = base_motion(run, bodies.arm, setting), read_loads(run, bodies.arm, setting)
    bias = joint_torques(run, bodies, q, qd, run.constant(np.zeros(n)), base, loads)
    M = {key: entry[0] for key, entry in matrix_in_body_axes(run, bodies, q).items()}
    run.output(_solve(bodies, M, [tau[i] - bias[i][0] for i in range(n)]))


def _solve(bodies: Bodies, M: dict[tuple[int, int], Any], b: list[Any]) -> list[Any]:
    """L^T D L without fill-in: only coordinates on one branch touch."""
    n, L, D = len(bodies), dict(M), [None] * len(bodies)
    carriers = [bodies.ancestors(k)[1:] for k in range(n)]
    x: list[Any] = list(b)
    for k in range(n - 1, -1, -1):
        D[k] = reciprocal(L[k, k], M[k, k])
        for i in carriers[k]:
            factor = L[i, k] * D[k]
            for j in (i, *carriers[i]):
                L[j, i] = L[j, i] - factor * L[j, k]
            L[i, k] = factor
    # the factors overwrite the columns from the outside in, after their last use as entries
    for k in range(n - 1, -1, -1):
        for i in carriers[k]:
            x[i] = x[i] - L[i, k] * x[k]
    x = [value * d for value, d in zip(x, D, strict=True)]
    for k in range(n):
        for i in carriers[k]:
            x[k] = x[k] - L[i, k] * x[i]
    return x


# ---- many joints: articulated bodies -------------------------------------------------------------


def _rigid(m: Any, h: Any, I: Any) -> tuple[Any, Any, Any]:
    """Articulated form of a rigid body."""
    O = 0 * m
    return I, [O, -h[2], h[1], h[2], O, -h[0], -h[1], h[0], O], [m, O, O, m, O, m]


def _kinematics_revolute(above: Any, turn: Any, qd: Any, K: Any) -> list[list[Any]]:
    """(R, w) of the parent -> (R, w), joint (z, r, ca, cl), body (I, h, m, pN, pF)."""
    R, r, z = carried(False, above[0:9], turn, K)
    w0 = above[9:12]
    w = add(w0, scale(qd[0], z))
    joint = [*z, *r, *scale(qd[0], cross(w0, z)), *cross(w0, cross(w0, r))]
    return [R + w, joint, _body(R, w, K)]


def _kinematics_prismatic(above: Any, q: Any, qd: Any, K: Any) -> list[list[Any]]:
    R, r, z = carried(True, above[0:9], q, K)
    w = above[9:12]
    O = 0 * z[0]
    slide = scale(2 * qd[0], cross(w, z))
    joint = [*z, *r, O, O, O, *add(cross(w, cross(w, r)), slide)]
    return [R + [x + O for x in w], joint, _body(R, w, K)]


def _body(R: Any, w: Any, K: Any) -> list[Any]:
    m, h, I = K[12], times(R, K[13:16]), turned_symmetric(R, K[16:22])
    return [*I, *h, m, *cross(w, symmetric_times(I, w)), *cross(w, cross(w, h))]


def _effort(tau: Any, q: Any, qd: Any, K: Any) -> list[list[Any]]:
    """Torque less damping, friction and spring: K = damping, friction, stiffness, rest."""
    return [[tau[0] - (K[0] * qd[0] + K[1] * sign(qd[0]) + K[2] * (q[0] - K[3]))]]


def _pushed(body: Any, R: Any, load: Any, K: Any) -> list[list[Any]]:
    """The body's force less a load; K is the link's pose on the body."""
    point = times(R, add(times(K[0:9], load[6:9]), K[9:12]))
    N = add(load[3:6], cross(point, load[0:3]))
    return [[*[x + 0 for x in body[0:10]], *sub(body[10:13], N), *sub(body[13:16], load[0:3])]]


def _eliminated(
    prismatic: bool, invert: Any, joint: Any, tau: Any, I: Any, H: Any, M: Any, p: Any, locked: Any, K: Any
) -> list[list[Any]]:
    """(1/D, u, U/D) for the way out, and what the parent feels (I, H, M, pN, pF, h, t).

    locked : (h, t) of the composite body; K = armature, mass of the composite
    """
    z, r, ca, cl = joint[0:3], joint[3:6], joint[6:9], joint[9:12]
    pN, pF = p[0:3], p[3:6]
    if prismatic:
        UN, UF = times(H, z), symmetric_times(M, z)
        D, u, size = dot(z, UF) + K[0], tau - dot(z, pF), K[1] + K[0]
    else:
        UN, UF = symmetric_times(I, z), times(transposed(H), z)
        D, u, size = dot(z, UN) + K[0], tau - dot(z, pN), locked[3] + K[0]
    inverse = invert(D, size)
    kN, kF = scale(inverse, UN), scale(inverse, UF)
    Ia = [I[k] - UN[a] * kN[b] for k, (a, b) in enumerate(UPPER)]
    Ha = [H[3 * a + b] - UN[a] * kF[b] for a in range(3) for b in range(3)]
    Ma = [M[k] - UF[a] * kF[b] for k, (a, b) in enumerate(UPPER)]
    N = add(add(pN, scale(u, kN)), add(symmetric_times(Ia, ca), times(Ha, cl)))
    F = add(add(pF, scale(u, kF)), add(times(transposed(Ha), ca), symmetric_times(Ma, cl)))
    lever = scale(K[1], r)
    h, t = add(locked[0:3], lever), locked[3] + dot(r, add(scale(4, locked[0:3]), scale(2, lever)))
    return [[inverse, u, *kN, *kF], [*_moved(r, Ia, Ha, Ma), *add(N, cross(r, F)), *F, *h, t]]


def _own(body: Any) -> list[Any]:
    """First moment and trace of a body's inertia."""
    return [*body[6:9], body[0] + body[3] + body[5]]


def _moved(r: Any, I: Any, H: Any, M: Any) -> list[Any]:
    """An articulated inertia about a point r before its origin: H' = H + [r] M, I' = I - H' [r] + [r] H^T."""
    Mf = full(M)
    columns = [cross(r, [Mf[c], Mf[3 + c], Mf[6 + c]]) for c in range(3)]
    H2 = [H[3 * a + b] + columns[b][a] for a in range(3) for b in range(3)]
    left = [cross(H2[3 * a : 3 * a + 3], r) for a in range(3)]  # row a of H' [r]
    right = [cross(r, H[3 * b : 3 * b + 3]) for b in range(3)]  # column b of [r] H^T
    return [*[I[k] - left[a][b] + right[b][a] for k, (a, b) in enumerate(UPPER)], *H2, *M]


def _leaf(prismatic: bool, invert: Any = reciprocal) -> Any:
    def step(joint: Any, body: Any, tau: Any, K: Any) -> list[list[Any]]:
        I, H, M = _rigid(body[9], body[6:9], body[0:6])
        return _eliminated(prismatic, invert, joint, tau[0], I, H, M, body[10:16], _own(body), K)

    return step


def _inner(prismatic: bool, invert: Any = reciprocal) -> Any:
    def step(joint: Any, body: Any, below: Any, tau: Any, K: Any) -> list[list[Any]]:
        I, H, M = _rigid(body[9], body[6:9], body[0:6])
        I, H, M = add(I, below[0:6]), add(H, below[6:15]), add(M, below[15:21])
        locked = add(_own(body), below[27:31])
        return _eliminated(prismatic, invert, joint, tau[0], I, H, M, add(body[10:16], below[21:27]), locked, K)

    return step


def _accelerate(prismatic: bool) -> Any:
    def step(above: Any, joint: Any, kept: Any) -> list[list[Any]]:
        z, r, ca, cl = joint[0:3], joint[3:6], joint[6:9], joint[9:12]
        dw = add(above[0:3], ca)
        a = add(add(above[3:6], cross(above[0:3], r)), cl)
        qdd = kept[0] * kept[1] - dot(kept[2:5], dw) - dot(kept[5:8], a)
        turn = scale(qdd, z)
        return [[qdd], dw + add(a, turn) if prismatic else add(dw, turn) + a]

    return step


KIN_R = Step("kin_r", _kinematics_revolute, (12, 2, 1), (12, 12, 16), CONSTANTS)
KIN_P = Step("kin_p", _kinematics_prismatic, (12, 1, 1), (12, 12, 16), CONSTANTS)
EFFORT = Step("effort", _effort, (1, 1, 1), (1,), 4)
PUSHED = Step("pushed", _pushed, (16, 9, 9), (16,), 12)
LEAF_R = Step("leaf_r", _leaf(False), (12, 16, 1), (8, 31), 2)
LEAF_P = Step("leaf_p", _leaf(True), (12, 16, 1), (8, 31), 2)
INNER_R = Step("inner_r", _inner(False), (12, 16, 31, 1), (8, 31), 2)
INNER_P = Step("inner_p", _inner(True), (12, 16, 31, 1), (8, 31), 2)
# the same without the guard, by the guarded step
FREE = {
    LEAF_R: Step("free_leaf_r", _leaf(False, unguarded), *LEAF_R[2:]),
    LEAF_P: Step("free_leaf_p", _leaf(True, unguarded), *LEAF_P[2:]),
    INNER_R: Step("free_inner_r", _inner(False, unguarded), *INNER_R[2:]),
    INNER_P: Step("free_inner_p", _inner(True, unguarded), *INNER_P[2:]),
}
SUM = Step("sum", lambda a, b: [add(a, b)], (31, 31), (31,))
ACC_R = Step("acc_r", _accelerate(False), (6, 12, 8), (1, 6))
ACC_P = Step("acc_p", _accelerate(True), (6, 12, 8), (1, 6))
SPLIT = Step("split", lambda base: [[*base[3:9]]], (9,), (6,))
START = Step("start", lambda R, base: [[*R, *base[0:3]]], (9, 9), (12,))
STEPS = (*MOVES, KIN_R, KIN_P, EFFORT, PUSHED, LEAF_R, LEAF_P, INNER_R, INNER_P, SUM, ACC_R, ACC_P, SPLIT, START,
         FALL)  # fmt: skip


def program_by_bodies(run: Any, bodies: Bodies, setting: Setting, guarded: bool = True) -> None:
    """Inputs q, qd, tau, then the base's motion and the loads; output qdd."""
    n = len(bodies)
    q, qd, tau = run.input(n), run.input(n), run.input(n)
    motion, loads = base_motion(run, bodies.arm, setting), read_loads(run, bodies.arm, setting)
    base = run.call(START, run.constant(np.eye(3).ravel()), motion)
    frame: list[Any] = [None] * n
    joint: list[Any] = [None] * n
    body: list[Any] = [None] * n
    move = moves(run, bodies, q)
    for i, b in enumerate(bodies.list):
        above = base if b.parent == BASE else frame[b.parent]
        step = KIN_P if b.prismatic else KIN_R
        frame[i], joint[i], body[i] = run.call(step, above, move[i], qd[i : i + 1], constants=constants_of(b))
    for where, load in loads:
        place = bodies.place(where)
        if place.body != BASE:
            body[place.body] = run.call(PUSHED, body[place.body], frame[place.body][0:9], load, constants=place.row)
    kept = _inward(run, bodies, joint, body, (q, qd, tau), guarded)
    acceleration: list[Any] = [None] * n
    qdd: list[Any] = [None] * n
    start = run.call(SPLIT, motion)
    for i, b in enumerate(bodies.list):
        above = start if b.parent == BASE else acceleration[b.parent]
        qdd[i], acceleration[i] = run.call(ACC_P if b.prismatic else ACC_R, above, joint[i], kept[i])
    run.output(*qdd)


def _inward(run: Any, bodies: Bodies, joint: Any, body: Any, state: Any, guarded: bool) -> list[Any]:
    q, qd, tau = state
    kept: list[Any] = [None] * len(bodies)
    below: dict[int, Any] = {}
    mass = [b.mass for b in bodies.list]  # of the body and all it carries
    for i in range(len(bodies) - 1, -1, -1):
        b = bodies.list[i]
        pull = effort(run, b, tau[i : i + 1], q[i : i + 1], qd[i : i + 1])
        if i in below:
            step = INNER_P if b.prismatic else INNER_R
            step = step if guarded else FREE[step]
            kept[i], felt = run.call(step, joint[i], body[i], below.pop(i), pull, constants=[b.armature, mass[i]])
        else:
            step = LEAF_P if b.prismatic else LEAF_R
            step = step if guarded else FREE[step]
            kept[i], felt = run.call(step, joint[i], body[i], pull, constants=[b.armature, mass[i]])
        if b.parent != BASE:
            mass[b.parent] += mass[i]
            below[b.parent] = run.call(SUM, below[b.parent], felt) if b.parent in below else felt
    return kept


def effort(run: Any, body: Body, tau: Any, q: Any, qd: Any) -> Any:
    """A joint's torque less damping, friction and spring."""
    row = (body.damping, body.friction, body.stiffness, body.rest)
    return run.call(EFFORT, tau, q, qd, constants=row) if any(row) else tau


def program(run: Any, bodies: Bodies, setting: Setting, tape: bool) -> None:
    """The better one for straight-line code, or for the tape."""
    (program_by_bodies if tape else program_by_matrix)(run, bodies, setting)
