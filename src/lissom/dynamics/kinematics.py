"""Kinematics by recursion over links, in plain NumPy, for one state or a batch.

World axes throughout. For each link: `R` (..., 3, 3) and `p` (..., 3) are the pose of its
frame, `z` (..., 3) the direction of its joint's axis, `o` (..., 3) the origin of its joint.

The tip of a flexible link moves with its modes. Until mode shapes are part of the library the
undeformed tip is used, and any modal coordinate that is not zero is refused, never ignored.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from lissom.errors import UnsupportedError
from lissom.model.arm import Arm, Frame
from lissom.spatial.rotations import Array, about_axis


class LinkPose(NamedTuple):
    """Pose of a link's frame, and its joint's axis and origin, in world axes."""

    R: Array
    p: Array
    z: Array
    o: Array


class PointMotion(NamedTuple):
    """Angular velocity and acceleration of a body, classical acceleration of a point on it."""

    w: Array
    wd: Array
    a: Array


def path_to(arm: Arm, link: int) -> list[int]:
    """Links from the base to `link`, both ends included."""
    path = [link]
    while arm.parent_index[path[-1]] >= 0:
        path.append(int(arm.parent_index[path[-1]]))
    return path[::-1]


def bent_links(arm: Arm, path: Iterable[int], frame: Frame, point: Array) -> list[int]:
    """Flexible links whose modes move a point of the frame; only the root of the last link does not bend."""
    path = list(path)
    at_root = not frame.at_tip and not np.any(point)
    own = path[-1:] if at_root else []
    return [i for i in path if arm.links[i].mode_labels and i not in own]


def refuse_bending(arm: Arm, links: Iterable[int], *states: Array) -> None:
    """Refuse modal coordinates that are not zero on these links."""
    for i in links:
        link, start = arm.links[i], int(arm.coordinate_start[i])
        modes = slice(start + link.joint.coordinate_count, start + link.coordinate_count)
        if any(np.any(state[..., modes]) for state in states):
            raise UnsupportedError(
                f"kinematics of arm {arm.name!r}: the modal coordinates of link {link.name!r} "
                f"({', '.join(link.mode_labels)}) are not zero, and deflected shapes are not available yet. "
                "Set them to zero, or leave them out, for the undeformed arm."
            )


def joint_position(arm: Arm, i: int, q: Array) -> Array:
    """Position of link i's joint; an elastic joint adds its spring's deflection."""
    start = int(arm.coordinate_start[i])
    if arm.links[i].joint.elastic is None:
        return q[..., start]
    return q[..., start] + q[..., start + 1]


def link_poses(arm: Arm, q: Array, links: Iterable[int]) -> dict[int, LinkPose]:
    """Poses of `links` (parents first, closed under parents) at q (..., dof)."""
    batch = q.shape[:-1]
    base = LinkPose(np.broadcast_to(np.eye(3), (*batch, 3, 3)), np.zeros((*batch, 3)), *2 * (np.zeros(3),))
    out: dict[int, LinkPose] = {-1: base}
    for i in links:
        link, parent = arm.links[i], int(arm.parent_index[i])
        above = out[parent]
        X = link.joint.placement if parent < 0 else arm.links[parent].tip @ link.joint.placement
        R = above.R @ X[:3, :3]
        o = above.p + above.R @ X[:3, 3]
        z = R @ link.joint.axis
        if link.joint.kind == "revolute":
            R = R @ about_axis(link.joint.axis, joint_position(arm, i, q))
        elif link.joint.kind == "prismatic":
            o = o + z * joint_position(arm, i, q)[..., None]
        out[i] = LinkPose(R @ link.frame[:3, :3], o + R @ link.frame[:3, 3], z, o)
    del out[-1]
    return out


def point_on(pose: LinkPose, frame: Frame, point: Array) -> Array:
    """World position (..., 3) of a point given in a frame's axes."""
    local = frame.offset[:3, :3] @ point[..., None] + frame.offset[:3, 3:]
    return pose.p + (pose.R @ local)[..., 0]


def joint_columns(arm: Arm, poses: dict[int, LinkPose], P: Array) -> Array:
    """Jacobian (..., 6, dof) of a point P (..., 3) carried by the last link of the path; modes left zero.

    Linear rows first: ``z x (P - o)`` and ``z`` for a revolute joint, ``z`` and 0 for a prismatic one.
    """
    J = np.zeros((*P.shape[:-1], 6, arm.dof))
    for i, pose in poses.items():
        joint, start = arm.links[i].joint, int(arm.coordinate_start[i])
        if not joint.moves:
            continue
        z = np.broadcast_to(pose.z, P.shape)
        columns = range(start, start + joint.coordinate_count)  # motor side and spring turn alike
        for k in columns:
            if joint.kind == "revolute":
                J[..., :3, k], J[..., 3:, k] = np.cross(z, P - pose.o), z
            else:
                J[..., :3, k] = z
    return J


def point_motion(arm: Arm, poses: dict[int, LinkPose], P: Array, qd: Array, qdd: Array) -> PointMotion:
    """Motion of a point P on the last link of a path whose poses are given, base at rest."""
    w = wd = a = np.zeros(3)
    at: Array = np.zeros(3)  # the point where `a` holds
    for i, pose in poses.items():
        joint = arm.links[i].joint
        if not joint.moves:
            continue
        rate, acceleration = (joint_position(arm, i, x)[..., None] for x in (qd, qdd))
        z = pose.z
        a, at = _shift(a, w, wd, pose.o - at), pose.o
        if joint.kind == "revolute":
            w, wd = w + z * rate, wd + z * acceleration + np.cross(w, z * rate)
        else:
            a = a + z * acceleration + 2 * np.cross(w, z * rate)
    return PointMotion(w, wd, _shift(a, w, wd, P - at))


def _shift(a: Array, w: Array, wd: Array, r: Array) -> Array:
    """Acceleration of a point of the same body, r away."""
    return a + np.cross(wd, r) + np.cross(w, np.cross(w, r))
