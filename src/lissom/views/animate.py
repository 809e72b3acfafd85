"""Runs, predicted motions and vibrations as moving pictures."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from subprocess import SubprocessError
from typing import Any

import numpy as np

from lissom.errors import InputError, UnsupportedError, shown
from lissom.formats.files import write_whole
from lissom.model.arm import Arm
from lissom.motion.record import Motion
from lissom.simulation.run import Run
from lissom.spatial.rotations import Array
from lissom.verbs.kinematics import pose
from lissom.verbs.modes import ArmModes
from lissom.views import stage
from lissom.views.followed import followed_frame
from lissom.views.palette import COLOURS, RESTING
from lissom.views.skeleton import Skeleton
from lissom.views.surroundings import draw_surroundings, extent
from lissom.views.vibration import mode_title, swing

KINDS = {".gif": "pillow", ".mp4": "ffmpeg", ".html": "html"}
MOST_FRAMES = 2000
PERIOD = 2.0  # seconds that a vibration takes on the screen, however fast it is


def animate(
    result: Run | Motion | ArmModes,
    path: str | os.PathLike[str],
    *,
    fps: float = 25.0,
    speed: float = 1.0,
    member: int = 0,
    mode: int = 1,
    progress: Callable[[float], None] | None = None,
) -> None:
    """Write a moving picture: a run or motion with the trail of its tip, or a mode of an arm swinging.

    Arms that stay in a plane of the world are drawn in it; flexible links are drawn as they bend.

    Parameters
    ----------
    result : Run (from simulate or load_run), Motion (from predict_motion or load_motion) or ArmModes (from modes)
    path : .gif, .mp4 (needs ffmpeg) or .html (one page that plays by itself)
    fps : float              frames per second
    speed : float            1: a run or motion as fast as it is, a mode with a period of two seconds; 0.5: half as fast
    member : int             which run of an ensemble
    mode : int               which mode, 1 is the lowest; its size is chosen to be seen
    progress : f(fraction)   is told how far it is

    Examples
    --------
    >>> import lissom as ls
    >>> run = ls.simulate(ls.load("two_link"), [0.3, 0.1], until=1.0)
    >>> ls.animate(run, "run.gif", speed=0.5)  # doctest: +SKIP
    >>> modes = ls.modes(ls.load("two_link_flexible"), [0.0, 0.5])
    >>> ls.animate(modes, "mode2.gif", mode=2)  # doctest: +SKIP
    """
    if not isinstance(result, Run | Motion | ArmModes):
        raise InputError(
            f"animate: got {type(result).__name__}; expected a Run (from simulate, load_run), a Motion (from "
            "predict_motion, load_motion) or ArmModes (from modes)."
        )
    place = Path(path)
    kind = refuse_unwritable(place)
    for word, value in (("fps", fps), ("speed", speed)):
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < np.inf:
            raise InputError(f"animate: {word} is {shown(value)}; expected a number above 0.")
    if isinstance(result, Run):
        film = _run(result, fps, speed, member)
    elif isinstance(result, Motion):
        film = _motion(result, fps, speed)
    else:
        film = _vibration(result, fps, speed, mode)
    film.save(place, kind, fps, progress)


def refuse_unwritable(path: Path) -> str:
    """The writer of a file's kind, or a sentence."""
    from matplotlib import animation

    kind = KINDS.get(path.suffix.lower())
    if kind is None:
        raise InputError(f"animate: {path.name} has an unknown ending; expected {', '.join(KINDS)}.")
    if kind != "html" and not animation.writers.is_available(kind):
        raise UnsupportedError("animate: .mp4 needs ffmpeg on the path; write .gif or .html instead.")
    return kind


def _run(run: Run, fps: float, speed: float, member: int) -> _Film:
    """A run; the trail has all of its samples, shown or not."""
    one = run if run.count is None else run.member(member)
    if len(one.t) < 2:
        raise InputError("animate: the run has a single sample.")
    frames = max(2, round((one.t[-1] - one.t[0]) / speed * fps) + 1)
    _refuse_long(frames, "run.between(...)")
    some = one.at(np.linspace(one.t[0], one.t[-1], frames))
    passed = np.searchsorted(one.t, some.t, side="right")
    titles = [f"{one.arm.name}   t = {t:.3f} s" for t in some.t]
    frame = followed_frame(one.arm)
    path, tips = one.path(frame), some.path(frame)
    return _Film(one.arm, some.q, titles, lambda k: np.vstack([path[: passed[k]], tips[k : k + 1]]))


