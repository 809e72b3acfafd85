"""The search for a motion: solve, look between the samples, exchange, refine, check the residual."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from lissom.errors import OutOfTimeError
from lissom.model.arm import Arm
from lissom.motion.checks.impossible import refuse_impossible
from lissom.motion.result.motion import Motion
from lissom.motion.result.outcome import MotionOutcome
from lissom.motion.result.report import DEVIATION, Iteration, ResidualCheck
from lissom.motion.result.verification.residual_check import (
    FIRST_FINER,
    MOST_FINER,
    PER_PERIOD,
    UNRESOLVED_FINER,
    not_settled,
    settled,
)
from lissom.motion.solve.assessment import (
    Assessment,
    changing,
    exceeded,
    mesh_of,
    points_of,
    reported,
    stopped_by_user,
)
from lissom.motion.solve.banded import Banded
from lissom.motion.solve.carried.exchange import AddedSamples
from lissom.motion.solve.carried.nested import prolonged
from lissom.motion.solve.closed_loops import closed_excess, closed_excess_message, open_between
from lissom.motion.solve.continuation import Walk
from lissom.motion.solve.guess import Guess
from lissom.motion.solve.solver import AbstractSolver, Solution, SolverLimits, carried, numbered_on
from lissom.motion.splines.curves import Curves
from lissom.motion.splines.mesh import Mesh
from lissom.motion.task.periods import fastest_period
from lissom.motion.task.task import Task
from lissom.motion.transcription.kernels.smoothing import SOFT
from lissom.motion.transcription.peak import Peak
from lissom.motion.transcription.peaks import AGAIN
from lissom.motion.transcription.problem import Problem
from lissom.motion.transcription.program import Program
from lissom.progress import stage
from lissom.spatial.rotations import Array

VERB = "predict_motion"
ROUNDS = 24
MARGINS = 4  # times that limits are tightened for the sake of closed loops
MOST_SEGMENTS = 1000
SHARPER = 100  # iterations with |power| rounded off less, where a motion with more of it is known
TINY = 1e-300
FAR = 100.0  # times the allowed deviation, from which the mesh of unactuated coordinates is refined twice at once
FINER_SINGULAR = 4  # times the segments of the task, on which loops that pass a singular configuration are closed


# The barrier of a round of the exchange, per part by which limits were exceeded: the solution of the round before is
# left no farther than it has to be. With 1e-5 in all rounds, trees of 20 to 44 joints take up to seven times the
# iterations in the last ones.
BARRIER = 1e-6
FINER_BARRIER = 1e-6  # to begin with from a solution on a coarser mesh

Solved = tuple[Program, Solution]


class Search:
    """Solutions of one problem."""

    def __init__(
        self,
        arm: Arm,
        task: Task,
        limits: SolverLimits,
        seed: int,
        regularise: float,
        progress: Callable[[Iteration], object] | None = None,
        guess: Guess | None = None,
        solver: type[AbstractSolver] = Banded,
        began: float | None = None,
    ) -> None:
        clock = time.perf_counter()
        self.until = np.inf if limits.seconds is None else (clock if began is None else began) + limits.seconds
        self._job: dict[str, Any] = {"arm": arm, "task": task, "limits": limits, "seed": seed,
                                     "regularise": regularise, "guess": guess, "solver": solver}  # fmt: skip
        self.limits, self.seed, self.progress, self.guess, self.solver = limits, seed, progress, guess, solver
        self.problem = Problem(arm, task, regularise)
        self.assessment = Assessment(self.problem, limits)
        refuse_impossible(self.problem)
        self.compiled = self._compile(self.problem)
        self.spent = {"compile": time.perf_counter() - clock, "build": 0.0, "solve": 0.0, "evaluate": 0.0}
        self._log: tuple[Iteration, ...] = ()
        self.last: Solved | None = None  # of the motion that was solved for last

    def _compile(self, problem: Problem) -> bool:
        """Have a problem ready; whether there was time for it."""
        try:
            problem.compile(self.until)
        except OutOfTimeError:
            return False
        return True

    @property
    def late(self) -> bool:
        """The time of the search is over."""
        return time.perf_counter() > self.until

    def other(self, arm: Arm, task: Task) -> Search:
        """Return a search for another arm and task, in the time that is left."""
        return Search(arm, task, self.job()["limits"], self.seed, self._job["regularise"], self.progress,
                      solver=self.solver)  # fmt: skip

    def job(self) -> dict[str, Any]:
        """Arguments for another process, with the remaining time."""
        seconds = self.limits.seconds
        seconds = None if seconds is None else max(self.until - time.perf_counter(), 0.0)
        return self._job | {"limits": self.limits._replace(seconds=seconds)}

    def uncompiled(self) -> Motion:
        """Return the straight line as a motion, for a search whose time ran out during compilation."""
        mesh = self.problem.mesh()
        curves = self.problem.curves(mesh, mesh.samples(self.problem.expressions.orders)[0])
        return self.assessment.unsolved(
            mesh, curves, self.problem.with_forces(curves, self._start(curves, 0)), self.spent
        )

    def rescue(self, k: int) -> Motion:
        """Solve from a random start near the straight line, as far ones may fail too."""
        return self.start(k, near=True)

    def start(self, k: int, near: bool = False) -> Motion:
        """Solve from start k, far off the straight line or near it."""
        if not self.compiled:
            return self.uncompiled()
        stage(f"start {k + 1}" if k else "solving")
        self.spent |= {"build": 0.0, "solve": 0.0, "evaluate": 0.0}
        self._log = ()
        self.problem.samples.margins = {}
        mesh = self.problem.mesh(self._finer)
        motion = self._found(mesh, lambda curves: self._start(curves, k, near), self.problem.guess.duration)
        while open_between(motion) and motion.basis.segments < self._most_segments(motion):
            finer = self.moved(*mesh_of(motion).refined(points_of(motion)), motion.duration)
            if finer.interrupted:
                return stopped_by_user(motion) if motion.ok else finer
            if motion.ok and not finer.ok:
                break
            motion = finer
        return self._kept_when_closed(motion)

    def _kept_when_closed(self, motion: Motion) -> Motion:
        """Limits that splines keep and the motion with its loops closed does not are tightened by what it exceeds."""
        for _ in range(MARGINS):
            excess = closed_excess(motion)
            if not excess:
                return motion
            margins = self.problem.samples.margins
            self.problem.samples.margins = {key: margins.get(key, 0.0) + part for key, part in excess.items()}
            self._log = motion.report.iterations
            found = self.moved(mesh_of(motion), points_of(motion), motion.duration, near=True)
            if found.interrupted:
                return stopped_by_user(motion)
            if not found.ok:
                break
            motion = found
        beyond = closed_excess_message(motion)
        if not beyond:
            return motion
        return motion.with_verdict(ok=False, **exceeded(beyond)._asdict())

    def _start(self, curves: Curves, k: int, near: bool = False) -> Array:
        """Variables of a random start, or of the first one: the user's guess, or a straight line."""
        if k == 0 and self.guess is not None:
            return self.guess.variables(self.problem, curves)
        return self.problem.guess.variables(curves, self.seed, k, near)

    def _most_segments(self, motion: Motion) -> int:
        """Largest number of segments on which loops may close; paths singular on several meshes are so on all."""
        singular = motion.outcome is MotionOutcome.SINGULAR
        return FINER_SINGULAR * self.problem.segments if singular else MOST_SEGMENTS

    def _found(self, mesh: Mesh, begin: Callable[..., Array], T: float, near: bool = False) -> Motion:
        """Solve on a mesh, from a start; if a free duration makes that difficult, by continuation in the duration.

        near : the start is a solution on a coarser mesh
        """
        task = self.problem.task
        walks = mesh.unactuated is not None and task.fixed_duration is None and not task.periodic
        if walks and set(task.minimise) == {"time"} and not self.problem.resolved(mesh.actuated.segments):
            return self._walked(mesh, begin, T, near)
        motion = self._solved(mesh, begin)
        if walks and not motion.ok and not motion.interrupted and "time" in task.minimise:
            return self._walked(mesh, begin, T, near)
        return motion

    def _walked(self, mesh: Mesh, begin: Callable[..., Array], T: float, near: bool) -> Motion:
        """Solve for shorter and shorter durations; from a start `near` the shortest, only for longer ones."""
        task, problem = self.problem.task, self.problem
        effort = {word: weight for word, weight in task.minimise.items() if word != "time"} or {"torque_squared": 1.0}
        low, high = task.duration or (T / 100, 100 * T)
        stage("shortening the duration step by step")
        other = Problem(problem.arm, task.replace(minimise=effort, duration=(low, high)))
        if not self._compile(other):
            return self.uncompiled()
        walk = Walk(
            other, mesh, self.solver, self.limits, self.until, lambda at, x: problem.cost(at.curves, x), self.progress
        )
        clock = time.perf_counter()
        found, more, rounds = walk(begin, float(np.clip(T, low, high)), near), np.zeros(0), 1
        while True:
            peaks, over = problem.look(mesh, found.program.curves, found.solution.x)
            closer = other.watch(found.program.curves, found.solution.x, mesh.looks(), AGAIN)
            if not found.solution.solved or not (over or closer) or rounds == ROUNDS or walk.stopped:
                break
            more, rounds = np.append(more, np.unique([excess.s for excess in over])), rounds + 1
            found = walk.again(found, more)
        self.spent["solve"] += walk.seconds
        self.spent["evaluate"] += walk.evaluation_seconds
        self.spent["build"] += max(time.perf_counter() - clock - walk.seconds, 0.0)
        solution = found.solution._replace(
            cost=problem.cost(found.program.curves, found.solution.x), iterations=found.iterations
        )
        self._log = numbered_on(self._log, found.iterations)
        motion = self._motion(mesh, found.program, solution, peaks, rounds)
        if solution.solved or walk.stopped or task.duration is None:
            return motion
        where = self.assessment.violated(found.program, solution)
        return reported(
            motion, f"no motion of at most {high:.6g} s was found{where and f'; in the last iterate, {where}'}"
        )

    @property
    def _finer(self) -> int:
        """Segments of unactuated coordinates to begin with: enough for the fastest mode, as the first guess goes."""
        problem = self.problem
        if not len(problem.spec.unactuated):
            return 1
        periods = problem.guess.duration / fastest_period(problem.arm)
        needed = PER_PERIOD * periods / problem.segments
        if needed > FIRST_FINER:  # modes that fast only follow; how fine is fine enough, the residual check finds out
            return UNRESOLVED_FINER
        return int(2 ** np.clip(np.ceil(np.log2(max(needed, 1.0))), 0, np.log2(FIRST_FINER)))

    def refined(self, motion: Motion, gap: float) -> Motion:
        """Refine the mesh until the cost hardly changes; the status of the motion says if that is not reached."""
        starts, history = motion.report.starts, [(motion.basis.segments, motion.cost)]
        mesh, change, status = mesh_of(motion), np.inf, None
        self._log = motion.report.iterations
        while change > gap:
            now = f"{motion.status} on {mesh.actuated.segments} segments"
            if mesh.actuated.segments >= MOST_SEGMENTS:
                left = f"where its cost still changes by {change:.2g}" if np.isfinite(change) else "and not refined"
                status = f"{now}, {left}"
                break
            known = self._known(motion, self.last)
            mesh, points = mesh.refined(points_of(motion))
            better = self.moved(mesh, points, motion.duration, coarse=known)
            if not better.ok:
                finer = mesh.actuated.segments
                status = f"{now}; on {finer}: {better.status}"
                if better.interrupted:
                    status = f"{better.status} on {finer} segments; {now}"
                    motion = motion.with_verdict(outcome=better.outcome)
                break
            change = abs(better.cost - motion.cost) / max(abs(better.cost), TINY)
            history.append((mesh.actuated.segments, better.cost))
            motion = better
        return reported(motion, status, starts=starts, refinements=tuple(history))

    def moved(
        self, mesh: Mesh, points: list[Array], T: float, near: bool = False, soft: Sequence[float] | None = None,
        coarse: Solved | None = None,
    ) -> Motion:  # fmt: skip
        """Solve on another mesh, from control points there; `near` a solution; soft, coarse: see `_solved`."""
        return self._solved(mesh, lambda curves: curves.fitted(points, T), near, soft, coarse)

    def refined_once(self, motion: Motion, soft: Sequence[float] | None = None, solved: Solved | None = None) -> Motion:
        """Solve with those segments halved in which the torques change most; all where few are left out.

        solved : program and solution of the motion, or of another one
        """
        self._log = motion.report.iterations
        mesh, points = mesh_of(motion).refined_where(changing(motion), points_of(motion))
        known = self._known(motion, solved)
        return self.moved(mesh, points, motion.duration, near=True, soft=soft, coarse=known)

    @staticmethod
    def _known(motion: Motion, solved: Solved | None) -> Solved | None:
        """Program and solution of a motion, if these are they: the best of several starts is seldom the last."""
        if solved is None:
            return None
        found = solved[0].curves.control_points(solved[1].x)[0]
        return solved if np.array_equal(found, motion.control_points) else None

    def sharpened(self, motion: Motion, solved: Solved) -> Motion:
        """Solve again with |power| rounded off least; return the motion itself if that is no better.

        solved : program and solution of the motion
        """
        self._log = motion.report.iterations
        found, _ = self._exchanged(mesh_of(motion), lambda curves: solved[1].x, SOFT[-1], solved)
        if found.interrupted:
            return stopped_by_user(motion)
        return found if found.ok and found.cost < motion.cost else motion

    def singular(self, motion: Motion) -> str:
        """A singular configuration that the splines of a motion of closed loops pass, as a sentence; else empty."""
        basis, _, P = motion.splines[0]
        return self.assessment.singular(mesh_of(motion), lambda s: basis.rows(s) @ P, motion.duration)

    def begin_log(self) -> None:
        """Forget the iterations so far."""
        self._log = ()

    def motion(self, mesh: Mesh, program: Program, solution: Solution) -> Motion:
        """Return the motion of a solution that is not looked at again."""
        self._log = solution.iterations
        return self._motion(mesh, program, solution, self.problem.look(mesh, program.curves, solution.x)[0], 1)

    def settled(self, motion: Motion, residual: float) -> Motion:
        """Refine the mesh of unactuated coordinates until the residual vibration in simulation is small enough."""
        history: list[ResidualCheck] = []
        before = motion.report
        while True:
            if self.late:
                return self.assessment.unchecked(motion)
            stage("simulating the motion to check its residual vibration")
            history.append(settled(motion, residual))
            motion = reported(motion, starts=before.starts, refinements=before.refinements,
                              mesh_reason=before.mesh_reason, residual_checks=tuple(history))  # fmt: skip
            if not motion.ok or history[-1].passes(residual):
                return motion
            if history[-1].finer >= MOST_FINER:
                left = not_settled(history[-1], residual)
                return motion.with_verdict(outcome=MotionOutcome.VIBRATING, ok=False, status=left)
            mesh, points = mesh_of(motion).with_finer_unactuated(points_of(motion))
            if history[-1].deviation > FAR * DEVIATION and 4 * history[-1].finer <= MOST_FINER:
                mesh, points = mesh.with_finer_unactuated(points)
            T = motion.duration
            stage(f"solving again, unactuated coordinates on a mesh {mesh.finer} times finer")
            motion = self._found(mesh, lambda curves, P=points, T=T: curves.fitted(P, T), T, near=True)

    def _solved(
        self, mesh: Mesh, begin: Callable[..., Array], near: bool = False, soft: Sequence[float] | None = None,
        coarse: Solved | None = None,
    ) -> Motion:  # fmt: skip
        """Solve on a mesh, from a start; if |power| is minimised, with its kink rounded off less and less.

        soft : how many times wider than in the end, one after the other; default: all of `SOFT`, but for a `near` start
               without the first
        coarse : the solution on a coarser mesh that the start is, whose multipliers are carried over
        """
        softer, *sharper = (soft or (SOFT[1:] if near else SOFT)) if self.problem.graduated else (1.0,)
        best, self.last = self._exchanged(mesh, begin, softer, near=near, coarse=coarse)
        before = self.last
        for width in sharper if best.ok else ():
            found, before = self._exchanged(mesh, begin, width, before)
            if found.interrupted:
                return stopped_by_user(best)
            if not found.ok:
                break
            if found.cost < best.cost:
                best, self.last = found, before
        return best

    def _exchanged(
        self, mesh: Mesh, begin: Callable[..., Array], soft: float = 1.0, before: Solved | None = None,
        near: bool = False, coarse: Solved | None = None,
    ) -> tuple[Motion, Solved]:  # fmt: skip
        """Solve; where a limit is exceeded between samples, sample there too and solve again.

        soft : how many times wider than in the end |power| is rounded off
        before : the solution with |power| rounded off more
        near : the start is a solution on another mesh; with that known, few iterations have to do, as after `before`
        coarse : the solution on a coarser mesh that the start is
        """
        samples, rounds = AddedSamples(self.problem.spec.closing is None), 0
        barrier: float | None = None
        known = near or before is not None
        iterations = min(SHARPER, self.limits.iterations) if known else self.limits.iterations
        while True:
            rounds += 1
            clock = time.perf_counter()
            program = self.problem.program(mesh, samples.more, soft, samples.only)
            solver = self.solver(program, self.limits.tolerance, iterations, self.until)
            self.spent["build"] += time.perf_counter() - clock
            solution = self._continued(solver, before, begin, known, barrier, coarse)
            before = (program, solution)
            peaks, over = self.problem.look(mesh, program.curves, solution.x)
            closer = self.problem.watch(program.curves, solution.x, mesh.looks(), AGAIN)
            if solution.solved and self._restored(peaks, rounds):
                continue
            done = not solution.solved or not (over or closer) or rounds >= ROUNDS
            if done or self.assessment.crossed(mesh, program, solution):
                return self._motion(mesh, program, solution, peaks, rounds), before
            samples.add(over)
            barrier = None if closer else BARRIER * max(excess.part for excess in over)

    def _restored(self, peaks: tuple[Peak, ...], rounds: int) -> bool:
        """Have rows for limits that are exceeded, where these were left out; in the last round, for all of them."""
        over = {(peak.quantity, peak.joint) for peak in peaks if peak.utilisation > 1 + AGAIN}
        return bool(over) and self.problem.samples.restore(over if rounds < ROUNDS else None)

    def _motion(self, mesh: Mesh, program: Program, solution: Solution, peaks: tuple[Peak, ...], rounds: int) -> Motion:
        return self.assessment(mesh, program, solution, peaks, rounds, self._log, self.spent)

    def _continued(
        self, solver: AbstractSolver, before: Solved | None, begin: Callable[..., Array], known: bool,
        barrier: float | None = None, coarse: Solved | None = None,
    ) -> Solution:  # fmt: skip
        """Solve from a start, or from the solution of the round before or of a coarser mesh with its multipliers.

        Where that fails, without the multipliers.

        known : a motion that is nearly as good is known, so nothing is tried twice
        barrier : to begin with from the solution of the round before
        """
        x = self._begun(solver.program.curves, before, begin)
        warm = None
        if before is not None:
            warm = carried(*before, solver.program)
        elif coarse is not None:
            warm, barrier = prolonged(*coarse, solver.program, x), FINER_BARRIER
        ways = [warm] if known or warm is None else [warm, None]
        for warm in ways:
            solution = solver(x, self.progress, warm, known, barrier)
            pure = [step._replace(cost=self.assessment.pure(step.cost, step.duration)) for step in solution.iterations]
            self._log = numbered_on(self._log, pure)
            self.spent["solve"] += solution.seconds
            self.spent["evaluate"] += solution.evaluation_seconds
            if solution.solved or solution.outcome is MotionOutcome.INTERRUPTED or time.perf_counter() > self.until:
                break
        return solution

    def _begun(self, curves: Curves, before: Solved | None, begin: Callable[[Curves], Array]) -> Array:
        if before is None:
            return self.problem.with_forces(curves, begin(curves))
        return self.problem.with_forces(curves, before[1].x, (before[0].curves, before[1].x))
