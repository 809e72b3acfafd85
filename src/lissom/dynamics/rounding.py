"""Removal of rounding errors near zeros, ones and quarter turns."""

from __future__ import annotations

from typing import Any

import numpy as np

from lissom.spatial.inertia import Inertia
from lissom.spatial.rotations import Array, about_axis, skew

# Rounding left where a zero or a one was meant; exact ones fold away in straight-line code.
ROUNDING = 1e-15
# Robot files give quarter turns with eleven or twelve digits (rpy="1.57079632679"); a rotation this close to one
# that only exchanges axes is meant to be it. Torques move by no more than this, relative.
QUARTER_TURN = 1e-11


def z_to(axis: Array) -> Array:
    """A rotation that takes z to `axis`; exact for axes along x, y or z."""
    across = np.array([-axis[1], axis[0], 0.0])  # z x axis
    size = float(np.linalg.norm(across))
    if size == 0.0:
        return np.eye(3) if axis[2] > 0 else np.diag([1.0, -1.0, -1.0])
    return snapped(about_axis(across / size, float(np.arctan2(size, axis[2]))))


def snapped(values: Array, tiny: float = ROUNDING) -> Array:
    """An array without rounding errors: tiny entries become zero, entries next to +-1 become +-1."""
    out = np.array(values, float)
    out[np.abs(out) < tiny] = 0.0
    for one in (1.0, -1.0):
        out[np.abs(out - one) < tiny] = one
    return out


def squared(R: Array, tiny: float) -> Array:
    """A rotation made exact if it nearly permutes axes; any other is unchanged."""
    near = snapped(R, tiny)
    return near if np.isin(near, (-1.0, 0.0, 1.0)).all() else snapped(R)


def about_origin(inertia: Inertia) -> dict[str, Any]:
    """Mass, first moment and inertia about the frame's origin, rounding removed."""
    C = inertia.mass * skew(inertia.com)
    I, moment = inertia.moment + skew(inertia.com) @ C.T, inertia.mass * inertia.com
    tiny = ROUNDING * max(float(np.abs(moment).max()), 1e-300)
    size = ROUNDING * max(float(np.abs(I).max()), 1e-300)
    return {
        "mass": inertia.mass,
        "moment": np.where(np.abs(moment) < tiny, 0.0, moment),
        "inertia": np.where(np.abs(I) < size, 0.0, I),
    }
