"""Mass matrix by composite bodies (Walker and Orin 1982, method 3), in body axes and in world axes.

In body axes (`matrix_in_body_axes`) zeros of the constants fold away: for straight-line code.
In world axes (`matrix_in_world_axes`) an entry is one dot product of six numbers: for the tape.
A composite is m, h = first moment (3), I (6), about the body's own origin.
"""

from __future__ import annotations

from itertools import combinations_with_replacement
from typing import Any, NamedTuple

import numpy as np

from lissom.dynamics.acting import CONSTANTS, INERTIA, WITH_PAYLOAD, Setting, read_bodies
from lissom.dynamics.bodies import BASE, Bodies
from lissom.dynamics.composite import shifted
from lissom.dynamics.drives import ARMATURE as OF_ARMATURE, drive_of
from lissom.dynamics.from_arm import constants_of
from lissom.dynamics.moves import STEPS as MOVES, carried, moves
from lissom.dynamics.vectors import (
    add,
    cross,
    dot,
    scale,
    symmetric_times,
    times,
    turned_about_z,
    turned_symmetric,
)
from lissom.engine.step import Step

# ---- body axes -----------------------------------------------------------------------------------


def _turned_about_z(c: Any, s: Any, I: Any) -> list[Any]:
    """Rz I Rz^T of a symmetric tensor."""
    xx, xy, xz, yy, yz, zz = I
    t = s * (xx - yy) + 2 * (c * xy)
    k = s * t
    return [xx - k, c * t - xy, c * xz - s * yz, yy + k, s * xz + c * yz, zz]


def _gather_revolute(below: Any, C: Any, turn: Any, K: Any) -> list[list[Any]]:
    R0, p = K[0:9], K[9:12]
    h = times(R0, turned_about_z(turn[0], turn[1], C[1:4]))
    I = turned_symmetric(R0, _turned_about_z(turn[0], turn[1], C[4:10]))
    return [add(below, shifted([C[0], *h, *I], p))]


def _gather_prismatic(below: Any, C: Any, q: Any, K: Any) -> list[list[Any]]:
    R0 = K[0:9]
    return [add(below, shifted([C[0], *times(R0, C[1:4]), *turned_symmetric(R0, C[4:10])], slid(q, K)))]


def slid(q: Any, K: Any) -> list[Any]:
    """Origin of a body behind a prismatic joint, in its parent's frame."""
    R0, p = K[0:9], K[9:12]
    return [p[0] + R0[2] * q[0], p[1] + R0[5] * q[0], p[2] + R0[8] * q[0]]


def _inward_revolute(below: Any, force: Any, turn: Any, K: Any) -> list[list[Any]]:
    """(F, N) carried by the parent, plus this body's."""
    R0, p = K[0:9], K[9:12]
    F = times(R0, turned_about_z(turn[0], turn[1], force[0:3]))
    N = times(R0, turned_about_z(turn[0], turn[1], force[3:6]))
    return [add(below[0:3], F) + add(below[3:6], add(N, cross(p, F)))]


def _inward_prismatic(below: Any, force: Any, q: Any, K: Any) -> list[list[Any]]:
    R0, r = K[0:9], slid(q, K)
    F, N = times(R0, force[0:3]), times(R0, force[3:6])
    return [add(below[0:3], F) + add(below[3:6], add(N, cross(r, F)))]


def _unit_revolute(C: Any) -> list[list[Any]]:
    """(F, N) of a unit angular acceleration about z."""
    h, I = C[1:4], C[4:10]
    return [[-h[1], h[0], 0 * h[0], I[2], I[4], I[5]]]


def _unit_prismatic(C: Any) -> list[list[Any]]:
    """(F, N) of a unit acceleration along z."""
    m, h = C[0], C[1:4]
    return [[0 * m, 0 * m, m, h[1], -h[0], 0 * m]]


IN_R = Step("in_r", _inward_revolute, (6, 6, 2), (6,), CONSTANTS)
IN_P = Step("in_p", _inward_prismatic, (6, 6, 1), (6,), CONSTANTS)
GATHER_R = Step("gather_r", _gather_revolute, (10, 10, 2), (10,), CONSTANTS)
GATHER_P = Step("gather_p", _gather_prismatic, (10, 10, 1), (10,), CONSTANTS)
UNIT_R = Step("unit_r", _unit_revolute, (10,), (6,))
UNIT_P = Step("unit_p", _unit_prismatic, (10,), (6,))
ARMATURE = Step("armature", lambda M, K: [[M[0] + K[0]]], (1,), (1,), 1)

Entries = dict[tuple[int, int], Any]


