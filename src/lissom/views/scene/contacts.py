"""What stands in the world of a motion with contacts: the prints of feet, and walls."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from lissom.gait.cycles import joined
from lissom.gait.legs import side_of
from lissom.gait.samples import GaitSamples
from lissom.later import replaced
from lissom.model.contact import Contact
from lissom.spatial.rotations import Array
from lissom.verbs.kinematics import pose
from lissom.views.figures.palette import COLOURS
from lissom.views.scene.scene import UPRIGHT, Colour, Scene, Solid, rgb, up_of
from lissom.views.scene.silhouettes import hull
from lissom.views.scene.solids import Mesh

WALL = "#8a8a8a"
PRINTS = {"right": COLOURS[0], "left": COLOURS[1], None: COLOURS[2]}
ROUND, CORNERS = 0.012, 12  # radius of a print around each contact, of the arm's size, and its corners
THICK = 0.002  # of a print, of the arm's size
WIDE = 0.35  # half the side of a wall, of the arm's size
FLAT = 1e-9  # m


def beside_shapes(samples: GaitSamples) -> GaitSamples:
    """The samples with contacts under the shapes of their links, where they lie in one plane and the shapes do not.

    A planar arm moves in a plane, but its legs may be drawn side by side.
    """
    points, arm = samples.contacts or (), samples.arm
    across = np.cross(up_of(arm), [1.0, 0.0, 0.0])
    places = np.array([pose(arm, samples.q[0], one.link, one.point)[:3, 3] for one in points]) @ across
    if np.ptp(places) > FLAT or not np.linalg.norm(across) > 0.5:
        return samples
    moved = [_aside(samples, one, across, x) for one, x in zip(points, places, strict=True)]
    return replaced(samples, {"contacts": tuple(moved)})


def _aside(samples: GaitSamples, one: Contact, across: Array, x: float) -> Contact:
    """A contact moved along `across` to the middle of the shapes of its link."""
    frame = samples.arm.frame(one.link)
    shapes = [shape.origin[:3, 3] for shape in samples.arm.links[frame.link].shapes if shape.role != "collision"]
    if not shapes:
        return one
    link = pose(samples.arm, samples.q[0], samples.arm.links[frame.link].name)
    middle = float((link[:3, :3] @ np.mean(shapes, axis=0) + link[:3, 3]) @ across)
    turned = pose(samples.arm, samples.q[0], one.link)[:3, :3].T @ across
    return one.replace(point=one.point + (middle - x) * turned)


def around(samples: GaitSamples, scene: Scene) -> list[Solid]:
    """Prints where feet stand, and walls that are touched."""
    return [*_prints(samples, scene), *_walls(samples, scene)]


def ground_of(samples: GaitSamples, up: Array) -> float | None:
    """Height of the lowest ground under contacts, along `up`; None where they touch walls alone."""
    heights = [one.height / (one.normal @ up) for one in samples.contacts or () if one.normal @ up > UPRIGHT]
    return float(min(heights)) if heights else None


def _prints(samples: GaitSamples, scene: Scene) -> Iterable[Solid]:
    """One print for every time that a foot stands; feet are contacts of one side, or of one link."""
    feet: dict[str, list[Contact]] = {}
    for one in samples.contacts or ():
        feet.setdefault(side_of(one.name, one.link) or one.link, []).append(one)
    for name, points in feet.items():
        for k, standing in enumerate(_stands(samples, points)):
            colour = rgb(PRINTS.get(name, PRINTS[None]))
            yield _print(f"print/{name}/{k}", standing, points[0], scene, colour)


def _stands(samples: GaitSamples, points: Sequence[Contact]) -> Iterable[Array]:
    """Places (n, 3) of the contacts of a foot while it stands, once for every time."""
    holds = {one.name: _held(samples, one) for one in points}
    spans = joined([span for some in holds.values() for span in some])
    for begin, end in spans:
        places = []
        for one in points:
            inside = [(a, b) for a, b in holds[one.name] if begin <= a and b <= end]
            places += [_place(samples, one, (a + b) / 2) for a, b in inside]
        yield np.array(places)


def _held(samples: GaitSamples, one: Contact) -> list[tuple[float, float]]:
    """When a contact holds: as it is known, or by its force."""
    if samples.holds is not None:
        return [(float(a), float(b)) for a, b in samples.holds.get(one.name, ())]
    k = list(samples.contacts or ()).index(one)
    on = np.concatenate([[False], np.linalg.norm(samples.forces[:, k], axis=-1) > 0.0, [False]])
    begins, ends = np.flatnonzero(~on[:-1] & on[1:]), np.flatnonzero(on[:-1] & ~on[1:]) - 1
    return [(float(samples.t[a]), float(samples.t[b])) for a, b in zip(begins, ends, strict=True)]


def _place(samples: GaitSamples, one: Contact, t: float) -> Array:
    k = int(np.argmin(np.abs(samples.t - t)))
    return np.asarray(pose(samples.arm, samples.q[k], one.link, one.point)[:3, 3])


def _print(name: str, places: Array, one: Contact, scene: Scene, colour: Colour) -> Solid:
    """A flat patch around places (n, 3) on the plane of a contact."""
    first, second = _along(one.normal)
    angles = 2 * np.pi * np.arange(CORNERS) / CORNERS
    ring = ROUND * scene.size * np.stack([np.cos(angles), np.sin(angles)], axis=1)
    flat = places @ np.stack([first, second], axis=1)
    corners = hull((flat[:, None] + ring).reshape(-1, 2))
    low = corners @ np.stack([first, second]) + one.height * one.normal
    return Solid(name, _prism(low, low + THICK * scene.size * one.normal), colour, scene.world, 0.6)


def _along(normal: Array) -> tuple[Array, Array]:
    """Two unit vectors (3,) in a plane, which turn to the left around its normal."""
    first = np.cross(normal, np.eye(3)[int(np.argmin(np.abs(normal)))])
    first = first / np.linalg.norm(first)
    return first, np.cross(normal, first)


def _prism(low: Array, high: Array) -> Mesh:
    """The solid between two convex outlines (n, 3)."""
    n = len(low)
    fan = np.array([[0, k, k + 1] for k in range(1, n - 1)])
    k = np.arange(n)
    sides = np.concatenate([np.stack([k, (k + 1) % n, n + k], axis=1),
                            np.stack([(k + 1) % n, n + (k + 1) % n, n + k], axis=1)])  # fmt: skip
    return Mesh(np.concatenate([low, high]), np.concatenate([fan[:, ::-1], n + fan, sides]))


def _walls(samples: GaitSamples, scene: Scene) -> Iterable[Solid]:
    """A patch of every plane that is no ground, around the contacts that touch it."""
    planes: dict[tuple[float, ...], list[Contact]] = {}
    for one in samples.contacts or ():
        if one.normal @ scene.up <= UPRIGHT and samples.forces[:, list(samples.contacts or ()).index(one)].any():
            planes.setdefault((*one.normal.round(9), float(one.height)), []).append(one)
    for k, points in enumerate(planes.values()):
        one = points[0]
        places = np.concatenate([_path(samples, point) for point in points])
        centre = places.mean(axis=0)
        centre = centre + (one.height - one.normal @ centre) * one.normal
        first, second = _along(one.normal)
        square = WIDE * scene.size * np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]])
        face = centre + square @ np.stack([first, second])
        yield Solid(f"wall/{k}", _prism(face - 0.02 * scene.size * one.normal, face), rgb(WALL), scene.world, 0.4)


def _path(samples: GaitSamples, one: Contact) -> Array:
    k = list(samples.contacts or ()).index(one)
    held = np.linalg.norm(samples.forces[:, k], axis=-1) > 0.0
    return np.asarray(pose(samples.arm, samples.q[held], one.link, one.point)[..., :3, 3])
