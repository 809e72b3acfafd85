"""Forward dynamics of many joints: articulated bodies (Featherstone 1983), O(n), for the tape.

World axes about each body's own origin, so that articulated inertias are shifted but never turned:

    outward   w, c = velocity terms of the joint, p = velocity forces of the body
    inward    U = IA S,  D = S.U + armature,  u = tau - S.p
              Ia = IA - U U^T / D,  pa = p + Ia c + U u / D,  both shifted to the parent's origin
    outward   a' = a(parent) shifted + c,  qdd = (u - U.a') / D,  a = a' + S qdd

The pivot's guard (see `forward`) compares D with the trace of the composite inertia, carried along as first
moment h and trace t. A coordinate that is held has 1/D = 0 and its acceleration in c; its effort is
U.a' - u + armature times that acceleration.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from lissom.dynamics.acting import CONSTANTS, FALL, INERTIA, WITH_PAYLOAD
from lissom.dynamics.articulated_inertia import SIZE, Carried, body_carried
from lissom.dynamics.bodies import BASE, Bodies, Body
from lissom.dynamics.drives import ARMATURE, PASSIVE, drive_of
from lissom.dynamics.from_arm import constants_of
from lissom.dynamics.moves import STEPS as MOVES, carried, moves
from lissom.dynamics.pivot import Held, reciprocal, unguarded
from lissom.dynamics.vectors import (
    add,
    cross,
    dot,
    scale,
    sub,
    symmetric_times,
    times,
    transposed,
    turned_symmetric,
)
from lissom.engine.step import Step
from lissom.spatial.scalar import sign


def _kinematics_revolute(above: Any, turn: Any, qd: Any, K: Any) -> list[list[Any]]:
    """(R, w) of the parent -> (R, w), joint (z, r, ca, cl), body (I, h, m, pN, pF)."""
    R, r, z = carried(False, above[0:9], turn, K)
    w0 = above[9:12]
    w = add(w0, scale(qd[0], z))
    joint = [*z, *r, *scale(qd[0], cross(w0, z)), *cross(w0, cross(w0, r))]
    return [R + w, joint, _body(R, w, K[12:22])]


def _kinematics_prismatic(above: Any, q: Any, qd: Any, K: Any) -> list[list[Any]]:
    R, r, z = carried(True, above[0:9], q, K)
    w = above[9:12]
    O = 0 * z[0]
    slide = scale(2 * qd[0], cross(w, z))
    joint = [*z, *r, O, O, O, *add(cross(w, cross(w, r)), slide)]
    return [R + [x + O for x in w], joint, _body(R, w, K[12:22])]


def _body(R: Any, w: Any, K: Any) -> list[Any]:
    """I, h, m, velocity forces N and F of a body with mass, first moment and inertia K, in world axes."""
    m, h, I = K[0], times(R, K[1:4]), turned_symmetric(R, K[4:10])
    return [*I, *h, m, *cross(w, symmetric_times(I, w)), *cross(w, cross(w, h))]


def _effort(tau: Any, q: Any, qd: Any, K: Any) -> list[list[Any]]:
    """Joint torque minus damping, friction and spring: K = damping, friction, stiffness, rest."""
    return [[tau[0] - (K[0] * qd[0] + K[1] * sign(qd[0]) + K[2] * (q[0] - K[3]))]]


def _pushed(body: Any, R: Any, load: Any, K: Any) -> list[list[Any]]:
    """Subtract a load from the body's force; K is the link's pose on the body."""
    point = times(R, add(times(K[0:9], load[6:9]), K[9:12]))
    N = add(load[3:6], cross(point, load[0:3]))
    return [[*[x + 0 for x in body[0:10]], *sub(body[10:13], N), *sub(body[13:16], load[0:3])]]


def _eliminated(prismatic: bool, invert: Any, hold: Any, joint: Any, tau: Any, own: Carried, K: Any) -> list[list[Any]]:
    """Eliminate a joint: (1/D, u, U/D, and U with `hold`), and what acts on the parent; K = armature, mass carried."""
    z, r, c = joint[0:3], joint[3:6], joint[6:12]
    I, H, M = own.inertia
    if prismatic:
        U = [*times(H, z), *symmetric_times(M, z)]
        D, u, size = dot(z, U[3:6]) + K[0], tau - dot(z, own.p[3:6]), K[1] + K[0]
    else:
        U = [*symmetric_times(I, z), *times(transposed(H), z)]
        D, u, size = dot(z, U[0:3]) + K[0], tau - dot(z, own.p[0:3]), own.trace + K[0]
    inverse = invert(D, size, *hold[0:1])
    k = scale(inverse, U)
    left = own.inertia.less(U, k)
    p = add(add(own.p, scale(u, k)), left.times(c))
    felt = own._replace(inertia=left, p=p).moved(r, K[1])
    return [[inverse, u, *k, *(U if hold else [])], felt.entries]


def _leaf(prismatic: bool, invert: Any = reciprocal) -> Any:
    def step(joint: Any, body: Any, tau: Any, *rest: Any) -> list[list[Any]]:
        *hold, K = rest
        return _eliminated(prismatic, invert, hold[0] if hold else [], joint, tau[0], body_carried(body), K)

    return step


def _inner(prismatic: bool, invert: Any = reciprocal) -> Any:
    def step(joint: Any, body: Any, below: Any, tau: Any, *rest: Any) -> list[list[Any]]:
        *hold, K = rest
        own = body_carried(body).plus(Carried.of(below))
        return _eliminated(prismatic, invert, hold[0] if hold else [], joint, tau[0], own, K)

    return step


def _led(prismatic: bool) -> Any:
    def step(joint: Any, hold: Any) -> list[list[Any]]:
        """Velocity terms of a joint with prescribed acceleration."""
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
        """Eliminate a joint without guard; K = armature."""
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
LEAF_R = Step("leaf_r", _leaf(False), (12, 16, 1), (8, SIZE), 2)
LEAF_P = Step("leaf_p", _leaf(True), (12, 16, 1), (8, SIZE), 2)
INNER_R = Step("inner_r", _inner(False), (12, 16, SIZE, 1), (8, SIZE), 2)
INNER_P = Step("inner_p", _inner(True), (12, 16, SIZE, 1), (8, SIZE), 2)
# the same without the guard, by the guarded step
FREE = {
    LEAF_R: Step("free_leaf_r", _leaf(False, unguarded), *LEAF_R[2:]),
    LEAF_P: Step("free_leaf_p", _leaf(True, unguarded), *LEAF_P[2:]),
    INNER_R: Step("free_inner_r", _inner(False, unguarded), *INNER_R[2:]),
    INNER_P: Step("free_inner_p", _inner(True, unguarded), *INNER_P[2:]),
}
# the same for coordinates that may be held, hold = (free, acceleration), by the plain step
HELD = {
    step: Step(f"held_{step.name}", step.function, (*step.inputs, 2), (14, SIZE), 2)
    for step in (LEAF_R, LEAF_P, INNER_R, INNER_P)
}
SUM = Step("sum", lambda a, b: [add(a, b)], (SIZE, SIZE), (SIZE,))
ACC_R = Step("acc_r", _accelerate(False), (6, 12, 8), (1, 6))
ACC_P = Step("acc_p", _accelerate(True), (6, 12, 8), (1, 6))
LED_R = Step("led_r", _led(False), (12, 2), (12,))
LED_P = Step("led_p", _led(True), (12, 2), (12,))
HELD_ACC_R = Step("held_acc_r", _accelerate_held(False), (6, 12, 14, 2), (1, 6, 1), 1)
HELD_ACC_P = Step("held_acc_p", _accelerate_held(True), (6, 12, 14, 2), (1, 6, 1), 1)
HOLD = Step("hold", lambda free, acceleration: [[free[0] + 0, acceleration[0] + 0]], (1, 1), (2,))
TIP_BODY = Step("tip_body", lambda frame, K: [_body(frame[0:9], frame[9:12], K)], (12,), (16,), INERTIA)
CARRIED = Step("carried", lambda body: [body_carried(body).entries], (16,), (SIZE,))
SPLIT = Step("split", lambda base: [[*base[3:9]]], (9,), (6,))
START = Step("start", lambda R, base: [[*R, *base[0:3]]], (9, 9), (12,))
STEPS = (
    *MOVES, WITH_PAYLOAD, KIN_R, KIN_P, EFFORT, PUSHED, LEAF_R, LEAF_P, INNER_R, INNER_P, *HELD.values(), SUM, ACC_R,
    ACC_P, LED_R, LED_P, HELD_ACC_R, HELD_ACC_P, HOLD, TIP_BODY, CARRIED, SPLIT, START, FALL,
)  # fmt: skip


class Outward(NamedTuple):
    """Results of the outward pass: (R, w) of bodies, joint paths, bodies (16); inertia and bias forces of beams."""

    frame: dict[int, Any]
    way: dict[int, Any]
    body: dict[int, Any]
    mass: dict[int, Any]
    bias: dict[int, Any]


def accelerations(
    run: Any, bodies: Bodies, given: Any, held: dict[int, Held], guarded: bool = True
) -> tuple[list[Any], dict[int, Any]]:
    """Accelerations, and the effort of the coordinates that may be held; `given` as in `forward`."""
    hold = {k: run.apply(HOLD, *pair) for k, pair in held.items()}
    out = _velocities(run, bodies, given, hold)
    for where, load in given.loads:
        _push(run, bodies, given, out, where, load)
    kept = _inward(run, bodies, out, given, hold, guarded)
    return _outward(run, bodies, out.way, kept, hold, run.apply(SPLIT, given.base))


def _velocities(run: Any, bodies: Bodies, given: Any, hold: dict[int, Any]) -> Outward:
    """The outward pass: everything that depends on positions and rates only."""
    out = Outward({BASE: run.apply(START, run.constant(np.eye(3).ravel()), given.base)}, {}, {}, {}, {})
    move = moves(run, bodies, given.q)
    for i, b in bodies.carrying:
        above, qd = out.frame[b.parent], bodies.own(given.qd, i)
        if b.beam is not None:
            out.frame[i], out.way[i], out.mass[i], out.bias[i] = run.apply(
                b.beam.step("bend"), above, move[i], qd, constants=b.beam.values
            )
            out.body[i] = run.apply(TIP_BODY, out.frame[i], constants=constants_of(b)[12:])
            continue
        step = KIN_P if b.prismatic else KIN_R
        out.frame[i], out.way[i], out.body[i] = run.apply(step, above, move[i], qd, constants=constants_of(b))
        if b.coordinate in hold:
            out.way[i] = run.apply(LED_P if b.prismatic else LED_R, out.way[i], hold[b.coordinate])
    return out


def _push(run: Any, bodies: Bodies, given: Any, out: Outward, where: str, load: Any) -> None:
    """Subtract a load from the forces of the body, or of the place along a beam, that it acts on."""
    place = bodies.place(where)
    if place.body == BASE:
        return  # it pushes on the base
    station = bodies.list[place.body]
    if station.beam_owner >= 0 and not station.mount and station.beam is not None:
        i = station.beam_owner
        parts = (out.bias[i], out.frame[station.parent], bodies.own(given.q, i), load)
        out.bias[i] = run.apply(station.beam.step("pushed"), *parts, constants=station.beam.values)
        return
    body, R = out.body[place.body], out.frame[place.body][0:9]
    out.body[place.body] = run.apply(PUSHED, body, R, load, constants=place.row)


def _inward(run: Any, bodies: Bodies, out: Outward, given: Any, hold: dict[int, Any], guarded: bool) -> dict[int, Any]:
    """The inward pass: eliminate every joint, and the modes of every beam."""
    kept: dict[int, Any] = {}
    below: dict[int, Any] = {}
    mass = [
        b.mass for b in bodies.list
    ]  # of the body and all it carries; payloads and masses that vary are not counted
    for i, b in reversed(bodies.carrying):
        if b.mount:
            felt = _mounted(run, b, i, out, below.pop(i, None), mass[i])
        elif b.beam is not None:
            kept[i], felt = _bent(run, bodies, i, out, given.tau, below.pop(i, None), mass[i])
            mass[i] += b.beam.mass
        else:
            kept[i], felt = _joint(run, bodies, i, out, given, below.pop(i, None), hold, guarded, mass[i])
        if b.parent != BASE:
            mass[b.parent] += mass[i]
            below[b.parent] = run.apply(SUM, below[b.parent], felt) if b.parent in below else felt
    return kept


def _mounted(run: Any, body: Body, i: int, out: Outward, below: Any, mass: float) -> Any:
    """Add what a place along a beam carries to the beam; return the rest for the joint's body."""
    assert body.beam is not None
    own, k = run.apply(CARRIED, out.body[i]), body.beam_owner
    carried = own if below is None else run.apply(SUM, own, below)
    parts = (out.way[i], out.mass[k], out.bias[k], carried, run.constant([mass]))
    out.mass[k], out.bias[k], felt = run.apply(body.beam.step("mount"), *parts)
    return felt


