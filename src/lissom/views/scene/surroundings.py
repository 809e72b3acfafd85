"""What a task puts around an arm: obstacles, and the places it passes."""

from __future__ import annotations

from typing import Any

import numpy as np

from lissom.motion.result.motion import Motion
from lissom.motion.task.obstacles import Capsule, Sphere
from lissom.spatial.rotations import Array
from lissom.verbs.kinematics import pose
from lissom.views.arms.stage import Plane
from lissom.views.followed import followed_frame
from lissom.views.scene import solids
from lissom.views.scene.scene import Scene, Solid, rgb
from lissom.views.scene.solids import AROUND, capsule_surface

OBSTACLE, VIA = "#8a8a8a", "#8a5cc2"  # violet: payloads are pink
HUGE = 3.0  # times the view: balls beyond stand for walls, which spatial views cannot cut off


def draw_surroundings(ax: Any, plane: Plane | None, motion: Motion, size: float) -> None:
    """Into axes that show `size` metres."""
    for thing in motion.task.obstacles:
        if plane is not None:
            ax.fill(*_outline(thing, plane).T, color=OBSTACLE, alpha=0.35, linewidth=0.8)
        elif thing.radius < HUGE * size:
            ax.plot_surface(
                *np.moveaxis(capsule_surface(thing.ends[0], thing.ends[1], thing.radius), -1, 0),
                color=OBSTACLE,
                alpha=0.3,
                linewidth=0,
                shade=False,
            )
    places = _via_places(motion)
    if len(places):
        shown = places[:, list(plane or (0, 1, 2))]
        ax.plot(*shown.T, "D", color=VIA, markersize=5, linestyle="none", label="via")


def solids_around(motion: Motion, scene: Scene) -> list[Solid]:
    """The same as solids that stand in a scene's world."""
    out = [
        Solid(
            f"obstacle/{k}",
            solids.capsule(thing.ends[0], thing.ends[1], thing.radius),
            rgb(OBSTACLE),
            scene.world,
            0.45,
        )
        for k, thing in enumerate(motion.task.obstacles)
        if thing.radius < HUGE * scene.size
    ]
    places = _via_places(motion)
    return out + [
        Solid(f"via/{k}", solids.ball(place, 1.2 * scene.radius), rgb(VIA), scene.world)
        for k, place in enumerate(places)
    ]


def _via_places(motion: Motion) -> Array:
    """(n, 3) where the tip is at the via points."""
    vias = np.array([via.at for via in motion.task.via]) * motion.duration
    return pose(motion.arm, motion.at(vias)[0], followed_frame(motion.arm))[:, :3, 3] if len(vias) else np.zeros((0, 3))


def extent(motion: Motion, points: Array, plane: Plane | None) -> Array:
    """(n, 3) corners of obstacles that a view of points (n, 3) should hold: those not much larger than it."""
    size, out = float(np.ptp(points, axis=0).max()), [points[:1]]
    for thing in motion.task.obstacles:
        ends = np.array(thing.ends)
        if plane is not None:
            (flat,) = {0, 1, 2} - set(plane)
            ends[:, flat] = points[0, flat]
        if np.abs(ends - points.mean(axis=0)).max() + thing.radius < size:
            out += [ends - thing.radius * spread for spread in (-np.ones(3), np.ones(3))]
    return np.vstack(out)


def _outline(thing: Sphere | Capsule, plane: Plane) -> Array:
    """(n, 2) around a capsule as it is seen along the third axis."""
    a, b = (np.asarray(end)[list(plane)] for end in thing.ends)
    along = np.arctan2(*(b - a)[::-1])
    halves = [end + thing.radius * _circle(along + turn) for end, turn in ((b, -np.pi / 2), (a, np.pi / 2))]
    return np.vstack(halves)


def _circle(start: float) -> Array:
    """(n, 2) half of it, from an angle on."""
    angle = start + np.linspace(0.0, np.pi, AROUND)
    return np.stack([np.cos(angle), np.sin(angle)], axis=1)
