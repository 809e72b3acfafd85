"""The inertia matrix J of Book 1983, (66)-(81).

The paper's jF~_h, jF_h and jPhi_h are 4x4; here each is carried inwards with the factor on its right already
applied (U_h^T What_{h-1}^T or M_hk^T W_h^T): three rows Q, which (78) moves from link to link. The composite
hF~_h of (79), B, is all that a body carries, itself included, in its own frame.
"""

from __future__ import annotations

from itertools import combinations_with_replacement
from typing import Any

import numpy as np

from lissom.dynamics.bodies import BASE, Bodies, Body
from lissom.dynamics.book.frames import (
    COLUMN_P,
    COLUMN_R,
    COMPOSE_P,
    COMPOSE_R,
    IN_P,
    IN_R,
    PSEUDO,
    THRUST,
    TORQUE,
)
from lissom.dynamics.book.kinematics import frames_of
from lissom.dynamics.book.moves import moves
from lissom.dynamics.drives import with_armature
from lissom.dynamics.from_arm import constants_of
from lissom.dynamics.mass import Entries
from lissom.records import flat


def appendage(run: Any, body: Body) -> Any:
    """Mass, first moment and inertia (10) of what is fixed to a body."""
    row = constants_of(body)[12:22]
    return row if body.constants is not None else run.constant(row)


def composites(run: Any, bodies: Bodies, move: Any) -> dict[int, Any]:
    """Composites B of (79) by body; for a link's end only what is beyond it, Phi."""
    B = {}
    for i, body in bodies.movers:
        B[i] = run.constant(np.zeros(10)) if body.beam is not None else run.apply(PSEUDO, appendage(run, body))
    for i, body in reversed(bodies.movers):
        if body.parent == BASE:
            continue
        below = B[body.parent]
        if body.beam is not None:
            parts = (below, B[i], move[i], appendage(run, body))
            B[body.parent] = run.apply(body.beam.step("compose"), *parts, constants=body.beam.values)
        else:
            step = COMPOSE_P if body.prismatic else COMPOSE_R
            B[body.parent] = run.apply(step, below, B[i], move[i], constants=constants_of(body)[0:12])
    return B


def matrix(run: Any, bodies: Bodies, q: Any) -> Entries:
    """Mass matrix as in `mass.matrix`: entries (i, j), i carrying j or equal, each a vector of length one."""
    move = moves(run, bodies, q)
    B = composites(run, bodies, move)
    W = {i: flat(frame).entries for i, frame in frames_of(run, bodies, move).items()}
    M: Entries = {}
    for i, body in reversed(bodies.movers):
        if body.beam is None:
            k = body.coordinate
            column = run.apply(COLUMN_P if body.prismatic else COLUMN_R, W[i], B[i])
            _inwards(run, bodies, (W, move), i, k, column, M)
            M[k, k] = with_armature(run, body, M[k, k])
            continue
        parts = (W[body.parent], move[i], B[i], appendage(run, body))
        found, block = run.apply(body.beam.step("modal"), *parts, constants=body.beam.values)
        pairs = combinations_with_replacement(bodies.coordinates(i), 2)
        M |= {pair: block[k : k + 1] for k, pair in enumerate(pairs)}
        for k, c in enumerate(bodies.coordinates(i)):
            _inwards(run, bodies, (W, move), body.parent, c, found[12 * k : 12 * k + 12], M)
    return M


def _inwards(run: Any, bodies: Bodies, place: Any, at: int, c: int, Q: Any, M: Entries) -> None:
    """Column c from a body to the base, Q in the body's frame: (66), (68)-(70), (74), (75) along (78), (80), (81)."""
    W, move = place
    nothing = run.constant(np.zeros(12))
    while at != BASE:
        body = bodies.list[at]
        if body.beam is not None:
            parts = (nothing, run.constant(np.zeros(body.width)), Q, W[body.parent], move[at])
            Q, f = run.apply(body.beam.step("inward"), *parts, constants=body.beam.values)
            M |= {(own, c): f[k : k + 1] for k, own in enumerate(bodies.coordinates(at))}
        else:
            M[body.coordinate, c] = run.apply(THRUST if body.prismatic else TORQUE, W[at], Q)
            if body.parent != BASE:
                step = IN_P if body.prismatic else IN_R
                Q = run.apply(step, nothing, Q, move[at], constants=constants_of(body)[0:12])
        at = body.parent
