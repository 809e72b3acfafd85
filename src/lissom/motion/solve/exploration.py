"""Several optima: starts that differ are compared on a coarse mesh, the best are solved on finer ones.

A first optimum is not simply believed. Effort has many: from a straight line and from random lines far off it the task
is solved on half the segments, quickly and not to the last digit. The best of these that differ are solved on the
task's segments, and the best of all with more segments where its torques change most. The shortest time rarely has
several optima: one start is enough there, unless the coarse mesh knows a shorter one.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from lissom.motion.result.motion import Motion
from lissom.motion.result.outcome import MotionOutcome
from lissom.motion.solve.assessment import changing, reported, stopped_by_user
from lissom.motion.solve.multistart import best_of
from lissom.motion.solve.search import Search, Solved
from lissom.motion.solve.solver import AbstractSolver, Solution
from lissom.motion.splines.mesh import Mesh
from lissom.motion.task.criteria.known import criterion
from lissom.motion.transcription.kernels.smoothing import SOFT
from lissom.motion.transcription.problem import Problem
from lissom.motion.transcription.program import Program
from lissom.progress import stage
from lissom.spatial.rotations import Array

FEWEST, PER_VIA = 8, 3  # segments of a coarse mesh at least, and more for each via point
MOST = 7  # random starts
LARGE = 12  # joints beyond which one random start has to do, and no finer mesh is tried
TOLERANCE, ITERATIONS = 1e-3, 150  # of the solver on the coarse mesh
SAME = 2e-3  # relative difference of costs on the coarse mesh of one and the same optimum
PROMOTED, NEAR = 2, 1.3  # optima that are solved on the task's mesh, and how much dearer than the best they may be
SHORTER = 0.01  # relative: the coarse mesh knows a better optimum
FINER, CONVERGED, MOST_SEGMENTS = 0.01, 0.03, 80  # change of the cost worth a finer mesh; small enough to stop there
MUCH = 0.05  # change of the cost on another mesh that a status names
TINY = 1e-300


class Attempt(NamedTuple):
    """Start k on the coarse mesh."""

    k: int
    program: Program
    solution: Solution
    cost: float
    duration: float


class Exploration:
    """Starts and meshes of one search."""

    def __init__(self, search: Search) -> None:
        self._search, self._problem = search, search.problem
        self._mesh = self._problem.mesh(segments=coarse_segments(self._problem))
        words = set(self._problem.task.minimise)
        self._only_time, large = words == {"time"}, self._problem.n > LARGE
        self._most = 1 if large else MOST
        self._often = max(criterion(word).often or MOST + 1 for word in words)
        self._large = large
        self._energy = self._problem.spec.cost.kinks
        self._last: Solved | None = None  # program and solution of the best motion so far

    @staticmethod
    def suits(problem: Problem) -> bool:
        """Arms whose coordinates all have a motor and close no loops: others have start and mesh of their own."""
        return not len(problem.spec.unactuated) and problem.spec.closing is None

    def best(self, converge: bool = True) -> Motion:
        """The best motion; with `converge` also compared with one on a finer mesh."""
        if not self._only_time:
            converge = converge and not self._large
            motion = self._compared(None, SOFT[:-1] if converge else SOFT)
            return self._converged(motion) if converge and motion.ok else motion
        motion = self._search.start(0)
        if motion.outcome.stopped:
            return motion
        if motion.ok:
            coarse = self._attempts(0)[0]
            if coarse.solution.outcome is MotionOutcome.INTERRUPTED:
                return stopped_by_user(motion)
            if not coarse.solution.solved:
                return motion
            if coarse.cost >= motion.cost * (1 - SHORTER):
                meshes = ((self._mesh.actuated.segments, coarse.cost), (motion.basis.segments, motion.cost))
                return reported(motion, refinements=meshes) if meshes[0][0] < meshes[1][0] else motion
            # else the coarse mesh knows a shorter motion, though it leaves less to choose
        other = self._compared(motion)
        if other.interrupted:  # its last start has hardly begun: what is nearest to the limits is the best so far
            return stopped_by_user(motion if motion.ok else min(motion, other, key=lambda m: m.report.violation))
        return other if other.ok and _rank(other) < _rank(motion) else motion

    # ---- on the coarse mesh ---------------------------------------------------------------------------

    def _attempts(self, most: int) -> list[Attempt]:
        """The straight line and random starts, until the best optimum was found often or there are enough."""
        search, problem = self._search, self._problem
        solver = self._solver()
        program = solver.program
        out: list[Attempt] = []
        for k in range(most + 1):
            count = self._mesh.actuated.segments
            stage(
                f"start {k + 1} of at most {most + 1}, on {count} segments" if most else f"checking on {count} segments"
            )
            x = problem.guess.variables(program.curves, search.seed, k)
            solution = solver(x, search.progress)
            search.spent["solve"] += solution.seconds
            search.spent["evaluate"] += solution.evaluation_seconds
            T = program.curves.T(solution.x)
            rounded = problem.rounded and solution.solved
            cost = problem.cost(program.curves, solution.x) if rounded else search.assessment.pure(solution.cost, T)
            out.append(Attempt(k, program, solution, cost, T))
            if solution.outcome.stopped or _times_best(out) == self._often:
                break
            if k == 0 and most and solution.solved and problem.samples.leave_out_slack(program, solution.rows):
                solver = self._solver()
                program = solver.program
        return out

    def _solver(self) -> AbstractSolver:
        """Return the solver for the coarse mesh, with its loose tolerance."""
        search = self._search
        clock = time.perf_counter()
        program = self._problem.program(self._mesh, np.zeros(0), SOFT[0])
        limits = max(search.limits.tolerance, TOLERANCE), min(search.limits.iterations, ITERATIONS)
        solver = search.solver(program, *limits, search.until)
        search.spent["build"] += time.perf_counter() - clock
        return solver

    def _compared(self, known: Motion | None, soft: Sequence[float] = SOFT) -> Motion:
        """The best of all starts, on the task's mesh; where there is none, what a start there finds.

        soft : how much |power| is rounded off there, see `Search.moved`
        """
        attempts = self._attempts(self._most)
        last = attempts[-1].solution
        if last.outcome.stopped:
            return self._unfinished(attempts)
        fine = self._problem.mesh()
        found: list[Motion] = []
        for attempt in self._promising(attempts):
            self._search.begin_log()
            stage(f"solving on {fine.actuated.segments} segments")
            mesh, points = self._placed(attempt, fine)
            coarse = attempt.program, attempt.solution
            found.append(self._search.moved(mesh, points, attempt.duration, soft=soft, coarse=coarse))
            if found[-1] is min(found, key=_rank):
                self._last = self._search.last
            if found[-1].outcome.stopped:
                break
        best = min(found, key=_rank, default=None)
        if best is None or not (best.ok or best.outcome.stopped):
            best, self._last = self._directly(known), None
        if found and found[-1].interrupted:
            best = stopped_by_user(best)
        return reported(best, starts=self._rows(attempts))

    def _promising(self, attempts: list[Attempt]) -> list[Attempt]:
        """Return attempts of different cost, the best first; with obstacles also the one from the straight line."""
        several = _distinct(attempts)
        if not several:
            return []
        least = several[0].cost
        chosen = [a for a in several if a.cost <= least + (NEAR - 1) * abs(least)][:PROMOTED]
        first = attempts[0]
        if self._problem.spec.clearance is not None and first.solution.solved and first not in chosen:
            chosen.append(first)
        return chosen

    def _placed(self, attempt: Attempt, fine: Mesh) -> tuple[Mesh, list[Array]]:
        """The mesh of the task, and control points there of a solution on the coarse one."""
        points = attempt.program.curves.control_points(attempt.solution.x)
        return (fine, points) if fine.actuated.segments == self._mesh.actuated.segments else self._mesh.refined(points)

    def _directly(self, known: Motion | None) -> Motion:
        """Solve from starts on the task's mesh; if the first one fails, from some more."""
        search = self._search

        def run(k: int) -> Motion:
            return known if k == 0 and known is not None else search.start(k)

        return best_of(run, 1, None, 1, search.progress, rescue=search.rescue)[0]

    def _unfinished(self, attempts: list[Attempt]) -> Motion:
        """Return the best motion so far, on the coarse mesh, after time ran out or the user stopped the search."""
        last = attempts[-1]
        best = min((a for a in attempts if a.solution.solved), key=lambda a: a.cost, default=last)
        stopped = best.solution._replace(outcome=last.solution.outcome, status=last.solution.status)
        motion = self._search.motion(self._mesh, best.program, stopped)
        return reported(motion, starts=self._rows(attempts))

    def _rows(self, attempts: list[Attempt]) -> tuple[dict[str, Any], ...]:
        """The table of what each start found."""
        least = min((a.cost for a in attempts if a.solution.solved), default=np.inf)
        return tuple(
            {
                "start": a.k, "outcome": a.solution.outcome, "status": a.solution.status,
                "cost": a.cost, "duration": a.duration,
                "iterations": len(a.solution.iterations) - 1, "segments": self._mesh.actuated.segments,
                "same": a.solution.solved and _near(a.cost, least),
            }
            for a in attempts
        )  # fmt: skip

    # ---- on finer meshes ------------------------------------------------------------------------------

    def _converged(self, motion: Motion) -> Motion:
        """Refine the mesh while that lowers the cost; if the task gives its segments, the status names the gain."""
        given = self._problem.task.segments is not None
        rows, history = motion.report.starts, [(motion.basis.segments, motion.cost)]
        gain, note, reason = np.inf, None, ""
        while gain > CONVERGED and (given or motion.basis.segments + changing(motion).sum() <= MOST_SEGMENTS):
            stage("solving on a finer mesh")
            finer = self._search.refined_once(motion, SOFT[1:-1], self._last)
            history.append((finer.basis.segments, finer.cost))
            gain = (motion.cost - finer.cost) / max(abs(motion.cost), TINY)
            if finer.interrupted:
                return reported(stopped_by_user(motion), starts=rows, refinements=tuple(history[:-1]))
            if not finer.ok or gain < FINER:
                reason = _why_kept(motion, finer)
                gain = 0.0
            elif given:
                if gain > MUCH:
                    note = f"{motion.status}; on {finer.basis.segments} segments the cost is {100 * gain:.2g} % lower"
                reason = f"this motion has the {motion.basis.segments} segments of the task"
                break
            else:
                motion, self._last = finer, self._search.last
        if not given and MUCH < gain < np.inf:
            meshes = f"from {history[-2][0]} to {motion.basis.segments} segments"
            note = f"{motion.status}; the cost fell by {100 * gain:.2g} % {meshes}: increase segments"
        if self._energy and self._last is not None:
            motion = self._search.sharpened(motion, self._last)
            history = [(count, motion.cost if count == motion.basis.segments else cost) for count, cost in history]
        changes = {"starts": rows, "refinements": tuple(history), "mesh_reason": reason}
        return reported(motion, note if motion.ok else None, **changes)


