"""The energy balance error of a run as one number."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from lissom.model.arm import Arm
from lissom.model.plausibility import reach_of
from lissom.spatial.rotations import Array

# Of the potential energy that an arm can have: energies are sums of such numbers, and closed loops are closed to some
# 1e-13 m. An arm that rests moves by rounding alone, which would otherwise be compared with itself.
ROUNDING = 1e-12


def relative(balance: Array, moved: Sequence[Array], arms: Arm | Sequence[Arm], potential: Array) -> Any:
    """Largest |balance| over time relative to the largest of the exchanged energies [J], all (..., nt).

    Values below rounding (of the arm's weight times its reach, and of its potential energy) count as zero.

    arms : the arm, or the arms along the first axis
    """
    scale = np.max([_most(x) for x in moved], axis=0)
    weight = _weight(arms) if isinstance(arms, Arm) else np.array([_weight(arm) for arm in arms])
    size = weight + _most(potential)
    worst = np.asarray(_most(balance))
    beyond = (worst > ROUNDING * size) & (scale > 0)
    error = np.divide(worst, scale, out=np.zeros_like(worst), where=beyond)
    return error if error.ndim else float(error)


def _weight(arm: Arm) -> float:
    """Weight of the arm times its reach [J]."""
    return arm.mass * float(np.linalg.norm(arm.gravity)) * reach_of(arm)


def _most(x: Array) -> Any:
    """Largest finite absolute value along time, zero where there is none."""
    return np.max(np.where(np.isfinite(x), np.abs(x), 0.0), axis=-1)
