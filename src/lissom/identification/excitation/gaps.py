"""What an arm keeps clear of: obstacles, heights of frames, and its own links."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from lissom.errors import UnsupportedError
from lissom.model.arm import Arm
from lissom.motion.task.obstacles import CollisionBody, unconnected
from lissom.motion.task.task import Task
from lissom.motion.transcription.constraints.frame_places import FrameHeight
from lissom.motion.transcription.constraints.place_limit import SIZE
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
        if not isinstance(limit, FrameHeight):
            raise UnsupportedError(f"excite: constraints of kind {limit.kind!r} are not supported; give FrameHeight.")
        point = Segment(limit.link, limit.point, limit.point)
        for bound, side in ((limit.lower, 1), (limit.upper, -1)):
            if bound is not None:
                yield Gap(point, None, float(bound), 0.0, side, SIZE, "height", limit.link)


def link_gaps(arm: Arm, bodies: tuple[CollisionBody, ...], margin: float) -> list[Gap]:
    """Pairs of bodies on links that no single joint connects."""
    out = []
    for one, other in unconnected(arm, bodies):
        least = one.radius + other.radius + margin
        if least > 0:
            first, second = (Segment(body.link, body.a, body.b) for body in (one, other))
            what = f"{DISTANCE} {one.link!r}"
            out.append(Gap(first, second, least, margin, 1, min(least, LARGE), what, other.link))
    return out
