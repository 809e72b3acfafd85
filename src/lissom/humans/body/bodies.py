"""Rigid bodies of the links of a person, in the axes of the links: x forward, y to the left, z up."""

from __future__ import annotations

import numpy as np

from lissom.humans.body.build import TRUNK, Build, moment
from lissom.humans.body.tables import proportion
from lissom.spatial.frames import pose
from lissom.spatial.inertia import Inertia, combine

SPREAD = 0.8  # the most of a segment's variance along z that goes into the distance of its two halves


def hanging(build: Build, name: str, below: float = 0.0) -> Inertia:
    """A segment that hangs down from its joint, which is `below` the origin of the link."""
    segment = build.segment(name)
    return segment.body((0.0, 0.0, -below - segment.centre))


def whole_arm(build: Build) -> Inertia:
    """The straight arm below its shoulder."""
    elbow = build.segment("upper_arm").length
    return combine(hanging(build, "upper_arm"), lower_arm(build).in_frame(pose(p=(0.0, 0.0, -elbow))))


def lower_arm(build: Build) -> Inertia:
    """Forearm and hand below the elbow."""
    return combine(hanging(build, "forearm"), hanging(build, "hand", build.segment("forearm").length))


def head(build: Build, joint: float) -> Inertia:
    """The head in the frame of a joint at height `joint` above the hip centres."""
    segment = build.segment("head")
    return segment.body((0.0, 0.0, build.trunk_length + segment.length - segment.centre - joint))


def trunk(build: Build, names: tuple[str, ...], joint: float) -> Inertia:
    """Parts of the trunk in the frame of a joint at height `joint` above the hip centres."""
    bodies = []
    for name in names:
        part, height = build.trunk_part(name)
        bodies.append(part.body((0.0, 0.0, height - joint)))
    whole = bodies[0]
    for body in bodies[1:]:
        whole = combine(whole, body)
    return whole


def half_trunk(build: Build, name: str, upper: bool, joint: float) -> Inertia:
    """The lower or upper half of a part of the trunk in the frame of a joint.

    Two equal halves a distance apart have together the mass, centre of mass and inertia of the part.
    """
    part, height = build.trunk_part(name)
    apart = min(part.length / 4, float(np.sqrt(SPREAD * part.variances[2])))
    variances = part.variances - np.array([0.0, 0.0, apart**2])
    com = np.array([0.0, 0.0, height + (apart if upper else -apart) - joint])
    return Inertia(part.mass / 2, com, moment(part.mass / 2, variances))


def upper_body(build: Build, joint: float, names: tuple[str, ...] = TRUNK[1:]) -> Inertia:
    """Trunk above the pelvis (or all of it) and head, in the frame of a joint at height `joint`."""
    return combine(trunk(build, names, joint), head(build, joint))


def whole_foot(build: Build) -> Inertia:
    """The foot with its toes in the frame of the ankle.

    The table's longitudinal axis of the foot is x here, its sagittal one y. The height of the centre of mass, which the
    table does not have, is taken at 0.57 of the ankle's height below the ankle.
    """
    segment = build.segment("foot")
    along, across, up = segment.variances[[2, 0, 1]]
    com = (build.along_foot("heel") + segment.centre, 0.0, -0.57 * build.length("ankle"))
    return segment._replace(variances=np.array([along, across, up])).body(com)


def toes(build: Build) -> Inertia:
    """The toes in the frame of their axis, which lies in the sole: a box over the tip of the foot."""
    mass = build.segment("foot").mass * proportion("of_foot_mass", "toes")
    length = build.along_foot("tip") - build.along_foot("ball")
    thick, wide = 0.3 * build.length("ankle"), 2 * build.along_foot("ball_half_width")
    variances = np.array([length, wide, thick]) ** 2 / 12
    return Inertia(mass, np.array([length / 2, 0.0, thick / 2]), moment(mass, variances))


def foot(build: Build) -> Inertia:
    """The foot without its toes in the frame of the ankle: with them it is the whole foot."""
    part = toes(build).in_frame(pose(p=(build.along_foot("ball"), 0.0, -build.length("ankle"))))
    return combine(whole_foot(build), Inertia(-part.mass, part.com, -part.moment))
