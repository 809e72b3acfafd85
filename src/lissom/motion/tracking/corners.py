"""Corners of a path: times at which its velocity jumps, which no arm with inertia can follow."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lissom.errors import InputError
from lissom.motion.task.frame_output import VERB
from lissom.motion.tracking.path import GivenPath
from lissom.spatial.rotations import Array

LOOKS, CLOSER = 1001, 41
KEPT = 0.4  # of a jump seen from afar, that remains when one looks closer: of smooth paths a small part does
NOTICED = 1e-3  # of the largest velocity
STEP = 8.0  # times larger from closer by: what jumps is the position (20 times), not the velocity (once)
ROUNDING = 1e-9  # m or rad: smaller changes of a path, between looks, are none
MOST, NAMED = 20, 5  # places that are looked at, and corners that a message names


class Corner(NamedTuple):
    """A time of the path [s], and by how much its velocity jumps there [m/s or rad/s], or its position [m or rad]."""

    t: float
    jump: float
    of_position: bool = False


def corners_of(path: GivenPath) -> tuple[Corner, ...]:
    """Return the corners of a path, the sharpest first; ends included, since it rests before and after."""
    h = path.duration / (LOOKS - 1)
    t = h * np.arange(-1, LOOKS + 1)
    jumps, fastest = _jumps(path, t)
    if fastest * h <= ROUNDING:
        return ()
    found = [_corner(path, t[k : k + 3], float(jumps[k]), fastest) for k in _peaks(jumps, NOTICED * fastest)]
    return tuple(sorted((one for one in found if one is not None), key=lambda one: (-one.of_position, -one.jump)))


def refuse_jumps(corners: tuple[Corner, ...], path: GivenPath) -> None:
    """Refuse a path that is not continuous."""
    for one in corners:
        if one.of_position:
            raise InputError(
                f"{VERB}: at t = {one.t:.4g} s the path jumps by {one.jump:.3g} {_unit(path.axes)}; expected a path "
                "that moves from place to place in some time."
            )


def listed(corners: tuple[Corner, ...]) -> str:
    """Return corners and their times as words."""
    if len(corners) == 1:
        return f"a corner at t = {corners[0].t:.4g} s"
    shown = sorted(one.t for one in corners[:NAMED])
    more = f" and {len(corners) - NAMED} more" if len(corners) > NAMED else ""
    return f"corners at t = {', '.join(f'{t:.4g}' for t in shown)} s{more}"


def sharpest(corners: tuple[Corner, ...], axes: tuple[str, ...]) -> str:
    """Return the largest jump of the velocity with its unit."""
    return f"{corners[0].jump:.3g} {_unit(axes)}/s"


def _unit(axes: tuple[str, ...]) -> str:
    return "rad" if set(axes) <= {"rx", "ry", "rz"} else "m"


def _peaks(jumps: Array, least: float) -> list[int]:
    """The largest jumps that are larger than those beside them."""
    beside = np.pad(jumps, 1, constant_values=-1.0)
    some = np.flatnonzero((jumps > least) & (jumps >= beside[:-2]) & (jumps > beside[2:]))
    return [int(k) for k in some[np.argsort(-jumps[some], kind="stable")][:MOST]]


def _corner(path: GivenPath, t: NDArray[Any], jump: float, fastest: float) -> Corner | None:
    """What is seen of a jump from closer by; None where the path is smooth."""
    closer = np.linspace(float(t[0]), float(t[2]), CLOSER)
    near, _ = _jumps(path, closer)
    j = int(np.argmax(near))
    at = float(np.clip(closer[j + 1], 0.0, path.duration))
    if near[j] > STEP * jump:
        values = path(closer)
        return Corner(at, float(np.linalg.norm(np.diff(values, axis=0), axis=1).max()), True)
    return None if near[j] < max(KEPT * jump, NOTICED * fastest) else Corner(at, float(near[j]))


def _jumps(path: GivenPath, t: NDArray[Any]) -> tuple[Array, float]:
    """(N - 2,) by how much the velocity changes from one interval to the next; and the largest velocity."""
    v = np.diff(path(t), axis=0) / np.diff(t)[:, None]
    return np.linalg.norm(np.diff(v, axis=0), axis=1), float(np.linalg.norm(v, axis=1).max())
