"""The best motion for a task: solve, look between the samples, exchange, refine."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import fields, replace
from typing import Any

import numpy as np

from lissom.errors import InputError, LissomError, MotionError, shown
from lissom.model.arm import Arm
from lissom.motion import checks, start, starts
from lissom.motion.build import Problem, fastest_period
from lissom.motion.compare import comparison, refuse_comparison
from lissom.motion.mesh import Mesh
from lissom.motion.peaks import EXCESS, look
from lissom.motion.program import Program
from lissom.motion.record import INTERRUPTED, Iteration, Loose, Motion, MotionReport, Peak, Settled
from lissom.motion.settle import FIRST_FINER, MOST_FINER, PER_PERIOD, not_settled, settled
from lissom.motion.solver import Solution, Solver, carried
from lissom.motion.task import Task
from lissom.motion.walk import STRIDE, Walk
from lissom.spatial.rotations import Array
from lissom.verbs.states import as_arm

VERB = "predict_motion"
ROUNDS = 12
RESIDUAL = 1e-5  # m, of vibration that may be left where nothing else is asked for


def predict_motion(
    arm: Arm,
    task: Task | None,
    given: dict[str, Any],
    *,
    limits: tuple[float, int, float | None],
    starts: int,
    seed: int,
    workers: int | None,
    refine: float | None,
    residual: float | None,
    compare: bool,
    regularise: float,
    progress: Callable[[Iteration], object] | None,
    on_failure: str,
) -> Motion:
    """See `lissom.predict_motion`; limits of the solver: tolerance, iterations, seconds."""
    checks.refuse_arm(as_arm(arm, VERB))
    task = _task(task, given)
    checks.refuse_lengths(arm, task)
    checks.refuse_for_loose(arm, task)
    if on_failure not in ("raise", "return"):
        raise InputError(f"{VERB}: on_failure is {shown(on_failure)}; expected 'raise' or 'return'.")
    asked = _asked_residual(arm, task, residual, compare)
    search = Search(arm, task, limits, seed, regularise, progress)
    motion = search.best(starts, workers)
    if refine is not None and motion.ok:
        motion = search.refined(motion, refine)
    if asked is not None and motion.ok:
        motion = search.settled(motion, asked)
    if compare and motion.ok:
        motion = _with(motion, compared=comparison(motion, search))
    if not motion.ok and on_failure == "raise" and not motion.interrupted:
        raise MotionError(f"{VERB}: {motion.status}{_too_short(search, motion)}", motion)
    return motion


def _asked_residual(arm: Arm, task: Task, residual: Any, compare: Any) -> float | None:
    """The vibration that may be left, of an arm that has coordinates without a motor."""
    if not isinstance(compare, bool):
        raise InputError(f"{VERB}: compare is {shown(compare)}; expected True or False.")
    if compare:
        refuse_comparison(arm, task)
    if residual is not None and (
        isinstance(residual, bool) or not isinstance(residual, int | float | np.number) or not residual > 0
    ):
        raise InputError(f"{VERB}: residual is {shown(residual)}; expected metres above 0, or None.")
    if arm.actuated.all():
        if residual is not None:
            raise InputError(
                f"{VERB}: residual is given, but every coordinate of arm {arm.name!r} has a motor, so nothing vibrates."
            )
        return None
    return RESIDUAL if residual is None else float(residual)


def _fraction(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float | np.number) or not 0 <= value <= 1e-2:
        raise InputError(f"{VERB}: regularise is {shown(value)}; expected a small fraction, 0 to 0.01.")
    return float(value)


def _too_short(search: Search, motion: Motion) -> str:
    """Where a given duration may be why nothing was found: the shortest that was found without it."""
    given = motion.task.duration
    if given is None or len(search.problem.loose):  # shortest times of arms that vibrate are long to find
        return ""
    try:
        free = search.other(duration=None, minimise="time").best(1, 1)
    except LissomError:
        return ""
    longest = given if isinstance(given, float) else given[1]
    if not free.ok or free.duration <= longest:
        return ""
    return f". The duration is at most {longest:.4g} s, and the shortest motion found takes {free.duration:.4g} s"


def _task(task: Any, given: dict[str, Any]) -> Task:
    if task is None:
        return Task(**given)
    if not isinstance(task, Task):
        raise InputError(f"{VERB}: task is {shown(task)}; expected Task(...), or its fields as keywords.")
    return task.replace(**given) if given else task


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
        self.problem = Problem(arm, task, _fraction(regularise))
        checks.refuse_impossible(self.problem)
        self.problem.compile()
        self._spent = {"compile": time.perf_counter() - clock, "build": 0.0, "solve": 0.0, "evaluate": 0.0}

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

    def best(self, count: int, workers: int | None) -> Motion:
        """From one or several starts."""
        if isinstance(count, bool) or not isinstance(count, int | np.integer) or count < 1:
            raise InputError(f"{VERB}: starts is {shown(count)}; expected a whole number from 1.")
        motion, rows = starts.best_of(self.start, int(count), self._job, workers, self._progress)
        return _with_report(motion, starts=rows) if len(rows) > 1 else motion

    def start(self, k: int) -> Motion:
        """From start k."""
        rng = starts.random_numbers(self._seed, k)
        self._spent |= {"build": 0.0, "solve": 0.0, "evaluate": 0.0}
        mesh = self.problem.mesh(self._finer)
        return self._found(mesh, lambda curves: start.start(self.problem, curves, rng), self.problem.line_duration)

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
        walk = Walk(other, mesh, self._limits, lambda at, x: problem.cost(at.curves, x), self._progress)
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
        return self._motion(mesh, found.program, solution, peaks, rounds)

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
        """On finer and finer meshes, until the cost hardly changes."""
        history, begun = [(motion.basis.segments, motion.cost)], motion.report.starts
        while True:
            mesh, points = mesh_of(motion).refined(points_of(motion))
            better = self._solved(mesh, lambda curves, P=points, T=motion.duration: curves.fitted(P, T))
            history.append((mesh.led.segments, better.cost))
            near = abs(better.cost - motion.cost) <= gap * abs(better.cost)
            if not better.ok or near or mesh.led.segments >= 1000:
                return _with_report(better if better.ok else motion, refinements=tuple(history), starts=begun)
            motion = better

    def settled(self, motion: Motion, residual: float) -> Motion:
        """On finer and finer meshes of loose coordinates, until the arm under its torques hardly rings any more."""
        history: list[Settled] = []
        before = motion.report
        while True:
            history.append(settled(motion))
            told = {"starts": before.starts, "refinements": before.refinements, "settled": tuple(history)}
            motion = _with_report(motion, **told)
            if not motion.ok or max(history[-1].residual, history[-1].passive_error) <= residual:
                return motion
            if history[-1].finer >= MOST_FINER:
                return _with(motion, ok=False, status=f"solved, but {not_settled(history[-1], residual)}")
            mesh, points = mesh_of(motion).loosened(points_of(motion))
            motion = self._found(mesh, lambda curves, P=points, T=motion.duration: curves.fitted(P, T), motion.duration)

    def _solved(self, mesh: Mesh, begin: Callable[..., Array]) -> Motion:
        """Solve; where a limit is exceeded between samples, sample there too and solve again."""
        more, rounds = np.zeros(0), 0
        before: tuple[Program, Solution] | None = None
        while True:
            rounds += 1
            clock = time.perf_counter()
            program = self.problem.program(mesh, more)
            solver = Solver(program, *self._limits)
            self._spent["build"] += time.perf_counter() - clock
            solution = self._continued(solver, before, begin)
            before = (program, solution)
            peaks, peak_times = look(self.problem, mesh, program, solution.x)
            watched = self.problem.watch(program.curves, solution.x, mesh.looks())
            if not solution.solved or not (len(peak_times) or watched) or rounds == ROUNDS:
                return self._motion(mesh, program, solution, peaks, rounds)
            more = np.append(more, peak_times)

    def _continued(
        self, solver: Solver, before: tuple[Program, Solution] | None, begin: Callable[..., Array]
    ) -> Solution:
        """From a start, or from the solution of the round before with its multipliers; where that fails, without."""
        ways: list[Solution | None] = [None] if before is None else [carried(*before, solver.program), None]
        for warm in ways:
            x = begin(solver.program.curves) if before is None else before[1].x
            solution = solver(x, self._progress, warm)
            self._spent["solve"] += solution.seconds
            self._spent["evaluate"] += solution.evaluation_seconds
            if solution.solved or solution.status.startswith(INTERRUPTED):
                break
        return solution

    def _motion(self, mesh: Mesh, program: Program, solution: Solution, peaks: tuple[Peak, ...], rounds: int) -> Motion:
        over = np.maximum(program.lower - solution.rows, solution.rows - program.upper).max(initial=0.0)
        samples = len(program.blocks[0].block.s)
        log = tuple(step._replace(cost=self._pure(step.cost, step.duration)) for step in solution.iterations)
        report = MotionReport(log, float(max(over, 0.0)), peaks, samples, rounds, dict(self._spent))
        worst = max((peak.use for peak in peaks), default=0.0)
        status, ok = solution.status, solution.solved
        if ok and worst > 1 + EXCESS:
            ok = False
            peak = max(peaks, key=lambda p: p.use)
            status = f"solved, but {peak.quantity} of {peak.joint!r} exceeds its limit by {100 * (worst - 1):.2g} %"
        missed = self.problem.missed(program.curves, solution.x) if ok else ""
        if missed:
            ok, status = False, f"solved, but {missed}"
        if not solution.solved and status != INTERRUPTED:
            status = f"{status}; {self._why(program, solution)}"
        T = program.curves.T(solution.x)
        cost = self._pure(solution.cost, T)  # of energy, what was minimised is rounded off
        if "energy" in self.problem.task.minimise:
            cost = self.problem.cost(program.curves, solution.x)
        P, *others = program.curves.control_points(solution.x)
        basis, loose = mesh.led, None
        if mesh.loose is not None:
            loose = Loose(mesh.loose.breaks, mesh.loose.degree, mesh.loose.continuity, others[0])
        return Motion(
            self.problem.arm, self.problem.task, T, cost, status, ok, basis.breaks, basis.degree, P, report,
            basis.continuity, loose,
        )  # fmt: skip

    def _pure(self, cost: float, T: float) -> float:
        """The cost without what makes it well determined."""
        return self.problem.task.minimise["time"] * T if self.problem.small.any() else cost

    def _why(self, program: Program, solution: Solution) -> str:
        """The rows that are violated most, or what else is known."""
        weak = checks.weak_for_holding(self.problem)
        if weak:
            return weak
        over = np.maximum(program.lower - solution.rows, solution.rows - program.upper)
        worst = [int(k) for k in np.argsort(-over)[:3] if over[k] > 1e-6]
        if not worst:
            return "no limit is violated where it ended; try another start, or more iterations"
        parts = [f"{program.names[k][0]} of {program.names[k][1]!r} by {over[k]:.3g}" for k in worst]
        return "these cannot be met together: " + ", ".join(dict.fromkeys(parts))


def mesh_of(motion: Motion) -> Mesh:
    """Where its splines are joined."""
    return Mesh(*(basis for basis, _, _ in motion.splines))


def points_of(motion: Motion) -> list[Array]:
    """Control points of all its splines."""
    return [P for _, _, P in motion.splines]


def _with(motion: Motion, **changes: Any) -> Motion:
    given = {f.name: getattr(motion, f.name) for f in fields(motion) if f.init}
    return Motion(**(given | changes))


def _with_report(motion: Motion, **changes: Any) -> Motion:
    return _with(motion, report=replace(motion.report, **changes))
