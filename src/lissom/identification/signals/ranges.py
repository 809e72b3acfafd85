"""Ranges of an arm's joints, also of those without limits."""

from __future__ import annotations

import numpy as np

from lissom.model.arm import Arm
from lissom.spatial.rotations import Array


def position_limits(arm: Arm) -> tuple[Array, Array]:
    """Lower and upper positions (n,) [rad or m]; where there are no limits, half a turn or a metre to each side."""
    lower, upper = arm.bounds("position")
    half = np.array([joint.half_range() for joint in arm.joints])
    return np.where(np.isfinite(lower), lower, -half), np.where(np.isfinite(upper), upper, half)
