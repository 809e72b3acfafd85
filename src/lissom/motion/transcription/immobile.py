"""Joints whose actuators are no stronger than their Coulomb friction.

Such an actuator alone cannot start a joint that is at rest, and next to rest no torque within the limits covers
friction in both directions. If a task leaves the joint where it is, it is held there exactly: friction then has no
direction, and the torque that holds the joint is within its limits by itself.
"""

from __future__ import annotations

import numpy as np

from lissom.motion.transcription.specification import Specification
from lissom.spatial.rotations import Array


def held_joints(spec: Specification) -> dict[int, float]:
    """Coordinates of such joints that the task leaves at rest, and their positions."""
    found = {k: given_positions(spec, k) for k in too_weak(spec)}
    return {
        k: float(q[0])
        for k, q in found.items()
        if not left_open(spec, q) and not np.ptp(q) and not moves_at_places(spec, k)
    }


def strongest(spec: Specification) -> Array:
    """(n,) torques of actuators in their stronger direction."""
    return np.maximum(spec.bounds.upper["torque"], -spec.bounds.lower["torque"])


def too_weak(spec: Specification) -> list[int]:
    """Coordinates of joints that begin or end at rest and cannot leave it; in closed loops others may move them."""
    if spec.closing is not None or spec.task.periodic:
        return []
    rests = np.any([spec.rates(word) == 0 for word in ("start", "goal")], axis=0)
    weak = spec.arm.actuated & (spec.friction > 0) & (strongest(spec) <= spec.friction)
    return [int(k) for k in np.flatnonzero(weak & rests)]


def given_positions(spec: Specification, k: int) -> Array:
    """Positions of a coordinate that the task gives, in the order of time."""
    q = np.array([place.q[0][k] for place in spec.places if place.reaching is None])
    return q[np.isfinite(q)]


def left_open(spec: Specification, q: Array) -> bool:
    """The task leaves it to the search where a coordinate with positions q goes: none, or a pose, is given."""
    return not len(q) or any(place.reaching is not None for place in spec.places)


def moves_at_places(spec: Specification, k: int) -> bool:
    """The task gives a coordinate a rate other than zero somewhere."""
    ends = [spec.rates(word)[k] for word in ("start", "goal")]
    joint = np.flatnonzero(spec.arm.joint_index == k)
    via = [rate[k if len(rate) == spec.n else joint[0]] for rate in
           (via.velocity for via in spec.task.via) if rate is not None]  # fmt: skip
    return bool(np.any(np.nan_to_num([*ends, *via])))
