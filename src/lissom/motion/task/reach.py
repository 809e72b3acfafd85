"""Places given in space: a point of a frame, and how the frame is turned, partly free.

Rows that vanish when a frame is where it should be. With E the turn from where it should be to where it is,

    position       p - p_wanted, of the coordinates that are given
    orientation    axial(E - E^T) / sqrt(1 + tr E)       = 2 sin(angle / 2) axis: three rows
    direction      (e1 . a, e2 . a) / sqrt((1 + d . a) / 2)    = 2 sin(angle / 2): two rows; a the axis, d where it
                   should point, e1 and e2 at right angles to d

Both are regular where they vanish, and large up to half a turn, where they vanish again: such answers are refused
(`reaching`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from lissom.errors import ModelError, about, shown
from lissom.model.fields import array, frozen, name, transform, unit_vector, vector
from lissom.model.record import Record
from lissom.spatial.rotations import Array


@dataclass(frozen=True, eq=False)
class Reach(Record):
    """A target pose of a frame instead of joint positions, for `Task.start`, `Task.goal` and `Via.q`.

    Parameters
    ----------
    link : str                  a link's or tool's name
    position : (3,) or None     of the point, world axes [m]; None or NaN where a coordinate is free
    orientation : None, (3, 3) or (2, 3)
        None: free. (3, 3): the rotation of the frame, its axes as columns. (2, 3): an axis of the frame, in its own
        axes, and the direction in the world along which it should point; the turn about it is free
    point : (3,)                in that frame's axes [m]

    Notes
    -----
    Where the arm is singular at the place (stretched out, two axes in line), the joints are held at the solution that
    is nearest to the rest of the task; elsewhere all that reach the place compete.

    Examples
    --------
    >>> Reach("flange", position=(0.4, None, 0.5), orientation=[(0, 0, 1), (0, 0, -2)]).orientation
    array([[ 0.,  0.,  1.],
           [ 0.,  0., -1.]])
    """

    link: str
    position: Any = None
    orientation: Any = None
    point: Any = (0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        with about(f"reach of {self.link!r}"):
            self._set(link=name(self.link, "link"), point=vector(self.point, "point"))
            self._set(position=_partly(self.position))
            if self.orientation is not None:
                self._set(orientation=_turn(self.orientation))
            if self.orientation is None and np.isnan(self.position).all():
                raise ModelError("nothing is given; give a position or an orientation.")

    @property
    def structure(self) -> str:
        """Text that decides the expressions of its rows, numbers left out."""
        turn = 0 if self.orientation is None else len(self.orientation)
        return f"{self.link}|{np.flatnonzero(np.isfinite(self.position)).tolist()}|{turn}"

    @property
    def data(self) -> Array:
        """(18,) the numbers: point, position, orientation (rotation, or frame of the direction and the axis)."""
        turn = np.zeros(12)
        if self.orientation is not None and len(self.orientation) == 3:
            turn[:9] = self.orientation.ravel()
        elif self.orientation is not None:
            axis, direction = self.orientation
            turn[:9], turn[9:] = _across(direction).ravel(), axis
        return np.concatenate([self.point, np.nan_to_num(self.position), turn])

    @property
    def row_names(self) -> list[str]:
        """Names of the rows that vanish when it is reached."""
        turn = 0 if self.orientation is None else len(self.orientation)
        return [f"position {'xyz'[k]}" for k in np.flatnonzero(np.isfinite(self.position))] + ["orientation"] * turn


def _partly(value: Any) -> Array:
    """Return a position of which some coordinates may be free, NaN."""
    if value is None:
        return frozen([np.nan] * 3)
    try:
        out = frozen([np.nan if x is None else x for x in value])
    except (TypeError, ValueError):
        raise ModelError(f"position is {shown(value)}; expected three numbers, None where one is free.") from None
    if out.shape != (3,) or np.isinf(out).any():
        raise ModelError(f"position is {shown(value)}; expected three finite numbers, None where one is free.")
    return out


def _turn(value: Any) -> Array:
    if np.shape(value) == (2, 3):
        axis, direction = value
        return frozen([unit_vector(axis, "axis"), unit_vector(direction, "direction")])
    X = np.eye(4)
    X[:3, :3] = array(value, "orientation (a rotation (3, 3), or an axis and its direction (2, 3))", (3, 3))
    return frozen(transform(X, "orientation")[:3, :3])


def _across(direction: Array) -> Array:
    """(3, 3) rows: two directions at right angles to a third, and that one."""
    least = np.eye(3)[int(np.argmin(np.abs(direction)))]
    first = np.cross(direction, least)
    first /= np.linalg.norm(first)
    return np.array([first, np.cross(direction, first), direction])
