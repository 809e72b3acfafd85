"""What is known of a function of time that is given as a path: where it ends, and how it becomes smooth."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.interpolate import BPoly, BSpline, PPoly

from lissom.motion.task.reach import Reach
from lissom.simulation.signals import Profile

ABRUPT = 0.5  # of the largest speed in a table: what begins faster does not begin at rest
FEWEST_ROWS = 8  # of a table whose first rows say so


def end_of(path: Any) -> float | None:
    """Return the time at which a profile or a spline ends; None of other functions."""
    if isinstance(path, Profile):
        return float(path.t[-1])
    if isinstance(path, PPoly | BPoly):
        return float(path.x[-1])
    return float(path.t[-1 - path.k]) if isinstance(path, BSpline) else None


def remedy_of(path: Any) -> str:
    """Return what makes a path with corners smooth."""
    if isinstance(path, Profile) and path.kind != "cubic":
        return f"Its Profile is of kind {path.kind!r}; use kind='cubic', or give the table (times, values) itself."
    return "Round the corner, or let the path stop there."


def abrupt_ends(path: Any) -> str:
    """Return a sentence about a table that begins or ends at speed, though the arm rests there; else an empty one."""
    if callable(path) or isinstance(path[1][0], Reach):
        return ""
    t, values = np.asarray(path[0], float), np.asarray(path[1], float)
    if len(t) < FEWEST_ROWS:
        return ""
    speeds = np.linalg.norm(np.diff(values, axis=0).reshape(len(t) - 1, -1), axis=1) / np.diff(t)
    ends = [word for word, speed in (("begins", speeds[0]), ("ends", speeds[-1])) if speed > ABRUPT * speeds.max()]
    if not ends or not speeds.max() > 0:
        return ""
    return (
        f"the table {' and '.join(ends)} at speed ({max(speeds[0], speeds[-1]):.3g} per second), but the arm rests "
        f"before and after it: it gains or loses that speed between two rows, in {np.diff(t)[[0, -1]].max():.3g} s, "
        "which costs torque. Let the speed rise from zero and fall to zero."
    )
