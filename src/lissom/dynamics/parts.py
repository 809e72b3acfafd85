"""What links contribute to bodies: of welded links each has a part of the body that carries them."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

from lissom.dynamics.bodies import Bodies
from lissom.dynamics.body import BASE
from lissom.dynamics.merging import Part
from lissom.dynamics.rounding import about_origin
from lissom.spatial.frames import inverse
from lissom.spatial.rotations import Array

UPPER = np.triu_indices(3)


def places(bodies: Bodies) -> list[Part]:
    """Where links may have mass: on the bodies of their frames and, of flexible links, on those of their tips."""
    pairs = enumerate(zip(bodies.links, bodies.tips, strict=True))
    return [part for i, at in pairs for part in sorted({Part(i, place.body) for place in at})]


def shared(bodies: Bodies) -> list[Part]:
    """Parts whose numbers are not those of a whole body."""
    found = places(bodies)
    count = Counter(part.body for part in found)
    return [part for part in found if part.body == BASE or count[part.body] > 1]


def numbers_of(bodies: Bodies, part: Part) -> Array:
    """The ten entries m, mc (3), I (6) of a part, about the origin of the body."""
    if part not in bodies.parts:
        return np.zeros(10)
    about = about_origin(bodies.parts[part])
    return np.array([about["mass"], *about["moment"], *about["inertia"][UPPER]])


def with_mass(bodies: Bodies) -> dict[int, dict[Part, Any]]:
    """Parts that have or may have mass by body, with their numbers."""
    out: dict[int, dict[Part, Any]] = {}
    own = set(shared(bodies))
    for part in places(bodies):
        given = bodies.given.get(("part", part))
        numbers = numbers_of(bodies, part)
        varies = given is not None or (part not in own and bodies.list[part.body].constants is not None)
        if varies or numbers.any():
            row = [*map(float, numbers)] if given is None else given
            out.setdefault(part.body, {})[part] = row
    return out


def tip_part(bodies: Bodies, body: int) -> Part | None:
    """The part of the flexible link whose tip is on a body."""
    ends = enumerate(zip(bodies.links, bodies.tips, strict=True))
    return next((Part(i, body) for i, (root, tip) in ends if tip.body == body != root.body), None)


def joint_origin(bodies: Bodies, link: int) -> Array:
    """Origin (3,) of a link's joint on the link's body: that of the body, but of a weld."""
    if bodies.arm.links[link].joint.moves:
        return np.zeros(3)
    return np.array((bodies.links[link].X @ inverse(bodies.arm.links[link].frame))[:3, 3])
