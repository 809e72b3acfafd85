"""Whether a motion leads an arm through itself, by the shapes of its links; a remark, which decides no verdict."""

from __future__ import annotations

import numpy as np

from lissom.model.arm import Arm
from lissom.motion.result.record import AbstractMotion
from lissom.motion.task.obstacles import CollisionBody, apart, bodies_of, unconnected
from lissom.spatial.rotations import Array
from lissom.verbs.kinematics import pose

LOOKS = 400  # along a motion
DEEP = 0.05  # of the smaller radius: capsules lie around the shapes, so that touching ones may be apart
UNCHECKED = (
    "not checked: whether the arm passes through itself, because its links have no shapes other than lines or meshes; "
    "plans do not avoid it"
)


def self_collision(motion: AbstractMotion) -> str:
    """Return a sentence about links that overlap along a motion, by the capsules around their shapes.

    Links that a joint connects are left out, and pairs that overlap at the start, as they were modelled.
    """
    arm, bodies = motion.arm, motion.task.bodies
    possible = list(unconnected(arm, bodies_of(arm) if bodies is None else bodies))
    pairs = [pair for pair in possible if all(body.radius > 0 for body in pair)]
    if not pairs:
        return UNCHECKED if possible else ""
    t = np.linspace(0.0, motion.duration, LOOKS)
    q = motion.at(t)[0]
    depth = np.stack([_depth(arm, q, *pair) for pair in pairs], axis=1)
    depth[:, depth[0] > 0] = -np.inf
    least = np.array([DEEP * min(one.radius, other.radius) for one, other in pairs])
    row, k = np.unravel_index(int(np.argmax(depth - least)), depth.shape)
    if not depth[row, k] > least[k]:
        return "the arm does not pass through itself, by the capsules around the shapes of its links"
    one, other = pairs[k]
    advice = "give another guess" if motion.task.phases else "go through other positions (via)"
    return (
        f"the arm passes through itself: {one.link!r} and {other.link!r} overlap by {depth[row, k]:.2g} m at "
        f"t = {t[row]:.4g} s, by the capsules around their shapes; plans do not avoid this: {advice}, or narrow "
        "the limits of joints"
    )


def _depth(arm: Arm, q: Array, one: CollisionBody, other: CollisionBody) -> Array:
    """Return by how much two bodies overlap at positions (N, dof) [m]; negative where they are apart."""
    ends = [_in_world(arm, q, body, end) for body in (one, other) for end in (body.a, body.b)]
    return np.asarray(one.radius + other.radius - apart(*ends))


def _in_world(arm: Arm, q: Array, body: CollisionBody, end: Array) -> Array:
    X = pose(arm, q, body.link)
    return X[:, :3, 3] + X[:, :3, :3] @ end
