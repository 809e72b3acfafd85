"""Motion of a linear field: energies and momentum (22).

The kinetic energy is that of (22) with (29) in full, also where the equations of motion are truncated.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from lissom.dynamics.acting import CONSTANTS
from lissom.dynamics.bodies import BASE, Bodies
from lissom.dynamics.book.frames import (
    flat,
    inner,
    pseudo,
    slid,
    turned,
)
from lissom.dynamics.book.inertia import appendage
from lissom.dynamics.book.moves import moves
from lissom.dynamics.from_arm import constants_of
from lissom.dynamics.vectors import add
from lissom.elements.arrays import axial
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


TOTAL = Step("total", lambda a, b: [add(a, b)], (10, 10), (10,))
MOVE_R = Step("book_move_r", _moved(turned), (24, 2, 1), (24, 10), CONSTANTS)
MOVE_P = Step("book_move_p", _moved(slid), (24, 1, 1), (24, 10), CONSTANTS)


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
