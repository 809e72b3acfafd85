"""An animation of an arm: saved as a file, or played in the cell of a notebook."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from subprocess import SubprocessError
from typing import Any

import numpy as np

from lissom.errors import InputError, UnsupportedError
from lissom.formats.files import write_whole
from lissom.model.arm import Arm
from lissom.motion.result.motion import Motion
from lissom.progress import bar_if_long
from lissom.spatial.rotations import Array
from lissom.views.arms import stage
from lissom.views.arms.skeleton import Skeleton
from lissom.views.figures.figure import new_figure, set_title
from lissom.views.figures.palette import curve_colour, palette
from lissom.views.scene.surroundings import draw_surroundings, extent

KINDS = {".gif": "pillow", ".mp4": "ffmpeg", ".html": "html"}
MOST_IN_A_CELL = 150  # frames that a notebook keeps; longer films show every second frame, or fewer
SIGNS = {  # of the buttons of a player, by the names of matplotlib's icons
    "fa-minus": "&minus;",
    "fa-fast-backward": "|&lt;",
    "fa-step-backward": "&lt;|",
    "fa-play fa-flip-horizontal": "&#9664;",
    "fa-pause": "||",
    "fa-play": "&#9654;",
    "fa-step-forward": "|&gt;",
    "fa-fast-forward": "&gt;|",
    "fa-plus": "+",
}


def refuse_unwritable(path: Path) -> str:
    """Return the animation writer for a file name; raise an error where there is none."""
    from matplotlib import animation

    kind = KINDS.get(path.suffix.lower())
    if kind is None:
        raise InputError(f"animate: {path.name} has an unknown ending; expected {', '.join(KINDS)}.")
    if kind != "html" and not animation.writers.is_available(kind):
        raise UnsupportedError("animate: .mp4 needs ffmpeg on the path; write .gif or .html instead.")
    return kind


def _gif_writer() -> Any:
    from lissom.views.films.gif import GifWriter

    return GifWriter


class Film:
    """An animation of an arm, from `animate`: it plays in notebooks, and `save` writes it to a file.

    figure : matplotlib.figure.Figure     shows one frame at a time, see `show`
    fps : float                           frames per second
    """

    def __init__(
        self,
        arm: Arm,
        q: Array,
        clocks: Sequence[str],
        fps: float,
        title: str = "",
        trail: Callable[[int], Array] | None = None,
        ghost: tuple[str, Array] | None = None,
        surroundings: Motion | None = None,
    ):
        """Draw the first frame.

        q : (frames, dof); clocks : text of every frame; trail : path (n, 3) up to a frame, the last is the longest;
        ghost : name and (dof,) of a pose that is drawn behind the arm; surroundings : motion whose task is drawn
        around it
        """
        from matplotlib.backends.backend_agg import FigureCanvasAgg

        self.clocks, self.trail, self.fps = clocks, trail, fps
        self.bones = Skeleton(arm, q)
        path = np.zeros((1, 3)) if trail is None else trail(len(clocks) - 1)
        points = np.vstack([self.bones.points, np.zeros((1, 3)), path])
        self.plane = stage.plane_of(points)
        if surroundings is not None:
            points = np.vstack([points, extent(surroundings, points, self.plane)])
        self.figure = new_figure(6, 5 * stage.proportion(points, self.plane) + 1.5)
        FigureCanvasAgg(self.figure)
        ax = stage.set_up(self.figure, 111, points, self.plane)
        if surroundings is not None:
            draw_surroundings(ax, self.plane, surroundings, float(np.ptp(points, axis=0).max()))
        self._behind(ax, path, ghost)
        self.lines = stage.Lines(ax, self.plane)
        set_title(self.figure, *title.splitlines())
        self.clock = ax.set_title(clocks[0], family="monospace", parse_math=False, pad=9)
        self._legend(ax)
        self.show(0)
        self.figure.draw_without_rendering()
        self.figure.set_layout_engine("none")  # once is enough: it takes longer than a frame

    def _legend(self, ax: Any) -> None:
        """Add a legend below the axes of a plane, or in a corner of a spatial view."""
        handles = ax.get_legend_handles_labels()[0]
        if self.plane and handles:
            self.figure.legend(handles=handles, loc="outside lower center", ncols=4)
        else:
            stage.add_legend(ax, self.plane)

    def _behind(self, ax: Any, path: Array, ghost: tuple[str, Array] | None) -> None:
        """Draw what stays: a pose, and the whole path faintly under the part of it that is passed."""
        own = palette()
        nothing: list[list[float]] = [[]] * (2 if self.plane else 3)
        if ghost is not None:
            name, q = ghost
            lines = stage.Lines(ax, self.plane, own.resting, width=0.6)
            lines.put(Skeleton(self.bones.arm, q))[0].set_label(name)
        label = "path of the tip" if self.trail is not None else "_nolegend_"
        (whole,) = ax.plot(*nothing, color=own.resting, linewidth=0.8, linestyle=":")
        if self.trail is not None:
            stage.place(whole, path, self.plane)
        (self.line,) = ax.plot(*nothing, color=curve_colour(1), linewidth=1.4, label=label)

    def __len__(self) -> int:
        """Number of frames."""
        return len(self.clocks)

    def __repr__(self) -> str:
        return f"<Film: {len(self)} frames, {len(self) / self.fps:.3g} s; use save(path) to write it>"

    def show(self, k: int) -> list[Any]:
        """Draw frame k into the figure."""
        if self.trail is not None:
            stage.place(self.line, self.trail(k), self.plane)
        self.clock.set_text(self.clocks[k])
        return [*self.lines.put(self.bones, k), self.line, self.clock]

    def save(self, path: str | os.PathLike[str], progress: Callable[[float], None] | None = None) -> None:
        """Write all frames to a file.

        Parameters
        ----------
        path : .gif, .mp4 (needs ffmpeg) or .html (a self-contained page)
        progress : f(fraction)   called with the fraction of frames written; default: a bar after three seconds
        """
        from matplotlib import animation

        place = Path(path)
        kind = refuse_unwritable(place)
        # a page has all frames, however large it becomes; matplotlib leaves out what is beyond 20 MB
        extra: dict[str, Any] = {"embed_frames": True, "embed_limit": np.inf} if kind == "html" else {}
        writer: Any = _gif_writer() if kind == "pillow" else animation.writers[kind]

        def write(path: Path, report: Callable[[float], None]) -> None:
            film = animation.FuncAnimation(self.figure, self.show, frames=len(self), blit=False)
            try:
                film.save(
                    path, writer=writer(fps=self.fps, **extra), dpi=80,
                    progress_callback=lambda k, n: report((k + 1) / n),
                )  # fmt: skip
            except SubprocessError as error:  # of ffmpeg
                raise OSError(str(error)) from None

        with bar_if_long("writing the film", 1.0) as shown:
            write_whole(place, lambda path: write(path, progress or shown))

    def _repr_html_(self) -> str:
        """A player with its frames inside, as notebooks show it."""
        from matplotlib import animation, rc_context

        step = -(-len(self) // MOST_IN_A_CELL)
        frames = range(0, len(self), step)
        film: Any = animation.FuncAnimation(self.figure, self.show, frames=frames, blit=False)
        with rc_context({"savefig.dpi": 72, "animation.embed_limit": 100.0}):
            return _self_contained(str(film.to_jshtml(fps=self.fps / step, embed_frames=True)))


def _self_contained(page: str) -> str:
    """Return a player of matplotlib with signs on its buttons instead of icons that it would fetch from the network."""
    page = re.sub(r"<link[^>]*font-awesome[^>]*>", "", page)
    return re.sub(r'<i class="fa ([^"]*)"></i>', lambda found: SIGNS.get(found[1], ""), page)
