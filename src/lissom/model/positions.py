"""Positions outside the limits of joints, and angles that look like degrees, for messages."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from lissom.model.joint import Joint
    from lissom.model.states import AbstractArm
    from lissom.spatial.rotations import Array

TURN = 2 * math.pi
ROUND = 5.0  # degrees: angles that people type are multiples of it
SLACK = 1e-3  # rad or m by which a position may be outside without a word, relative to 1 + |limit|
HOW = "use np.deg2rad in Python, --deg at the command line, names that end in _deg in files"


def degrees_hint(x: float, lower: float, upper: float, how: str = HOW) -> str:
    """A sentence about an angle that was probably given in degrees; empty for others.

    Examples
    --------
    >>> degrees_hint(90.0, -2.6, 2.6, how="use np.deg2rad")
    'Angles are in radians; 90 looks like degrees: use np.deg2rad.'
    >>> degrees_hint(3.0, -2.6, 2.6)
    ''
    """
    clear = abs(x) > 2 * TURN and not (math.isinf(lower) or math.isinf(upper))
    if abs(x) <= TURN or not lower <= math.radians(x) <= upper or (x % ROUND and not clear):
        return ""
    return f"Angles are in radians; {x:.6g} looks like degrees: {how}."


def outside_limits(arm: AbstractArm, q: Array, how: str = HOW) -> str:
    """A sentence about states (..., dof) with joints outside their limits, or with angles in degrees; else empty.

    NaN, a coordinate that is not given, is inside; `how`: what to do about degrees.

    Examples
    --------
    >>> import lissom as ls
    >>> outside_limits(ls.load("ur5"), np.array([0.0, 7.0, 0.0, 0.0, 0.0, 0.0]))
    "joint 'shoulder_lift' is at 7 rad, outside its limits of -6.28319 to 6.28319 rad."
    """
    found = list(_outside(arm, q))
    if not found:
        return ""
    more = f" ({len(found) - 1} more like it)" if len(found) > 1 else ""
    joint, x, (lower, upper) = found[0]
    hints = (joint_hint(one, value, *limits, how) for one, value, limits in found)
    hint, unit = next((text for text in hints if text), ""), joint.unit
    place = "more than a turn" if lower <= x <= upper else f"outside its limits of {lower:.6g} to {upper:.6g} {unit}"
    return f"joint {joint.name!r} is at {x:.6g} {unit}, {place}{more}. {hint}".rstrip()


def degrees_among(arm: AbstractArm, q: Array) -> str:
    """A sentence about the first joint whose position, in states (..., dof), looks like degrees; else empty."""
    hints = ((joint, joint_hint(joint, x, *limits)) for joint, x, limits in _outside(arm, q))
    return next((f"joint {joint.name!r}: {hint}" for joint, hint in hints if hint), "")


def joint_hint(joint: Joint, x: float, lower: float, upper: float, how: str = HOW) -> str:
    """Return `degrees_hint` of the position of a joint; a screw turns many times."""
    return "" if joint.period is None else degrees_hint(x, lower, upper, how)


def coordinate_hint(arm: AbstractArm, coordinate: str, x: float, lower: float, upper: float) -> str:
    """Return `joint_hint` of a coordinate by its name; empty where it is not that of a joint."""
    joint = next((joint for joint in arm.joints if joint.name == coordinate), None)
    return "" if joint is None else joint_hint(joint, x, lower, upper)


def _outside(arm: AbstractArm, q: Array) -> Iterator[tuple[Joint, float, tuple[float, float]]]:
    """Joints outside their limits, or with whole degrees beyond a turn: joint, farthest position, limits."""
    lower, upper = arm.bounds("position")
    for joint, k, low, high in zip(arm.joints, arm.joint_index, lower.tolist(), upper.tolist(), strict=True):
        x = np.asarray(q)[..., k].reshape(-1)
        x = x[np.isfinite(x)]
        if not len(x):
            continue
        beyond = np.maximum(low - x - SLACK * (1 + abs(low)), x - high - SLACK * (1 + abs(high)))
        worst = float(x[int(np.argmax(beyond))])
        if beyond.max() > 0 or joint_hint(joint, worst, low, high):
            yield joint, worst, (low, high)
