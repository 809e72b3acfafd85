"""All first derivatives of inverse dynamics, O(n^2) numbers by one recursion.

World axes, six-dimensional vectors (angular, linear) about the world's origin (Carpentier and
Mansard 2018; Singh, Russell and Wensing 2022). With S the screw of a joint, v and a the velocity
and acceleration of what carries it,

    psd = v x S,   psdd = a x S + v x psd,   Sd = psd for one coordinate

and, summed over what a joint carries, inertia IC, B (from the velocities) and force f, the rows and
columns of a pair (i carries j) are dot products:

    dtau_i/dq_j   = S_i . (2 B psd_j + IC psdd_j + S_j x* f)
    dtau_j/dq_i   = (2 B^T S_j) . psd_i + (IC S_j) . psdd_i
    dtau_i/dqd_j  = S_i . (2 B S_j + 2 IC psd_j)          dtau_j/dqd_i likewise
    dtau_i/dqdd_j = S_i . IC S_j

Loads stay constant in the world while their points move: with F the force at P on what j carries,
E S = ((w x P + v) x F, 0) replaces S x* f, and dtau_j/dq_i gets -S_i . (S_j x* f + E^T S_j).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from lissom.dynamics.acting import CONSTANTS, FALL, WITH_PAYLOAD, Setting, read_acting
from lissom.dynamics.bodies import BASE, Bodies
from lissom.dynamics.drives import ARMATURE as OF_ARMATURE, DAMPING, STIFFNESS, drive_of
from lissom.dynamics.from_arm import constants_of
from lissom.dynamics.moves import STEPS as MOVES, carried, moves
from lissom.dynamics.vectors import (
    UPPER,
    add,
    cross,
    dot,
    full,
    product,
    scale,
    sub,
    symmetric_times,
    times,
    transposed,
    turned_symmetric,
)
from lissom.engine.step import Step

# ---- six-dimensional algebra ---------------------------------------------------------------------


def _motion_cross(v: Any, m: Any) -> list[Any]:
    """v x m of two motions."""
    return cross(v[0:3], m[0:3]) + add(cross(v[0:3], m[3:6]), cross(v[3:6], m[0:3]))


def _force_cross(v: Any, f: Any) -> list[Any]:
    """v x* f of a motion and a force."""
    return add(cross(v[0:3], f[0:3]), cross(v[3:6], f[3:6])) + cross(v[0:3], f[3:6])


def _times_inertia(IC: Any, x: Any) -> list[Any]:
    """IC x; IC = m, h (3), I (6) about the world's origin."""
    m, h, I = IC[0], IC[1:4], IC[4:10]
    return add(symmetric_times(I, x[0:3]), cross(h, x[3:6])) + sub(scale(m, x[3:6]), cross(h, x[0:3]))


def _skew(v: Any) -> list[Any]:
    O = 0 * v[0]
    return [O, -v[2], v[1], v[2], O, -v[0], -v[1], v[0], O]


# ---- steps ---------------------------------------------------------------------------------------


def _pass_revolute(above: Any, turn: Any, qd: Any, qdd: Any, K: Any) -> list[list[Any]]:
    """(R, o, v, a) of the parent -> (R, o, v, a), (S, psd, psdd), (IC, B, l, f)."""
    R, r, z = carried(False, above[0:9], turn, K)
    o = add(above[9:12], r)
    return _passed(above, R, o, z + cross(o, z), qd[0], qdd[0], K)


def _pass_prismatic(above: Any, q: Any, qd: Any, qdd: Any, K: Any) -> list[list[Any]]:
    R, r, z = carried(True, above[0:9], q, K)
    o = add(above[9:12], r)
    O = 0 * z[0]
    return _passed(above, R, o, [O, O, O, *z], qd[0], qdd[0], K)


def _passed(above: Any, R: Any, o: Any, S: Any, qd: Any, qdd: Any, K: Any) -> list[list[Any]]:
    v0, a0 = above[12:18], above[18:24]
    psd = _motion_cross(v0, S)
    psdd = add(_motion_cross(a0, S), _motion_cross(v0, psd))
    v = add(v0, scale(qd, S))
    a = add(add(a0, scale(qdd, S)), scale(qd, psd))
    IC = _about_world(R, o, K)
    momentum = _times_inertia(IC, v)
    f = add(_times_inertia(IC, a), _force_cross(v, momentum))
    return [[*R, *o, *v, *a], S + psd + psdd, [*IC, *_velocity_matrix(IC, v, momentum), *momentum[3:6], *f]]


