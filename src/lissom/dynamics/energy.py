"""Energies, centre of mass and momentum: one outward pass in world axes.

Per body: orientation R, origin o, angular velocity w, velocity v of the origin. With h = R mc its
first moment and I its inertia about the origin, turned to world axes:

    T = 1/2 (w.I w + m v.v) + v.(w x h)          P = m v + w x h        L = I w + h x v + o x P
"""

from __future__ import annotations

from typing import Any

import numpy as np

from lissom.dynamics.bodies import BASE, Bodies
from lissom.dynamics.inverse import CONSTANTS, LADEN, Setting, constants_of, laden
from lissom.dynamics.moves import STEPS as MOVES
from lissom.dynamics.moves import carried, moves
from lissom.dynamics.vectors import (
    add,
    cross,
    dot,
    scale,
    symmetric_times,
    times,
    turned_symmetric,
)
from lissom.engine.program import Step


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
    m, h, I = K[12], times(R, K[13:16]), turned_symmetric(R, K[16:22])
    Iw, wh = symmetric_times(I, w), cross(w, h)
    P = add(scale(m, v), wh)
    T = 0.5 * (dot(w, Iw) + m * dot(v, v)) + dot(v, wh)
    L = add(add(Iw, cross(h, v)), cross(o, P))
    return [[*R, *o, *w, *v], [T, *add(scale(m, o), h), *P, *L]]


def _drive_energy(total: Any, q: Any, qd: Any, K: Any) -> list[list[Any]]:
    """Kinetic and potential energy with a joint's share: K = armature, stiffness, rest."""
    stretch = q[0] - K[2]
    return [[total[0] + 0.5 * K[0] * (qd[0] * qd[0]), total[1] + 0.5 * K[1] * (stretch * stretch)]]


MOVE_R = Step("move_r", _move_revolute, (18, 2, 1), (18, 10), CONSTANTS)
MOVE_P = Step("move_p", _move_prismatic, (18, 1, 1), (18, 10), CONSTANTS)
TOTAL = Step("total", lambda a, b: [add(a, b)], (10, 10), (10,))
HEIGHT = Step("height", lambda total, K: [[total[0], -dot(K, total[1:4])]], (10,), (2,), 3)
DRIVE_ENERGY = Step("drive_energy", _drive_energy, (2, 1, 1), (2,), 3)
STEPS = (*MOVES, LADEN, MOVE_R, MOVE_P, TOTAL, HEIGHT, DRIVE_ENERGY)


def totals(run: Any, bodies: Bodies, q: Any, qd: Any) -> Any:
    """Sum over bodies of (T, m o + h, P, L)."""
    base = run.constant([*np.eye(3).ravel(), *np.zeros(9)])
    state: list[Any] = [None] * len(bodies)
    total = run.constant(np.zeros(10))
    move = moves(run, bodies, q)
    for i, body in enumerate(bodies.list):
        above = base if body.parent == BASE else state[body.parent]
        step = MOVE_P if body.prismatic else MOVE_R
        state[i], part = run.call(step, above, move[i], qd[i : i + 1], constants=constants_of(body))
        total = run.call(TOTAL, total, part)
    return total


def kinetic(run: Any, bodies: Bodies) -> None:
    """Inputs q, qd; output T."""
    n = len(bodies)
    run.output(_energies(run, bodies, run.input(n), run.input(n))[0:1])


def potential(run: Any, bodies: Bodies) -> None:
    """Input q; output V."""
    n = len(bodies)
    run.output(_energies(run, bodies, run.input(n), run.constant(np.zeros(n)))[1:2])


def both(run: Any, bodies: Bodies, setting: Setting) -> None:
    """Inputs q, qd, then the payloads; output T, V."""
    n = len(bodies)
    q, qd = run.input(n), run.input(n)
    run.output(_energies(run, laden(run, bodies, setting), q, qd))


def first_moment(run: Any, bodies: Bodies) -> None:
    """Input q; output mass times centre of mass (3)."""
    n = len(bodies)
    run.output(totals(run, bodies, run.input(n), run.constant(np.zeros(n)))[1:4])


def momentum(run: Any, bodies: Bodies) -> None:
    """Inputs q, qd; output P (3), L (3)."""
    n = len(bodies)
    run.output(totals(run, bodies, run.input(n), run.input(n))[4:10])


def _energies(run: Any, bodies: Bodies, q: Any, qd: Any) -> Any:
    """(T, V) with the drives' inertia and the joints' springs."""
    total = totals(run, bodies, q, qd)
    energy = run.call(HEIGHT, total, constants=list(map(float, bodies.arm.gravity)))
    for i, body in enumerate(bodies.list):
        row = (body.armature, body.stiffness, body.rest)
        if any(row):
            energy = run.call(DRIVE_ENERGY, energy, q[i : i + 1], qd[i : i + 1], constants=row)
    return energy
