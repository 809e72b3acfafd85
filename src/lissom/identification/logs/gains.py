"""Torques per current that are given."""

from __future__ import annotations

from typing import Any

import numpy as np

from lissom.arrays import as_floats
from lissom.errors import InputError, shown
from lissom.spatial.rotations import Array


def torques_per_current(gains: Any, count: int) -> Array:
    """Torques per current (count,)."""
    try:
        values = np.broadcast_to(as_floats(gains), count)
    except (TypeError, ValueError):
        values = np.full(count, np.nan)
    if not (np.isfinite(values).all() and values.all()):
        raise InputError(
            f"gains is {shown(gains)}; expected {count} torques per current [N m/A or N/A], one for each joint, none 0."
        )
    return values
