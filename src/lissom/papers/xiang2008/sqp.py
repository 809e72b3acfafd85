"""The optimisation as the paper has it: an SQP method on the gradients of its own recursion, or on differences.

Variables are the free control points and the duration, constraints the torques at knots and midpoints. The paper used
SNOPT; here SciPy's SLSQP, which is an SQP method too.
"""

from __future__ import annotations

import time
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import minimize

from lissom.model.arm import Arm
from lissom.motion.splines.basis import Basis, grid
from lissom.motion.task.task import Task
from lissom.papers.xiang2008.closed_form import TORQUE
from lissom.papers.xiang2008.tasks import SEGMENTS
from lissom.spatial.rotations import Array
from lissom.verbs.dynamics import inverse_dynamics
from lissom.verbs.sensitivity import inverse_dynamics_gradient

METHOD = "xiang"
TOLERANCE = 1e-6  # of the paper
FIRST = 0.5  # the duration to begin with [s]


class Solution(NamedTuple):
    """Result of a search: duration and cost, iterations, evaluations of torques and of gradients, CPU time."""

    duration: float
    cost: float
    iterations: int
    torques: int
    gradients: int
    seconds: float
    converged: bool


class SplineProgram:
    """Example 1 (u = 0) or 2 of an arm, as a function of the free control points and the duration.

    The ends are at rest: the first two and the last two control points are known. Torques are limited at `each` samples
    per segment.
    """

    def __init__(
        self,
        arm: Arm,
        task: Task,
        u: float = 0.0,
        method: str | None = METHOD,
        basis: Basis | None = None,
        each: int = 2,
    ):
        self.arm, self.u, self.method = arm, u, method
        basis = basis or Basis(SEGMENTS)
        self.s = grid(basis.breaks, each)  # two per segment: knots and midpoints
        self.rows = [basis.rows(self.s, r).toarray() for r in range(3)]
        self.weights = _simpson(len(self.s))
        share = basis.greville.copy()
        share[[1, -2]] = 0.0, 1.0
        self.points = np.outer(1 - share, task.start) + np.outer(share, task.goal)
        self.free = slice(2, basis.count - 2)
        self.first = np.append(self.points[self.free], FIRST)
        self.torques = self.gradients = 0

    def states(self, x: Array) -> list[Array]:
        """Angles, rates and accelerations (N, n) at the samples."""
        points = self.points.copy()
        points[self.free] = x[:-1].reshape(-1, self.arm.dof)
        return [rows @ points / x[-1] ** r for r, rows in enumerate(self.rows)]

    def tau(self, x: Array) -> Array:
        """Torques (N, n)."""
        self.torques += 1
        q, qd, qdd = self.states(x)
        return inverse_dynamics(self.arm, q, qd, qdd, method=self.method)

    def tau_gradient(self, x: Array) -> Array:
        """(41), (42): derivatives of the torques (N, n, variables)."""
        self.gradients += 1
        q, qd, qdd = self.states(x)
        slopes = inverse_dynamics_gradient(self.arm, q, qd, qdd, method=self.method)
        by_points: Any = sum(
            rows[:, None, self.free, None] * D[:, :, None, :] / x[-1] ** r
            for r, (rows, D) in enumerate(zip(self.rows, slopes, strict=True))
        )
        by_time = -((slopes.qd @ qd[..., None]) + 2 * (slopes.qdd @ qdd[..., None])) / x[-1]
        return np.concatenate([by_points.reshape(*by_points.shape[:2], -1), by_time], axis=2)

    def cost(self, x: Array) -> float:
        """(67)."""
        effort = self.weights @ (self.tau(x) ** 2).sum(axis=1) if self.u else 0.0
        return float(x[-1] * (1 - self.u + self.u * effort))

    def cost_gradient(self, x: Array) -> Array:
        """Gradient of (67)."""
        out = np.zeros(len(x))
        out[-1] = 1 - self.u
        if self.u:
            tau = self.tau(x)
            out += 2 * self.u * x[-1] * np.einsum("s,si,six->x", self.weights, tau, self.tau_gradient(x))
            out[-1] += self.u * float(self.weights @ (tau**2).sum(axis=1))
        return out

    def room(self, x: Array) -> Array:
        """What is left to the torque limits, as a fraction of them."""
        tau = self.tau(x).ravel() / TORQUE
        return np.concatenate([1 - tau, 1 + tau])

    def room_gradient(self, x: Array) -> Array:
        """Derivatives of `room`."""
        slopes = self.tau_gradient(x).reshape(-1, len(x)) / TORQUE
        return np.concatenate([-slopes, slopes])


def _simpson(n: int) -> Array:
    """Weights of n samples, knots and midpoints, on [0, 1]."""
    weights = np.where(np.arange(n) % 2, 4.0, 2.0)
    weights[[0, -1]] = 1.0
    return np.asarray(weights / weights.sum())


def solve(program: SplineProgram, step: float | None = None) -> Solution:
    """Search for the optimum by the analytic gradients, or by forward differences of a step."""
    limits: dict[str, Any] = {"type": "ineq", "fun": program.room}
    options: dict[str, Any] = {"maxiter": 300, "ftol": TOLERANCE}
    exact = step is None
    if exact:
        limits["jac"] = program.room_gradient
    else:
        options["eps"] = step
    start = time.process_time()
    found = minimize(program.cost, program.first, jac=program.cost_gradient if exact else None, method="SLSQP",
                     constraints=limits, options=options)  # fmt: skip
    seconds = time.process_time() - start
    return Solution(float(found.x[-1]), float(found.fun), int(found.nit), program.torques, program.gradients, seconds,
                    bool(found.success))  # fmt: skip
