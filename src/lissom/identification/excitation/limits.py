"""The limits of a motion that excites an arm, with defaults where arm and user give none, and where it begins."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from lissom.errors import InputError
from lissom.kernels.arguments import as_state
from lissom.model.arm import Arm
from lissom.model.limits import QUANTITIES, Limits
from lissom.model.units import units
from lissom.spatial.rotations import Array

VERB = "excite"
SPEED = {"rad": 1.0, "m": 0.25}  # rad/s; m/s, the reduced speed of ISO 10218-1
RISE = 3.0  # 1/s: accelerations reach the velocity limit in a third of a second
TURN = np.pi  # rad to both sides of the start
INSIDE = 0.05  # of the range of a joint: how far from its limits a motion begins that may begin anywhere
HELD = 1e-6  # of rad or m: joints with less range do not move


class Allowed(NamedTuple):
    """What a motion may do.

    limits : Limits        of all joints
    start : (dof,)
    assumptions : tuple of str     defaults that were used, as sentences
    """

    limits: Limits
    start: Array
    assumptions: tuple[str, ...]


def allowed(arm: Arm, limits: Limits, start: Any, torque_utilisation: float) -> Allowed:
    """Return the limits and the start of a motion; raises an error where they contradict each other."""
    bounds = {word: _tighter(arm, limits, word) for word in QUANTITIES if word != "torque"}
    _refuse_jumps(arm, bounds)
    begin = _start(arm, start, bounds["position"])
    notes: list[str] = []
    bounds["position"] = _ranges(arm, bounds["position"], begin, notes)
    _fill_rates(arm, bounds, notes)
    bounds["torque"] = _torques(arm, limits, torque_utilisation, notes)
    made = Limits(**{word: (low, high) for word, (low, high) in bounds.items()})
    return Allowed(made, begin, tuple(notes))


def _refuse_jumps(arm: Arm, bounds: dict[str, tuple[Array, Array]]) -> None:
    """Refuse limits of the rate of torques that jump."""
    low, high = bounds["torque_rate"]
    for k in np.flatnonzero((np.isfinite(low) | np.isfinite(high)) & (arm.friction > 0)):
        raise InputError(
            f"{VERB}: joint {arm.joints[k].name!r} has Coulomb friction, so its torque jumps where it reverses and no "
            "torque-rate limit can be satisfied. Limit the jerk instead, or remove the friction."
        )


def _tighter(arm: Arm, limits: Limits, word: str) -> tuple[Array, Array]:
    """Lower and upper limits (joints,) of arm and user together."""
    own, asked = arm.bounds(word), limits.bounds(word, len(arm.joints))
    low, high = np.maximum(own[0], asked[0]), np.minimum(own[1], asked[1])
    for k in np.flatnonzero(low > high):
        raise InputError(
            f"{VERB}: the {word} limits of joint {arm.joints[k].name!r} contradict each other: the joint allows "
            f"{own[0][k]:g} to {own[1][k]:g}, limits {asked[0][k]:g} to {asked[1][k]:g}."
        )
    if word != "position":
        for k in np.flatnonzero((low > 0) | (high < 0)):
            raise InputError(
                f"{VERB}: the {word} limits of joint {arm.joints[k].name!r}, {low[k]:g} to {high[k]:g}, exclude zero, "
                "but the motion begins and ends at rest. Widen them."
            )
    return low, high


def _start(arm: Arm, start: Any, bounds: tuple[Array, Array]) -> Array:
    """Positions (dof,), by default `home`, moved away from the limits."""
    at, (low, high) = arm.joint_index, bounds
    if start is None:
        begin, inside = arm.home.copy(), np.where(np.isfinite(high - low), INSIDE * (high - low), 0.0)
        begin[at] = np.clip(begin[at], low + inside, high - inside)
        return begin
    begin = as_state(arm, start, "start", VERB)
    if begin.ndim != 1:
        raise InputError(f"{VERB}: start has shape {begin.shape}; expected ({arm.dof},), one position per joint.")
    for k in np.flatnonzero((begin[at] < low) | (begin[at] > high)):
        raise InputError(
            f"{VERB}: start of joint {arm.joints[k].name!r} is {begin[at][k]:.6g} {units(arm)[at[k]]}, outside its "
            f"limits of {low[k]:.6g} to {high[k]:.6g}. Move it inside, or widen the limits."
        )
    return begin


def _ranges(arm: Arm, bounds: tuple[Array, Array], begin: Array, notes: list[str]) -> tuple[Array, Array]:
    """Position limits; joints that turn without end get half a turn to both sides."""
    low, high = bounds
    for k in np.flatnonzero(~(np.isfinite(low) & np.isfinite(high))):
        c = int(arm.joint_index[k])
        unit, name = units(arm)[c], arm.joints[k].name
        if unit != "rad":
            raise InputError(
                f"{VERB}: joint {name!r} slides and has no position limits, so nothing says how far it may go. Give "
                "limits=Limits(position=(lower, upper)) with one entry per joint."
            )
        notes.append(f"Joint {name!r} has no position limits on both sides; it stays within half a turn of the start")
        low[k] = low[k] if np.isfinite(low[k]) else begin[c] - TURN
        high[k] = high[k] if np.isfinite(high[k]) else begin[c] + TURN
    return low, high


def _fill_rates(arm: Arm, bounds: dict[str, tuple[Array, Array]], notes: list[str]) -> None:
    """Velocity and acceleration limits where there are none."""
    unit = np.array(units(arm))[arm.joint_index]
    speed = np.array([SPEED.get(word, SPEED["rad"]) for word in unit])
    _fill(arm, bounds, "velocity", speed, [f"{x:g} {word}/s" for x, word in zip(speed, unit, strict=True)], notes)
    rise = RISE * np.minimum(-bounds["velocity"][0], bounds["velocity"][1])
    _fill(arm, bounds, "acceleration", rise, [f"{x:.4g} {word}/s^2" for x, word in zip(rise, unit, strict=True)], notes)


def _fill(
    arm: Arm, bounds: dict[str, tuple[Array, Array]], word: str, size: Array, shown: list[str], notes: list[str]
) -> None:
    low, high = bounds[word]
    missing = np.flatnonzero(~(np.isfinite(low) & np.isfinite(high)))
    bounds[word] = np.where(np.isfinite(low), low, -size), np.where(np.isfinite(high), high, size)
    if len(missing):
        listed = ", ".join(f"{arm.joints[k].name} {shown[k]}" for k in missing)
        notes.append(f"No {word} limit is known for some joints; assumed: {listed}")


def _torques(arm: Arm, limits: Limits, utilisation: float, notes: list[str]) -> tuple[Array, Array]:
    """Torque limits: of those of the arm a part, as its numbers are not known well yet."""
    own, asked = arm.bounds("torque"), limits.bounds("torque", len(arm.joints))
    low, high = np.maximum(utilisation * own[0], asked[0]), np.minimum(utilisation * own[1], asked[1])
    free = [joint.name for joint, x, y in zip(arm.joints, low, high, strict=True) if not np.isfinite(min(-x, y))]
    if free:
        notes.append(f"No torque limit is known for {', '.join(free)}: accelerations alone limit the torque")
    for k in np.flatnonzero(high - low <= 2 * arm.friction):
        raise InputError(
            f"{VERB}: the torque limits of joint {arm.joints[k].name!r} are {low[k]:g} to {high[k]:g}, which leaves "
            f"its actuator no range beyond its friction of {arm.friction[k]:g}. Use wider limits, or lock the joint."
        )
    return low, high
