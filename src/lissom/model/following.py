"""Mimic joints: their positions, and their effect on the joints that they follow.

A joint with `Mimic(joint, multiplier, offset)` is no coordinate. Its limits, friction, damping and inertia act on the
coordinate of the joint that it follows in the end.
"""

from __future__ import annotations

import numpy as np

from lissom.model.joint import Joint
from lissom.model.mimic import Mimic
from lissom.model.slot import constants_stored
from lissom.model.structure import AbstractTree
from lissom.spatial.rotations import Array

OF_MOTION = ("position", "velocity", "acceleration", "jerk")  # the other quantities are those of the motor


def followers(arm: AbstractTree) -> dict[str, list[tuple[Joint, Mimic]]]:
    """Mapping from the name of a joint to its mimic joints, direct and indirect, in the order of the links."""
    found: dict[str, list[tuple[Joint, Mimic]]] = {}
    for joint in arm.moving_joints if arm.mimics else ():
        mimic = arm.mimics.get(joint.name)
        if mimic is not None:
            found.setdefault(mimic.joint, []).append((joint, mimic))
    return found


def totals(arm: AbstractTree, field: str, power: int) -> Array:
    """Values of the joints, plus those of their mimic joints times |multiplier|^power."""
    more = followers(arm)
    return np.array(
        [
            sum((abs(mimic.multiplier) ** power * getattr(other, field) for other, mimic in more.get(joint.name, ())),
                getattr(joint, field))
            for joint in arm.joints
        ],
        float,
    )  # fmt: skip


def bounds(arm: AbstractTree, quantity: str) -> tuple[Array, Array]:
    """See `Arm.bounds`."""
    lower, upper, _ = constants_stored(arm, ("bounds", quantity), lambda: _bounded(arm, quantity))
    return lower.copy(), upper.copy()  # callers may write into theirs


def without_room(arm: AbstractTree) -> list[Joint]:
    """Mimic joints whose position limits are ignored, as no position of the joint they follow satisfies them."""
    return _bounded(arm, "position")[2]


def _bounded(arm: AbstractTree, quantity: str) -> tuple[Array, Array, list[Joint]]:
    """Lower and upper limits, and the mimic joints whose limits are ignored."""
    pairs = [joint.limits.bounds(quantity, 1) for joint in arm.joints]
    lower, upper = (np.array([pair[side][0] for pair in pairs]) for side in (0, 1))
    left_out: list[Joint] = []
    if quantity in OF_MOTION and arm.mimics:
        found = followers(arm)
        for k, joint in enumerate(arm.joints):
            for follower, mimic in found.get(joint.name, ()):
                low, high = _of_leader(follower, mimic, quantity)
                low, high = max(low, lower[k]), min(high, upper[k])
                if low < high or low == high == lower[k] == upper[k]:
                    lower[k], upper[k] = low, high
                else:
                    left_out.append(follower)
    return lower, upper, left_out


def _of_leader(follower: Joint, mimic: Mimic, quantity: str) -> tuple[float, float]:
    """Limits of a mimic joint, converted to limits of the joint that it follows."""
    if mimic.multiplier == 0.0:
        return -np.inf, np.inf
    shift = mimic.offset if quantity == "position" else 0.0
    low, high = sorted((float(side[0]) - shift) / mimic.multiplier for side in follower.limits.bounds(quantity, 1))
    return low, high


def positions(arm: AbstractTree, q: Array) -> Array:
    """See `Arm.joint_positions`; q (..., dof)."""
    place = dict(zip((joint.name for joint in arm.joints), arm.joint_index, strict=True))
    out = np.zeros((*q.shape[:-1], len(arm.moving_joints)))
    for k, joint in enumerate(arm.moving_joints):
        mimic = arm.mimics.get(joint.name)
        at = q[..., place[joint.name if mimic is None else mimic.joint]]
        out[..., k] = at if mimic is None else mimic.multiplier * at + mimic.offset
    return out
