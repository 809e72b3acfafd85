"""Outlines of the solids of a scene as they are seen from one side."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lissom.gait.legs import side_of
from lissom.spatial.rotations import Array
from lissom.views.scene.scene import Colour, Look, Scene

DEPTH = {"left": 0.0, None: 1.0, "right": 2.0}  # of limbs that lie in one plane, seen from the right


class Outline(NamedTuple):
    """One part of an arm: the corners (n, 2) around it, its colour, and its depth: what is greater is in front."""

    corners: Array
    colour: Colour
    depth: float


def outlines(scene: Scene, look: Look, across: Array, up: Array) -> list[Outline]:
    """Convex outlines of the solids of an arm, from those behind to those in front.

    across, up : (3,)    unit vectors that point to the right and upwards in the picture
    """
    toward = np.cross(across, up)
    view = np.stack([across, up])
    out = []
    for solid in scene.solids:
        if not solid.part_of_arm or solid.frame == scene.world:
            continue
        link = scene.arm.links[solid.frame % len(scene.arm.links)]
        points = solid.mesh.placed(look.frames[solid.frame]).vertices
        depth = float((points @ toward).mean()) + 1e-3 * scene.size * DEPTH[side_of(link.name)]
        corners = hull(points @ view.T)
        if len(corners) > 2:
            out.append(Outline(corners, solid.colour, depth))
    return sorted(out, key=lambda one: one.depth)


def hull(points: Array) -> Array:
    """(n, 2) corners around points (m, 2), counter-clockwise; fewer than three where they lie on one line."""
    order = points[np.lexsort((points[:, 1], points[:, 0]))]
    lower, upper = _chain(order), _chain(order[::-1])
    return np.array(lower[:-1] + upper[:-1])


def _chain(points: Array) -> list[Array]:
    """One half of a hull: the points that turn to the left."""
    out: list[Array] = []
    for point in points:
        while len(out) > 1 and _turn(out[-2], out[-1], point) <= 0:
            out.pop()
        out.append(point)
    return out


def _turn(a: Array, b: Array, c: Array) -> float:
    return float((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]))
