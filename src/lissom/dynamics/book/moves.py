"""Joint positions in the steps: cosine and sine of a revolute joint, the distance of a prismatic one.

Sines and cosines are long chains of dependent operations; four at a time keep the processor busy, and
every recursion is left with shorter steps.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from lissom.dynamics.bodies import Bodies
from lissom.dynamics.vectors import add, columns_turned, product, scale, times
from lissom.engine.step import Step
from lissom.spatial.scalar import cos, sin


def _turns(q: Any) -> list[list[Any]]:
    return [[function(x) for x in q for function in (cos, sin)]]


TURN = Step("turn", _turns, (1,), (2,))
TURN_4 = Step("turn_4", _turns, (4,), (8,))


def carried(prismatic: bool, R0: Any, move: Any, K: Any) -> tuple[list[Any], list[Any], list[Any]]:
    """Orientation R of a body, its origin r from its parent's origin, and its joint's axis z, all in world axes.

    R0 : orientation of the parent; K : constants of the body, R (9) and p (3) first
    """
    R = product(R0, K[0:9])
    if not prismatic:
        R = columns_turned(R, *move)
    z, r = [R[2], R[5], R[8]], times(R0, K[9:12])
    return R, add(r, scale(move[0], z)) if prismatic else r, z


def moves(run: Any, bodies: Bodies, q: Any, wanted: Iterable[int] | None = None) -> dict[int, Any]:
    """By body: (cos, sin) for a revolute joint, (q,) for a prismatic one, the amplitudes of a flexible link."""
    out: dict[int, Any] = {}
    revolute = []
    for k in range(len(bodies)) if wanted is None else wanted:
        body = bodies.list[k]
        if body.prismatic or body.beam is not None:
            out[k] = bodies.own(q, k)
        else:
            revolute.append(k)
    while revolute:
        four = [bodies.list[k].coordinate for k in revolute[:4]]
        at = four[0]
        if four == [at, at + 1, at + 2, at + 3]:
            turned = run.apply(TURN_4, q[at : at + 4])
        else:
            four, turned = four[:1], run.apply(TURN, q[at : at + 1])
        for j in range(len(four)):
            out[revolute[j]] = turned[2 * j : 2 * j + 2]
        del revolute[: len(four)]
    return out
