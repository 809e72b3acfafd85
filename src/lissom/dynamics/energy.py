"""Energies, centre of mass and momentum: one outward pass in world axes.

Per body: orientation R, origin o, angular velocity w, velocity v of the origin. With h = R mc its
first moment and I its inertia about the origin, turned to world axes:

    T = 1/2 (w.I w + m v.v) + v.(w x h)          P = m v + w x h        L = I w + h x v + o x P
"""

from __future__ import annotations

from typing import Any

import numpy as np

from lissom.dynamics.acting import CONSTANTS, INERTIA, WITH_PAYLOAD, Setting, read_bodies
from lissom.dynamics.bodies import BASE, Bodies
from lissom.dynamics.drives import ROW, drive_of
from lissom.dynamics.from_arm import constants_of
from lissom.dynamics.moves import STEPS as MOVES, carried, moves
from lissom.dynamics.vectors import (
    add,
    cross,
    dot,
    scale,
    symmetric_times,
    times,
    turned_symmetric,
)
from lissom.engine.step import Step


def _move_revolute(above: Any, turn: Any, qd: Any, K: Any) -> list[list[Any]]:
    """(R, o, w, v) of the parent -> (R, o, w, v), (T, m o + h, P, L)."""
    R, r, z = carried(False, above[0:9], turn, K)
    w0 = above[12:15]
    w = add(w0, scale(qd[0], z))
    return _moved(R, add(above[9:12], r), w, add(above[15:18], cross(w0, r)), K)


def _move_prismatic(above: Any, q: Any, qd: Any, K: Any) -> list[list[Any]]:
    R, r, z = carried(True, above[0:9], q, K)
    w = above[12:15]
    v = add(add(above[15:18], cross(w, r)), scale(qd[0], z))
    return _moved(R, add(above[9:12], r), [x + 0 * z[0] for x in w], v, K)


def _moved(R: Any, o: Any, w: Any, v: Any, K: Any) -> list[list[Any]]:
    return [[*R, *o, *w, *v], _parts(R, o, w, v, K[12:22])]


def _parts(R: Any, o: Any, w: Any, v: Any, K: Any) -> list[Any]:
    """(T, m o + h, P, L) of a body with mass, first moment and inertia K."""
    m, h, I = K[0], times(R, K[1:4]), turned_symmetric(R, K[4:10])
    Iw, wh = symmetric_times(I, w), cross(w, h)
    P = add(scale(m, v), wh)
    T = 0.5 * (dot(w, Iw) + m * dot(v, v)) + dot(v, wh)
    L = add(add(Iw, cross(h, v)), cross(o, P))
    return [T, *add(scale(m, o), h), *P, *L]


def _split(state: Any) -> tuple[Any, Any, Any, Any]:
    return state[0:9], state[9:12], state[12:15], state[15:18]


def _drive_energy(total: Any, q: Any, qd: Any, K: Any) -> list[list[Any]]:
    """Kinetic and potential energy with a joint's share: K = the row of its drive."""
    stretch = q[0] - K[4]
    return [[total[0] + 0.5 * K[0] * (qd[0] * qd[0]), total[1] + 0.5 * K[3] * (stretch * stretch)]]


MOVE_R = Step("move_r", _move_revolute, (18, 2, 1), (18, 10), CONSTANTS)
MOVE_P = Step("move_p", _move_prismatic, (18, 1, 1), (18, 10), CONSTANTS)
TOTAL = Step("total", lambda a, b: [add(a, b)], (10, 10), (10,))
HEIGHT = Step("height", lambda total, K: [[total[0], -dot(K, total[1:4])]], (10,), (2,), 3)
DRIVE_ENERGY = Step("drive_energy", _drive_energy, (2, 1, 1), (2,), ROW)
TIP_TOTAL = Step("tip_total", lambda state, K: [_parts(*_split(state), K)], (18,), (10,), INERTIA)
STEPS = (*MOVES, WITH_PAYLOAD, MOVE_R, MOVE_P, TIP_TOTAL, TOTAL, HEIGHT, DRIVE_ENERGY)


def totals(run: Any, bodies: Bodies, q: Any, qd: Any) -> Any:
    """Sum over bodies of (T, m o + h, P, L)."""
    bodies, q, qd = bodies.expanded(run, q, qd)
    if bodies.linear:
        from lissom.dynamics.book import motion

        return motion.totals(run, bodies, q, qd)
    base = run.constant([*np.eye(3).ravel(), *np.zeros(9)])
    state: list[Any] = [None] * len(bodies)
    total = run.constant(np.zeros(10))
    move = moves(run, bodies, q)
    for i, body in bodies.carrying:
        above, rates = base if body.parent == BASE else state[body.parent], bodies.own(qd, i)
        if body.beam is not None:
            state[i], part = run.apply(body.beam.step("moving"), above, move[i], rates, constants=body.beam.values)
            if not body.mount:
                total = run.apply(TOTAL, total, part)
            part = run.apply(TIP_TOTAL, state[i], constants=constants_of(body)[12:])
        else:
            step = MOVE_P if body.prismatic else MOVE_R
            state[i], part = run.apply(step, above, move[i], rates, constants=constants_of(body))
        total = run.apply(TOTAL, total, part)
    return total


def kinetic(run: Any, bodies: Bodies, setting: Setting) -> None:
    """Inputs q, qd, then as `read_bodies`; output T."""
    n = bodies.dof
    q, qd = run.input(n), run.input(n)
    run.output(_energies(run, read_bodies(run, bodies, setting), q, qd)[0:1])


def potential(run: Any, bodies: Bodies, setting: Setting) -> None:
    """Input q, then as `read_bodies`; output V."""
    n = bodies.dof
    q, still = run.input(n), run.constant(np.zeros(n))
    run.output(_energies(run, read_bodies(run, bodies, setting), q, still)[1:2])


def both(run: Any, bodies: Bodies, setting: Setting) -> None:
    """Inputs q, qd, then as `read_bodies`; output T, V."""
    n = bodies.dof
    q, qd = run.input(n), run.input(n)
    run.output(_energies(run, read_bodies(run, bodies, setting), q, qd))


def first_moment(run: Any, bodies: Bodies, setting: Setting) -> None:
    """Input q, then as `read_bodies`; output mass times centre of mass (3)."""
    n = bodies.dof
    q, still = run.input(n), run.constant(np.zeros(n))
    run.output(totals(run, read_bodies(run, bodies, setting), q, still)[1:4])


def momentum(run: Any, bodies: Bodies, setting: Setting) -> None:
    """Inputs q, qd, then as `read_bodies`; output P (3), L (3)."""
    n = bodies.dof
    q, qd = run.input(n), run.input(n)
    run.output(totals(run, read_bodies(run, bodies, setting), q, qd)[4:10])


def _energies(run: Any, bodies: Bodies, q: Any, qd: Any) -> Any:
    """(T, V) with the drives' inertia and the joints' springs."""
    bodies, q, qd = bodies.expanded(run, q, qd)
    energy = run.apply(HEIGHT, totals(run, bodies, q, qd), constants=bodies.gravity)
    for i, body in bodies.movers:
        if body.beam is not None:
            energy = run.apply(body.beam.step("strain"), energy, bodies.own(q, i), constants=body.beam.values)
            continue
        row = drive_of(body)
        if row is not None:
            state = bodies.own(q, i), bodies.own(qd, i)
            energy = run.apply(DRIVE_ENERGY, energy, *state, constants=row)
    return energy
