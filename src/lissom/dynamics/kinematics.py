"""Kinematics: outward recursions in world axes.

Per body: orientation R (9) and origin o (3) of its frame, whose z is the joint's axis. A point of a
frame is given in the frame's axes; P is where it is in the world. Column of a joint in the Jacobian
of P, linear rows first: ``z x (P - o)`` and ``z`` for a revolute joint, ``z`` and 0 for a prismatic
one.

The tip of a flexible link moves with its deflection.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from lissom.dynamics.acting import MOTION, Setting, read_bodies
from lissom.dynamics.bodies import BASE, Bodies, Body
from lissom.dynamics.from_arm import constants_of, tree_of
from lissom.dynamics.moves import STEPS as MOVES, carried, moves
from lissom.dynamics.tree import Node, Position
from lissom.dynamics.vectors import add, cross, product, scale, sub, times
from lissom.elements.link import RigidLink
from lissom.engine.step import Step
from lissom.records import filled, flat

# ---- steps ---------------------------------------------------------------------------------------


def _frame_revolute(above: Any, turn: Any, K: Any) -> list[list[Any]]:
    """(R, o) of a body from its parent's; K = R0 (9), p (3)."""
    R, r, _ = carried(False, above[0:9], turn, K)
    return [R + add(above[9:12], r)]


def _frame_prismatic(above: Any, q: Any, K: Any) -> list[list[Any]]:
    R, r, _ = carried(True, above[0:9], q, K)
    return [R + add(above[9:12], r)]


def _on_body(body: Any, K: Any) -> list[list[Any]]:
    """Pose (4, 4) of a frame that sits at K on a body."""
    R, p = product(body[0:9], K[0:9]), add(body[9:12], times(body[0:9], K[9:12]))
    O = 0 * p[0]
    return [[*R[0:3], p[0], *R[3:6], p[1], *R[6:9], p[2], O, O, O, O + 1]]


