"""The search for the most informative motion: random motions first, then the best of them improved.

Limits are penalties whose weights grow from stage to stage. What little is exceeded in the end is removed by minimising
the penalty alone. If that fails, the motion is shrunk towards its start, where the arm rests within all limits (limits
near the start apart, from which a small motion leads away).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from lissom.identification.excitation.design import Design, Known
from lissom.identification.excitation.penalty import Penalty
from lissom.identification.excitation.profile import Profile, Sampled
from lissom.motion.result.report import Iteration
from lissom.spatial.rotations import Array

STAGES = (1.0, 10.0, 100.0, 1000.0, 10000.0)  # weights of the penalty; the information is a mean logarithm
STEPS = 60  # of L-BFGS in a stage
REPAIRS, REPEATED = 20, 6  # steps of Levenberg and Marquardt, which bring a motion within its limits; how often
DAMPING, LEAST_DAMPING = 1e-3, 1e-9  # of the trace of what is solved in such a step
ROOM = 5e-4  # of a limit that a repair leaves; doubled every time
SPREAD = 0.8  # of half the range of a joint: standard deviation of random control points
INWARDS = 0.02  # of the range of a joint: limits nearer to the start have a small motion away from them
ROUNDING = 1e-9  # of a limit
SHRINKING, LEAST_STEP = 40, 1e-6  # how often a motion is shrunk, and by which part at least, doubled every time


class Candidate(NamedTuple):
    """Free control points (m, dof) within all limits, and the information per parameter."""

    points: Array
    value: float


class Search:
    """Motions of one family on one arm.

    Attributes
    ----------
    core : (m, dof)             a small motion away from limits that are near the start, towards which others are shrunk
    log : list of Iteration     all steps so far
    more : float                samples of the torques per sample here
    """

    def __init__(
        self, profile: Profile, design: Design, penalty: Penalty, moves: NDArray[np.bool_],
        report: Callable[[Iteration], object], rate_hz: float,
    ) -> None:  # fmt: skip
        self.profile, self.design, self.penalty, self.moves, self.report = profile, design, penalty, moves, report
        self.log: list[Iteration] = []
        self.more = rate_hz * profile.duration / len(profile.samples.s)
        self.last = np.zeros((profile.free, len(moves)))
        lower, upper = penalty.limits("position")
        reach = profile.duration / profile.basis.segments * penalty.limits("velocity")[1]  # in a segment
        self.scale = np.minimum((upper - lower) / 2, 2 * reach)[moves]
        inwards = np.clip(profile.start, lower + INWARDS * (upper - lower), upper - INWARDS * (upper - lower))
        self.core = np.where(moves, inwards - profile.start, 0.0) * np.ones_like(self.last)
        self.core /= 1.0 + penalty.largest(profile.samples, self.core)

    # ---- variables ----------------------------------------------------------------------------------

    def _points(self, x: Array) -> Array:
        out = np.zeros_like(self.last)
        out[:, self.moves] = x.reshape(self.profile.free, -1) * self.scale
        return out

    def _variables(self, points: Array) -> Array:
        return np.asarray((points[:, self.moves] / self.scale).ravel())

    def _slope(self, slope: Array) -> Array:
        return np.asarray((slope[:, self.moves] * self.scale).ravel())

    def _minimise(self, f: Callable[[Array], tuple[float, Array]], points: Array, steps: int, shown: bool) -> Array:
        """Return control points with a smaller f; `f` gives value and slope by control points."""

        def flat(x: Array) -> tuple[float, Array]:
            value, slope = f(self._points(x))
            return value, self._slope(slope)

        def step(intermediate_result: Any) -> None:
            self.last = self._points(intermediate_result.x)
            self._note(float(intermediate_result.fun))

        options = {"maxiter": steps, "maxcor": 20}
        found = minimize(flat, self._variables(points), jac=True, method="L-BFGS-B", options=options,
                         callback=step if shown else None)  # fmt: skip
        return self._points(found.x)

    def _note(self, cost: float) -> None:
        over = self.penalty.largest(self.profile.samples, self.last)
        step = Iteration(len(self.log), -self.log_det(-cost), over, np.nan, self.profile.duration)
        self.log.append(step)
        self.report(step)

    # ---- random motions -----------------------------------------------------------------------------

    def random(self, rng: np.random.Generator) -> Array:
        """Return control points of a random motion within all limits."""
        lower, upper = self.penalty.limits("position")
        middle, half = (lower + upper) / 2, (upper - lower) / 2
        drawn = middle + SPREAD * half * rng.normal(size=self.last.shape)
        points = np.where(self.moves, np.clip(drawn, lower, upper) - self.profile.start, 0.0)
        points = points / (1.0 + self.penalty.largest(self.profile.samples, points))
        return self.repaired(points, self.profile.samples)

    # ---- within limits ------------------------------------------------------------------------------

    def repaired(self, points: Array, at: Sampled) -> Array:
        """Return a motion nearby that exceeds no limit at samples; if none is found, the motion made smaller."""
        for k in range(REPEATED):
            if self.penalty.largest(at, points) <= ROUNDING:
                return points
            points = self.pushed(points, at, ROOM * 2**k)
        return self._shrunk(points, at)

    def pushed(self, points: Array, at: Sampled, room: float) -> Array:
        """Return a motion nearby that leaves part of its limits at samples, as far as one is found."""
        damping, last = DAMPING, self.penalty.excess(at, points, room)
        for _ in range(REPAIRS):
            if not last.slope.any():  # nothing is exceeded, or only where the motion begins
                break
            J = (last.slope[:, :, self.moves] * self.scale).reshape(len(last.over), -1)
            H = J.T @ J
            step = np.linalg.solve(H + damping * np.trace(H) * np.eye(len(H)), J.T @ last.over)
            trial = points - self._points(step)
            found = self.penalty.excess(at, trial, room)
            better = float(found.over @ found.over) < float(last.over @ last.over)
            damping = max(0.1 * damping, LEAST_DAMPING) if better else 10.0 * damping
            points, last = (trial, found) if better else (points, last)
        return points

    def _shrunk(self, points: Array, at: Sampled) -> Array:
        """Return the motion, shrunk until it exceeds no limit at samples."""
        least = LEAST_STEP
        for _ in range(SHRINKING):
            over = self.penalty.largest(at, points)
            if over <= ROUNDING:
                break
            points = self.smaller(points, max(over, least))
            least *= 2
        return points

    def smaller(self, points: Array, part: float) -> Array:
        """Return the motion, shrunk by a part of it."""
        return np.asarray(self.core + (points - self.core) / (1.0 + min(part, 1.0)))

    # ---- the best motion ----------------------------------------------------------------------------

    def improved(self, points: Array) -> Candidate:
        """Return a motion with more information than that of some control points."""
        for weight in STAGES:
            points = self._minimise(lambda p, w=weight: self._objective(p, w), points, STEPS, True)  # type: ignore[misc]
        return self.candidate(points)

    def candidate(self, points: Array) -> Candidate:
        """Return the motion within its limits, with its information."""
        points = self.repaired(points, self.profile.samples)
        return Candidate(points, self.design.value(self.profile.samples.states(points)))

    def _objective(self, points: Array, weight: float) -> tuple[float, Array]:
        at = self.profile.samples
        value, by_states = self.design.gradient(at.states(points))
        over, slope = self.penalty.gradient(at, points)
        return weight * over - value, weight * slope - at.back(by_states)

    def log_det(self, value: float) -> float:
        """Return the log det of the information, from its value per parameter."""
        return self.design.log_det(value, self.more)

    def known(self, points: Array) -> Known:
        """Return what a motion says."""
        return self.design.known(self.profile.samples.states(points), self.more)
