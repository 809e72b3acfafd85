"""A motion with contacts from the side: the body, the forces on its contacts, and the ground."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from lissom.gait.axes import Axes
from lissom.gait.legs import side_of
from lissom.gait.samples import GaitSamples
from lissom.spatial.rotations import Array
from lissom.verbs.kinematics import pose
from lissom.views.figures.palette import curve_colour
from lissom.views.scene.contacts import ground_of
from lissom.views.scene.mesh_files import MeshFiles
from lissom.views.scene.scene import UPRIGHT, Look, Scene, State, up_of
from lissom.views.scene.silhouettes import Patch, Silhouette, arrow, put

FORCE = 0.42  # length of a force as large as the weight, of the height
LEAST = 0.02  # shortest force that is drawn, of the weight
WIDTH = 0.009  # of arrows, of the height


class SideView:
    """States of a motion with contacts, drawn into axes with the way to the right and upwards up.

    samples : GaitSamples
    ground, floors    height of the ground, or of the lowest part; whether there is a ground
    q, forces : (n, dof), (n, contacts, 3)    the states that are drawn
    """

    def __init__(self, samples: GaitSamples, q: Array, forces: Array):
        self.samples, self.arm, self.forces = samples, samples.arm, forces
        self.scene = Scene(self.arm, MeshFiles(self.arm, []), q)
        self.looks: Sequence[Look] = self.scene.looks([State(one) for one in q])
        masses = np.array([link.body.mass for link in self.arm.links])
        self.middle = masses @ self.scene.bones.X[..., :3, 3] / masses.sum()
        self.axes = Axes.of(self._way(), up_of(self.arm))
        self.view = np.stack([self.axes.forward, self.axes.up])
        points = samples.contacts or ()
        self.places = np.stack([pose(self.arm, q, one.link, one.point)[..., :3, 3] for one in points], axis=-2)
        found = ground_of(samples, self.axes.up)
        self.floors = found is not None
        self.body = Silhouette(self.scene, self.axes.forward, self.axes.up)
        self.patches = [self.body.patches(look) for look in self.looks]
        corners = np.vstack([patch.corners for some in self.patches for patch in some])
        self.low, self.high = corners.min(axis=0), corners.max(axis=0)
        self.ground = float(self.low[1]) if found is None else found
        self.height = float(self.high[1] - min(self.ground, self.low[1]))
        self.weight = float(self.arm.mass * np.linalg.norm(self.arm.gravity)) or float(np.abs(forces).max(initial=1.0))

    def _way(self) -> Array:
        """(3,) how far the body goes; of one that stays, along x."""
        way = np.asarray(self.middle[-1] - self.middle[0])
        return way if np.linalg.norm(way) > 0.1 * self.scene.size else np.eye(3)[0]

    def walls(self) -> list[tuple[Array, Array]]:
        """Points (2,) of planes that are no ground, as they are seen, and directions (2,) along them."""
        out = []
        for k, one in enumerate(self.samples.contacts or ()):
            normal = self.view @ one.normal
            if abs(normal[1]) < UPRIGHT and np.linalg.norm(normal) > UPRIGHT and self.forces[:, k].any():
                place = self.places[:, k].mean(axis=0)
                place = place + (one.height - one.normal @ place) * one.normal
                out.append((self.view @ place, np.array([-normal[1], normal[0]])))
        return out

    def collections(self, ax: Any) -> tuple[Any, Any]:
        """Return empty collections for the body and the arrows, in front of the ground."""
        from matplotlib.collections import PolyCollection

        body, arrows = PolyCollection([], zorder=2), PolyCollection([], zorder=3, linewidths=0)
        ax.add_collection(body, autolim=False)
        ax.add_collection(arrows, autolim=False)
        return body, arrows

    def put(self, k: int, body: Any, arrows: Any, shift: Array) -> None:
        """Put state k into collections, moved by `shift` (2,)."""
        put(body, self.patches[k], shift)
        put(arrows, self._arrows(k), shift)

    def _arrows(self, k: int) -> list[Patch]:
        out = []
        points = self.samples.contacts or ()
        for place, force, contact in zip(self.places[k], self.forces[k] / self.weight, points, strict=True):
            if np.linalg.norm(force) > LEAST:
                way = FORCE * self.height * (self.view @ force)
                out.append(Patch(arrow(self.view @ place, way, WIDTH * self.height), *_colours(contact), 0.0))
        return out


def _colours(contact: Any) -> tuple[Any, Any]:
    from matplotlib.colors import to_rgb

    shade = np.array(to_rgb(curve_colour({"right": 0, "left": 1, None: 2}[side_of(contact.name, contact.link)])))
    return shade, shade
