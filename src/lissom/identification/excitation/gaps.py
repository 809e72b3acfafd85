"""What an arm keeps clear of: obstacles, heights of frames, and its own links."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import NamedTuple

from lissom.model.arm import Arm
from lissom.motion.task.obstacles import CollisionBody
from lissom.motion.task.task import Task
from lissom.motion.transcription.constraints.frame_height import SIZE, FrameHeight
from lissom.motion.transcription.peak import DISTANCE
from lissom.spatial.rotations import Array

LARGE = 0.1  # m: what distances are measured by at most


class Segment(NamedTuple):
    """A segment on a link; on none, in the world."""

    link: str | None
    a: Array
    b: Array


class Gap(NamedTuple):
    """Two segments that stay apart by a least distance [m], or a point above or below a height.

    first : Segment
    second : Segment or None    None: a height
    least : float               of the distance; for a height the limit, with its side
    margin : float              part of it that is left between surfaces
    side : int                  1: above the height, -1: below it
    size : float                what is beyond is measured by [m]
    what, who : str             for messages
    """

    first: Segment
    second: Segment | None
    least: float
    margin: float
    side: int
    size: float
    what: str
    who: str


def obstacle_gaps(bodies: tuple[CollisionBody, ...], task: Task) -> Iterator[Gap]:
    for place, thing in enumerate(task.obstacles):
        for body in bodies:
            least = body.radius + thing.radius + task.margin
            what = f"{DISTANCE} {type(thing).__name__.lower()} {place}"
            first, second = Segment(body.link, body.a, body.b), Segment(None, *thing.ends)
            yield Gap(first, second, least, task.margin, 1, min(least, LARGE), what, body.link)


def height_gaps(task: Task) -> Iterator[Gap]:
    for limit in task.constraints:
        if isinstance(limit, FrameHeight):
            point = Segment(limit.link, limit.point, limit.point)
            for bound, side in ((limit.lower, 1), (limit.upper, -1)):
                if bound is not None:
                    yield Gap(point, None, float(bound), 0.0, side, SIZE, "height", limit.link)


def link_gaps(arm: Arm, bodies: tuple[CollisionBody, ...], margin: float) -> list[Gap]:
    """Pairs of bodies on links that no single joint connects."""
    carrier = {body.link: _carrier(arm, arm.frame(body.link).link) for body in bodies}
    above = {k: _carrier(arm, _parent(arm, k)) for k in carrier.values() if k is not None}
    out = []
    for one, other in combinations(bodies, 2):
        i, j = carrier[one.link], carrier[other.link]
        least = one.radius + other.radius + margin
        if i is None or j is None or i == j or above[i] == j or above[j] == i or least <= 0:
            continue
        first, second = (Segment(body.link, body.a, body.b) for body in (one, other))
        what = f"{DISTANCE} {one.link!r}"
        out.append(Gap(first, second, least, margin, 1, min(least, LARGE), what, other.link))
    return out


def _carrier(arm: Arm, k: int | None) -> int | None:
    """The link that moves a link: itself, or the nearest before it with a joint that moves."""
    while k is not None and not arm.links[k].joint.moves:
        k = _parent(arm, k)
    return k


def _parent(arm: Arm, k: int) -> int | None:
    parent = arm.links[k].parent
    return None if parent is None else arm.index(parent)