def _about_world(R: Any, o: Any, K: Any) -> list[Any]:
    """m, h, I of a body in world axes about the world's origin."""
    m, own, I = K[12], times(R, K[13:16]), turned_symmetric(R, K[16:22])
    h = add(scale(m, o), own)
    trace = dot(o, add(own, h))
    return [m, *h, *[I[k] - (o[a] * own[b] + h[a] * o[b]) + (trace if a == b else 0) for k, (a, b) in enumerate(UPPER)]]


def _velocity_matrix(IC: Any, v: Any, momentum: Any) -> list[Any]:
    """Upper left block of B = 1/2 (v x* IC - IC v x + (IC v) x*); the lower left one is -[l]."""
    I, H, V, W = full(IC[4:10]), _skew(IC[1:4]), _skew(v[3:6]), _skew(v[0:3])
    parts = zip(product(W, I), product(V, H), product(I, W), product(H, V), _skew(momentum[0:3]), strict=True)
    return [0.5 * (a - b - c - d - e) for a, b, c, d, e in parts]


def _column(pub: Any, comp: Any) -> list[list[Any]]:
    """Terms shared by the pairs of a column: t1, t2, t3 (6 each) and u (3)."""
    S, psd, psdd = pub[0:6], pub[6:12], pub[12:18]
    IC, B, l, f = comp[0:10], comp[10:19], comp[19:22], comp[22:28]

    def twice_B(x: Any) -> list[Any]:
        return scale(2, times(B, x[0:3]) + [-u for u in cross(l, x[0:3])])

    t1 = add(add(twice_B(psd), _times_inertia(IC, psdd)), _force_cross(S, f))
    t2 = add(twice_B(S), scale(2, _times_inertia(IC, psd)))
    t3 = _times_inertia(IC, S)
    u = scale(2, add(times(transposed(B), S[0:3]), cross(l, S[3:6])))
    return [t1 + t2 + t3 + u]


def _pair(pub: Any, col: Any) -> list[Any]:
    """dtau_i/dq_j, dtau_j/dq_i, dtau_i/dqd_j, dtau_j/dqd_i, M_ij."""
    S, psd, psdd = pub[0:6], pub[6:12], pub[12:18]
    t1, t2, t3, u = col[0:6], col[6:12], col[12:18], col[18:21]
    return [
        dot(S, t1),
        dot(u, psd[0:3]) + dot(t3, psdd),
        dot(S, t2),
        dot(u, S[0:3]) + 2 * dot(t3, psd),
        dot(S, t3),
    ]


def _push(above: Any, load: Any, K: Any) -> list[list[Any]]:
    """(N, F, A = [F][P]) of a load about the world's origin; K is the link's pose on the body."""
    R, o = above[0:9], above[9:12]
    P = add(o, times(R, add(times(K[0:9], load[6:9]), K[9:12])))
    F = load[0:3]
    return [add(load[3:6], cross(P, F)) + list(F) + product(_skew(F), _skew(P))]


def _loaded_column(S: Any, col: Any, ext: Any) -> list[list[Any]]:
    """The column with loads: t1 corrected, and g with dtau_j/dq_i += S_i . g."""
    f, F, A = ext[0:6], ext[3:6], ext[6:15]
    w, v = S[0:3], S[3:6]
    t1 = add(sub(col[0:3], times(A, w)), cross(F, v))
    back = _force_cross(S, f)
    g = [-x for x in add(back[0:3], times(transposed(A), w)) + add(back[3:6], cross(F, w))]
    return [[*t1, *[x + 0 for x in col[3:21]], *g]]


def _loaded_pair(pub: Any, col: Any) -> list[Any]:
    entries = _pair(pub, col[0:21])
    entries[1] = entries[1] + dot(pub[0:6], col[21:27])
    return entries


def _begin(R: Any, base: Any) -> list[list[Any]]:
    """(R, o, v, a) of the base from (w, dw, a): it passes through the world's origin at rest."""
    O = 0 * base[0]
    return [[*R, O, O, O, *base[0:3], O, O, O, *base[3:6], *base[6:9]]]


ARMATURE = Step("armature", lambda M, K: [[M[0] + K[0]]], (1,), (1,), 1)
PASS_R = Step("pass_r", _pass_revolute, (24, 2, 1, 1), (24, 18, 28), CONSTANTS)
PASS_P = Step("pass_p", _pass_prismatic, (24, 1, 1, 1), (24, 18, 28), CONSTANTS)
SUM28 = Step("sum28", lambda a, b: [add(a, b)], (28, 28), (28,))
SUM15 = Step("sum15", lambda a, b: [add(a, b)], (15, 15), (15,))
COLUMN = Step("column", _column, (18, 28), (21,))
PAIR = Step("gpair", lambda p, c: [_pair(p, c)], (18, 21), (5,), paired=True)
PUSH = Step("push", _push, (24, 9), (15,), 12)
LOADED = Step("loaded", _loaded_column, (6, 21, 15), (27,))
LOADED_PAIR = Step("loaded_pair", lambda p, c: [_loaded_pair(p, c)], (18, 27), (5,), paired=True)
BEGIN = Step("begin", _begin, (9, 9), (24,))
STEPS = (*MOVES, WITH_PAYLOAD, PASS_R, PASS_P, SUM28, SUM15, COLUMN, PAIR, PUSH, LOADED, LOADED_PAIR, BEGIN, ARMATURE,
         FALL)  # fmt: skip


