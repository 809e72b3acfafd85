"""Points of the body that touch the ground or hold a load."""

from __future__ import annotations

from typing import NamedTuple

from lissom.humans.body.build import Build
from lissom.humans.body.joints import SIDES
from lissom.model.contact import Contact

INNER, OUTER = "inner", "outer"
FRICTION = 0.6  # between shoe and floor; plausible


class Place(NamedTuple):
    """A named point of a link, in the axes of the link [m]."""

    name: str
    link: str
    point: tuple[float, float, float]


def sole_points(build: Build, planar: bool) -> tuple[Place, ...]:
    """Contact points of both soles: heel, ball on the axis of the toes, and tip; heel and ball are pairs in space.

    The ball must be on the axis of the toes: only then it rests while the toes bend.
    """
    below = -build.length("ankle")
    places = []
    for side, sign in SIDES.items():
        for part in ("heel", "ball"):
            x, wide = build.along_foot(part), build.along_foot(f"{part}_half_width")
            for suffix, y in [("", 0.0)] if planar else [(f"_{INNER}", -sign * wide), (f"_{OUTER}", sign * wide)]:
                places.append(Place(f"{part}_{side}{suffix}", f"foot_{side}", (x, y, below)))
        tip = build.along_foot("tip") - build.along_foot("ball")
        places.append(Place(f"tip_{side}", f"toes_{side}", (tip, 0.0, 0.0)))
    return tuple(places)


def contacts(build: Build, planar: bool) -> tuple[Contact, ...]:
    """The contact points of both soles with the ground."""
    return tuple(Contact(*place, friction=FRICTION) for place in sole_points(build, planar))


def grips(build: Build, joints: int) -> tuple[Place, ...]:
    """Where the hands hold: the middle of the palms; without elbows, at the end of the straight arm."""
    arm, forearm = build.segment("upper_arm").length, build.segment("forearm").length
    above, link = {13: (arm + forearm, "arm"), 55: (0.0, "hand")}.get(joints, (forearm, "forearm"))
    palm = -above - build.segment("hand").centre
    return tuple(Place(f"grip_{side}", f"{link}_{side}", (0.0, 0.0, palm)) for side in SIDES)
