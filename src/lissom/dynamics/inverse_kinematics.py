"""Inverse kinematics by damped least squares, many starts at once.

Levenberg-Marquardt on the weighted pose error: ``dq = (J^T J + lambda 1)^-1 J^T e``. Every start
of every target keeps its own damping lambda. It begins at the squared error, so that a target nearby
takes Newton steps, falls after a step that helped and rises after one that did not. Joint limits are
kept by leaving out the columns of joints that sit on a limit and push outwards (an active set), and
by clipping.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from lissom.dynamics.stations import path_to
from lissom.model.arm import Arm
from lissom.model.structure import Frame
from lissom.spatial.rotations import Array, rotation_vector

# A start whose squared error did not fall to half in so many steps is stuck at a limit or in a local minimum.
PATIENCE, SLOW = 25, 0.5
DAMPING_FIRST, DAMPING_LEAST, DAMPING_MOST = 1e-2, 1e-14, 1e8


class Search(NamedTuple):
    """Result of the search for every start: joints (n, joints), errors (n, 6) unweighted."""

    q: Array
    error: Array


class Problem:
    """Pose error of one frame of one arm as a function of its joints.

    reach : coordinates (n, dof) -> pose (n, 4, 4) and Jacobian (n, 6, dof) of the frame
    """

    def __init__(self, arm: Arm, frame: Frame, weights: Array, reach: Callable[[Array], tuple[Array, Array]]):
        self.arm, self.weights, self.reach = arm, weights, reach
        self.path = path_to(arm, frame.link)
        self.lower, self.upper = arm.bounds("position")

    def full(self, q: Array) -> Array:
        """Coordinates from joints, everything elastic undeformed."""
        out = np.zeros((*q.shape[:-1], self.arm.dof))
        out[..., self.arm.joint_index] = q
        return out

    def evaluate(self, q: Array, target: Array) -> tuple[Array, Array]:
        """Pose error (n, 6), linear first, and its Jacobian (n, 6, joints), at q (n, joints)."""
        X, J = self.reach(self.full(q))
        turn = rotation_vector(target[..., :3, :3] @ np.swapaxes(X[..., :3, :3], -1, -2))
        error = np.concatenate([target[..., :3, 3] - X[..., :3, 3], turn], axis=-1)
        return error, J[..., self.arm.joint_index]


def search(problem: Problem, q: Array, target: Array, tolerance: float, iterations: int) -> Search:
    """Improve all starts q (n, joints) towards target (n, 4, 4) until each is within tolerance or stuck."""
    weights = problem.weights
    q = np.clip(q, problem.lower, problem.upper)
    error, J = problem.evaluate(q, target)
    size = _size(weights * error)
    damping = np.minimum(DAMPING_FIRST, size)
    before = size.copy()
    for step_number in range(iterations):
        if step_number and step_number % PATIENCE == 0:  # give up starts that creep along a valley
            damping[size > SLOW * before] = DAMPING_MOST
            before = size.copy()
        now = np.flatnonzero((np.abs(weights * error).max(axis=-1) > tolerance) & (damping < DAMPING_MOST))
        if not now.size:
            break
        step = _step(problem, q[now], weights * error[now], weights[:, None] * J[now], damping[now])
        trial = np.clip(q[now] + step, problem.lower, problem.upper)
        trial_error, trial_J = problem.evaluate(trial, target[now])
        trial_size = _size(weights * trial_error)
        better = trial_size < size[now]
        good = now[better]
        q[good], size[good] = trial[better], trial_size[better]
        error[good], J[good] = trial_error[better], trial_J[better]
        damping[now] = np.where(better, np.maximum(damping[now] / 5, DAMPING_LEAST), damping[now] * 4)
    return Search(q, error)


def _step(problem: Problem, q: Array, error: Array, J: Array, damping: Array) -> Array:
    """One damped step (n, joints); joints on a limit that would leave it stay."""
    downhill = (np.swapaxes(J, -1, -2) @ error[..., None])[..., 0]
    stuck = ((q <= problem.lower) & (downhill < 0)) | ((q >= problem.upper) & (downhill > 0))
    J = np.where(stuck[:, None, :], 0.0, J)
    Jt = np.swapaxes(J, -1, -2)
    normal = Jt @ J + damping[:, None, None] * np.eye(q.shape[-1])
    step = np.linalg.solve(normal, Jt @ error[..., None])[..., 0]
    # a long step leaves the region where J means anything
    return step / np.maximum(1.0, np.abs(step).max(axis=-1, keepdims=True))


def _size(error: Array) -> Array:
    return np.sum(error**2, axis=-1)
