"""Units in which the variables and rows of a motion with contacts are of size one."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lissom.model.arm import Arm
from lissom.motion.result.verification.force_excess import weight_of
from lissom.motion.task.bounds import Bounds
from lissom.spatial.rotations import Array

LEAST = 0.05  # of the largest torque, or of the largest force: what equations of small joints are relative to
LEVER = 0.14  # m: of forces on a base that turns
WEAK = 1e-3  # of the weight at one metre: the torque that counts as one of joints that need hardly any


class Units(NamedTuple):
    """force [N]; torque (motors,), rows (n,) [N or N m]."""

    force: float
    torque: Array
    rows: Array


def units_of(arm: Arm, bounds: Bounds, required: Array) -> Units:
    """Return the units for an arm whose first guess requires generalised forces (N, n)."""
    force = weight_of(arm)
    limit = np.maximum(np.abs(bounds.lower["torque"]), np.abs(bounds.upper["torque"]))
    needed = np.abs(required).max(axis=0) + WEAK * force
    torque = np.where(np.isfinite(limit) & (limit > 0), limit, needed)
    angular = np.zeros(arm.dof, bool)
    angular[arm.joint_index] = [joint.travel == 0 for joint in arm.joints]
    base = np.where(angular, LEVER * force, force)
    rows = np.where(arm.actuated, np.maximum(torque, LEAST * torque[arm.actuated].max(initial=0.0)), base)
    return Units(force, torque[arm.actuated], rows)
