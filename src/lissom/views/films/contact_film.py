"""An animation of a motion with contacts, from the side: body, forces on the contacts, and where they stood."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from lissom.gait.legs import side_of
from lissom.gait.samples import GaitSamples
from lissom.spatial.rotations import Array
from lissom.views.figures.figure import new_figure, set_title
from lissom.views.figures.palette import curve_colour, palette
from lissom.views.films.film import Film
from lissom.views.scene.side_view import SideView

WIDTH, TALLEST, SHORTEST = 6.4, 6.0, 3.4  # of the figure, inches
ROOM = 0.08  # around the body, of its height


class ContactFilm(Film):
    """See `Film`; the axes hold the whole way that the body goes."""

    def __init__(
        self, samples: GaitSamples, q: Array, forces: Array, clocks: Sequence[str], fps: float, title: str = ""
    ):
        """Draw the first frame: q (frames, dof), forces (frames, contacts, 3), the text of every frame."""
        from matplotlib.backends.backend_agg import FigureCanvasAgg

        self.clocks, self.fps, self.trail = clocks, fps, None
        self.scene = SideView(samples, q, forces)
        self.bones = self.scene.scene.bones
        low, high = self._corners()
        tall = WIDTH * (high[1] - low[1]) / (high[0] - low[0]) + 0.9
        self.figure = new_figure(WIDTH, float(np.clip(tall, SHORTEST, TALLEST)))
        FigureCanvasAgg(self.figure)
        ax = self.figure.subplots()
        ax.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]))
        ax.set_aspect("equal")
        ax.set_axis_off()
        if self.scene.floors:
            ax.axhline(self.scene.ground, color=palette().muted, linewidth=0.8, zorder=0.5)
        for place, way in self.scene.walls():
            ax.axline(tuple(place), tuple(place + way), color=palette().muted, linewidth=2.0, zorder=0.5)
        self._marks(ax)
        self.parts = self.scene.collections(ax)
        set_title(self.figure, *title.splitlines())
        self.clock = ax.set_title(clocks[0], family="monospace", parse_math=False, pad=6)
        self.show(0)
        self.figure.draw_without_rendering()
        self.figure.set_layout_engine("none")

    def _corners(self) -> tuple[Array, Array]:
        room = ROOM * self.scene.height
        low, high = self.scene.low - room, self.scene.high + room
        return np.array([low[0], min(low[1], self.scene.ground - room)]), high

    def _marks(self, ax: Any) -> None:
        """Draw what appears on the ground: a mark at every contact from when it first holds on."""
        self.prints: list[tuple[int, Any]] = []
        scene = self.scene
        pressed = np.linalg.norm(scene.forces, axis=-1) > 0.0
        for j, contact in enumerate(scene.samples.contacts or ()):
            colour = curve_colour({"right": 0, "left": 1, None: 2}[side_of(contact.name, contact.link)])
            for k in np.flatnonzero(pressed[:, j] & ~np.concatenate([[False], pressed[:-1, j]])):
                x, y = scene.view @ scene.places[k, j]
                (mark,) = ax.plot([x], [y], "_", color=colour, markersize=9, markeredgewidth=3, alpha=0.6, zorder=1)
                self.prints.append((int(k), mark))

    def show(self, k: int) -> list[Any]:
        """Draw frame k into the figure."""
        self.scene.put(k, *self.parts, np.zeros(2))
        for first, mark in self.prints:
            mark.set_visible(k >= first)
        self.clock.set_text(self.clocks[k])
        return [*self.parts, self.clock]