def _bent(run: Any, bodies: Bodies, i: int, out: Outward, tau: Any, below: Any, mass: float) -> Any:
    """Eliminate the modes of a beam."""
    beam = bodies.list[i].beam
    assert beam is not None
    tip = run.apply(CARRIED, out.body[i])
    carried = tip if below is None else run.apply(SUM, tip, below)
    pulls = run.gathered([tau[c : c + 1] for c in bodies.coordinates(i)])
    return run.apply(beam.step("eliminate"), out.way[i], out.mass[i], out.bias[i], carried, pulls, run.constant([mass]))


def _joint(
    run: Any, bodies: Bodies, i: int, out: Outward, given: Any, below: Any, hold: dict[int, Any], guarded: bool,
    mass: float,
) -> Any:  # fmt: skip
    """Eliminate a joint."""
    b = bodies.list[i]
    pulled = pull(run, b, *(bodies.own(x, i) for x in (given.tau, given.q, given.qd)))
    if below is not None:
        step, parts = INNER_P if b.prismatic else INNER_R, [out.way[i], out.body[i], below, pulled]
    else:
        step, parts = LEAF_P if b.prismatic else LEAF_R, [out.way[i], out.body[i], pulled]
    if b.coordinate in hold:
        step, parts = HELD[step], [*parts, hold[b.coordinate]]
    elif not guarded:
        step = FREE[step]
    row: Any = [b.armature, mass]
    if b.drive is not None:
        row = run.gathered([b.drive[ARMATURE], run.constant([mass])])
    return run.apply(step, *parts, constants=row)


