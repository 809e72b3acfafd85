"""Generalised forces of Book 1983: outwards the matrices W and their rates, inwards Q.

The joint equation (56) and the deflection equation (57), with the accelerations in them: what is left of them
without accelerations is R of (82), (83)-(90), with its sign turned. Gravity is an acceleration of the base.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from lissom.dynamics.bodies import BASE, Bodies
from lissom.dynamics.book.frames import IN_P, IN_R, OUT_P, OUT_R, START, SUM, THRUST, TORQUE, UNLOAD
from lissom.dynamics.book.inertia import appendage, composites
from lissom.dynamics.book.moves import moves
from lissom.dynamics.drives import motor_force
from lissom.dynamics.from_arm import constants_of


def joint_torques(run: Any, bodies: Bodies, q: Any, qd: Any, qdd: Any, base: Any, loads: Any) -> list[Any]:
    """Joint torques as in `inverse.joint_torques`: one vector of length one per coordinate."""
    n = len(bodies)
    state: list[Any] = [None] * n
    Q: list[Any] = [None] * n
    modal: dict[int, Any] = {}
    move = moves(run, bodies, q)
    start = run.apply(START, base)
    for i, body in enumerate(bodies.list):
        above = start if body.parent == BASE else state[body.parent]
        rates = (bodies.own(qd, i), bodies.own(qdd, i))
        if body.beam is None:
            step = OUT_P if body.prismatic else OUT_R
            state[i], Q[i] = run.apply(step, above, move[i], *rates, constants=constants_of(body))
            continue
        state[i] = run.apply(body.beam.step("motion"), above, move[i], *rates, constants=body.beam.values)
        Q[i] = run.constant(np.zeros(12))
        if body.beam_owner < 0:  # not only a place along a beam
            own = (above, move[i], *rates, appendage(run, body))
            felt, modal[i] = run.apply(body.beam.step("force"), *own, constants=body.beam.values)
            if body.parent != BASE:
                Q[body.parent] = run.apply(SUM, Q[body.parent], felt)
    for frame, load in loads:
        place = bodies.place(frame)
        if place.body != BASE:
            k = place.body
            Q[k] = run.apply(UNLOAD, Q[k], state[k][0:12], load, constants=place.row)
    if any(body.beam is not None and body.beam.layout.takes_shortcut for body in bodies.list):
        _take_shortcuts(run, bodies, state, start, move, qdd, modal)
    return _gathered(run, bodies, (q, qd, qdd), move, state, start, Q, modal)


def _take_shortcuts(run: Any, bodies: Bodies, state: Any, start: Any, move: Any, qdd: Any, modal: Any) -> None:
    """The truncated modal forces of (72), (73)."""
    B = composites(run, bodies, move)
    for i, body in bodies.movers:
        if body.beam is not None:
            above = start if body.parent == BASE else state[body.parent]
            parts = (modal[i], above[0:12], move[i], bodies.own(qdd, i), B[i], appendage(run, body))
            modal[i] = run.apply(body.beam.step("shortcut"), *parts, constants=body.beam.values)


def _gathered(
    run: Any, bodies: Bodies, motion: Any, move: Any, state: Any, start: Any, Q: Any, modal: Any
) -> list[Any]:
    """The inward pass: (84), (86), (88)."""
    tau: list[Any] = [None] * bodies.dof
    nothing = run.constant(np.zeros(12))
    for i in range(len(bodies) - 1, -1, -1):
        body = bodies.list[i]
        above = start if body.parent == BASE else state[body.parent]
        below = nothing if body.parent == BASE else Q[body.parent]
        if body.beam is not None:
            tip = i if body.beam_owner < 0 else body.beam_owner
            parts = (below, modal[tip], Q[i], above[0:12], move[i])
            below, modal[tip] = run.apply(body.beam.step("inward"), *parts, constants=body.beam.values)
            for k, c in enumerate(bodies.coordinates(i)):
                tau[c] = modal[tip][k : k + 1]
        else:
            felt = run.apply(THRUST if body.prismatic else TORQUE, state[i][0:12], Q[i])
            tau[body.coordinate] = motor_force(run, body, felt, *(bodies.own(x, i) for x in motion))
            if body.parent != BASE:
                step = IN_P if body.prismatic else IN_R
                below = run.apply(step, below, Q[i], move[i], constants=constants_of(body)[0:12])
        if body.parent != BASE:
            Q[body.parent] = below
    return tau
