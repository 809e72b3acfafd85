"""Joints that follow others: where they are, and what they mean for the joints that they follow.

A joint with `Mimic(joint, multiplier, offset)` is no coordinate. Its limits, friction, damping and inertia act on the
coordinate of the joint that it follows in the end.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from lissom.errors import ModelError, about
from lissom.model.joint import Joint, Mimic
from lissom.spatial.rotations import Array

if TYPE_CHECKING:
    from lissom.model.arm import Arm

OF_MOTION = ("position", "velocity", "acceleration", "jerk")  # the other quantities are those of the motor


def resolved(arm: Arm) -> Mapping[str, Mimic]:
    """See `Arm.mimics`; a ring is refused."""
    waiting = {joint.name: joint.mimic for joint in arm.moving_joints if joint.mimic is not None}
    found: dict[str, Mimic] = {}
    while waiting:
        ready = {name: mimic for name, mimic in waiting.items() if mimic.joint not in waiting}
        if not ready:
            names = ", ".join(map(repr, waiting))
            raise ModelError(f"the joints {names} follow each other in a ring; one of them must follow no other.",
                             "mimic")  # fmt: skip
        for name, mimic in ready.items():
            with about(f"joint {name!r}"):
                found[name] = _through(found[mimic.joint], mimic) if mimic.joint in found else mimic
            del waiting[name]
    return MappingProxyType(found)


def _through(above: Mimic, mimic: Mimic) -> Mimic:
    """The mimic of a joint that follows a follower."""
    m = mimic.multiplier
    return Mimic(above.joint, m * above.multiplier, m * above.offset + mimic.offset)


def followers(arm: Arm, joint: Joint) -> list[tuple[Joint, Mimic]]:
    """The joints that follow a joint, at once or through others, in the order of the links."""
    found = ((other, arm.mimics.get(other.name)) for other in arm.moving_joints)
    return [(other, mimic) for other, mimic in found if mimic is not None and mimic.joint == joint.name]


def total(arm: Arm, joint: Joint, field: str, power: int) -> float:
    """A number of a joint, plus that of each joint that follows it times |multiplier|^power."""
    more = (abs(mimic.multiplier) ** power * getattr(other, field) for other, mimic in followers(arm, joint))
    return float(sum(more, getattr(joint, field)))


def bounds(arm: Arm, quantity: str) -> tuple[Array, Array]:
    """See `Arm.bounds`."""
    return _bounded(arm, quantity)[:2]


def without_room(arm: Arm) -> list[Joint]:
    """Joints that follow, whose position limits are left out: no position of the joint that they follow keeps them."""
    return _bounded(arm, "position")[2]


def _bounded(arm: Arm, quantity: str) -> tuple[Array, Array, list[Joint]]:
    """Lower and upper limits, and the joints that follow whose limits are left out."""
    pairs = [joint.limits.bounds(quantity, 1) for joint in arm.joints]
    lower, upper = (np.array([pair[side][0] for pair in pairs]) for side in (0, 1))
    left_out: list[Joint] = []
    if quantity in OF_MOTION and arm.mimics:
        for k, joint in enumerate(arm.joints):
            for follower, mimic in followers(arm, joint):
                low, high = _of_leader(follower, mimic, quantity)
                low, high = max(low, lower[k]), min(high, upper[k])
                if low < high or low == high == lower[k] == upper[k]:
                    lower[k], upper[k] = low, high
                else:
                    left_out.append(follower)
    return lower, upper, left_out


def _of_leader(follower: Joint, mimic: Mimic, quantity: str) -> tuple[float, float]:
    """What the limits of a joint that follows mean for the joint that it follows."""
    if mimic.multiplier == 0.0:
        return -np.inf, np.inf
    shift = mimic.offset if quantity == "position" else 0.0
    low, high = sorted((float(side[0]) - shift) / mimic.multiplier for side in follower.limits.bounds(quantity, 1))
    return low, high


def positions(arm: Arm, q: Array) -> Array:
    """See `Arm.joint_positions`; q (..., dof)."""
    place = dict(zip((joint.name for joint in arm.joints), arm.joint_index, strict=True))
    out = np.zeros((*q.shape[:-1], len(arm.moving_joints)))
    for k, joint in enumerate(arm.moving_joints):
        mimic = arm.mimics.get(joint.name)
        at = q[..., place[joint.name if mimic is None else mimic.joint]]
        out[..., k] = at if mimic is None else mimic.multiplier * at + mimic.offset
    return out