def _motion(motion: Motion, fps: float, speed: float) -> _Film:
    """A predicted motion; the trail is as smooth as its splines."""
    frames = max(2, round(motion.duration / speed * fps) + 1)
    _refuse_long(frames, "a greater speed")
    t = np.linspace(0.0, motion.duration, frames)
    q = motion.at(t)[0]
    path, tips = (pose(motion.arm, some, followed_frame(motion.arm))[..., :3, 3] for some in (motion.q, q))
    passed = np.searchsorted(motion.t, t, side="right")
    titles = [f"{motion.arm.name}   t = {when:.3f} s of {motion.duration:.3f}" for when in t]
    trail = lambda k: np.vstack([path[: passed[k]], tips[k : k + 1]])  # noqa: E731
    return _Film(motion.arm, q, titles, trail, around=motion)


def _vibration(found: ArmModes, fps: float, speed: float, mode: int) -> _Film:
    """One period of a mode; the last frame is one step before the first, so that it can be repeated."""
    count = len(found.frequencies_hz)
    if isinstance(mode, bool) or not isinstance(mode, int) or not 1 <= mode <= count:
        many = f"a whole number from 1 to {count}" if count else "none, since nothing vibrates"
        raise InputError(f"animate: mode is {shown(mode)}; expected {many}.")
    period = PERIOD / speed
    frames = max(8, round(period * fps))
    _refuse_long(frames, "a greater speed")
    phase = 2 * np.pi * np.arange(frames) / frames
    q = found.q + np.sin(phase)[:, None] * swing(found, mode - 1)
    title = f"{found.arm.name}, {mode_title(found, mode - 1)}\n{shown_pace(found.frequencies_hz[mode - 1], period)}"
    return _Film(found.arm, q, [title] * frames, rest=found.q)


def shown_pace(frequency_hz: float, period: float = PERIOD) -> str:
    """How much slower or faster than it is a vibration is shown that takes `period` seconds on the screen."""
    slower = period * frequency_hz
    return f"shown {slower:.3g} times slower" if slower > 1 else f"shown {1 / slower:.3g} times faster"


def _refuse_long(frames: int, shorter: str) -> None:
    if frames > MOST_FRAMES:
        raise InputError(
            f"animate: {frames} frames; at most {MOST_FRAMES}. Give a smaller fps, or show less: {shorter}."
        )


class _Film:
    """A figure that shows one state of an arm at a time."""

    def __init__(
        self,
        arm: Arm,
        q: Array,
        titles: Sequence[str],
        trail: Callable[[int], Array] | None = None,
        rest: Array | None = None,
        around: Motion | None = None,
    ):
        """q (frames, dof); trail: a path (n, 3) for every frame, the last the longest; rest (dof,): where it rests;
        around: whose surroundings are shown."""
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure

        self.titles, self.trail = titles, trail
        self.bones = Skeleton(arm, q)
        path = np.zeros((1, 3)) if trail is None else trail(len(titles) - 1)
        points = np.vstack([self.bones.points, np.zeros((1, 3)), path])
        self.plane = stage.plane_of(points)
        if around is not None:
            points = np.vstack([points, extent(around, points, self.plane)])
        self.figure = Figure(figsize=(6, 5 * stage.proportion(points, self.plane) + 1), layout="constrained")
        FigureCanvasAgg(self.figure)
        ax = stage.set_up(self.figure, 111, points, self.plane)
        if around is not None:
            draw_surroundings(ax, self.plane, around, float(np.ptp(points, axis=0).max()))
        if rest is not None:
            stage.Lines(ax, self.plane, RESTING, width=0.5).put(Skeleton(arm, rest))
        (self.line,) = ax.plot(*[[]] * (2 if self.plane else 3), color=COLOURS[1], linewidth=1.2)
        self.lines = stage.Lines(ax, self.plane)
        self.title = ax.set_title(titles[0], fontsize=11, parse_math=False)
        self.show(0)
        self.figure.draw_without_rendering()
        self.figure.set_layout_engine("none")  # once is enough: it takes longer than a frame

    def show(self, k: int) -> list[Any]:
        """Frame k."""
        if self.trail is not None:
            stage.place(self.line, self.trail(k), self.plane)
        self.title.set_text(self.titles[k])
        return [*self.lines.put(self.bones, k), self.line, self.title]

    def save(self, place: Path, kind: str, fps: float, progress: Callable[[float], None] | None) -> None:
        """Write all frames."""
        from matplotlib import animation

        extra: dict[str, Any] = {"embed_frames": True} if kind == "html" else {}
        writer: Any = animation.writers[kind]
        tell = None if progress is None else lambda k, n: progress((k + 1) / n)

        def write(path: Path) -> None:
            film = animation.FuncAnimation(self.figure, self.show, frames=len(self.titles), blit=False)
            try:
                film.save(path, writer=writer(fps=fps, **extra), dpi=80, progress_callback=tell)
            except SubprocessError as error:  # of ffmpeg
                raise OSError(str(error)) from None

        write_whole(place, write)
