"""An end at rest whose joints are not all given: what no motor holds is where nothing pulls at it."""

from __future__ import annotations

from typing import Any

import casadi as ca
import numpy as np
from scipy import sparse

from lissom.kernels.cache import cache_of
from lissom.kernels.keys import fingerprint
from lissom.motion.splines.mesh import Mesh
from lissom.motion.transcription.constraints.constraint import AbstractConstraint
from lissom.motion.transcription.kernels.friction import SLOW
from lissom.motion.transcription.kernels.sample import LANES, Sample, Symbols
from lissom.motion.transcription.kernels.torques import torques
from lissom.motion.transcription.rows import Block
from lissom.motion.transcription.specification import Specification
from lissom.spatial.rotations import Array


class EndsAtRest(AbstractConstraint):
    """Unactuated coordinates that are free at an end and have no rate there are in equilibrium."""

    def __init__(self, spec: Specification) -> None:
        self._spec = spec

    def blocks(self, mesh: Mesh, s: Array) -> list[Block]:
        """Generalized forces that vanish at both ends."""
        if self._spec.task.periodic or not len(self._spec.unactuated):
            return []
        made = [self._block(at, word) for at, word in ((0.0, "start"), (1.0, "goal"))]
        return [block for block in made if block is not None]

    def _block(self, s: float, word: str) -> Block | None:
        spec = self._spec
        free = np.isnan(spec.given(word)) & (spec.rates(word) == 0.0) & ~spec.arm.actuated
        if not free.any():
            return None
        sample = self._sample()
        some = np.flatnonzero(free)
        some = some[np.isin(some, sample.jacobian[0])]  # of the others, any place is one to rest at
        rows = sparse.csr_array((np.ones(len(some)), (np.arange(len(some)), some)), shape=(len(some), LANES * sample.m))
        zero, names = np.zeros(len(some)), [("rest", spec.names[k], s) for k in some]
        at = np.full(LANES, s)
        return Block(sample, at, np.zeros(LANES), rows, zero, zero, names, spec.load_data(at, slopes=False))

    def _sample(self) -> Sample:
        """Torques that hold positions."""
        spec = self._spec
        key = f"rest|{fingerprint(spec.bodies, spec.acting)}"
        n, count = spec.n, len(spec.frames)

        def rows(z: Symbols) -> tuple[Any, Any]:
            loads = [z.data[9 * k : 9 * k + 9] for k in range(count)]
            still = ca.SX.zeros(n)
            return torques(spec.bodies, spec.acting, z.q, still, still, loads, np.full(n, SLOW)), 0.0

        return cache_of(spec.arm).stored("sample", key, lambda: Sample(key, n, rows, 3, 9 * count))