def matrix_in_body_axes(run: Any, bodies: Bodies, q: Any) -> Entries:
    """Entries (i, j), i carrying j or equal, each a vector of length one."""
    n = len(bodies)
    constants = [constants_of(body) for body in bodies.list]
    composite = [
        row[12:22] if body.constants is not None else run.constant(row[12:22])
        for row, body in zip(constants, bodies.list, strict=True)
    ]
    move = moves(run, bodies, q)
    nothing = run.constant(np.zeros(6))
    M: Entries = {}
    for j in range(n - 1, -1, -1):
        body = bodies.list[j]
        force = run.apply(UNIT_P if body.prismatic else UNIT_R, composite[j])
        M[j, j] = own_entry(run, body, force[2:3] if body.prismatic else force[5:6])
        at = j
        while bodies.list[at].parent != BASE:
            step = IN_P if bodies.list[at].prismatic else IN_R
            force = run.apply(step, nothing, force, move[at], constants=constants[at])
            at = bodies.list[at].parent
            M[at, j] = force[2:3] if bodies.list[at].prismatic else force[5:6]
        if body.parent != BASE:
            step = GATHER_P if body.prismatic else GATHER_R
            composite[body.parent] = run.apply(
                step, composite[body.parent], composite[j], move[j], constants=constants[j]
            )
    return M


def own_entry(run: Any, body: Any, entry: Any) -> Any:
    """An entry on the diagonal with the inertia of the joint's drive."""
    row = drive_of(body, OF_ARMATURE)
    return run.apply(ARMATURE, entry, constants=row) if row is not None else entry


# ---- world axes ----------------------------------------------------------------------------------


def _place_revolute(above: Any, turn: Any, K: Any) -> list[list[Any]]:
    """(R, o) of the parent -> (R, o), screw (z, o x z), r = o - o', composite in world axes."""
    R, r, z = carried(False, above[0:9], turn, K)
    o = add(above[9:12], r)
    return [R + o, z + cross(o, z), r, _composite(R, K[12:22])]


def _place_prismatic(above: Any, q: Any, K: Any) -> list[list[Any]]:
    R, r, z = carried(True, above[0:9], q, K)
    return [R + add(above[9:12], r), [0 * z[0], 0 * z[0], 0 * z[0], *z], r, _composite(R, K[12:22])]


def _composite(R: Any, K: Any) -> list[Any]:
    return [K[0] + 0, *times(R, K[1:4]), *turned_symmetric(R, K[4:10])]


def _column_revolute(screw: Any, C: Any, o: Any) -> list[list[Any]]:
    """(N, F) about the world's origin of a unit joint acceleration."""
    z = screw[0:3]
    N, F = symmetric_times(C[4:10], z), cross(z, C[1:4])
    return [add(N, cross(o, F)) + F]


def _column_prismatic(screw: Any, C: Any, o: Any) -> list[list[Any]]:
    z = screw[3:6]
    N, F = cross(C[1:4], z), scale(C[0], z)
    return [add(N, cross(o, F)) + F]


PLACE_R = Step("place_r", _place_revolute, (12, 2), (12, 6, 3, 10), CONSTANTS)
PLACE_P = Step("place_p", _place_prismatic, (12, 1), (12, 6, 3, 10), CONSTANTS)
COMPOSE = Step("compose", lambda below, C, r: [add(below, shifted(C, r))], (10, 10, 3), (10,))
COLUMN_R = Step("column_r", _column_revolute, (6, 10, 3), (6,))
COLUMN_P = Step("column_p", _column_prismatic, (6, 10, 3), (6,))
PAIR = Step("pair", lambda S, F: [[dot(S, F)]], (6, 6), (1,), paired=True)
MOUNTED_PAIR = Step("mounted_pair", lambda S, F: [[dot(S, F)]], (6, 6), (1,))
TIP_COMPOSITE = Step("tip_composite", lambda R, K: [_composite(R, K)], (9,), (10,), INERTIA)
TOGETHER = Step("together", lambda a, b: [add(a, b)], (10, 10), (10,))
WORLD_STEPS = (*MOVES, WITH_PAYLOAD, PLACE_R, PLACE_P, COMPOSE, COLUMN_R, COLUMN_P, PAIR, MOUNTED_PAIR, ARMATURE,
               TIP_COMPOSITE, TOGETHER)  # fmt: skip


