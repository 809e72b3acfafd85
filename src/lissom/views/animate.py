"""A run as a moving picture."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from lissom.errors import InputError, ModelError, UnsupportedError, shown
from lissom.simulation.run import Run
from lissom.spatial.rotations import Array
from lissom.verbs.kinematics import poses
from lissom.views.draw import joint_origins
from lissom.views.palette import COLOURS

KINDS = {".gif": "pillow", ".mp4": "ffmpeg", ".html": "html"}
MOST_FRAMES = 2000


def animate(
    run: Run,
    path: str | os.PathLike[str],
    *,
    fps: float = 25.0,
    speed: float = 1.0,
    member: int = 0,
    progress: Callable[[float], None] | None = None,
) -> None:
    """Write a moving picture of a run: links, joints, and the trail of the tip.

    Parameters
    ----------
    run : Run
    path : .gif, .mp4 (needs ffmpeg) or .html (one page that plays by itself)
    fps : float              frames per second
    speed : float            1: as fast as it was simulated, 0.5: half as fast
    member : int             which run of an ensemble
    progress : f(fraction)   is told how far it is

    Examples
    --------
    >>> import lissom as ls
    >>> run = ls.simulate(ls.load("two_link"), [0.3, 0.1], until=1.0)
    >>> ls.animate(run, "run.gif", speed=0.5)  # doctest: +SKIP
    """
    if not isinstance(run, Run):
        raise InputError(f"animate: got {type(run).__name__}; expected a Run (from simulate or load_run).")
    place = Path(path)
    kind = refuse_unwritable(place)
    for word, value in (("fps", fps), ("speed", speed)):
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < np.inf:
            raise InputError(f"animate: {word} is {shown(value)}; expected a number above 0.")
    one = run if run.count is None else run.member(member)
    if len(one.t) < 2:
        raise InputError("animate: the run has a single sample.")
    span = one.t[-1] - one.t[0]
    frames = max(2, round(span / speed * fps) + 1)
    if frames > MOST_FRAMES:
        raise InputError(
            f"animate: {frames} frames; at most {MOST_FRAMES}. Give a smaller fps, or show less: run.between(...)."
        )
    _film(one.at(np.linspace(one.t[0], one.t[-1], frames)), one, place, kind, fps, progress)


def refuse_unwritable(path: Path) -> str:
    """The writer of a file's kind, or a sentence."""
    from matplotlib import animation

    kind = KINDS.get(path.suffix.lower())
    if kind is None:
        raise InputError(f"animate: {path.name} has an unknown ending; expected {', '.join(KINDS)}.")
    if kind != "html" and not animation.writers.is_available(kind):
        raise UnsupportedError("animate: .mp4 needs ffmpeg on the path; write .gif or .html instead.")
    return kind


def _film(run: Run, whole: Run, place: Path, kind: str, fps: float, progress: Callable[[float], None] | None) -> None:
    from matplotlib import animation

    stage = _Stage(run, whole)
    film = animation.FuncAnimation(stage.figure, stage.show, frames=len(run.t), blit=False)
    extra: dict[str, Any] = {"embed_frames": True} if kind == "html" else {}
    writer: Any = animation.writers[kind]
    tell = None if progress is None else lambda k, n: progress((k + 1) / n)
    try:
        film.save(place, writer=writer(fps=fps, **extra), dpi=80, progress_callback=tell)
    except OSError as error:
        raise ModelError(f"it cannot be written ({error.strerror or error}).", file=str(place)) from None


class _Stage:
    """A figure that shows one sample of a run at a time."""

    def __init__(self, run: Run, whole: Run):
        """`whole` has all samples, for the trail."""
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure

        self.run, self.whole = run, whole
        self.figure = Figure(figsize=(6, 6))
        FigureCanvasAgg(self.figure)
        ax = self.figure.add_subplot(projection="3d")
        X = poses(run.arm, run.q)
        self.lines = _skeletons(run, X)
        points = self.lines[np.isfinite(self.lines).all(axis=-1)]
        points = np.vstack([points, run.tip, np.zeros((1, 3))])
        low, high = points.min(axis=0), points.max(axis=0)
        size, middle = max(float((high - low).max()), 1e-3) * 1.1, (low + high) / 2
        ax.set(**{f"{axis}lim": (m - size / 2, m + size / 2) for axis, m in zip("xyz", middle, strict=True)})
        ax.set(xlabel="x [m]", ylabel="y [m]", zlabel="z [m]")
        ax.set_box_aspect((1, 1, 1))
        (self.trail,) = ax.plot([], [], [], color=COLOURS[1], linewidth=1.2)
        (self.links,) = ax.plot(
            [], [], [], "o-", color="#56606b", linewidth=3, markersize=5, markerfacecolor=COLOURS[0]
        )
        self.title = ax.set_title("", parse_math=False)

    def show(self, k: int) -> list[Any]:
        """Sample k."""
        self.links.set_data_3d(*self.lines[k].T)
        passed = int(np.searchsorted(self.whole.t, self.run.t[k], side="right"))
        self.trail.set_data_3d(*np.vstack([self.whole.tip[:passed], self.run.tip[k : k + 1]]).T)
        self.title.set_text(f"{self.run.arm.name}   t = {self.run.t[k]:.3f} s")
        return [self.links, self.trail, self.title]


def _skeletons(run: Run, X: Array) -> Array:
    """(nt, points, 3) of one line through all links, broken by NaN."""
    arm = run.arm
    out = []
    for frames in X:
        origins = joint_origins(arm, frames)
        points: list[Array] = []
        for i, link in enumerate(arm.links):
            parent = int(arm.parent_index[i])
            start = np.zeros(3) if parent < 0 else (frames[parent] @ arm.links[parent].tip)[:3, 3]
            ends = [(frames[i] @ link.tip)[:3, 3]] + [
                (frames[i] @ link.tip @ tool.placement)[:3, 3] for tool in link.tools
            ]
            points += [start, origins[i], frames[i][:3, 3], *ends, np.full(3, np.nan)]
        out.append(points)
    return np.array(out)
