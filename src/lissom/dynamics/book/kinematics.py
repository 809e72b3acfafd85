"""Kinematics of a linear field: frames, and motion of points.

Frames are not orthonormal, so "turning" is the spin of a frame: the antisymmetric part of dF F^-1.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from lissom.dynamics.acting import WORLD
from lissom.dynamics.bodies import BASE, Bodies
from lissom.dynamics.book.frames import OUT_P, OUT_R, STATE, inverse, matrix, spin, states
from lissom.dynamics.book.moves import carried, moves
from lissom.dynamics.from_arm import constants_of, placement_of
from lissom.dynamics.vectors import add
from lissom.elements.arrays import objects, skew
from lissom.engine.step import Step
from lissom.records import flat

if TYPE_CHECKING:
    from lissom.dynamics.kinematics import Reach


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


def _frame_revolute(above: Any, turn: Any, K: Any) -> list[list[Any]]:
    """(R, o) of a body from its parent's; K = R0 (9), p (3)."""
    R, r, _ = carried(False, above[0:9], turn, K)
    return [R + add(above[9:12], r)]


def _frame_prismatic(above: Any, q: Any, K: Any) -> list[list[Any]]:
    R, r, _ = carried(True, above[0:9], q, K)
    return [R + add(above[9:12], r)]


FRAME_R = Step("frame_r", _frame_revolute, (12, 2), (12,), 12)
FRAME_P = Step("frame_p", _frame_prismatic, (12, 1), (12,), 12)
POINT_R = Step("book_point_r", _column_revolute, (12, 3), (6,))
POINT_P = Step("book_point_p", _column_prismatic, (12, 3), (6,))
ARRIVE = Step("book_arrive", _arrive, (STATE, 3), (6,))


def frames(run: Any, bodies: Bodies, q: Any, wanted: Iterable[int] | None = None) -> tuple[dict[int, Any], Any]:
    """What `moves` gives, and frames as in `dynamics.kinematics`."""
    move = moves(run, bodies, q, wanted)
    return move, frames_of(run, bodies, move)


def frames_of(run: Any, bodies: Bodies, move: dict[int, Any]) -> dict[int, Any]:
    """Frames of the bodies whose moves are given, and of the base."""
    out: dict[int, Any] = {BASE: run.constant(WORLD)}
    for i in sorted(move):  # parents first
        body = bodies.list[i]
        above = flat(out[body.parent]).entries
        if body.beam is not None:
            found = run.apply(body.beam.step("frame"), above, move[i], constants=body.beam.values)
        else:
            found = run.apply(FRAME_P if body.prismatic else FRAME_R, above, move[i], constants=constants_of(body)[:12])
        out[i] = placement_of(found)
    return out


def columns(run: Any, bodies: Bodies, way: Reach) -> dict[int, Any]:
    """Columns of the Jacobian of P by coordinate, vectors of six entries."""
    out: dict[int, Any] = {}
    P = flat(way.P).entries
    for i in sorted(way.x):
        body = bodies.list[i]
        if body.beam is None:
            step = POINT_P if body.prismatic else POINT_R
            out[body.coordinate] = run.apply(step, flat(way.frames[i]).entries, P)
            continue
        parts = (flat(way.frames[body.parent]).entries, way.x[i], P)
        found = run.apply(body.beam.step("columns"), *parts, constants=body.beam.values)
        out |= dict(zip(bodies.coordinates(i), [found] if body.width == 1 else found, strict=True))
    return out


def acceleration(run: Any, bodies: Bodies, way: Any, qd: Any, qdd: Any) -> Any:
    """As the verb: of P and of the spin of its frame (6), base at rest, gravity not counted."""
    state = run.constant([*np.eye(3).ravel(), *np.zeros(27)])
    for i in sorted(way.x):
        body = bodies.list[i]
        parts = (state, way.x[i], bodies.own(qd, i), bodies.own(qdd, i))
        if body.beam is not None:
            state = run.apply(body.beam.step("motion"), *parts, constants=body.beam.values)
        else:
            state, _ = run.apply(OUT_P if body.prismatic else OUT_R, *parts, constants=constants_of(body))
    return run.apply(ARRIVE, state, flat(way.P).entries)
