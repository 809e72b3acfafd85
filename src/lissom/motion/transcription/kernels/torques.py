"""Torques and frames of an arm as expressions, for samples."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import casadi as ca

from lissom.dynamics import inverse, kinematics
from lissom.dynamics.acting import Acting
from lissom.dynamics.bodies import Bodies
from lissom.engine.program import Inline
from lissom.spatial.rotations import Array


class Given(Inline):
    """A program run on expressions that are given."""

    def __init__(self, vectors: Sequence[Any]) -> None:
        super().__init__()
        self._vectors = list(vectors)

    def input(self, n: int) -> list[Any]:
        return ca.vertsplit(self._vectors.pop(0)) if n else []


def torques(bodies: Bodies, acting: Acting, q: Any, qd: Any, qdd: Any, extra: Sequence[Any], slow: Array) -> Any:
    """tau (n,) of q, qd, qdd; `extra`: the base's motion and loads, as `inverse.program` reads them.

    Friction turns around within the rates `slow` (n,): optimisation needs it smooth.
    """
    run = Given([q, qd, qdd, *extra])
    inverse.program(run, bodies.without_jumps, acting)
    tau = ca.vertcat(*run.outputs[0])
    rub = [0.0] * bodies.dof
    for body in bodies.list:
        if body.breakaway:
            v = qd[body.coordinate]
            rub[body.coordinate] = body.breakaway * v / ca.sqrt(v * v + slow[body.coordinate] ** 2)
    return tau + ca.vertcat(*rub)


def placed(bodies: Bodies, frame: str, q: Any, point: Any) -> tuple[Any, Any]:
    """Rotation (3, 3) of a link or tool, and where a point of it is (3,)."""
    run = Given([q, point])
    kinematics.pose(run, bodies, Acting(frame=frame))
    X = ca.transpose(ca.reshape(ca.vertcat(*run.outputs[0]), 4, 4))
    return X[0:3, 0:3], X[0:3, 3]
