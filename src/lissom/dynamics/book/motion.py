"""Motion of a linear field: energies, momentum (22), and motion of points.

The kinetic energy is that of (22) with (29) in full, also where the equations of motion are truncated.
Frames are not orthonormal, so "turning" is the spin of a frame: the antisymmetric part of dF F^-1.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from lissom.dynamics.acting import CONSTANTS
from lissom.dynamics.bodies import BASE, Bodies
from lissom.dynamics.book.frames import (
    OUT_P,
    OUT_R,
    STATE,
    flat,
    inner,
    inverse,
    matrix,
    pseudo,
    slid,
    spin,
    states,
    turned,
)
from lissom.dynamics.book.inertia import appendage
from lissom.dynamics.energy import TOTAL
from lissom.dynamics.from_arm import constants_of
from lissom.dynamics.moves import moves
from lissom.elements.arrays import axial, objects, skew
from lissom.engine.step import Step


def _moved(joint: Any) -> Any:
    def step(above: Any, move: Any, qd: Any, K: Any) -> list[list[Any]]:
        """W, Wd behind a joint, and (T, int p, int v, int p x v) of its rigid body."""
        W, Wd = joint(above, move, qd, K)
        P = pseudo(K[12:22])
        flow = Wd @ P
        sums = [0.5 * inner(flow, Wd), *(W @ P[:, 0]), *flow[:, 0], *axial(flow @ W.T)]
        return [[*flat(W), *flat(Wd)], sums]

    return step


def _column_revolute(body: Any, P: Any) -> list[list[Any]]:
    """Velocity of P, carried by a body, and spin of its frame, per unit rate of the body's joint."""
    W = matrix(body)
    F, z = W[:, 1:], objects([0.0, 0.0, 1.0])
    back = inverse(F)
    turn = F @ skew(z)
    return [[*(turn @ back @ (objects(P) - W[:, 0])), *spin(turn @ back)]]


def _column_prismatic(body: Any, P: Any) -> list[list[Any]]:
    O = 0 * P[0]
    return [[*(x + O for x in matrix(body)[:, 3]), O, O, O]]  # one by one: symbols would take the whole array


def _arrive(state: Any, P: Any) -> list[list[Any]]:
    """Acceleration of P and of the spin of its frame."""
    W, Wd, Wdd = states(state)
    back = inverse(W[:, 1:])
    h = np.concatenate([objects([1.0]), back @ (objects(P) - W[:, 0])])
    L = Wd[:, 1:] @ back
    return [[*(Wdd @ h), *spin(Wdd[:, 1:] @ back - L @ L)]]


MOVE_R = Step("book_move_r", _moved(turned), (24, 2, 1), (24, 10), CONSTANTS)
MOVE_P = Step("book_move_p", _moved(slid), (24, 1, 1), (24, 10), CONSTANTS)
POINT_R = Step("book_point_r", _column_revolute, (12, 3), (6,))
POINT_P = Step("book_point_p", _column_prismatic, (12, 3), (6,))
ARRIVE = Step("book_arrive", _arrive, (STATE, 3), (6,))
STEPS = (MOVE_R, MOVE_P, POINT_R, POINT_P, ARRIVE)


def totals(run: Any, bodies: Bodies, q: Any, qd: Any) -> Any:
    """Totals as in `energy.totals`: sums over bodies of (T, int p, int v, int p x v)."""
    base = run.constant([*np.eye(3).ravel(), *np.zeros(15)])
    state: dict[int, Any] = {BASE: base}
    total = run.constant(np.zeros(10))
    move = moves(run, bodies, q)
    for i, body in bodies.movers:
        above, rates = state[body.parent], bodies.own(qd, i)
        if body.beam is not None:
            parts = (above, move[i], rates, appendage(run, body))
            state[i], part = run.apply(body.beam.step("moving"), *parts, constants=body.beam.values)
        else:
            step = MOVE_P if body.prismatic else MOVE_R
            state[i], part = run.apply(step, above, move[i], rates, constants=constants_of(body))
        total = run.apply(TOTAL, total, part)
    return total


def acceleration(run: Any, bodies: Bodies, way: Any, qd: Any, qdd: Any) -> Any:
    """As the verb: of P and of the spin of its frame (6), base at rest, gravity not counted."""
    state = run.constant([*np.eye(3).ravel(), *np.zeros(27)])
    for i in sorted(way.move):
        body = bodies.list[i]
        parts = (state, way.move[i], bodies.own(qd, i), bodies.own(qdd, i))
        if body.beam is not None:
            state = run.apply(body.beam.step("motion"), *parts, constants=body.beam.values)
        else:
            state, _ = run.apply(OUT_P if body.prismatic else OUT_R, *parts, constants=constants_of(body))
    return run.apply(ARRIVE, state, way.P)
