"""Closed loops: they close at the knots of the splines."""

from __future__ import annotations

import numpy as np

from lissom.motion.splines.mesh import Mesh
from lissom.motion.transcription.constraints.constraint import AbstractConstraint, Look
from lissom.motion.transcription.peak import Peak
from lissom.motion.transcription.rows import Block
from lissom.motion.transcription.specification import Specification
from lissom.spatial.rotations import Array


class LoopClosure(AbstractConstraint):
    """The closures of an arm's loops along a motion."""

    def __init__(self, spec: Specification) -> None:
        self._closing, self._periodic = spec.closing, bool(spec.task.periodic)
        # at ends whose positions are given they close
        self._free = [self._periodic or bool(np.isnan(spec.given("start")).any()),
                      not self._periodic and bool(np.isnan(spec.given("goal")).any())]  # fmt: skip

    def blocks(self, mesh: Mesh, s: Array) -> list[Block]:
        """Residuals of the closures at knots."""
        if self._closing is None:
            return []
        ends = [0.0] * self._free[0], [1.0] * self._free[1]
        return [self._closing.block(np.concatenate([ends[0], mesh.actuated.breaks[1:-1], ends[1]]))]

    def peaks(self, look: Look) -> list[Peak]:
        """Where loops are open most."""
        return [] if self._closing is None else [self._closing.widest(look.q, look.s, look.T)]
