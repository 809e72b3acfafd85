"""Limits of an arm in a task."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lissom.errors import InputError
from lissom.model.arm import Arm
from lissom.model.limits import QUANTITIES
from lissom.model.units import limit_units
from lissom.motion.task.task import Task
from lissom.spatial.rotations import Array

OF_MOTORS = ("torque", "torque_rate", "power")


class Bounds(NamedTuple):
    """Lower and upper limits (n,) of every quantity, the tighter of joints' and task's; elastic coordinates have
    none, passive joints none of what motors do."""

    lower: dict[str, Array]
    upper: dict[str, Array]
    units: dict[str, list[str]]

    def limited(self, quantity: str) -> NDArray[np.bool_]:
        """Return which coordinates have a limit of this quantity."""
        return np.isfinite(self.lower[quantity]) | np.isfinite(self.upper[quantity])


def bounds_of(arm: Arm, task: Task, verb: str) -> Bounds:
    """Return the limits that hold for an arm in a task: of each quantity the tighter ones."""
    n, at = len(arm.joints), arm.joint_index
    lower, upper = {}, {}
    for quantity in QUANTITIES:
        own, given = arm.bounds(quantity), task.limits.bounds(quantity, n)
        low, high = np.maximum(own[0], given[0]), np.minimum(own[1], given[1])
        for k, joint in enumerate(arm.joints):
            if low[k] > high[k]:
                raise InputError(
                    f"{verb}: the {quantity} limits of joint {joint.name!r} contradict each other: the joint allows "
                    f"{own[0][k]:g} to {own[1][k]:g}, the task {given[0][k]:g} to {given[1][k]:g}."
                )
        lower[quantity], upper[quantity] = np.full(arm.dof, -np.inf), np.full(arm.dof, np.inf)
        lower[quantity][at], upper[quantity][at] = low, high
        if quantity in OF_MOTORS:
            lower[quantity][~arm.actuated], upper[quantity][~arm.actuated] = -np.inf, np.inf
    return Bounds(lower, upper, limit_units(arm))


def small_weights(bounds: Bounds, task: Task, regularise: float, driven: NDArray[np.bool_]) -> Array:
    """(n,) weights of squared torques beside the time, where time alone is minimised.

    Joints that do not decide the duration would otherwise move in any of many ways. Torques are taken relative to their
    limits and averaged over the joints that have one, so the shortest time becomes longer by at most this fraction.
    """
    upper = np.maximum(np.abs(bounds.lower["torque"]), np.abs(bounds.upper["torque"]))
    known = np.isfinite(upper) & (upper > 0)
    if set(task.minimise) != {"time"} or not regularise or not known.any():
        return np.zeros(len(upper))
    scale = np.where(known, upper, upper[known].max())
    return np.where(driven, regularise * task.minimise["time"] / (driven.sum() * scale**2), 0.0)