def matrix_in_world_axes(run: Any, bodies: Bodies, q: Any) -> Entries:
    """Entries of the mass matrix from screws and columns about the world's origin."""
    n = len(bodies)
    base = run.constant([*np.eye(3).ravel(), 0.0, 0.0, 0.0])
    frame: list[Any] = [None] * n
    screw: list[Any] = [None] * bodies.dof
    r: list[Any] = [None] * n
    composite: list[Any] = [None] * n
    beams: dict[int, Bent] = {}
    mounted: dict[int, Any] = {}  # screws of places along beams that carry bodies
    move = moves(run, bodies, q)
    for i, body in bodies.carrying:
        above = base if body.parent == BASE else frame[body.parent]
        if body.beam is not None:
            frame[i], screws, r[i], *own = run.apply(
                body.beam.step("place"), above, move[i], constants=body.beam.values
            )
            composite[i] = run.apply(TIP_COMPOSITE, frame[i][0:9], constants=constants_of(body)[12:])
            if body.mount:
                mounted[i] = screws
                continue
            beams[i] = Bent(screws, *own)
            _by_six(screw, bodies.coordinates(i), screws)
            continue
        step = PLACE_P if body.prismatic else PLACE_R
        frame[i], screw[body.coordinate], r[i], composite[i] = run.apply(
            step, above, move[i], constants=constants_of(body)
        )
    _gather_inwards(run, bodies, composite, r, beams)
    columns: list[Any] = [None] * bodies.dof
    within: Entries = {}
    for i, body in bodies.movers:
        o = frame[i][9:12]
        if body.beam is None:
            step = COLUMN_P if body.prismatic else COLUMN_R
            columns[body.coordinate] = run.apply(step, screw[body.coordinate], composite[i], o)
            continue
        bent = beams[i]
        column = body.beam.step("column")
        forces, entries = run.apply(column, bent.screws, bent.X, bent.Me, composite[i], o)
        for k in bodies.mounts(i):
            forces, entries = run.apply(column, mounted[k], forces, entries, composite[k], frame[k][9:12])
        _by_six(columns, bodies.coordinates(i), forces)
        pairs = combinations_with_replacement(bodies.coordinates(i), 2)
        within |= {pair: entries[k : k + 1] for k, pair in enumerate(pairs)}
    chain = [above[0] if above else BASE for above in bodies.carriers]
    M: Entries = {**run.pairs(PAIR, chain, screw, columns), **within, **_beyond(run, bodies, mounted, columns)}
    for _, body in bodies.movers:
        if body.beam is None:
            M[body.coordinate, body.coordinate] = own_entry(run, body, M[body.coordinate, body.coordinate])
    return M


def _beyond(run: Any, bodies: Bodies, mounted: dict[int, Any], columns: list[Any]) -> Entries:
    """Entries of modes and of bodies along their beam, which move with the screws of their mount."""
    out: Entries = {}
    for i, _ in bodies.movers:
        for k in bodies.ancestors(i)[1:]:
            if k in mounted:
                for at, c in enumerate(bodies.coordinates(k)):
                    part = mounted[k][6 * at : 6 * at + 6]
                    out |= {(c, j): run.apply(MOUNTED_PAIR, part, columns[j]) for j in bodies.coordinates(i)}
    return out


class Bent(NamedTuple):
    """A beam: screws of its tip, its composite with modes locked, unit forces X, and Me (see `flexing_inertia`)."""

    screws: Any
    composite: Any
    X: Any
    Me: Any


def _by_six(out: list[Any], places: range, values: Any) -> None:
    for k, place in enumerate(places):
        out[place] = values[6 * k : 6 * k + 6]


def _gather_inwards(run: Any, bodies: Bodies, composite: list[Any], r: list[Any], beams: dict[int, Bent]) -> None:
    """Add to every composite those of the bodies it carries."""
    for i, body in reversed(bodies.carrying):
        parent = body.parent
        if parent == BASE:
            continue
        composite[parent] = run.apply(COMPOSE, composite[parent], composite[i], r[i])
        if i in beams:
            composite[parent] = run.apply(TOGETHER, composite[parent], beams[i].composite)


def matrix(run: Any, bodies: Bodies, q: Any, tape: bool) -> Entries:
    """The mass matrix, in body or world axes, whichever is faster for the arm and the code."""
    if bodies.coupling is not None:
        tree, q = bodies.expanded(run, q)
        found = bodies.coupling.matrix(run, matrix(run, tree, q, tape), symmetric=True)
        filled = dict.fromkeys((i, k) for k, above in enumerate(bodies.carriers) for i in above)
        return {**dict.fromkeys(filled, run.constant([0.0])), **found}
    if bodies.linear:
        from lissom.dynamics.book import inertia

        return inertia.matrix(run, bodies, q)
    return (matrix_in_world_axes if tape or bodies.flexible else matrix_in_body_axes)(run, bodies, q)


def dense(run: Any, n: int, M: Entries) -> list[Any]:
    """The dense mass matrix row by row, zero where two coordinates do not couple."""
    zero = run.constant([0.0])
    return [M.get((min(i, j), max(i, j)), zero) for i in range(n) for j in range(n)]


def program(run: Any, bodies: Bodies, setting: Setting, tape: bool, packed: bool = False) -> None:
    """Input q, then as `read_bodies`; output M, row by row; packed: of each what is on the diagonal and right of it."""
    n = bodies.dof
    q = run.input(n)
    bodies = read_bodies(run, bodies, setting)
    entries = dense(run, n, matrix(run, bodies, q, tape))
    run.output(*(entries[n * i + j] for i in range(n) for j in range(i if packed else 0, n)))
