"""The path that a motion was made to follow, and how well it does as planned."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.interpolate import make_interp_spline

from lissom.later import cached_property
from lissom.spatial.rotations import Array


@dataclass(frozen=True, eq=False)
class TrackedPath:
    """The path of a motion from `track_motion`.

    Attributes
    ----------
    frame, point : str, (3,)     what follows it: a point of a link or tool, in its axes
    axes : tuple of str          coordinates that follow, of x, y, z, rx, ry, rz
    shift : float                time in the motion at which the path begins [s]
    duration : float             of the path [s]
    t, values : (nt,), (nt, m)   samples of the path, from 0 to its duration [m, rad]
    reference : (3, 3)           rotation from which rotation vectors rx, ry, rz count
    error, angle : float         largest distance from the path as planned [m], and largest angle [rad]
    """

    frame: str
    point: Array
    axes: tuple[str, ...]
    shift: float
    duration: float
    t: Array
    values: Array
    reference: Array
    error: float = np.nan
    angle: float = np.nan

    @cached_property
    def _curve(self) -> Any:
        return make_interp_spline(self.t, self.values, 5)

    def at(self, t: Array) -> Array:
        """(N, m) where the frame should be at times (N,) of the motion."""
        return np.asarray(self._curve(np.clip(np.asarray(t, float) - self.shift, 0.0, self.duration)))

    def off(self) -> str:
        """Return how far the plan is off at most, such as ``2e-8 m``."""
        parts = [f"{self.error:.2g} m"] if set(self.axes) & set("xyz") else []
        parts += [f"{self.angle:.2g} rad"] if set(self.axes) - set("xyz") else []
        return " and ".join(parts)

    def describe(self) -> str:
        """Return one line of text."""
        return (
            f"path of {self.frame!r} ({', '.join(self.axes)}) from {self.shift:.4g} s to "
            f"{self.shift + self.duration:.4g} s, followed within {self.off()} as planned"
        )
