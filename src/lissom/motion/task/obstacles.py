"""Things in the way, the arm's own shape, and the distance between them.

Everything is a capsule: all points within a radius of a segment; a sphere has a segment of no length. Two capsules
are apart by the distance of their segments less both radii. As rows of a program that distance would be no smooth
function (parallel segments), so one segment is covered by points: a row is the distance of a point from a segment,
which is continuous with its slope. Let D be the least distance of the segments and h the distance of the points. For a
place on the covered segment within h / 2 of a point, the nearest on the other lies at right angles, so

    distance of every point >= sqrt(D^2 + (h / 2)^2)      implies      distance of the segments >= D

and nothing passes between points. h follows from how much more than D may be asked for: `MORE`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from lissom.errors import ModelError, about
from lissom.model.arm import Arm
from lissom.model.fields import name, number, vector
from lissom.model.link import Link, LinkShape
from lissom.model.record import Record
from lissom.spatial.frames import inverse
from lissom.spatial.rotations import Array

MORE = 0.03  # of the least distance
MOST_POINTS = 60


@dataclass(frozen=True, eq=False)
class Sphere(Record):
    """A spherical obstacle: centre (3,) in world axes, radius [m].

    Examples
    --------
    >>> Sphere((0.5, 0, 0.2), 0.1).radius
    0.1
    """

    centre: Any
    radius: float

    def __post_init__(self) -> None:
        with about("sphere"):
            self._set(centre=vector(self.centre, "centre"), radius=number(self.radius, "radius", above=0.0))

    @property
    def ends(self) -> tuple[Array, Array]:
        """Ends of its segment."""
        return self.centre, self.centre


@dataclass(frozen=True, eq=False)
class Capsule(Record):
    """A capsule as obstacle: all points within a radius of the segment from a to b (3,), world axes [m].

    Examples
    --------
    >>> Capsule((0.5, 0, 0), (0.5, 0, 1), 0.05).ends[1]
    array([0.5, 0. , 1. ])
    """

    a: Any
    b: Any
    radius: float

    def __post_init__(self) -> None:
        with about("capsule"):
            self._set(a=vector(self.a, "a"), b=vector(self.b, "b"), radius=number(self.radius, "radius", above=0.0))

    @property
    def ends(self) -> tuple[Array, Array]:
        """Ends of its segment."""
        return self.a, self.b


@dataclass(frozen=True, eq=False)
class CollisionBody(Record):
    """A capsule of the arm's shape: points within a radius of the segment from a to b (3,), in the axes of `link` [m].

    Examples
    --------
    >>> CollisionBody("forearm", (0, 0, 0), (0.4, 0, 0), 0.06).link
    'forearm'
    """

    link: str
    a: Any
    b: Any
    radius: float = 0.0

    def __post_init__(self) -> None:
        with about(f"body of {self.link!r}"):
            self._set(link=name(self.link, "link"), a=vector(self.a, "a"), b=vector(self.b, "b"))
            self._set(radius=number(self.radius, "radius", least=0.0))


def bodies_of(arm: Arm) -> tuple[CollisionBody, ...]:
    """The arm's shape where none is given, of links that move.

    The collision shapes of a link, else its visual ones, each in the capsule around it. A link without shapes (or
    with meshes, which are not read, or drawings) is the lines from its joint to those of the next links, to its tools
    and to its frame, or at least to its centre of mass, without thickness.
    """
    out: list[CollisionBody] = []
    for link in arm.links:
        if _stands(arm, link):
            continue
        shapes = [shape for shape in link.shapes if shape.kind != "mesh" and shape.role != "drawing"]
        shapes = [shape for shape in shapes if shape.role == "collision"] or shapes
        out += _outer([_around(link, shape) for shape in shapes]) if shapes else _lines(arm, link)
    return tuple(out)


def unconnected(arm: Arm, bodies: Sequence[CollisionBody]) -> Iterator[tuple[CollisionBody, CollisionBody]]:
    """Pairs of bodies on links that move and that no single joint connects."""
    carrier = {body.link: _carrier(arm, arm.frame(body.link).link) for body in bodies}
    above = {k: _carrier(arm, _parent(arm, k)) for k in carrier.values() if k is not None}
    for one, other in combinations(bodies, 2):
        i, j = carrier[one.link], carrier[other.link]
        if i is not None and j is not None and i != j and above[i] != j and above[j] != i:
            yield one, other


def _carrier(arm: Arm, k: int | None) -> int | None:
    """The link that moves a link: itself, or the nearest before it with a joint that moves."""
    while k is not None and not arm.links[k].joint.moves:
        k = _parent(arm, k)
    return k


def _parent(arm: Arm, k: int) -> int | None:
    parent = arm.links[k].parent
    return None if parent is None else arm.index(parent)


def _outer(bodies: list[CollisionBody]) -> list[CollisionBody]:
    """Return bodies without those that lie inside another: a capsule given as a cylinder and two spheres is one."""
    kept: list[CollisionBody] = []
    for body in sorted(bodies, key=lambda body: -body.radius - float(np.linalg.norm(body.b - body.a))):
        depth = [other.radius - body.radius - max(_from(end, other.a, other.b) for end in (body.a, body.b))
                 for other in kept]  # fmt: skip
        if max(depth, default=-1.0) < -1e-9:
            kept.append(body)
    return kept


def _stands(arm: Arm, link: Link) -> bool:
    """Whether no joint moves a link."""
    while not link.joint.moves:
        if link.parent is None:
            return True
        link = arm.links[arm.index(link.parent)]
    return False


def _around(link: Link, shape: LinkShape) -> CollisionBody:
    """The capsule around a shape: along a cylinder's axis, or along the longest side of a box."""
    along, size, radius = np.zeros(3), shape.size, float(shape.size[0])
    if shape.kind == "cylinder":
        along[2] = size[1] / 2
    elif shape.kind == "box":
        k = int(np.argmax(size))
        along[k] = size[k] / 2
        radius = float(np.linalg.norm(np.delete(size, k)) / 2)
    R, p = shape.origin[:3, :3], shape.origin[:3, 3]
    return CollisionBody(link.name, p - R @ along, p + R @ along, radius)


