"""The body over a stride, from the side, with the forces on its feet."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from lissom.errors import InputError
from lissom.gait.axes import Axes
from lissom.gait.legs import side_of
from lissom.gait.report import GaitReport
from lissom.gait.samples import GaitSamples
from lissom.spatial.rotations import Array
from lissom.verbs.kinematics import pose
from lissom.views.figures.figure import new_figure, set_title
from lissom.views.figures.palette import curve_colour, palette
from lissom.views.scene.mesh_files import MeshFiles
from lissom.views.scene.scene import Look, Scene, State
from lissom.views.scene.silhouettes import outlines

if TYPE_CHECKING:
    from matplotlib.figure import Figure

POSES = 11
APART = 0.5  # of the body's height, between poses
FORCE = 0.4  # length of a force of one body weight, of the body's height
LEAST = 0.02  # shortest force that is drawn, of body weight
EDGE = 0.5  # width of the lines around the parts


def stride(result: Any) -> Figure:
    """Plot poses over a stride at equal intervals, moved apart, with the forces on the feet."""
    if not isinstance(result, GaitReport):
        raise InputError("plot: curves of a reference have no poses; kind 'stride' is for a GaitReport.")
    picture = _Stride(result)
    figure = new_figure(9.6, 3.3)
    ax = figure.subplots()
    for k in range(len(picture.chosen)):
        picture.draw(ax, k)
    ax.axhline(0.0, color=palette().muted, linewidth=0.8, zorder=0.5)
    ax.set_aspect("equal")
    ax.set_axis_off()
    ax.margins(0.01, 0.02)
    share = 100 / (len(picture.chosen) - 1)
    set_title(figure, f"{result.name}: one stride, {share:.0f} % of the cycle between poses",
              "forces of the ground on each contact: right foot blue, left foot orange")  # fmt: skip
    return figure


class _Stride:
    """Poses of a stride and where they are put."""

    def __init__(self, report: GaitReport):
        samples: GaitSamples = report.samples
        self.samples, self.arm = samples, samples.arm
        self.chosen = np.unique(np.linspace(0, len(samples.t) - 1, POSES).round().astype(int))
        q = samples.q[self.chosen]
        self.scene = Scene(self.arm, MeshFiles(self.arm, []), q)
        self.looks = self.scene.looks([State(one) for one in q])
        masses = np.array([link.body.mass for link in self.arm.links])
        self.middle = masses @ self.scene.bones.X[..., :3, 3] / masses.sum()
        self.axes = Axes.of(self.middle[-1] - self.middle[0], -self.arm.gravity)
        self.view = np.stack([self.axes.forward, self.axes.up])
        points = samples.contacts or ()
        self.places = np.stack([pose(self.arm, q, one.link, one.point)[..., :3, 3] for one in points], axis=-2)
        self.ground = float((self.places @ self.axes.up).min())
        self.height = self._height()
        self.weight = float(self.arm.mass * np.linalg.norm(self.arm.gravity))

    def _height(self) -> float:
        tops = [corners.corners[:, 1].max() for look in self.looks for corners in self._parts(look)]
        return float(max(tops)) - self.ground

    def _parts(self, look: Look) -> Any:
        return outlines(self.scene, look, self.axes.forward, self.axes.up)

    def draw(self, ax: Any, k: int) -> None:
        """Draw one pose, its forces, and its part of the cycle."""
        x = k * APART * self.height
        shift = np.array([x - self.middle[k] @ self.axes.forward, -self.ground])
        for order, part in enumerate(self._parts(self.looks[k])):
            colour = np.array(part.colour) / 255
            ax.fill(*(part.corners + shift).T, facecolor=colour, edgecolor=0.6 * colour, linewidth=EDGE,
                    zorder=2 + 1e-3 * order)  # fmt: skip
        self._forces(ax, k, shift)
        t = self.samples.t
        share = 100 * (t[self.chosen[k]] - t[0]) / (t[-1] - t[0])
        ax.text(x, -0.05 * self.height, f"{share:.0f} %", ha="center", va="top", fontsize="small",
                color=palette().muted)  # fmt: skip

    def _forces(self, ax: Any, k: int, shift: Array) -> None:
        forces = self.samples.forces[self.chosen[k]] / self.weight
        for place, force, contact in zip(self.places[k], forces, self.samples.contacts or (), strict=True):
            if np.linalg.norm(force) < LEAST:
                continue
            start = self.view @ place + shift
            end = start + FORCE * self.height * (self.view @ force)
            colour = curve_colour(0 if side_of(contact.name, contact.link) == "right" else 1)
            ax.annotate("", end, start, zorder=4,
                        arrowprops={"arrowstyle": "-|>", "color": colour, "linewidth": 1.3, "mutation_scale": 8,
                                    "shrinkA": 0, "shrinkB": 0})  # fmt: skip
