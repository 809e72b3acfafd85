"""From a path to the motion that follows it."""

from __future__ import annotations

import time
import warnings
from dataclasses import replace
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from lissom.errors import InputError, MotionError, RoughPath, UnsupportedError
from lissom.kernels.arguments import as_arm
from lissom.kernels.loads import as_loads
from lissom.model.arm import Arm
from lissom.model.ends import only_end, tip_frame
from lissom.motion.checks import support
from lissom.motion.result.motion import Motion
from lissom.motion.solve.solver import numbered_on
from lissom.motion.task.bounds import bounds_of
from lissom.motion.task.frame_output import VERB, FrameOutput
from lissom.motion.task.task import MOST_SEGMENTS, Task
from lissom.motion.tracking.begin import Beginnings, interpolated
from lissom.motion.tracking.corners import Corner, corners_of, refuse_jumps
from lissom.motion.tracking.followed import Found, about_corners, closer, excess, motion_of, too_coarse
from lissom.motion.tracking.given_functions import abrupt_ends, remedy_of
from lissom.motion.tracking.limits.rest import RestLimits
from lissom.motion.tracking.limits.rows import INSIDE, LimitRows, limited
from lissom.motion.tracking.limits.search import search_within
from lissom.motion.tracking.mesh import CONTINUITY, DEGREE, mesh_over, samples_of
from lissom.motion.tracking.newton import Searched, search
from lissom.motion.tracking.options import TrackingOptions
from lissom.motion.tracking.path import GivenPath, as_path
from lissom.motion.tracking.program import TrackingProgram
from lissom.motion.tracking.resolution import refined
from lissom.motion.tracking.rest_poses import RestPoses
from lissom.motion.tracking.window import Window, window_of
from lissom.motion.transcription.constraints.bending import measures_of
from lissom.motion.transcription.peak import EXCESS
from lissom.progress import line, reporter
from lissom.spatial.rotations import Array
from lissom.verbs import bending_range

# weight of squared accelerations, by the duration of the path to the fourth power [m^2]: at first, where motors
# outnumber outputs, and at most. What the output leaves undetermined then moves least
LEAST, REDUNDANT, MOST = 1e-14, 1e-12, 1e-10
REFINEMENTS = 2  # of the splines, at most
TURNS = 4  # searches within limits, at most: joints with friction keep their directions in each
TIGHTER = 1.2  # of an excess between samples, that is kept free in the next one


class Begun(NamedTuple):
    """What does not depend on the splines: poses at rest (N, n) at times t (N,) of the path, and its window."""

    task: Task
    poses: RestPoses
    t: Array
    rest: Array
    window: Window


def track_motion(arm: Arm, path: Any, options: TrackingOptions) -> Motion:
    """See `lissom.track_motion`."""
    _refuse_arm(as_arm(arm, VERB))
    options.check()
    given = as_path(path, options.axes, options.duration)
    if abrupt := abrupt_ends(path):
        warnings.warn(f"{VERB}: {abrupt}", RoughPath, stacklevel=3)
    words: Any = options.progress  # or a function of the user
    with reporter(words, lambda after: line("following the path", after), words, VERB, "f(text)") as show:
        motion, corners = _Tracker(arm, given, options).solved(show)
    if corners and motion.ok:
        warnings.warn(f"{VERB}: {about_corners(motion, corners)} {remedy_of(path)}", RoughPath, stacklevel=3)
    if not motion.ok and options.on_failure == "raise":
        raise MotionError(f"{VERB}: {motion.status}", motion)
    return motion


def _refuse_arm(arm: Arm) -> None:
    support.refuse_arm(arm, VERB)
    if arm.loops:
        raise UnsupportedError(
            f"{VERB}: closed loops (arm {arm.name!r}) are not supported; use predict_motion with Reach via points."
        )
    rough = [joint.name for joint in arm.joints if not joint.actuated and joint.friction]
    if rough:
        raise UnsupportedError(
            f"{VERB}: Coulomb friction of joint {rough[0]!r}, which has no motor, is not supported; use damping."
        )


