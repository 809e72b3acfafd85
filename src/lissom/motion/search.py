"""The search for a motion: solve, look between the samples, exchange, refine, settle."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import fields as fields_of, replace
from typing import Any

import numpy as np

from lissom.errors import MotionError
from lissom.model.arm import Arm
from lissom.model.units import unit_of
from lissom.motion import checks, start, starts
from lissom.motion.build import SHORTEST, Problem, fastest_period
from lissom.motion.closing import SINGULAR_WAY, open_between
from lissom.motion.crossing import crossed
from lissom.motion.curves import Curves
from lissom.motion.mesh import Mesh
from lissom.motion.peaks import EXCESS, look
from lissom.motion.program import Program
from lissom.motion.record import Motion
from lissom.motion.report import DISTANCE, INTERRUPTED, RAN_OUT, Iteration, Loose, MotionReport, Peak, Settled
from lissom.motion.settle import FIRST_FINER, MOST_FINER, PER_PERIOD, not_settled, settled
from lissom.motion.solver import INFEASIBLE, Solution, Solver, carried, numbered_on
from lissom.motion.task import Task
from lissom.motion.walk import STRIDE, Walk
from lissom.spatial.rotations import Array
from lissom.verbs import bending_range

VERB = "predict_motion"
ROUNDS = 12
MOST_SEGMENTS = 1000
MET = 1e-6  # violations of rows that are none
TINY = 1e-300
FINER_SINGULAR = 4  # times the segments of the task, on which loops that pass a singular configuration are closed


class Search:
    """Solutions of one problem."""

    def __init__(
        self,
        arm: Arm,
        task: Task,
        limits: tuple[float, int, float | None],
        seed: int,
        regularise: float,
        progress: Callable[[Iteration], object] | None = None,
    ) -> None:
        clock = time.perf_counter()
        self._job: dict[str, Any] = {"arm": arm, "task": task, "limits": limits, "seed": seed, "regularise": regularise}
        self._limits, self._seed, self._progress = limits, seed, progress
        self.problem = Problem(arm, task, regularise)
        checks.refuse_impossible(self.problem)
        self.problem.compile()
        self._spent = {"compile": time.perf_counter() - clock, "build": 0.0, "solve": 0.0, "evaluate": 0.0}
        self._until = np.inf if limits[2] is None else time.perf_counter() + limits[2]
        self._log: tuple[Iteration, ...] = ()

    def other(self, **fields: Any) -> Search:
        """Of the same arm and a task with some fields replaced."""
        task = self._job["task"].replace(**fields)
        return Search(self._job["arm"], task, self._limits, self._seed, self._job["regularise"], self._progress)

    def of(self, arm: Arm, task: Task) -> Motion:
        """The best motion of another arm and task, or an error."""
        motion = Search(arm, task, self._limits, self._seed, self._job["regularise"], self._progress).best(1, 1)
        if not motion.ok:
            raise MotionError(f"{VERB}: {motion.status}", motion)
        return motion

    def best(self, count: int, workers: int | None, scheduler: str | None = None) -> Motion:
        """From one or several starts."""
        motion, rows = starts.best_of(self.start, int(count), self._left, workers, self._progress, scheduler)
        return reported(motion, starts=rows) if len(rows) > 1 else motion

    def _left(self) -> dict[str, Any]:
        """What another process is told, with the time that is left."""
        *limits, seconds = self._limits
        seconds = None if seconds is None else max(self._until - time.perf_counter(), 0.0)
        return self._job | {"limits": (*limits, seconds)}

    def start(self, k: int) -> Motion:
        """From start k."""
        rng = starts.random_numbers(self._seed, k)
        self._spent |= {"build": 0.0, "solve": 0.0, "evaluate": 0.0}
        self._log = ()
        mesh = self.problem.mesh(self._finer)
        motion = self._found(mesh, lambda curves: start.start(self.problem, curves, rng), self.problem.line_duration)
        while open_between(motion) and motion.basis.segments < self._most_segments(motion):
            finer = self._moved(*mesh_of(motion).refined(points_of(motion)), motion.duration)
            if motion.ok and not finer.ok:
                return motion
            motion = finer
        return motion

    def _most_segments(self, motion: Motion) -> int:
        """On which loops are to close; a way that is singular on some finer meshes too is so on all."""
        singular = motion.status.startswith(SINGULAR_WAY)
        return FINER_SINGULAR * self.problem.task.segments if singular else MOST_SEGMENTS

    def _found(self, mesh: Mesh, begin: Callable[..., Array], T: float) -> Motion:
        """On a mesh, from a start; where a free duration makes that difficult, by walking."""
        task = self.problem.task
        walks = mesh.loose is not None and task.fixed_duration is None and not task.periodic
        if walks and set(task.minimise) == {"time"} and not self.problem.resolved(mesh.led.segments):
            return self._walked(mesh, begin, T)
        motion = self._solved(mesh, begin)
        if walks and not motion.ok and not motion.interrupted and "time" in task.minimise:
            return self._walked(mesh, begin, T)
        return motion

    def _walked(self, mesh: Mesh, begin: Callable[..., Array], T: float, stride: float = STRIDE) -> Motion:
        """With the duration walked to its best."""
        task, problem = self.problem.task, self.problem
        effort = {word: weight for word, weight in task.minimise.items() if word != "time"} or {"torque_squared": 1.0}
        low, high = task.duration or (T / 100, 100 * T)
        other = Problem(problem.arm, task.replace(minimise=effort, duration=(low, high)))
        limits = (*self._limits[:2], self._until)
        walk = Walk(other, mesh, limits, lambda at, x: problem.cost(at.curves, x), self._progress)
        clock = time.perf_counter()
        found, more, rounds = walk(begin, float(np.clip(T, low, high)), stride), np.zeros(0), 1
        while True:
            peaks, peak_times = look(problem, mesh, found.program, found.solution.x)
            if not found.solution.solved or not len(peak_times) or rounds == ROUNDS or walk.stopped:
                break
            more, rounds = np.append(more, peak_times), rounds + 1
            found = walk.again(found, more)
        self._spent["solve"] += walk.seconds
        self._spent["evaluate"] += walk.evaluation_seconds
        self._spent["build"] += max(time.perf_counter() - clock - walk.seconds, 0.0)
        solution = found.solution._replace(
            cost=problem.cost(found.program.curves, found.solution.x), iterations=found.iterations
        )
        self._log = numbered_on(self._log, found.iterations)
        motion = self._motion(mesh, found.program, solution, peaks, rounds)
        if solution.solved or walk.stopped or task.duration is None:
            return motion
        where = self._violated(found.program, solution)
        return reported(motion, f"no motion of at most {high:.6g} s was found{where and f'; where it ended, {where}'}")

    @property
    def _finer(self) -> int:
        """Segments of loose coordinates to begin with: enough for the fastest mode, as the first guess goes."""
        problem = self.problem
        if not len(problem.loose):
            return 1
        periods = problem.line_duration / fastest_period(problem.arm)
        needed = PER_PERIOD * periods / problem.task.segments
        return int(2 ** np.clip(np.ceil(np.log2(max(needed, 1.0))), 0, np.log2(FIRST_FINER)))

    def refined(self, motion: Motion, gap: float) -> Motion:
        """On finer and finer meshes, until the cost hardly changes; its status says where that is not reached."""
        starts, history = motion.report.starts, [(motion.basis.segments, motion.cost)]
        mesh, change, status = mesh_of(motion), np.inf, None
        self._log = motion.report.iterations
        while change > gap:
            now = f"{motion.status} on {mesh.led.segments} segments"
            if mesh.led.segments >= MOST_SEGMENTS:
                left = f"where its cost still changes by {change:.2g}" if np.isfinite(change) else "and not refined"
                status = f"{now}, {left}"
                break
            mesh, points = mesh.refined(points_of(motion))
            better = self._moved(mesh, points, motion.duration)
            if not better.ok:
                finer = mesh.led.segments
                stopped = f"{INTERRUPTED} on {finer} segments; {now}"
                status = stopped if better.interrupted else f"{now}; on {finer}: {better.status}"
                break
            change = abs(better.cost - motion.cost) / max(abs(better.cost), TINY)
            history.append((mesh.led.segments, better.cost))
            motion = better
        return reported(motion, status, starts=starts, refinements=tuple(history))

    def _moved(self, mesh: Mesh, points: list[Array], T: float) -> Motion:
        """On another mesh, from control points there."""
        return self._solved(mesh, lambda curves: curves.fitted(points, T))

    def settled(self, motion: Motion, residual: float) -> Motion:
        """On finer and finer meshes of loose coordinates, until the arm under its torques hardly rings any more."""
        history: list[Settled] = []
        before = motion.report
        while True:
            history.append(settled(motion))
            told: dict[str, Any] = {"starts": before.starts, "refinements": before.refinements}
            motion = reported(motion, **told, settled=tuple(history))
            if not motion.ok or max(history[-1].residual, history[-1].passive_error) <= residual:
                return motion
            if history[-1].finer >= MOST_FINER:
                return with_changes(motion, ok=False, status=f"solved, but {not_settled(history[-1], residual)}")
            mesh, points = mesh_of(motion).loosened(points_of(motion))
            T = motion.duration
            motion = self._found(mesh, lambda curves, P=points, T=T: curves.fitted(P, T), T)

    def _solved(self, mesh: Mesh, begin: Callable[..., Array]) -> Motion:
        """Solve; where a limit is exceeded between samples, sample there too and solve again."""
        more, rounds = np.zeros(0), 0
        before: tuple[Program, Solution] | None = None
        while True:
            rounds += 1
            clock = time.perf_counter()
            program = self.problem.program(mesh, more)
            solver = Solver(program, *self._limits[:2], self._until)
            self._spent["build"] += time.perf_counter() - clock
            solution = self._continued(solver, before, begin)
            before = (program, solution)
            peaks, peak_times = look(self.problem, mesh, program, solution.x)
            watched = self.problem.watch(program.curves, solution.x, mesh.looks())
            done = not solution.solved or not (len(peak_times) or watched) or rounds == ROUNDS
            if done or self._crossed(mesh, program, solution):
                return self._motion(mesh, program, solution, peaks, rounds)
            more = np.append(more, peak_times)

    def _continued(
        self, solver: Solver, before: tuple[Program, Solution] | None, begin: Callable[..., Array]
    ) -> Solution:
        """From a start, or from the solution of the round before with its multipliers; where that fails, without."""
        ways: list[Solution | None] = [None] if before is None else [carried(*before, solver.program), None]
        for warm in ways:
            x = self._begun(solver.program.curves, before, begin)
            solution = solver(x, self._progress, warm)
            pure = [step._replace(cost=self._pure(step.cost, step.duration)) for step in solution.iterations]
            self._log = numbered_on(self._log, pure)
            self._spent["solve"] += solution.seconds
            self._spent["evaluate"] += solution.evaluation_seconds
            if solution.solved or solution.status.startswith(INTERRUPTED) or time.perf_counter() > self._until:
                break
        return solution

    def _begun(
        self, curves: Curves, before: tuple[Program, Solution] | None, begin: Callable[[Curves], Array]
    ) -> Array:
        if before is None:
            return self.problem.begun(curves, begin(curves))
        return self.problem.begun(curves, before[1].x, (before[0].curves, before[1].x))

    def _motion(self, mesh: Mesh, program: Program, solution: Solution, peaks: tuple[Peak, ...], rounds: int) -> Motion:
        over = np.maximum(program.lower - solution.rows, solution.rows - program.upper).max(initial=0.0)
        samples = len(program.blocks[0].block.s)
        report = MotionReport(self._log, float(max(over, 0.0)), peaks, samples, rounds, dict(self._spent))
        status, ok = solution.status, solution.solved
        beyond = [peak.beyond() for peak in peaks if peak.use > 1 + EXCESS]
        if ok and beyond:
            ok, status = False, f"solved at its samples, but between them {', and '.join(beyond)}"
        if ok and self.problem.task.duration is None and program.curves.T(solution.x) < 1.01 * SHORTEST:
            ok, status = False, "nothing in this task takes time, so its duration falls to zero; give one"
        missed = self.problem.missed(program.curves, solution.x) if ok else ""
        if missed:
            ok, status = False, f"solved, but {missed}"
        bent, small = self._bent(mesh, program, solution) if ok else ("", True)
        if bent:
            ok, status = small, f"{status}, but {bent}"
        singular = self._crossed(mesh, program, solution)
        if singular and solution.solved:
            ok, status = False, singular
        if not solution.solved and status != INTERRUPTED:
            if status == INFEASIBLE and report.violation < MET:
                status = "stalled"  # it gave up elsewhere, and was put back to where it had been
            status = f"{status}; {self._why(program, solution, status)}{singular and f'; {singular}'}"
        T = program.curves.T(solution.x)
        cost = self._pure(solution.cost, T)
        if self.problem.rounded:
            cost = self.problem.cost(program.curves, solution.x)
        P, *others = program.curves.control_points(solution.x)
        basis, loose = mesh.led, None
        if mesh.loose is not None:
            loose = Loose(mesh.loose.breaks, mesh.loose.degree, mesh.loose.continuity, others[0])
        return Motion(
            self.problem.arm, self.problem.task, T, cost, status, ok, basis.breaks, basis.degree, P, report,
            basis.continuity, loose, self.problem.closures(program.curves, solution.x),
        )  # fmt: skip

    def _bent(self, mesh: Mesh, program: Program, solution: Solution) -> tuple[str, bool]:
        """Links that bend further than modes of small deflections allow, in words; and whether they still mean much."""
        curves, x, s = program.curves, solution.x, mesh.looks()
        return bending_range.told(self.problem.arm, s * curves.T(x), curves.at(x, s, 1)[0])

    def _crossed(self, mesh: Mesh, program: Program, solution: Solution) -> str:
        """A singular configuration that closed loops pass, in words."""
        closing, curves, x = self.problem.closing, program.curves, solution.x
        return "" if closing is None else crossed(closing, lambda s: curves.at(x, s, 1)[0], mesh.looks(), curves.T(x))

    def _pure(self, cost: float, T: float) -> float:
        """The cost without what makes it well determined."""
        return self.problem.task.minimise["time"] * T if self.problem.small.any() else cost

    def _why(self, program: Program, solution: Solution, status: str) -> str:
        """The rows that are violated most, and what else is known."""
        found = self._violated(program, solution)
        if RAN_OUT in status:
            return f"{f'where it ended, {found}' if found else 'every limit is met where it ended'}; allow it more"
        if not found:
            return "every limit is met where it ended; there may be a motion that more starts find"
        weak = checks.weak_for_holding(self.problem) if status == INFEASIBLE else ""
        return f"not all can be met together: {found}{weak and f'; {weak}'}"

    def _violated(self, program: Program, solution: Solution) -> str:
        """The rows that are violated most, in words."""
        over = np.maximum(program.lower - solution.rows, solution.rows - program.upper)
        worst: dict[str, str] = {}
        for k in np.argsort(-over, kind="stable"):
            if over[k] > MET * program.sizes[k] and len(worst) < 3:
                what, who, _ = program.names[k]
                unit = "m" if what.startswith(DISTANCE) else unit_of(self.problem.arm, what, who)
                worst.setdefault(f"{what} of {who!r}", f"{over[k]:.3g} {unit}".rstrip())
        return ", ".join(f"{word} is off by {x}" for word, x in worst.items())


def mesh_of(motion: Motion) -> Mesh:
    """Where its splines are joined."""
    return Mesh(*(basis for basis, _, _ in motion.splines))


def points_of(motion: Motion) -> list[Array]:
    """Control points of all its splines."""
    return [P for _, _, P in motion.splines]


def with_changes(motion: Motion, **changes: Any) -> Motion:
    given = {f.name: getattr(motion, f.name) for f in fields_of(motion) if f.init}
    return Motion(**(given | changes))


def reported(motion: Motion, status: str | None = None, **changes: Any) -> Motion:
    """With another status, and other parts of its report."""
    report = replace(motion.report, **changes)
    return with_changes(motion, status=motion.status if status is None else status, report=report)