def program(run: Any, bodies: Bodies, setting: Setting) -> None:
    """Inputs q, qd, qdd, then as `read_acting`; outputs dtau/dq, dtau/dqd, dtau/dqdd, row by row."""
    n = bodies.dof
    q, qd, qdd = run.input(n), run.input(n), run.input(n)
    bodies, motion, loads = read_acting(run, bodies, setting)
    tree, q, qd, qdd = bodies.expanded(run, q, qd, qdd)
    entries = _derivatives(run, tree, q, qd, qdd, motion, loads)
    zero = run.constant([0.0])
    for which in range(3):
        own = {(i, j): entry for (of, i, j), entry in entries.items() if of == which}
        if bodies.coupling is not None:
            own = bodies.coupling.matrix(run, own, symmetric=False)
        run.output(*(own.get((i, j), zero) for i in range(n) for j in range(n)))


def _derivatives(
    run: Any, bodies: Bodies, q: Any, qd: Any, qdd: Any, motion: Any, loads: Any
) -> dict[tuple[int, int, int], Any]:
    """(which, row, column) -> entry: derivatives by q, qd, qdd of the torques of a tree."""
    n = len(bodies)
    base = run.apply(BEGIN, run.constant(np.eye(3).ravel()), motion)
    state: list[Any] = [None] * n
    pub: list[Any] = [None] * n
    comp: list[Any] = [None] * n
    move = moves(run, bodies, q)
    for i, body in enumerate(bodies.list):
        above = base if body.parent == BASE else state[body.parent]
        step = PASS_P if body.prismatic else PASS_R
        now = (move[i], qd[i : i + 1], qdd[i : i + 1])
        state[i], pub[i], comp[i] = run.apply(step, above, *now, constants=constants_of(body))
    ext = _pushes(run, bodies, state, loads)
    for i in range(n - 1, -1, -1):
        parent = bodies.list[i].parent
        if parent != BASE:
            comp[parent] = run.apply(SUM28, comp[parent], comp[i])
            if i in ext:
                ext[parent] = run.apply(SUM15, ext[parent], ext[i]) if parent in ext else ext[i]
    return _entries(run, bodies, pub, comp, ext)


def _pushes(run: Any, bodies: Bodies, state: Any, loads: Any) -> dict[int, Any]:
    """Loads summed on their bodies."""
    ext: dict[int, Any] = {}
    for frame, load in loads:
        place = bodies.place(frame)
        if place.body != BASE:
            pushed = run.apply(PUSH, state[place.body], load, constants=place.row)
            ext[place.body] = run.apply(SUM15, ext[place.body], pushed) if place.body in ext else pushed
    return ext


def _entries(run: Any, bodies: Bodies, pub: Any, comp: Any, ext: Any) -> dict[tuple[int, int, int], Any]:
    """(which, row, column) -> entry, for all pairs on a branch."""
    out: dict[tuple[int, int, int], Any] = {}

    def put(i: int, j: int, five: Any) -> None:
        out[0, i, j], out[1, i, j], out[2, i, j] = five[0:1], five[2:3], five[4:5]
        if i != j:
            out[0, j, i], out[1, j, i], out[2, j, i] = five[1:2], five[3:4], five[4:5]

    step, columns = PAIR, [run.apply(COLUMN, pub[j], comp[j]) for j in range(len(bodies))]
    if ext:
        nothing = run.constant(np.zeros(15))
        step, columns = LOADED_PAIR, [
            run.apply(LOADED, pub[j][0:6], columns[j], ext.get(j, nothing)) for j in range(len(bodies))
        ]  # fmt: skip
    for (i, j), five in run.pairs(step, bodies.parents, pub, columns).items():
        put(i, j, five)
    for j, body in enumerate(bodies.list):
        for which, part in enumerate((STIFFNESS, DAMPING, OF_ARMATURE)):
            own = drive_of(body, part)
            if own is not None:
                out[which, j, j] = run.apply(ARMATURE, out[which, j, j], constants=own)
    return out
