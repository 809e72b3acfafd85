"""The regressor: torques as a linear function of every link's ten inertial parameters.

Parameters of a link: m, m c (3), Ixx, Ixy, Ixz, Iyy, Iyz, Izz about the link's frame. With w, dw and
a the motion of the link's frame in its own axes, each parameter makes one unit wrench (F, N), which
acts on every joint that carries the link, through its screw.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from lissom.dynamics.acting import MOTION, base_motion
from lissom.dynamics.bodies import BASE, Bodies
from lissom.dynamics.from_arm import constants_of, tree_of
from lissom.dynamics.kinematics import position_of
from lissom.dynamics.mass import PLACE_P, PLACE_R
from lissom.dynamics.moves import STEPS as MOVES, moves
from lissom.dynamics.vectors import add, cross, dot, product, times, transposed
from lissom.engine.step import Step
from lissom.records import filled, flat

PARAMETERS = 10
UNITS = np.eye(3)


def _wrenches(motion: Any, frame: Any, K: Any) -> list[list[Any]]:
    """Ten wrenches (N about the world's origin, F), in world axes; K is the link's pose on the body."""
    X, p = K[0:9], K[9:12]
    Xt = transposed(X)
    w0, dw0, a0 = motion[0:3], motion[3:6], motion[6:9]
    w, dw = times(Xt, w0), times(Xt, dw0)
    a = times(Xt, add(a0, add(cross(dw0, p), cross(w0, cross(w0, p)))))
    R = product(frame[0:9], X)
    o = add(frame[9:12], times(frame[0:9], p))
    O = 0 * w[0]
    pairs = [(list(a), [O, O, O])]  # mass: F = a
    for k in range(3):  # first moment: F = dw x e + w x (w x e), N = e x a
        e = [float(x) for x in UNITS[k]]
        pairs.append((add(cross(dw, e), cross(w, cross(w, e))), cross(e, a)))
    for r, c in ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)):  # inertia: N = J dw + w x J w
        Jdw, Jw = ([_unit(r, c, row, x, O) for row in range(3)] for x in (dw, w))
        pairs.append(([O, O, O], add(Jdw, cross(w, Jw))))
    out: list[Any] = []
    for F, N in pairs:
        Fw, Nw = times(R, F), times(R, N)
        out += add(Nw, cross(o, Fw)) + Fw
    return [out]


def _unit(r: int, c: int, row: int, x: Any, O: Any) -> Any:
    """Entry `row` of J x, J symmetric with ones at (r, c) and (c, r)."""
    if r == c:
        return x[r] if row == r else O
    return x[c] if row == r else x[r] if row == c else O


def _felt(S: Any, wrenches: Any) -> list[list[Any]]:
    return [[dot(S, wrenches[6 * k : 6 * k + 6]) for k in range(PARAMETERS)]]


WRENCHES = Step("wrenches", _wrenches, (9, 12), (60,), 12)
FELT = Step("felt", _felt, (6, 60), (10,))
STEPS = (*MOVES, PLACE_R, PLACE_P, WRENCHES, FELT)


def program(run: Any, bodies: Bodies) -> None:
    """Inputs q, qd, qdd; output Y (dof, 10 links), row by row."""
    q, qd, qdd = (run.input(bodies.dof) for _ in range(3))
    coupling, dof = bodies.coupling, bodies.dof
    bodies, q, qd, qdd = bodies.expanded(run, q, qd, qdd)
    n = len(bodies)
    tree, base = tree_of(bodies), filled(MOTION, base_motion(run, bodies))
    floor = run.constant([*np.eye(3).ravel(), 0.0, 0.0, 0.0])
    motion: list[Any] = [None] * n
    frame: list[Any] = [None] * n
    screw: list[Any] = [None] * n
    move = moves(run, bodies, q)
    for i, body in enumerate(bodies.list):
        above = (base, floor) if body.parent == BASE else (motion[body.parent], frame[body.parent])
        node, constants = tree.nodes[i], constants_of(body)
        motion[i], _ = run.call(
            node.element.outward, above[0], position_of(node, move[i]), node.part(qd), node.part(qdd)
        )
        frame[i], screw[i], _, _ = run.apply(
            PLACE_P if body.prismatic else PLACE_R, above[1], move[i], constants=constants
        )
    rows: dict[int, dict[int, Any]] = {}
    for link, place in enumerate(bodies.links):
        if place.body == BASE:
            continue
        wrenches = run.apply(WRENCHES, flat(motion[place.body]).entries, frame[place.body], constants=place.row)
        rows[link] = {i: run.apply(FELT, screw[i], wrenches) for i in bodies.ancestors(place.body)}
        if coupling is not None:
            rows[link] = coupling.columns(run, rows[link], PARAMETERS)
    nothing = run.constant(np.zeros(PARAMETERS))
    run.output(*(rows.get(link, {}).get(i, nothing) for i in range(dof) for link in range(len(bodies.links))))
