"""The best timing of a given path: its speed profile, then splines in time that hold the limits everywhere."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import numpy as np

from lissom.errors import InputError, MotionError, UnsupportedError, shown
from lissom.kernels.arguments import as_arm
from lissom.kernels.loads import as_loads
from lissom.model.arm import Arm
from lissom.motion.checks import support
from lissom.motion.result.motion import Motion
from lissom.motion.result.outcome import MotionOutcome
from lissom.motion.result.report import RETIMING, Iteration, MotionReport
from lissom.motion.retiming.given_path import VERB, GivenPath, curve_of
from lissom.motion.retiming.speed_profile import SpeedProfile
from lissom.motion.retiming.timed_path import CONTINUITY, DEGREE, FRACTIONS, TimedPath
from lissom.motion.task.options import refuse_wrong
from lissom.motion.task.task import MOST_SEGMENTS, Task
from lissom.motion.transcription.peak import EXCESS
from lissom.spatial.rotations import Array

ROUNDS = 12  # of tightened limits, on one grid
HIGHER = (1.0, 1.001, 1.01, 1.1, 2.0)  # ceilings, in parts of the profile that a search found


def retime_motion(
    arm: Arm, path: Any, fields: dict[str, Any], tolerance: float, iterations: int, on_failure: str
) -> Motion:
    """See `lissom.retime_motion`; fields: of the task, beside its ends."""
    support.refuse_arm(as_arm(arm, VERB), VERB)
    support.refuse_unactuated(arm, VERB)
    if on_failure not in ("raise", "return"):
        raise InputError(f"{VERB}: on_failure is {shown(on_failure)}; expected 'raise' or 'return'.")
    if fields["segments"] is None:
        raise InputError(f"{VERB}: segments is None; expected a whole number of intervals of the path.")
    refuse_wrong(VERB, tolerance=tolerance, iterations=iterations)
    curve, knots = curve_of(path, arm)
    task = Task(curve(0.0), curve(1.0), **fields)
    as_loads(arm, task.loads, VERB)
    if any(np.ndim(part) > 1 for load in task.loads for part in (load.force, load.moment, load.point)):
        raise UnsupportedError(f"{VERB}: loads that change along the motion are not supported; give constant ones.")
    motion = _Retiming(GivenPath(arm, task, curve, knots)).solved(tolerance, iterations)
    if not motion.ok and on_failure == "raise":
        raise MotionError(f"{VERB}: {motion.status}", motion)
    return motion


class _Retiming:
    """The timing of one path; counts what it takes."""

    def __init__(self, path: GivenPath) -> None:
        self.path = path
        self.log: tuple[Iteration, ...] = ()
        self.seconds = {"build": 0.0, "solve": 0.0, "evaluate": 0.0}
        self.rounds = 0

    def solved(self, tolerance: float, iterations: int) -> Motion:
        """The fastest motion; with another criterion, the fastest below the profile that a search finds for it."""
        fastest = self._within_limits(None)
        if set(self.path.task.minimise) == {"time"}:
            return self._motion(fastest, MotionOutcome.SOLVED, MotionOutcome.SOLVED.sentence)
        from lissom.motion.retiming.speed_search import Speeds

        found = Speeds(self.path).search(tolerance, iterations)
        self.log = found.log
        self.seconds = {word: self.seconds[word] + spent for word, spent in found.seconds.items()}
        timed = self._below(found.profile)
        if timed is None:
            why = "stalled: no timing near the one of least effort satisfies all limits; this is the fastest motion"
            return self._motion(fastest, MotionOutcome.STALLED, why)
        return self._motion(timed, found.outcome, found.status)

    def _below(self, profile: Callable[[Array], Array]) -> TimedPath | None:
        """The fastest motion below a profile, or a little above it where the limits ask for more speed than it has."""
        for factor in HIGHER:

            def ceiling(s: Array, factor: float = factor) -> Array:
                return factor * profile(s)

            with suppress(InputError):
                return self._within_limits(ceiling)
        return None

    def _within_limits(self, ceiling: Callable[[Array], Array] | None) -> TimedPath:
        """The fastest motion that holds all limits; on a finer grid where they are still exceeded."""
        segments = self.path.task.segments
        while True:
            timed, holds = self._tightened(self.path.grid(segments), ceiling)
            if holds or segments == MOST_SEGMENTS:
                return timed
            segments = min(2 * segments, MOST_SEGMENTS)

    def _tightened(self, s: Array, ceiling: Callable[[Array], Array] | None) -> tuple[TimedPath, bool]:
        """The fastest profile; where limits are exceeded between grid points, they are tightened there."""
        clock = time.perf_counter()
        profile = SpeedProfile(self.path, s, None if ceiling is None else ceiling(s))
        self.seconds["build"] += time.perf_counter() - clock
        for _ in range(ROUNDS):
            clock = time.perf_counter()
            timed = TimedPath(profile, profile.fastest())
            self.seconds["solve"] += time.perf_counter() - clock
            clock = time.perf_counter()
            excess = timed.excess()
            self.seconds["evaluate"] += time.perf_counter() - clock
            self.rounds += 1
            if excess is None:
                return timed, True
            profile.tighten(excess)
        return timed, False

    def _motion(self, timed: TimedPath, outcome: MotionOutcome, status: str) -> Motion:
        peaks, cost = timed.peaks(), timed.cost()
        over = max((peak.utilisation for peak in peaks), default=0.0) - 1
        if outcome.solved and over > EXCESS:
            outcome, status = MotionOutcome.LIMIT_EXCEEDED, max(peaks, key=lambda peak: peak.utilisation).beyond()
        last = Iteration(len(self.log), cost, max(over, 0.0), 0.0, timed.duration)
        samples = len(FRACTIONS) * len(timed.dt)
        report = MotionReport(
            (*self.log, last), max(over, 0.0), peaks, samples, self.rounds, self.seconds, solver=RETIMING
        )
        task = self.path.task.replace(segments=len(timed.dt), degree=DEGREE, continuity=CONTINUITY)
        breaks = timed.t / timed.duration
        return Motion(
            self.path.arm, task, timed.duration, cost, outcome, status, outcome.solved, breaks, DEGREE,
            timed.control_points, report, continuity=CONTINUITY,
        )  # fmt: skip
