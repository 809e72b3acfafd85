"""Conversion of state arguments into arrays; invalid ones raise an error that names the entry."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from lissom.arrays import as_floats
from lissom.errors import InputError, ModelError, shown, suggest
from lissom.kernels.labels import by_name
from lissom.model.arm import Arm
from lissom.model.structure import Frame
from lissom.spatial.rotations import Array

ORIGIN = (0.0, 0.0, 0.0)  # of a frame, the default point


def as_arm(arm: Any, verb: str) -> Arm:
    """Return the arm; raises InputError for anything else."""
    if not isinstance(arm, Arm):
        raise InputError(f"{verb}: got {type(arm).__name__} where an Arm was expected; make one with lissom.load(...).")
    return arm


def as_numbers(value: ArrayLike, what: str, verb: str) -> Array:
    """A finite float array; an error names the first invalid entry."""
    try:
        array = np.array(as_floats(value))
    except TypeError as error:
        raise InputError(f"{verb}: {what} is {shown(value)}; expected {error}.") from None
    if not np.isfinite(array).all():
        spot = tuple(int(i) for i in np.argwhere(~np.isfinite(array))[0])
        raise InputError(f"{verb}: {what}{list(spot)} is {array[spot]}; expected finite numbers.")
    return array


def as_state(arm: Arm, value: ArrayLike, what: str, verb: str) -> Array:
    """Coordinates (..., dof); one entry per joint is accepted, elastic entries are then zero."""
    state = as_numbers(by_name(arm, value, what, verb), what, verb)
    joints = len(arm.joints)
    if state.ndim and state.shape[-1] == arm.dof:
        return state
    if state.ndim and state.shape[-1] == joints:
        return arm.expanded(state)
    have = f"{state.shape[-1]} entries" if state.ndim else "no axis"
    names = [joint.name for joint in arm.joints]
    listed = ", ".join(names) if joints <= 8 else f"{names[0]} ... {names[-1]}"
    want = f"{joints} joints ({listed})"
    if arm.dof != joints:
        want += f" and {arm.dof} coordinates with its elastic ones"
    if arm.mimics:
        want += f"; {', '.join(arm.mimics)} follow others and have no entry"
    column = " A column of states needs them along the last axis." if state.ndim == 2 and state.shape[-1] == 1 else ""
    raise InputError(f"{verb}: {what} has {have}, arm {arm.name!r} has {want}.{column}")


def as_points(value: ArrayLike, what: str, verb: str) -> Array:
    """Points (..., 3) as an array; raises InputError for other shapes."""
    points = as_numbers(value, what, verb)
    if points.ndim == 0 or points.shape[-1] != 3:
        raise InputError(f"{verb}: {what} has shape {points.shape}; expected (3,) or (..., 3).")
    return points


def as_threads(threads: Any, verb: str) -> int | None:
    """A validated number of threads, or None for the default."""
    if threads is None:
        return None
    if isinstance(threads, bool) or not isinstance(threads, int | np.integer) or threads < 1:
        raise InputError(f"{verb}: threads is {threads!r}; expected None or a whole number of at least 1.")
    return int(threads)


def as_frame(arm: Arm, link: Any, verb: str) -> Frame:
    """The frame of a link or tool, by name; raises InputError for unknown names."""
    if not isinstance(link, str):
        raise InputError(f"{verb}: link is {shown(link)}; expected a link's or tool's name, {suggest('', arm.frames)}")
    try:
        return arm.frame(link)
    except ModelError as error:
        raise InputError(f"{verb}: {error}") from None
