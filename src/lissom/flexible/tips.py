"""Tip inertias of flexible links, for the choice of their shapes.

At the arm's home, with the joints beyond locked: the mass, the inertia about the tip point, and the mass times
its axial offset, which is averaged over the turn of the next revolute joint (De Luca and Siciliano 1991 take
zero there after their (28), (29)). The choice changes how fast results converge with the number of modes, never what
they converge to.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from lissom.model.arm import Arm
from lissom.model.beam import Tip
from lissom.spatial.frames import pose
from lissom.spatial.inertia import Inertia, combine
from lissom.spatial.rotations import Array


class Hanging(NamedTuple):
    """Inertia of everything beyond a tip, in the tip's frame; `mean`: its centre, averaged over the next joint."""

    body: Inertia
    mean: Array


NOTHING = Hanging(Inertia(0.0, np.zeros(3), np.zeros((3, 3))), np.zeros(3))


def hanging(arm: Arm) -> list[Hanging]:
    """Inertia attached to the tip of every link: payload and subtrees, undeformed.

    Joints are at home, or where the beam of that link says (`tip_pose`).
    """
    out = _hanging(arm, arm.home)
    place = dict(zip((joint.name for joint in arm.joints), arm.joint_index, strict=True))
    for i, link in enumerate(arm.links):
        if link.beam is not None and link.beam.tip_pose:
            q = arm.home
            for joint, at in link.beam.tip_pose:
                q[place[joint]] = at
            out[i] = _hanging(arm, q)[i]
    return out


def _hanging(arm: Arm, q: Array) -> list[Hanging]:
    """Inertias attached to the tips with all joints at given positions (dof,)."""
    out = [NOTHING] * len(arm.links)
    positions = dict(zip((joint.name for joint in arm.moving_joints), map(float, arm.joint_positions(q)), strict=True))
    along = [NOTHING] * len(arm.links)  # what hangs along beams, in the frames of their links
    for i, link in enumerate(arm.links):
        if link.flexible and link.payload is not None:
            out[i] = Hanging(link.payload.body, np.asarray(link.payload.com, float))
    for i in range(len(arm.links) - 1, -1, -1):
        parent = int(arm.parent_index[i])
        if parent < 0:
            continue
        seen, at = _seen(arm, i, out[i], along[i].body, positions), arm.links[i].joint.at
        if at is None:
            out[parent] = _together(out[parent], seen)
        else:
            shift = pose(p=(at, 0.0, 0.0))
            along[parent] = _together(along[parent], Hanging(seen.body.in_frame(shift), seen.mean + shift[:3, 3]))
    return out


def _together(a: Hanging, b: Hanging) -> Hanging:
    mass = a.body.mass + b.body.mass
    mean = (a.body.mass * a.mean + b.body.mass * b.mean) / mass if mass else a.mean
    return Hanging(combine(a.body, b.body), mean)


def _seen(arm: Arm, i: int, beyond: Hanging, along: Inertia, positions: Mapping[str, float]) -> Hanging:
    """Inertia of link i and everything attached to it, in the frame where its joint is placed."""
    link = arm.links[i]
    own = combine(link.without_payload, along) if link.flexible else link.body
    tip = link.tip
    whole = combine(own, beyond.body.in_frame(tip))
    centre = tip[:3, :3] @ beyond.mean + tip[:3, 3]
    mass = own.mass + beyond.body.mass
    mean = (own.mass * np.asarray(own.com) + beyond.body.mass * centre) / mass if mass else np.zeros(3)
    joint = link.joint
    X = joint.placement @ joint.transform(positions[joint.name] if joint.moves else 0.0) @ link.frame
    body = whole.in_frame(X)
    mean = X[:3, :3] @ mean + X[:3, 3]
    if joint.rotation:  # averaged over its turn, the centre lies on the axis
        start, axis = joint.placement[:3, 3], joint.placement[:3, :3] @ np.asarray(joint.axis, float)
        mean = start + axis * (axis @ (np.asarray(body.com) - start))
    return Hanging(body, mean)


def tips(beyond: Hanging) -> tuple[Tip, Tip]:
    """The tip inertias for bending about z and for bending about y."""
    mass, com, moment = beyond.body
    about = moment + mass * (com @ com * np.eye(3) - np.outer(com, com))
    offset = mass * float(beyond.mean[0])
    least = offset**2 / mass * (1 + 1e-9) if mass else 0.0
    polar = max(float(about[0, 0]), 0.0)
    return tuple(Tip(mass, max(float(about[k, k]), least), offset, polar) for k in (2, 1))  # type: ignore[return-value]
