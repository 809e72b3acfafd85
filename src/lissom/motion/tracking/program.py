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
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse.linalg import splu

from lissom.kernels.loads import NO_LOADS, Applied
from lissom.kernels.tree_call import tree_call
from lissom.kernels.verbs import INVERSE_DYNAMICS, INVERSE_DYNAMICS_GRADIENT
from lissom.model.loads import Load
from lissom.motion.splines.curves import Curves, End, Space
from lissom.motion.splines.mesh import Mesh
from lissom.motion.task.frame_output import FrameOutput
from lissom.motion.task.loads import loads_over
from lissom.motion.tracking.mesh import samples_of
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
    output : Output
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
        self._loads = loads_over(loads, self.s) if loads else NO_LOADS
        self._tables(window.total, weights * window.total)

    def _tables(self, T: float, weights: Array) -> None:
        """Constant matrices: profiles by variables, weights of rows, and the accelerations' part of the objective."""
        n, N = self.arm.dof, len(self.s)
        local = self.curves.local(self.s)
        scale = np.tile(np.repeat(1.0 / T ** np.arange(3), n), N)
        if self._open:
            scale[-2 * n :] = 0.0
        self._B = sparse.csr_array(sparse.diags_array(scale) @ local.A)
        self._c = scale * local.c
        rows = np.arange(N)[:, None] * 3 * n
        self._B0 = self._B[(rows + np.arange(n)).ravel()]
        self._W = np.repeat(np.where(weights > 0, weights, weights.mean()), len(self.output.rows))
        self._weights = weights
        accelerations = (rows + 2 * n + self.moved).ravel()
        R, each = self._B[accelerations], np.repeat(weights, len(self.moved))
        self._smooth = sparse.csr_array(R.T @ sparse.diags_array(each) @ R)
        self._smooth_rest = R.T @ (each * self._c[accelerations])

    def states(self, x: Array) -> list[Array]:
        """Positions, rates and accelerations (N, n) at the samples."""
        z = (self._B @ x + self._c).reshape(len(self.s), 3, self.arm.dof)
        return [np.ascontiguousarray(z[:, r]) for r in range(3)]

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
            return np.zeros(0), sparse.csr_array((0, self._B.shape[1]))
        left, A = self.forces(z, self.free)
        size = np.maximum(np.abs(A).max(axis=1).toarray().ravel(), 1e-12)
        return left / size, sparse.diags_array(1.0 / size) @ A

    def forces(self, z: list[Array], some: NDArray[np.intp]) -> tuple[Array, Any]:
        """Generalized forces of some coordinates at all samples, one after the other, and their derivatives."""
        applied = Applied(self._loads)
        tau = np.asarray(tree_call(self.arm, INVERSE_DYNAMICS.name, z, applied))[:, some].ravel()
        G = tree_call(self.arm, INVERSE_DYNAMICS_GRADIENT.name, z, applied)
        return tau, blocks(np.concatenate([part[:, some] for part in G], axis=2)) @ self._B

    def combination(self, order: int, columns: NDArray[np.intp], rows: Array) -> tuple[Array, Any]:
        """Combinations rows (k, len(columns)) of a derivative of some coordinates at all samples: A x + c as c, A."""
        n, N = self.arm.dof, len(self.s)
        picked = np.zeros((N, len(rows), 3 * n))
        picked[:, :, order * n + columns] = rows
        P = blocks(picked)
        return np.asarray(P @ self._c), P @ self._B


def blocks(parts: Array) -> Any:
    """Block-diagonal matrix of parts (N, k, n)."""
    N, k, n = parts.shape
    places = np.arange(N)
    return sparse.csr_array(
        sparse.bsr_array((np.ascontiguousarray(parts), places, np.arange(N + 1)), shape=(N * k, N * n))
    )
