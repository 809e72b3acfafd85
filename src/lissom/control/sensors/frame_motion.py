"""The motion of a frame, or of a point that moves with it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lissom.control.sensors.base import AbstractSensor
from lissom.errors import InputError, shown
from lissom.kernels.arguments import ORIGIN, as_frame
from lissom.model.arm import Arm
from lissom.spatial.rotations import Array
from lissom.verbs.kinematics import jacobian

ROWS = ("x", "y", "z", "rx", "ry", "rz")


def row_numbers(rows: str | Sequence[str] | None, verb: str) -> NDArray[np.intp]:
    """Positions of the chosen rows among `ROWS`: "xy", ["x", "rz"]; None: all six."""
    words = ROWS if rows is None else tuple(rows)
    for word in words:
        if word not in ROWS:
            raise InputError(
                f"{verb}: rows has {shown(word)}; expected letters of 'xyz', or a list with any of {', '.join(ROWS)}."
            )
    if not words or len(set(words)) < len(words):
        raise InputError(f"{verb}: rows is {shown(rows)}; expected at least one row, each once.")
    return np.array([ROWS.index(word) for word in words])


@dataclass(frozen=True)
class FrameMotion(AbstractSensor):
    """Displacement of a point and rotation of its frame, in world axes [m, rad].

    frame : str              a link or tool
    point : (3,)             in the axes of the frame; along a flexible link, a place on its beam
    rows : str, sequence or None     which of x, y, z, rx, ry, rz; None: all
    """

    frame: str
    point: ArrayLike = ORIGIN
    rows: str | Sequence[str] | None = None

    def names(self, arm: Arm) -> tuple[str, ...]:
        """Names made of frame, place and row."""
        as_frame(arm, self.frame, "linearise")
        place = "" if not np.any(self.point) else "@" + ",".join(f"{x:g}" for x in np.asarray(self.point, float))
        return tuple(f"{self.frame}{place}.{ROWS[k]}" for k in row_numbers(self.rows, "linearise"))

    def slope(self, arm: Arm, q: Array) -> Array:
        """(p, dof) rows of the Jacobian."""
        return jacobian(arm, q, self.frame, self.point)[row_numbers(self.rows, "linearise")]