def _outward(
    run: Any, bodies: Bodies, way: dict[int, Any], kept: dict[int, Any], hold: dict[int, Any], start: Any
) -> tuple[list[Any], dict[int, Any]]:
    """The second outward pass: accelerations."""
    acceleration: dict[int, Any] = {BASE: start}
    qdd: list[Any] = [None] * bodies.dof
    needed: dict[int, Any] = {}
    for i, b in bodies.carrying:
        above, k = acceleration[b.parent], b.coordinate
        if b.mount and b.beam is not None:
            amplitudes = run.gathered([qdd[c] for c in bodies.coordinates(i)])
            acceleration[i] = run.apply(b.beam.step("ride"), above, way[i], amplitudes)
        elif b.beam is not None:
            amplitudes, acceleration[i] = run.apply(b.beam.step("accelerate"), above, way[i], kept[i])
            for j, c in enumerate(bodies.coordinates(i)):
                qdd[c] = amplitudes[j : j + 1]
        elif k in hold:
            step = HELD_ACC_P if b.prismatic else HELD_ACC_R
            parts = (above, way[i], kept[i], hold[k])
            qdd[k], acceleration[i], needed[k] = run.apply(
                step, *parts, constants=[b.armature] if b.drive is None else b.drive[ARMATURE]
            )
        else:
            qdd[k], acceleration[i] = run.apply(ACC_P if b.prismatic else ACC_R, above, way[i], kept[i])
    return qdd, needed


def pull(run: Any, body: Body, tau: Any, q: Any, qd: Any) -> Any:
    """Joint torque minus damping, friction and spring."""
    row = drive_of(body, PASSIVE)
    return run.apply(EFFORT, tau, q, qd, constants=row) if row is not None else tau
