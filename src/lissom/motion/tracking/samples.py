"""Profiles of a motion at some times, as affine functions of the variables of its splines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from lissom.kernels.loads import NO_LOADS, Applied
from lissom.kernels.tree_call import tree_call
from lissom.kernels.verbs import INVERSE_DYNAMICS, INVERSE_DYNAMICS_GRADIENT
from lissom.model.arm import Arm
from lissom.model.loads import Load
from lissom.motion.splines.curves import Curves
from lissom.motion.task.loads import loads_over
from lissom.spatial.rotations import Array


class Samples:
    """Positions, rates and accelerations at fractions s (N,) of the window: B x + c, 3 n numbers for each of them.

    still : the last of them is at rest, whatever the variables
    """

    def __init__(
        self, arm: Arm, curves: Curves, s: Array, duration: float, loads: Sequence[Load], still: bool = False
    ) -> None:
        self.arm, self.s, self.still = arm, s, still
        self._loads = loads_over(loads, s) if loads else NO_LOADS
        n, N = arm.dof, len(s)
        local = curves.local(s)
        scale = np.tile(np.repeat(1.0 / duration ** np.arange(3), n), N)
        if still:
            scale[-2 * n :] = 0.0
        self.B = sparse.csr_array(sparse.diags_array(scale) @ local.A)
        self.c = scale * local.c

    def rows(self, order: int, columns: NDArray[np.intp]) -> NDArray[np.intp]:
        """Rows of B that are a derivative of some coordinates, sample by sample."""
        n = self.arm.dof
        return (np.arange(len(self.s))[:, None] * 3 * n + order * n + columns).ravel()

    def states(self, x: Array) -> list[Array]:
        """Positions, rates and accelerations (N, n)."""
        z = (self.B @ x + self.c).reshape(len(self.s), 3, self.arm.dof)
        return [np.ascontiguousarray(z[:, r]) for r in range(3)]

    def forces(self, z: list[Array], some: NDArray[np.intp]) -> tuple[Array, Any]:
        """Generalized forces of some coordinates at all samples, one after the other, and their derivatives."""
        applied = Applied(self._loads)
        tau = np.asarray(tree_call(self.arm, INVERSE_DYNAMICS.name, z, applied))[:, some].ravel()
        G = tree_call(self.arm, INVERSE_DYNAMICS_GRADIENT.name, z, applied)
        return tau, blocks(np.concatenate([part[:, some] for part in G], axis=2)) @ self.B

    def combination(self, order: int, columns: NDArray[np.intp], rows: Array) -> tuple[Array, Any]:
        """Combinations rows (k, len(columns)) of a derivative of some coordinates at all samples: A x + c as c, A."""
        n, N = self.arm.dof, len(self.s)
        picked = np.zeros((N, len(rows), 3 * n))
        picked[:, :, order * n + columns] = rows
        P = blocks(picked)
        return np.asarray(P @ self.c), P @ self.B


def blocks(parts: Array) -> Any:
    """Block-diagonal matrix of parts (N, k, n)."""
    N, k, n = parts.shape
    places = np.arange(N)
    return sparse.csr_array(
        sparse.bsr_array((np.ascontiguousarray(parts), places, np.arange(N + 1)), shape=(N * k, N * n))
    )
