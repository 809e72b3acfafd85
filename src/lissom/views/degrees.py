"""Units on the screen: angles in degrees, everything else in SI units."""

from __future__ import annotations

import numpy as np

from lissom.spatial.rotations import Array, to_rpy

DEGREE = 180 / np.pi


def shown_unit(unit: str) -> tuple[str, float]:
    """Return the unit on the screen and the factor to it.

    Examples
    --------
    >>> shown_unit("m"), shown_unit("rad/s")[0]
    (('m', 1.0), 'deg/s')
    """
    return (unit.replace("rad", "deg"), DEGREE) if unit.startswith("rad") else (unit, 1.0)


def pose_text(X: Array) -> tuple[str, str]:
    """Return position and orientation (roll, pitch, yaw about fixed axes) of a pose (4, 4) as text.

    Examples
    --------
    >>> pose_text(np.eye(4))
    ('x 0.0000  y 0.0000  z 0.0000 m', 'roll 0.00  pitch 0.00  yaw 0.00 deg')
    """
    place = "  ".join(f"{word} {x:.4f}" for word, x in zip("xyz", _without_minus(X[:3, 3], 4), strict=True))
    angles = _without_minus(DEGREE * to_rpy(X[:3, :3]), 2)
    turn = "  ".join(f"{word} {x:.2f}" for word, x in zip(("roll", "pitch", "yaw"), angles, strict=True))
    return f"{place} m", f"{turn} deg"


def _without_minus(values: Array, digits: int) -> Array:
    """Round; nothing becomes -0."""
    return np.round(values, digits) + 0.0
