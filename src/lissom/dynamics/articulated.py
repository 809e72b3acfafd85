"""Forward dynamics of many joints: articulated bodies (Featherstone 1983), O(n), for the tape.

World axes about each body's own origin, so that articulated inertias are shifted but never turned:

    outward   w, c = velocity terms of the joint, p = velocity forces of the body
    inward    U = IA S,  D = S.U + armature,  u = tau - S.p
              Ia = IA - U U^T / D,  pa = p + Ia c + U u / D,  both shifted to the parent's origin
    outward   a' = a(parent) shifted + c,  qdd = (u - U.a') / D,  a = a' + S qdd

An articulated inertia is I (6), H (9), M (6): N = I dw + H a, F = H^T dw + M a.

The pivot's guard (see `forward`) compares D with the trace of the composite inertia, carried along as first
moment h and trace t. A coordinate that is held has 1/D = 0 and its acceleration in c; its effort is
U.a' - u + armature times that acceleration.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from lissom.dynamics.bodies import BASE, Bodies, Body
from lissom.dynamics.inverse import CONSTANTS, FALL, LADEN, constants_of
from lissom.dynamics.moves import STEPS as MOVES
from lissom.dynamics.moves import carried, moves
from lissom.dynamics.pivot import Held, reciprocal, unguarded
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
    prismatic: bool, invert: Any, hold: Any, joint: Any, tau: Any, I: Any, H: Any, M: Any, p: Any, locked: Any, K: Any
) -> list[list[Any]]:
    """(1/D, u, U/D, and U with `hold`) for the way out, and what the parent feels (I, H, M, pN, pF, h, t).

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
    inverse = invert(D, size, *hold[0:1])
    kN, kF = scale(inverse, UN), scale(inverse, UF)
    Ia = [I[k] - UN[a] * kN[b] for k, (a, b) in enumerate(UPPER)]
    Ha = [H[3 * a + b] - UN[a] * kF[b] for a in range(3) for b in range(3)]
    Ma = [M[k] - UF[a] * kF[b] for k, (a, b) in enumerate(UPPER)]
    N = add(add(pN, scale(u, kN)), add(symmetric_times(Ia, ca), times(Ha, cl)))
    F = add(add(pF, scale(u, kF)), add(times(transposed(Ha), ca), symmetric_times(Ma, cl)))
    lever = scale(K[1], r)
    h, t = add(locked[0:3], lever), locked[3] + dot(r, add(scale(4, locked[0:3]), scale(2, lever)))
    kept = [inverse, u, *kN, *kF, *(UN + UF if hold else [])]
    return [kept, [*_moved(r, Ia, Ha, Ma), *add(N, cross(r, F)), *F, *h, t]]


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
    def step(joint: Any, body: Any, tau: Any, *rest: Any) -> list[list[Any]]:
        *hold, K = rest
        I, H, M = _rigid(body[9], body[6:9], body[0:6])
        hold = hold[0] if hold else []
        return _eliminated(prismatic, invert, hold, joint, tau[0], I, H, M, body[10:16], _own(body), K)

    return step


def _inner(prismatic: bool, invert: Any = reciprocal) -> Any:
    def step(joint: Any, body: Any, below: Any, tau: Any, *rest: Any) -> list[list[Any]]:
        *hold, K = rest
        I, H, M = _rigid(body[9], body[6:9], body[0:6])
        I, H, M = add(I, below[0:6]), add(H, below[6:15]), add(M, below[15:21])
        locked = add(_own(body), below[27:31])
        hold = hold[0] if hold else []
        return _eliminated(prismatic, invert, hold, joint, tau[0], I, H, M, add(body[10:16], below[21:27]), locked, K)

    return step


def _led(prismatic: bool) -> Any:
    def step(joint: Any, hold: Any) -> list[list[Any]]:
        """The joint's velocity terms with the acceleration that it follows."""
        z, ca, cl = joint[0:3], joint[6:9], joint[9:12]
        lead = scale(hold[1], z)
        ca, cl = (ca, add(cl, lead)) if prismatic else (add(ca, lead), cl)
        return [[*[x + 0 for x in joint[0:6]], *[x + 0 for x in ca], *[x + 0 for x in cl]]]

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


