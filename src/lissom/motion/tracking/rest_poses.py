"""Poses at rest along a path: joints where the output is where it should be, elastic parts where they sag.

Newton's method on the rows that no motor enters, at rest, and on the error of the output,

    [ ID_u(q, 0, 0) ]               [ K_u ]
    [ y(q) - y_d    ] = 0,   with   [ J   ]   as derivatives, and the least motion of the joints where some are free.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lissom.kernels.loads import NO_LOADS, Applied
from lissom.kernels.tree_call import tree_call
from lissom.kernels.verbs import INVERSE_DYNAMICS, INVERSE_DYNAMICS_GRADIENT
from lissom.model.loads import Load
from lissom.motion.task.frame_output import FrameOutput
from lissom.motion.task.loads import loads_over
from lissom.spatial.rotations import Array

ROUNDS, CLOSE = 40, 1e-11
EASY = 1e-3  # weight of joints beside unactuated coordinates, which follow
DAMPING = 1e-15


class RestPoses:
    """Poses at rest that bring an output where it should be; loads over the whole window."""

    def __init__(self, output: FrameOutput, loads: Sequence[Load]) -> None:
        self.arm, self.output, self._loads = output.arm, output, loads
        self.free = np.flatnonzero(~self.arm.actuated)

    def solved(self, q: Array, target: Array, s: Array, rounds: int = ROUNDS) -> tuple[Array, Array]:
        """Poses (N, n) from nearby ones, at fractions s of the window, and whether they were found (N,)."""
        q = q.copy()
        step = np.full(len(q), np.inf)
        for _ in range(rounds):
            left, M = self._equations(q, target, s)
            change = self._least(M, left)
            step = np.abs(change).max(axis=1)
            q -= change / np.maximum(step, 1.0)[:, None]
            if (step < CLOSE).all():
                break
        return q, (step < 1e-7) & (np.abs(self.output.errors(q, target)).max(axis=1) < 1e-9)

    def _equations(self, q: Array, target: Array, s: Array) -> tuple[Array, Array]:
        """What is left (N, k + m), and its derivatives (N, k + m, n); rows of size one."""
        e, J = self.output.errors(q, target), self.output.slopes(q)
        if not len(self.free):
            return e, J
        K = self.stiffness(q, s)
        left = self.torques(q, s)[:, self.free]
        size = np.maximum(np.abs(K).max(axis=2), 1e-12)
        return np.concatenate([left / size, e], axis=1), np.concatenate([K / size[..., None], J], axis=1)

    def torques(self, q: Array, s: Array) -> Array:
        """(N, n) generalized forces that hold poses."""
        still = np.zeros_like(q)
        return np.asarray(tree_call(self.arm, INVERSE_DYNAMICS.name, (q, still, still), self._applied(s)))

    def stiffness(self, q: Array, s: Array) -> Array:
        """(N, k, n) derivatives of the rows without a motor by positions, at rest."""
        still = np.zeros_like(q)
        found = tree_call(self.arm, INVERSE_DYNAMICS_GRADIENT.name, (q, still, still), self._applied(s))
        return np.asarray(found.q)[:, self.free]

    def gradients(self, q: Array) -> list[Array]:
        """Derivatives (k, n) of the rows without a motor by positions, rates, accelerations, at rest at a pose."""
        still = np.zeros((1, self.arm.dof))
        state = (q[None], still, still)
        found = tree_call(self.arm, INVERSE_DYNAMICS_GRADIENT.name, state, self._applied(np.zeros(1)))
        return [np.asarray(part)[0, self.free] for part in found]

    def _applied(self, s: Array) -> Applied:
        return Applied(loads_over(self._loads, s) if self._loads else NO_LOADS)

    def _least(self, M: Array, left: Array) -> Array:
        """Solutions (N, n) of M d = left, the joints moving least."""
        weights = np.where(self.arm.actuated, EASY, 1.0)
        if M.shape[1] == M.shape[2]:
            try:
                return np.asarray(np.linalg.solve(M, left[..., None])[..., 0])
            except np.linalg.LinAlgError:  # exactly singular
                pass
        MW = M * weights
        normal = MW @ np.swapaxes(MW, 1, 2)
        damping = DAMPING * np.trace(normal, axis1=1, axis2=2)[:, None, None] + 1e-300
        solved = np.linalg.solve(normal + damping * np.eye(M.shape[1]), left[..., None])
        return np.asarray(weights * (np.swapaxes(MW, 1, 2) @ solved)[..., 0])

    def reach(self, q: Array, s: Array) -> Array:
        """(N, m, motors) how joints move the output while elastic parts follow at rest."""
        J, driven = self.output.slopes(q), self.arm.actuated
        if not len(self.free):
            return J
        K = self.stiffness(q, s)
        follow = np.linalg.pinv(K[:, :, ~driven]) @ K[:, :, driven]
        return np.asarray(J[:, :, driven] - J[:, :, ~driven] @ follow)
