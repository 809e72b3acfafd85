"""What is known of a function of time that is given as a path: where it ends, and how it becomes smooth."""

from __future__ import annotations

from typing import Any

from scipy.interpolate import BPoly, BSpline, PPoly

from lissom.simulation.signals import Profile


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