def _at_point(X: Any, point: Any) -> list[list[Any]]:
    """The pose with its origin moved to a point, and that point."""
    P = [X[4 * r + 3] + (X[4 * r] * point[0] + X[4 * r + 1] * point[1] + X[4 * r + 2] * point[2]) for r in range(3)]
    moved = [P[k // 4] if k in (3, 7, 11) else X[k] + 0 for k in range(16)]
    return [moved, P]


def _column_revolute(body: Any, P: Any) -> list[list[Any]]:
    z = [body[2] + 0, body[5] + 0, body[8] + 0]
    return [cross(z, sub(P, body[9:12])) + z]


def _column_prismatic(body: Any, P: Any) -> list[list[Any]]:
    O = 0 * P[0]
    return [[body[2] + 0, body[5] + 0, body[8] + 0, O, O, O]]


def _arrive(motion: Any, body: Any, P: Any) -> list[list[Any]]:
    """Acceleration of P and angular acceleration, world axes, from (w, dw, a) of a body in its own axes."""
    R = body[0:9]
    w, dw, a = times(R, motion[0:3]), times(R, motion[3:6]), times(R, motion[6:9])
    r = sub(P, body[9:12])
    return [add(a, add(cross(dw, r), cross(w, cross(w, r)))) + dw]


FRAME_R = Step("frame_r", _frame_revolute, (12, 2), (12,), 12)
FRAME_P = Step("frame_p", _frame_prismatic, (12, 1), (12,), 12)
ON_BODY = Step("on_body", _on_body, (12,), (16,), 12)
AT_POINT = Step("at_point", _at_point, (16, 3), (16, 3))
COLUMN_R = Step("jacobian_r", _column_revolute, (12, 3), (6,))
COLUMN_P = Step("jacobian_p", _column_prismatic, (12, 3), (6,))
GATHER = Step("gather", lambda v, column, rate: [add(v, scale(rate[0], column))], (6, 6, 1), (6,))
ARRIVE = Step("arrive", _arrive, (9, 12, 3), (6,))
STEPS = (*MOVES, FRAME_R, FRAME_P, ON_BODY, AT_POINT, COLUMN_R, COLUMN_P, GATHER, ARRIVE)

# ---- programs ------------------------------------------------------------------------------------


def frames_of(run: Any, bodies: Bodies, move: dict[int, Any]) -> dict[int, Any]:
    """(R, o) of the bodies whose moves are given, and of the base."""
    out: dict[int, Any] = {BASE: run.constant([*np.eye(3).ravel(), 0.0, 0.0, 0.0])}
    for i in sorted(move):  # parents first
        body = bodies.list[i]
        if body.beam is not None:
            out[i] = run.apply(body.beam.step("frame"), out[body.parent], move[i], constants=body.beam.values)
            continue
        step = FRAME_P if body.prismatic else FRAME_R
        out[i] = run.apply(step, out[body.parent], move[i], constants=constants_of(body)[0:12])
    return out


def poses(run: Any, bodies: Bodies, setting: Setting) -> None:
    """Input q, then as `read_bodies`; output (links, 4, 4)."""
    q = run.input(bodies.arm.dof)
    bodies, q = read_bodies(run, bodies, setting).expanded(run, q)
    frames = frames_of(run, bodies, moves(run, bodies, q))
    run.output(*(run.apply(ON_BODY, frames[place.body], constants=place.row) for place in bodies.links))


class Reach(NamedTuple):
    """The bodies on the way to a frame: their moves and frames; the frame's pose with its origin at P, and P."""

    move: dict[int, Any]
    frames: dict[int, Any]
    X: Any
    P: Any


def reach(run: Any, bodies: Bodies, frame: str, q: Any, point: Any) -> Reach:
    """The path to a point of a frame."""
    place = bodies.place(frame)
    bodies, q = bodies.expanded(run, q)
    move = moves(run, bodies, q, bodies.ancestors(place.body)[::-1])
    frames = frames_of(run, bodies, move)
    return Reach(move, frames, *run.apply(AT_POINT, run.apply(ON_BODY, frames[place.body], constants=place.row), point))


def columns(run: Any, bodies: Bodies, way: Reach) -> dict[int, Any]:
    """Columns of the Jacobian of P, by coordinate."""
    if bodies.coupling is not None:
        return bodies.coupling.columns(run, columns(run, bodies.tree, way), 6)
    out: dict[int, Any] = {}
    for i in sorted(way.move):
        body = bodies.list[i]
        if body.beam is None:
            out[body.coordinate] = _column(run, bodies, body, way.frames[i], way.P)
            continue
        parts = (way.frames[body.parent], way.move[i], way.P)
        found = run.apply(body.beam.step("columns"), *parts, constants=body.beam.values)
        out |= dict(zip(bodies.coordinates(i), [found] if body.width == 1 else found, strict=True))
    return out


def point_velocity(run: Any, bodies: Bodies, way: Reach, qd: Any) -> Any:
    """Velocity of P and angular velocity (6), world axes, base at rest."""
    v = run.constant(np.zeros(6))
    for c, column in columns(run, bodies, way).items():
        v = run.apply(GATHER, v, column, qd[c : c + 1])
    return v


def _reach(run: Any, bodies: Bodies, setting: Setting, vectors: int) -> tuple[Bodies, list[Any], Reach]:
    """Inputs: coordinate vectors and the point, then as `read_bodies`; returns the path to the point."""
    given = [run.input(bodies.arm.dof) for _ in range(vectors)]
    point = run.input(3)
    bodies = read_bodies(run, bodies, setting)
    return bodies, given, reach(run, bodies, str(setting.frame), given[0], point)


def _column(run: Any, bodies: Bodies, body: Body, frame: Any, P: Any) -> Any:
    if bodies.linear:
        from lissom.dynamics.book.motion import POINT_P, POINT_R

        return run.apply(POINT_P if body.prismatic else POINT_R, frame, P)
    return run.apply(COLUMN_P if body.prismatic else COLUMN_R, frame, P)


def pose(run: Any, bodies: Bodies, setting: Setting) -> None:
    """Inputs q, point; output (4, 4)."""
    run.output(_reach(run, bodies, setting, 1)[2].X)


def jacobian(run: Any, bodies: Bodies, setting: Setting) -> None:
    """Inputs q, point; output (6, dof)."""
    bodies, _, way = _reach(run, bodies, setting, 1)
    known = columns(run, bodies, way)
    nothing = run.constant(np.zeros(6))
    run.output(*(known.get(k, nothing)[r : r + 1] for r in range(6) for k in range(bodies.arm.dof)))


def velocity(run: Any, bodies: Bodies, setting: Setting) -> None:
    """Inputs q, qd, point; output (6,), base at rest."""
    bodies, (_, qd), way = _reach(run, bodies, setting, 2)
    run.output(point_velocity(run, bodies, way, qd))


def point_acceleration(run: Any, bodies: Bodies, way: Reach, qd: Any, qdd: Any) -> Any:
    """Acceleration of P and angular acceleration (6), world axes, base at rest, gravity not counted."""
    if bodies.coupling is not None:
        bodies, qd, qdd = bodies.tree, *bodies.coupling.rates(run, qd, qdd)
    if bodies.linear:
        from lissom.dynamics.book import motion as linear

        return linear.acceleration(run, bodies, way, qd, qdd)
    tree, motion = tree_of(bodies), filled(MOTION, run.constant(np.zeros(9)))
    for i in sorted(way.move):
        node = tree.nodes[i]
        motion, _ = run.call(
            node.element.outward, motion, position_of(node, way.move[i]), node.part(qd), node.part(qdd)
        )
    return run.apply(ARRIVE, flat(motion).entries, way.frames[max(way.move, default=BASE)], way.P)


def position_of(node: Node, move: Any) -> Position:
    """The position of an element from what `moves` gives."""
    if not isinstance(node.element, RigidLink):
        return move
    return filled(flat(node.element.joint.pose((0.0,))).structure, move)


def acceleration(run: Any, bodies: Bodies, setting: Setting) -> None:
    """Inputs q, qd, qdd, point; output (6,)."""
    bodies, (_, qd, qdd), way = _reach(run, bodies, setting, 3)
    run.output(point_acceleration(run, bodies, way, qd, qdd))
