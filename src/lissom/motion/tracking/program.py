"""Tracking as least squares with equality constraints: hard dynamics and rest at both ends, soft output.

    minimise   1/2 int |y(q) - y_d|^2 dt + 1/2 w int |q_a''|^2 dt
    subject to ID_u(q, q', q'') = 0 at Gauss's points of all fine segments, q and q' at rest at both ends, q_a'' = 0

q_a are actuated coordinates, q_u the others, ID_u the rows of inverse dynamics that no motor enters. Newton's method on
the dynamics and Gauss and Newton's on the output, together one sparse system per step,

    [ H + tiny   A^T  ] [ d ]      [ gradient ]        H = E^T W E + w R^T W R
    [ A         -tiny ] [ . ]  = - [ ID_u     ]

converges quadratically, since the residual of the output nearly vanishes. Unlike stable inversion this needs no split
of the internal dynamics into stable and unstable parts, which for arms with several links changes along the motion.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import splu

from lissom.model.loads import Load
from lissom.motion.splines.curves import Curves, End, Space
from lissom.motion.splines.mesh import Mesh
from lissom.motion.task.frame_output import FrameOutput
from lissom.motion.tracking.mesh import samples_of
from lissom.motion.tracking.samples import Samples, blocks
from lissom.motion.tracking.window import Window
from lissom.spatial.rotations import Array

TINY = 1e-14


class Linearised(NamedTuple):
    """The problem about some variables: to first order the rows, to second order the objective.

    z                    positions, rates and accelerations (N, n) at the samples
    hessian, gradient    of the objective
    dynamics, A          rows that must vanish, each of size one, and their derivatives
    errors, E            (N, m) of the output, and their derivatives
    """

    z: list[Array]
    hessian: Any
    gradient: Array
    dynamics: Array
    A: Any
    errors: Array
    E: Any

    def step(self, hessian: Any, gradient: Array) -> Array:
        """Return the change of the variables, with a Hessian and a gradient of one's own."""
        K = sparse.block_array(
            [[hessian, self.A.T], [self.A, -TINY * sparse.eye_array(len(self.dynamics))]], format="csc"
        )
        return np.asarray(splu(K).solve(-np.concatenate([gradient, self.dynamics]))[: len(gradient)])

    def left(self, change: Array) -> Array:
        """Return by how much the output is off after a change, were it linear (N, m)."""
        return np.asarray(self.errors + (self.E @ change).reshape(self.errors.shape))


class TrackingProgram:
    """The problem of one motion.

    Parameters
    ----------
    output : FrameOutput
    targets : (N, m)          of the output at the samples of the mesh
    mesh, window              splines, and the times that they cover
    start, goal : (n,)        positions at rest; goal NaN: any at rest, with the output where the path ends
    loads                     as the task has them, over the whole window
    """

    def __init__(
        self, output: FrameOutput, targets: Array, mesh: Mesh, window: Window, start: Array, goal: Array,
        loads: Sequence[Load],
    ) -> None:  # fmt: skip
        self.arm, self.output, self.mesh, self.duration = output.arm, output, mesh, window.total
        self.moved, self.free = np.flatnonzero(self.arm.actuated), np.flatnonzero(~self.arm.actuated)
        spaces = [Space(mesh.actuated, tuple(self.moved.tolist()))]
        if mesh.unactuated is not None:
            spaces.append(Space(mesh.unactuated, tuple(self.free.tolist())))
        first, last = (
            End(place, np.zeros(self.arm.dof), np.where(self.arm.actuated & (wait > 0), 0.0, np.nan))
            for place, wait in ((start, window.before), (goal, window.after))
        )
        self.curves = Curves(spaces, first, last, window.total)
        self.s, weights = samples_of(mesh)
        self._open = bool(np.isnan(goal).any())  # then one more sample, at rest at the end
        if self._open:
            self.s, weights = np.append(self.s, 1.0), np.append(weights, 0.0)
            targets = np.vstack([targets, targets[-1:]])
        self.targets = targets
        self.samples = Samples(self.arm, self.curves, self.s, window.total, loads, self._open)
        self.ends = Samples(self.arm, self.curves, np.array([0.0, 1.0]), window.total, loads)
        self._tables(weights * window.total)

    def _tables(self, weights: Array) -> None:
        """Constant matrices: positions by variables, weights of rows, and the accelerations' part of the objective."""
        at = self.samples
        self._B0 = at.B[at.rows(0, np.arange(self.arm.dof))]
        self._W = np.repeat(np.where(weights > 0, weights, weights.mean()), len(self.output.rows))
        self._weights = weights
        some = at.rows(2, self.moved)
        R, each = at.B[some], np.repeat(weights, len(self.moved))
        self._smooth = sparse.csr_array(R.T @ sparse.diags_array(each) @ R)
        self._smooth_rest = R.T @ (each * at.c[some])

    def states(self, x: Array) -> list[Array]:
        """Positions, rates and accelerations (N, n) at the samples."""
        return self.samples.states(x)

    def acceleration(self, x: Array) -> float:
        """Return the integral of the sum of squared accelerations of joints with a motor."""
        return float(self._weights @ (self.states(x)[2][:, self.moved] ** 2).sum(axis=1))

    def begin(self, q: Array) -> Array:
        """Variables of the profiles nearest to positions (N, n) at the samples."""
        points = []
        for space in self.curves.spaces:
            B = space.basis.rows(self.s[: len(q)])
            solve = splu(sparse.csc_array(B.T @ B + TINY * sparse.eye_array(B.shape[1]))).solve
            points.append(solve(B.T @ q[:, list(space.coordinates)]))
        return self.curves.fitted(points, self.curves.duration or 0.0)

    # ---- the problem about some variables ---------------------------------------------------------------

    def linearised(self, x: Array, weight: float, left: Array) -> Linearised:
        """Return the problem about variables x.

        weight : of squared accelerations [m^2 s^4]
        left : (N, m)     about how far the output will be off, for second derivatives where motors outnumber outputs
        """
        z = self.states(x)
        e = self.output.errors(z[0], self.targets)
        E = blocks(self.output.slopes(z[0])) @ self._B0
        WE = sparse.diags_array(self._W) @ E
        H = E.T @ WE + weight * self._smooth + TINY * sparse.eye_array(len(x))
        if self._open:
            curved = self.output.curvature(z[0], self._W.reshape(left.shape) * left)
            H = H + self._B0.T @ (blocks(curved) @ self._B0)
        gradient = WE.T @ e.ravel() + weight * (self._smooth @ x + self._smooth_rest)
        return Linearised(z, H, gradient, *self._dynamics(z), e, E)

    def _dynamics(self, z: list[Array]) -> tuple[Array, Any]:
        """Residuals of the rows without a motor, and their derivatives by the variables, each row of size one."""
        if not len(self.free):
            return np.zeros(0), sparse.csr_array((0, self.samples.B.shape[1]))
        left, A = self.samples.forces(z, self.free)
        size = np.maximum(np.abs(A).max(axis=1).toarray().ravel(), 1e-12)
        return left / size, sparse.diags_array(1.0 / size) @ A