def _accelerate_held(prismatic: bool) -> Any:
    def step(above: Any, joint: Any, kept: Any, hold: Any, K: Any) -> list[list[Any]]:
        """K = armature."""
        [qdd], acceleration = _accelerate(prismatic)(above, joint, kept[0:8])
        dw = add(above[0:3], joint[6:9])
        a = add(add(above[3:6], cross(above[0:3], joint[3:6])), joint[9:12])
        needed = dot(kept[8:11], dw) + dot(kept[11:14], a) - kept[1] + K[0] * hold[1]
        return [[qdd + hold[1]], acceleration, [(1 - hold[0]) * needed]]

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
# the same for coordinates that may be held, hold = (free, acceleration), by the plain step
HELD = {
    step: Step(f"held_{step.name}", step.function, (*step.inputs, 2), (14, 31), 2)
    for step in (LEAF_R, LEAF_P, INNER_R, INNER_P)
}
SUM = Step("sum", lambda a, b: [add(a, b)], (31, 31), (31,))
ACC_R = Step("acc_r", _accelerate(False), (6, 12, 8), (1, 6))
ACC_P = Step("acc_p", _accelerate(True), (6, 12, 8), (1, 6))
LED_R = Step("led_r", _led(False), (12, 2), (12,))
LED_P = Step("led_p", _led(True), (12, 2), (12,))
HELD_ACC_R = Step("held_acc_r", _accelerate_held(False), (6, 12, 14, 2), (1, 6, 1), 1)
HELD_ACC_P = Step("held_acc_p", _accelerate_held(True), (6, 12, 14, 2), (1, 6, 1), 1)
HOLD = Step("hold", lambda free, acceleration: [[free[0] + 0, acceleration[0] + 0]], (1, 1), (2,))
SPLIT = Step("split", lambda base: [[*base[3:9]]], (9,), (6,))
START = Step("start", lambda R, base: [[*R, *base[0:3]]], (9, 9), (12,))
STEPS = (*MOVES, LADEN, KIN_R, KIN_P, EFFORT, PUSHED, LEAF_R, LEAF_P, INNER_R, INNER_P, *HELD.values(), SUM, ACC_R,
         ACC_P, LED_R, LED_P, HELD_ACC_R, HELD_ACC_P, HOLD, SPLIT, START, FALL)  # fmt: skip


def accelerations(
    run: Any, bodies: Bodies, given: Any, held: dict[int, Held], guarded: bool = True
) -> tuple[list[Any], dict[int, Any]]:
    """Accelerations, and the effort of the coordinates that may be held; `given` as in `forward`."""
    n = len(bodies)
    base = run.call(START, run.constant(np.eye(3).ravel()), given.base)
    frame: list[Any] = [None] * n
    joint: list[Any] = [None] * n
    body: list[Any] = [None] * n
    hold = {k: run.call(HOLD, *pair) for k, pair in held.items()}
    move = moves(run, bodies, given.q)
    for i, b in enumerate(bodies.list):
        above = base if b.parent == BASE else frame[b.parent]
        step = KIN_P if b.prismatic else KIN_R
        frame[i], joint[i], body[i] = run.call(step, above, move[i], given.qd[i : i + 1], constants=constants_of(b))
        if i in hold:
            joint[i] = run.call(LED_P if b.prismatic else LED_R, joint[i], hold[i])
    for where, load in given.loads:
        place = bodies.place(where)
        if place.body != BASE:
            body[place.body] = run.call(PUSHED, body[place.body], frame[place.body][0:9], load, constants=place.row)
    kept = _inward(run, bodies, joint, body, given, hold, guarded)
    return _outward(run, bodies, joint, kept, hold, run.call(SPLIT, given.base))


def _inward(
    run: Any, bodies: Bodies, joint: Any, body: Any, given: Any, hold: dict[int, Any], guarded: bool
) -> list[Any]:
    kept: list[Any] = [None] * len(bodies)
    below: dict[int, Any] = {}
    mass = [b.mass for b in bodies.list]  # of the body and all it carries; payloads that vary are not counted
    for i in range(len(bodies) - 1, -1, -1):
        b = bodies.list[i]
        pulled = pull(run, b, given.tau[i : i + 1], given.q[i : i + 1], given.qd[i : i + 1])
        if i in below:
            step, parts = INNER_P if b.prismatic else INNER_R, [joint[i], body[i], below.pop(i), pulled]
        else:
            step, parts = LEAF_P if b.prismatic else LEAF_R, [joint[i], body[i], pulled]
        if i in hold:
            step, parts = HELD[step], [*parts, hold[i]]
        elif not guarded:
            step = FREE[step]
        kept[i], felt = run.call(step, *parts, constants=[b.armature, mass[i]])
        if b.parent != BASE:
            mass[b.parent] += mass[i]
            below[b.parent] = run.call(SUM, below[b.parent], felt) if b.parent in below else felt
    return kept


def _outward(
    run: Any, bodies: Bodies, joint: Any, kept: list[Any], hold: dict[int, Any], start: Any
) -> tuple[list[Any], dict[int, Any]]:
    acceleration: list[Any] = [None] * len(bodies)
    qdd: list[Any] = [None] * len(bodies)
    needed: dict[int, Any] = {}
    for i, b in enumerate(bodies.list):
        above = start if b.parent == BASE else acceleration[b.parent]
        if i in hold:
            step = HELD_ACC_P if b.prismatic else HELD_ACC_R
            parts = (above, joint[i], kept[i], hold[i])
            qdd[i], acceleration[i], needed[i] = run.call(step, *parts, constants=[b.armature])
        else:
            qdd[i], acceleration[i] = run.call(ACC_P if b.prismatic else ACC_R, above, joint[i], kept[i])
    return qdd, needed


def pull(run: Any, body: Body, tau: Any, q: Any, qd: Any) -> Any:
    """A joint's torque less damping, friction and spring."""
    row = (body.damping, body.friction, body.stiffness, body.rest)
    return run.call(EFFORT, tau, q, qd, constants=row) if any(row) else tau
