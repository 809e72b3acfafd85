"""Animations of runs, predicted motions and vibration modes."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Never

import numpy as np

from lissom.errors import InputError, shown
from lissom.gait.of_motion import has_contacts, samples_of
from lissom.gait.samples import GaitSamples
from lissom.keywords import check_keywords, without_unknown
from lissom.motion.result.motion import Motion
from lissom.simulation.run import Run
from lissom.spatial.rotations import Array
from lissom.verbs.kinematics import pose
from lissom.verbs.modes import ArmModes
from lissom.views.figures.style import figure_style
from lissom.views.films.contact_film import ContactFilm
from lissom.views.films.film import Film, refuse_unwritable
from lissom.views.followed import followed_frame
from lissom.views.plots.motion_curves import DenseCurves, title_lines
from lissom.views.plots.vibration import mode_title, swing

MOST_FRAMES = 2000
PERIOD = 2.0  # seconds that a vibration takes on the screen, however fast it is


@without_unknown
def animate(
    result: Run | Motion | GaitSamples | ArmModes,
    path: str | os.PathLike[str] | None = None,
    *,
    fps: float = 25.0,
    speed: float = 1.0,
    member: int = 0,
    mode: int = 1,
    theme: str | None = None,
    progress: Callable[[float], None] | None = None,
    **unknown: Never,
) -> Film:
    """Animate a run or motion with clock and path of its tip (a motion with its goal), or a vibration mode of an arm.

    In a notebook it plays below the cell if it is the last expression. Arms that move in a coordinate plane are drawn
    in that plane; flexible links are drawn deflected.

    Parameters
    ----------
    result : Run (from simulate or load_run), Motion (from predict_motion or load_motion), GaitSamples or ArmModes
        (from modes); a motion with contacts is shown from its right side, with the forces of its contacts
    path : .gif, .mp4 (needs ffmpeg) or .html (a self-contained page); None: no file
    fps : float              frames per second
    speed : float            1: real time for a run or motion, a period of two seconds for a mode; 0.5: half as fast
    member : int             which run of an ensemble
    mode : int               which mode, 1 is the lowest; its amplitude is chosen so that it is visible
    theme : "light", "dark" or None    colours, as in `plot`
    progress : f(fraction)   called with the fraction of frames written; default: a bar after three seconds

    Returns
    -------
    Film        with `save(path)`; notebooks play it

    Examples
    --------
    >>> import lissom as ls
    >>> run = ls.simulate(ls.load("two_link"), [0.3, 0.1], until=1.0)
    >>> ls.animate(run, speed=0.5)
    <Film: 51 frames, 2.04 s; use save(path) to write it>
    >>> film = ls.animate(run, "run.gif", speed=0.5)  # doctest: +SKIP
    >>> modes = ls.modes(ls.load("two_link_flexible"), [0.0, 0.5])
    >>> film = ls.animate(modes, "mode2.gif", mode=2)  # doctest: +SKIP
    """
    check_keywords(animate, unknown)
    if not isinstance(result, Run | Motion | GaitSamples | ArmModes):
        raise InputError(
            f"animate: got {type(result).__name__}; expected a Run (from simulate, load_run), a Motion (from "
            "predict_motion, load_motion), GaitSamples or ArmModes (from modes)."
        )
    if path is not None:
        refuse_unwritable(Path(path))
    for word, value in (("fps", fps), ("speed", speed)):
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < np.inf:
            raise InputError(f"animate: {word} is {shown(value)}; expected a number above 0.")
    with figure_style(theme):
        if isinstance(result, Run):
            film = _run(result, fps, speed, member)
        elif isinstance(result, GaitSamples):
            film = _contacts(result, fps, speed)
        elif isinstance(result, Motion):
            film = _contacts(samples_of(result), fps, speed) if has_contacts(result) else _motion(result, fps, speed)
        else:
            film = _vibration(result, fps, speed, mode)
    if path is not None:
        film.save(path, progress)
    return film


def _run(run: Run, fps: float, speed: float, member: int) -> Film:
    """A run; the trail has all of its samples, shown or not."""
    one = run if run.count is None else run.member(member)
    if len(one.t) < 2:
        raise InputError("animate: the run has a single sample; expected two or more.")
    frames = max(2, round((one.t[-1] - one.t[0]) / speed * fps) + 1)
    _refuse_long(frames, "run.between(...)")
    some = one.at(np.linspace(one.t[0], one.t[-1], frames))
    passed = np.searchsorted(one.t, some.t, side="right")
    clocks = _clocks(some.t, one.t[-1])
    frame = followed_frame(one.arm)
    path, tips = one.path(frame), some.path(frame)
    trail = lambda k: np.vstack([path[: passed[k]], tips[k : k + 1]])  # noqa: E731
    return Film(one.arm, some.q, clocks, fps, f"{one.arm.name}, simulated\n{_pace(speed)}", trail)


def _motion(motion: Motion, fps: float, speed: float) -> Film:
    """A predicted motion; the trail is as smooth as its splines."""
    frames = max(2, round(motion.duration / speed * fps) + 1)
    _refuse_long(frames, "a greater speed")
    t = np.linspace(0.0, motion.duration, frames)
    q = motion.at(t)[0]
    fine = DenseCurves(motion)
    path, tips = (pose(motion.arm, some, followed_frame(motion.arm))[..., :3, 3] for some in (fine.q, q))
    passed = np.searchsorted(fine.t, t, side="right")
    title = f"{title_lines(motion)[0]}\n{_pace(speed)}"
    trail = lambda k: np.vstack([path[: passed[k]], tips[k : k + 1]])  # noqa: E731
    goal = ("goal", q[-1])
    return Film(motion.arm, q, _clocks(t, motion.duration), fps, title, trail, goal, motion)


def _contacts(samples: GaitSamples, fps: float, speed: float) -> Film:
    """A motion with contacts; of one that is mirrored at its end both halves."""
    whole = samples.whole()
    frames = max(2, round(whole.duration / speed * fps) + 1)
    _refuse_long(frames, "a greater speed")
    t, q, forces = whole.frames(frames)
    title = f"{whole.arm.name}, {whole.duration:.3g} s\n{_pace(speed)}"
    return ContactFilm(whole, q, forces, _clocks(t - whole.t[0], whole.duration), fps, title)


def _vibration(found: ArmModes, fps: float, speed: float, mode: int) -> Film:
    """One period of a mode; the last frame is one step before the first, so that it can be repeated."""
    count = len(found.frequencies_hz)
    if isinstance(mode, bool) or not isinstance(mode, int) or not 1 <= mode <= count:
        many = f"a whole number from 1 to {count}" if count else "no mode, since the arm has no vibration modes"
        raise InputError(f"animate: mode is {shown(mode)}; expected {many}.")
    period = PERIOD / speed
    frames = max(8, round(period * fps))
    _refuse_long(frames, "a greater speed")
    phase = 2 * np.pi * np.arange(frames) / frames
    q = found.q + np.sin(phase)[:, None] * swing(found, mode - 1)
    clocks = [f"{part:.2f} of a period" for part in np.arange(frames) / frames]
    pace = shown_pace(found.frequencies_hz[mode - 1], period)
    title = f"{found.arm.name}, {mode_title(found, mode - 1)}\n{pace}, amplitude not to scale"
    return Film(found.arm, q, clocks, fps, title, ghost=("at rest", found.q))


def _clocks(times: Array, end: float) -> list[str]:
    """The text of every frame: its time, and that of the last."""
    return [f"t = {t:.3f} s of {end:.3f} s" for t in times]


def _pace(speed: float) -> str:
    """How fast a film is shown, unless in real time."""
    return "" if speed == 1 else f"shown at {speed:.3g} times real time"


def shown_pace(frequency_hz: float, period: float = PERIOD) -> str:
    """Return how much slower or faster than real time a vibration with a period of `period` s on screen is shown."""
    slower = period * frequency_hz
    return f"shown {slower:.3g}x slower" if slower > 1 else f"shown {1 / slower:.3g}x faster"


def _refuse_long(frames: int, shorter: str) -> None:
    if frames > MOST_FRAMES:
        raise InputError(
            f"animate: {frames} frames; at most {MOST_FRAMES} are allowed. Use a smaller fps or {shorter}."
        )