def _lines(arm: Arm, link: Link) -> list[CollisionBody]:
    begin = inverse(link.frame)[:3, 3]
    ends = [other.joint.placement[:3, 3] for other in arm.links if other.parent == link.name]
    ends += [tool.placement[:3, 3] for tool in link.tools]
    ends += [np.zeros(3)] if np.linalg.norm(begin) > 1e-9 else []  # its frame sits at its far end
    ends = ends or [link.com]
    return [CollisionBody(link.name, begin, end) for end in ends if np.linalg.norm(end - begin) > 1e-9]


def count_of(length: float, D: float, more: float = MORE) -> int:
    """Return how many points cover a segment, where so much more than D may be asked for, in parts of D."""
    gap = 2 * D * np.sqrt((1 + max(more, 1e-9)) ** 2 - 1)
    return int(min(np.ceil(length / gap), MOST_POINTS - 1)) + 1


def widened(length: float, count: int, D: float) -> float:
    """Return the distance of points that keeps the segments D apart."""
    return float(np.hypot(D, length / max(count - 1, 1) / 2)) if count > 1 else D


def apart(a: Array, b: Array, c: Array, d: Array) -> Array:
    """Return the distance (...) of the segments from a to b and from c to d (..., 3)."""
    return np.min([_from(p, *segment) for p, segment in ((a, (c, d)), (b, (c, d)), (c, (a, b)), (d, (a, b)))]
                  + [_crossing(a, b, c, d)], axis=0)  # fmt: skip


def _from(p: Array, a: Array, b: Array) -> Array:
    """Return the distance of a point from a segment."""
    e = b - a
    size = np.sum(e * e, axis=-1)
    t = np.clip(np.sum((p - a) * e, axis=-1) / np.where(size > 0, size, 1.0), 0.0, 1.0)
    return np.asarray(np.linalg.norm(p - a - t[..., None] * e, axis=-1))


def _crossing(a: Array, b: Array, c: Array, d: Array) -> Array:
    """Return the distance of two lines, where their nearest points lie within both segments; else infinite."""
    u, v, w = b - a, d - c, c - a
    uu, vv, uv = (np.sum(x * y, axis=-1) for x, y in ((u, u), (v, v), (u, v)))
    uw, vw = np.sum(u * w, axis=-1), np.sum(v * w, axis=-1)
    area = uu * vv - uv * uv
    safe = np.where(area > 1e-14 * np.maximum(uu * vv, 1e-300), area, np.inf)
    s, t = (uw * vv - vw * uv) / safe, (uw * uv - vw * uu) / safe
    inside = np.isfinite(safe) & (s >= 0) & (s <= 1) & (t >= 0) & (t <= 1)
    gap = np.linalg.norm(w + t[..., None] * v - s[..., None] * u, axis=-1)
    return np.where(inside, gap, np.inf)


def refuse_foreign(value: Any, known: tuple[type, ...], what: str) -> tuple[Any, ...]:
    """Return a tuple of records; raise an error for anything else."""
    items = (value,) if isinstance(value, known) else value
    if not isinstance(items, list | tuple) or not all(isinstance(item, known) for item in items):
        words = " or ".join(f"{kind.__name__}(...)" for kind in known)
        raise ModelError(f"{what} is {value!r}; expected {words}, one or several.")
    return tuple(items)
