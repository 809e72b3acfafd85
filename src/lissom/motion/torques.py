"""Torques of an arm as expressions, for samples."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import casadi as ca

from lissom.dynamics import inverse
from lissom.dynamics.bodies import Bodies
from lissom.dynamics.inverse import Setting
from lissom.engine.program import Inline

SLOW = 0.02  # rad/s or m/s: friction turns around within about this speed, which optimisation needs to be smooth


class _Given(Inline):
    """A program run on expressions that are given."""

    def __init__(self, vectors: Sequence[Any]) -> None:
        super().__init__()
        self._vectors = list(vectors)

    def input(self, n: int) -> list[Any]:
        return ca.vertsplit(self._vectors.pop(0)) if n else []


def torques(bodies: Bodies, setting: Setting, q: Any, qd: Any, qdd: Any, extra: Sequence[Any] = ()) -> Any:
    """tau (n,) of q, qd, qdd; `extra`: the base's motion and loads, as `inverse.program` reads them."""
    run = _Given([q, qd, qdd, *extra])
    inverse.program(run, bodies.smooth, setting)
    tau = ca.vertcat(*run.outputs[0])
    rub = [0.0] * bodies.dof
    for body in bodies.list:
        if body.friction:
            v = qd[body.coordinate]
            rub[body.coordinate] = body.friction * v / ca.sqrt(v * v + SLOW * SLOW)
    return tau + ca.vertcat(*rub)