class _Tracker:
    """The search for one motion."""

    def __init__(self, arm: Arm, path: GivenPath, options: TrackingOptions) -> None:
        self.arm, self.path, self.options = arm, path, options
        frame = options.frame or path.link or tip_frame(arm, only_end(arm, f"{VERB}: give frame=..."))
        if path.link is not None and frame != path.link:
            raise InputError(f"{VERB}: frame is {frame!r}, but the path gives poses of {path.link!r}; omit frame.")
        point = path.point if path.link is not None else options.point
        self.output = FrameOutput(arm, frame, point, path.axes, path.reference)
        as_loads(arm, options.loads, VERB)
        motors, outputs = int(arm.actuated.sum()), len(path.axes)
        if outputs > motors:
            raise InputError(
                f"{VERB}: the path has {outputs} axes ({', '.join(path.axes)}), but arm {arm.name!r} has {motors} "
                f"motor{'s' * (motors != 1)}; follow at most as many axes as there are motors."
            )
        self.redundant = outputs < motors

    def solved(self, show: Any) -> tuple[Motion, tuple[Corner, ...]]:
        """The motion, whatever it is worth, and the path's corners; on finer splines while these bring it closer."""
        corners, segments = corners_of(self.path), self.options.segments
        refuse_jumps(corners, self.path)
        begun = self._begun()
        motion_on = cache(lambda count: self._motion(begun, count, corners, show))
        motion = motion_on(segments)
        for _ in range(REFINEMENTS):
            segments *= 2
            if corners or not too_coarse(motion) or segments > MOST_SEGMENTS:
                break
            finer = motion_on(segments)
            if not closer(finer, motion):
                break
            motion = finer
        return motion if corners else refined(motion, motion_on), corners

    def _begun(self) -> Begun:
        """What does not depend on the splines."""
        still, given = np.zeros(len(self.arm.joints)), self.options
        task = Task(still, still, given.limits, given.loads, 1.0, "acceleration", bending=given.bending)
        poses = RestPoses(self.output, task.loads)
        self.bounds, self.measures = bounds_of(self.arm, task, VERB), measures_of(self.arm, task.bending, VERB)
        self._refuse_rates()
        limits = RestLimits(poses, self.bounds, self.measures)
        t, rest = Beginnings(self.output, self.path, poses, self.bounds, limits).found(given.start)
        window = window_of(poses, rest[0], self.path.duration, given.before, given.after)
        return Begun(task, poses, t, rest, window)

    def _refuse_rates(self) -> None:
        """Refuse limits of rates of torques that depend on accelerations of modes, which jump between segments."""
        if self.arm.actuated.all() or not self.bounds.limited("torque_rate").any():
            return
        word = self.arm.coordinates[int(np.argmin(self.arm.actuated))]
        raise UnsupportedError(
            f"{VERB}: torque-rate limits are not supported for arms with unactuated coordinates ({word!r}). Remove "
            "them; a longer duration lowers the rates."
        )

    def _motion(self, begun: Begun, segments: int, corners: tuple[Corner, ...], show: Any) -> Motion:
        """The motion on so many segments."""
        clock = time.perf_counter()
        program, x = self._program(begun, segments)
        began = time.perf_counter()
        found = self._searched(program, x, begun.window, show)
        motion, inside = self._made(begun, program, found, corners), INSIDE
        for _ in range(TURNS):  # where limits are exceeded between samples, more is kept free at these
            if not found.within or excess(motion) <= EXCESS:
                break
            inside += TIGHTER * excess(motion)
            found = self._within_limits(program, found, begun.window, show, inside)
            motion = self._made(begun, program, found, corners)
        seconds = {"build": began - clock, "solve": time.perf_counter() - began}
        return motion.with_verdict(report=replace(motion.report, seconds=seconds))

    def _made(self, begun: Begun, program: TrackingProgram, found: Searched, corners: tuple[Corner, ...]) -> Motion:
        """The motion of the variables that were found."""
        task = begun.task.replace(
            start=begun.rest[0], goal=program.curves.at(found.x, np.ones(1), 1)[0, 0], duration=begun.window.total,
            segments=program.mesh.actuated.segments, degree=DEGREE, continuity=CONTINUITY,
        )  # fmt: skip
        whole = Found(program, found.x, found.log, found.converged)
        return motion_of(whole, task, self.path, begun.window, corners, self.options.tolerance)

    def _searched(self, program: TrackingProgram, x: Array, window: Window, show: Any) -> Searched:
        """Where the search ends; with heavier weights of accelerations where it wanders among motions alike."""
        weight, found = REDUNDANT if self.redundant else LEAST, Searched(x, (), False)
        while not found.converged and weight <= MOST * 1.01 and not self._beyond(program, found.x):
            begin = found.x if np.isfinite(found.x).all() else x
            last = search(program, begin, weight * window.path**4, self.options.iterations, show)
            found = last._replace(log=numbered_on(found.log, last.log))
            weight *= 10
        return self._within_limits(program, found, window, show)

    def _within_limits(
        self, program: TrackingProgram, found: Searched, window: Window, show: Any, inside: float = INSIDE
    ) -> Searched:
        """The same, or where limits act, the nearest within them; where none is found, what exceeds them."""
        if not limited(self.bounds, self.measures):
            return found
        weights = (REDUNDANT, MOST) if self.redundant else (MOST,)
        for _ in range(TURNS):
            rows = LimitRows(program, self.bounds, self.measures, found.x, inside)
            if not found.converged or not rows.exceeded(found.x):
                break
            log, begin = found.log, found.x
            for weight in weights:
                last = search_within(program, rows, begin, weight * window.path**4, show)
                log = numbered_on(log, last.log)
                if last.converged:
                    break
            if not last.converged:
                return found._replace(log=log)
            found = last._replace(log=log)
        return found

    def _beyond(self, program: TrackingProgram, x: Array) -> bool:
        """Links bend so far that there is nothing to search for."""
        bend = bending_range.steepest(self.arm, program.states(x)[0])
        return bend is not None and bend.slope > bending_range.MEANINGLESS

    def _program(self, begun: Begun, segments: int) -> tuple[TrackingProgram, Array]:
        """The program, and variables to begin with: the arm at rest all along the path."""
        window, loads = begun.window, begun.task.loads
        mesh = mesh_over(window, segments, not self.arm.actuated.all())
        s, _ = samples_of(mesh)
        ends = np.array([0.0, 1.0])
        (first, last), _ = begun.poses.solved(begun.rest[[0, -1]], self.path(window.times(ends)), ends)
        goal = np.full_like(last, np.nan) if self.redundant else last
        program = TrackingProgram(self.output, self.path(window.times(s)), mesh, window, first, goal, loads)
        return program, program.begin(interpolated(begun.t, begun.rest, window.times(s)))