def _why_kept(motion: Motion, finer: Motion) -> str:
    """Why a motion is returned, and not that on the finer mesh."""
    because = f"the finer mesh gains less than {100 * FINER:g} %" if finer.ok else f"the finer one: {finer.status}"
    return f"this motion is that with {motion.basis.segments} segments, because {because}"


def coarse_segments(problem: Problem) -> int:
    """Half of the task's, where these are enough for it."""
    half, odd = divmod(problem.segments, 2)
    return problem.segments if odd or half < FEWEST + PER_VIA * len(problem.task.via) else half


def _near(cost: float, least: float) -> bool:
    return abs(cost - least) <= SAME * max(abs(least), TINY)


def _distinct(attempts: list[Attempt]) -> list[Attempt]:
    """Solutions of different costs, the least first."""
    out: list[Attempt] = []
    for attempt in sorted((a for a in attempts if a.solution.solved), key=lambda a: (a.cost, a.k)):
        if not out or not _near(attempt.cost, out[-1].cost):
            out.append(attempt)
    return out


def _rank(motion: Motion) -> tuple[bool, float]:
    """The least is the best."""
    return not motion.ok, motion.cost if motion.ok else 0.0


def _times_best(attempts: list[Attempt]) -> int:
    """How many starts found the best optimum."""
    solved = [a.cost for a in attempts if a.solution.solved]
    return sum(_near(cost, min(solved)) for cost in solved)
