"""Forces in closed loops along a motion, as data."""

from __future__ import annotations

from typing import NamedTuple

from lissom.spatial.rotations import Array


class Closures(NamedTuple):
    """Forces in closed loops along a motion: fractions of the duration (N,), closure rows that are independent (r,),
    forces in these (N, r) [N or N m]."""

    s: Array
    rows: Array
    forces: Array
