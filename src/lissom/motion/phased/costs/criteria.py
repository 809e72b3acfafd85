"""Criteria of a motion with contacts alone, without what the cost has beside them so that it is smooth and unique."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lissom.motion.phased.costs.differences import DifferenceCost, force_differences, torque_differences
from lissom.motion.task.criteria.criterion import Parts
from lissom.spatial.rotations import Array

if TYPE_CHECKING:
    from lissom.motion.phased.problem import PhasedProblem


def criteria_of(problem: PhasedProblem, x: Array) -> dict[str, float]:
    """Return the mean over the motion of every criterion, without its weight; of "time" the duration."""
    T = float(problem.durations(x).sum())
    return {
        word: (_of_samples(problem, x, part) + _of_differences(problem, x, part)) / T + part.time * T
        for word, part in problem.terms.items()
    }


def _of_samples(problem: PhasedProblem, x: Array, part: Parts) -> float:
    """The integral of torques, powers, accelerations and postures."""
    layout, out = problem.layout, 0.0
    for p, mesh in enumerate(layout.phases):
        q, v, a = layout.values(x, p, mesh.s)
        tau = problem.units.torque * x[layout.torques[p]]
        up, down = part.effort[:, layout.motors]
        rate = (tau**2 * np.where(tau > 0, up, down)).sum(axis=1)
        rate += part.power * np.abs(tau * v[:, layout.motors]).sum(axis=1)
        rate += a**2 @ part.acceleration + (q - problem.arm.home) ** 2 @ part.posture
        out += float(mesh.weights @ rate * x[layout.durations[p]])
    return out


def _of_differences(problem: PhasedProblem, x: Array, part: Parts) -> float:
    """The integral of squared rates of torques and of contact forces, those inside phases."""
    layout, reflection = problem.layout, problem.reflection
    torque = part.torque_rate[layout.motors] * problem.units.torque**2
    rows = torque_differences(layout, problem.joins, reflection, torque) if torque.any() else []
    rows += force_differences(layout, reflection, part.force_rate, onset=0.0) if part.force_rate else []
    if not rows:
        return 0.0
    cost = DifferenceCost(layout, rows)
    return float(cost.value((cost.W @ x).reshape(cost.N, cost.width)).sum())
