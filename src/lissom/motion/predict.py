"""The best motion for a task: solve, look between the samples, exchange, refine."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from lissom.errors import InputError, LissomError, MotionError, shown
from lissom.model.arm import Arm
from lissom.motion import checks, start, starts
from lissom.motion.basis import Basis
from lissom.motion.bounds import Bounds
from lissom.motion.build import SAMPLED, Problem
from lissom.motion.clearance import Clearance
from lissom.motion.program import Program
from lissom.motion.record import INTERRUPTED, Iteration, Motion, MotionReport, Peak
from lissom.motion.solver import Solution, Solver, carried
from lissom.motion.task import Task
from lissom.spatial.rotations import Array
from lissom.verbs.dynamics import inverse_dynamics
from lissom.verbs.states import as_arm

VERB = "predict_motion"
FINE = 20  # points per segment that limits are looked at
EXCESS = 1e-3  # of a limit
ROUNDS = 12
BESIDE = 1e-6  # of the duration: how near a turn one looks


def predict_motion(
    arm: Arm,
    task: Task | None = None,
    *,
    tolerance: float = 1e-8,
    iterations: int = 500,
    seconds: float | None = None,
    starts: int = 1,
    seed: int = 0,
    workers: int | None = None,
    refine: float | None = None,
    regularise: float = 1e-5,
    progress: Callable[[Iteration], object] | None = None,
    on_failure: str = "raise",
    **fields: Any,
) -> Motion:
    """See `lissom.predict_motion`, which is this with progress that can be shown and Ctrl-C that loses nothing."""
    checks.refuse_arm(as_arm(arm, VERB))
    task = _task(task, fields)
    checks.refuse_lengths(arm, task)
    if on_failure not in ("raise", "return"):
        raise InputError(f"{VERB}: on_failure is {shown(on_failure)}; expected 'raise' or 'return'.")
    search = Search(arm, task, (tolerance, iterations, seconds), seed, regularise, progress)
    motion = search.best(starts, workers)
    if refine is not None and motion.ok:
        motion = search.refined(motion, refine)
    if not motion.ok and on_failure == "raise" and not motion.interrupted:
        raise MotionError(f"{VERB}: {motion.status}{_too_short(arm, motion)}", motion)
    return motion


def _fraction(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float | np.number) or not 0 <= value <= 1e-2:
        raise InputError(f"{VERB}: regularise is {shown(value)}; expected a small fraction, 0 to 0.01.")
    return float(value)


def _too_short(arm: Arm, motion: Motion) -> str:
    """Where a given duration may be why nothing was found: the shortest that was found without it."""
    given = motion.task.duration
    if given is None:
        return ""
    task = motion.task.replace(duration=None, minimise="time")
    try:
        free = predict_motion(arm, task, on_failure="return")
    except LissomError:
        return ""
    longest = given if isinstance(given, float) else given[1]
    if not free.ok or free.duration <= longest:
        return ""
    return f". The duration is at most {longest:.4g} s, and the shortest motion found takes {free.duration:.4g} s"


def _task(task: Any, fields: dict[str, Any]) -> Task:
    if task is None:
        return Task(**fields)
    if not isinstance(task, Task):
        raise InputError(f"{VERB}: task is {shown(task)}; expected Task(...), or its fields as keywords.")
    return task.replace(**fields) if fields else task


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
        self._job = {"arm": arm, "task": task, "limits": limits, "seed": seed, "regularise": regularise}
        self._limits, self._seed, self._progress = limits, seed, progress
        self.problem = Problem(arm, task, _fraction(regularise))
        checks.refuse_impossible(self.problem)
        self.problem.compile()
        self._spent = {"compile": time.perf_counter() - clock, "build": 0.0, "solve": 0.0, "evaluate": 0.0}

    def best(self, count: int, workers: int | None) -> Motion:
        """From one or several starts."""
        if isinstance(count, bool) or not isinstance(count, int | np.integer) or count < 1:
            raise InputError(f"{VERB}: starts is {shown(count)}; expected a whole number from 1.")
        motion, rows = starts.best_of(self.start, int(count), self._job, workers, self._progress)
        return _with_report(motion, starts=rows) if count > 1 else motion

    def start(self, k: int) -> Motion:
        """From start k."""
        task = self.problem.task
        basis = Basis(task.segments, task.degree, periodic=task.periodic)
        rng = starts.random_numbers(self._seed, k)
        self._spent |= {"build": 0.0, "solve": 0.0, "evaluate": 0.0}
        return self._solved(basis, lambda curves: start.start(self.problem, curves, rng))

    def refined(self, motion: Motion, gap: float) -> Motion:
        """On finer and finer meshes, until the cost hardly changes."""
        history = [(len(motion.breaks) - 1, motion.cost)]
        while True:
            finer = np.sort(np.append(motion.breaks, (motion.breaks[1:] + motion.breaks[:-1]) / 2))
            basis, change = motion.basis.refined(finer)
            P = change @ motion.control_points
            better = self._solved(basis, lambda curves, P=P, T=motion.duration: curves.fitted([P], T))
            history.append((basis.segments, better.cost))
            near = abs(better.cost - motion.cost) <= gap * abs(better.cost)
            if not better.ok or near or basis.segments >= 1000:
                return _with_report(better if better.ok else motion, refinements=tuple(history))
            motion = better

    def _solved(self, basis: Basis, begin: Callable[..., Array]) -> Motion:
        """Solve; where a limit is exceeded between samples, sample there too and solve again."""
        more, rounds = np.zeros(0), 0
        before: tuple[Program, Solution] | None = None
        while True:
            rounds += 1
            clock = time.perf_counter()
            program = self.problem.program(basis, more)
            solver = Solver(program, *self._limits)
            self._spent["build"] += time.perf_counter() - clock
            solution = self._continued(solver, before, begin)
            before = (program, solution)
            peaks, peak_times = look(self.problem, program, solution.x)
            watched = self.problem.watch(program.curves, solution.x, start.fine(basis, FINE))
            if not solution.solved or not (len(peak_times) or watched) or rounds == ROUNDS:
                return self._motion(program, solution, peaks, rounds)
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

    def _motion(self, program: Program, solution: Solution, peaks: tuple[Peak, ...], rounds: int) -> Motion:
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
        basis = program.curves.spaces[0].basis
        T = program.curves.T(solution.x)
        cost = self._pure(solution.cost, T)  # of energy, what was minimised is rounded off
        if "energy" in self.problem.task.minimise:
            cost = self.problem.cost(program.curves, solution.x)
        P = program.curves.control_points(solution.x)[0]
        return Motion(self.problem.arm, self.problem.task, T, cost, status, ok, basis.breaks, basis.degree, P, report)

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


def look(problem: Problem, program: Program, x: Array) -> tuple[tuple[Peak, ...], Array]:
    """Limits on a fine grid: the largest use of each, and the fractions at which one is exceeded between samples."""
    curves = program.curves
    basis = curves.spaces[0].basis
    s = start.fine(basis, FINE)
    if len(problem.rubbing):
        s = np.union1d(s, _turns(problem, program, x, s))
    z = curves.at(x, s, 4)
    T = curves.T(x)
    tau = inverse_dynamics(problem.arm, z[0], z[1], z[2], loads=problem.loads_at(s))
    peaks, times = peaks_of(problem.bounds, problem.names, s, T, z, tau)
    if problem.clearance is None:
        return peaks, times
    peak, others = closest(problem.clearance, z[0], s, T)
    return (*peaks, peak), np.union1d(times, others)


def peaks_of(
    bounds: Bounds, names: Sequence[str], s: Array, T: float, z: Sequence[Array] | Array, tau: Array
) -> tuple[tuple[Peak, ...], Array]:
    """The largest use of every limit, and the fractions at which one that is sampled is exceeded.

    s (N,) fractions; z: positions to jerks, and tau, all (N, n).
    """
    values = {
        "position": z[0], "velocity": z[1], "acceleration": z[2], "jerk": z[3], "torque": tau,
        "torque_rate": np.gradient(tau, s * T, axis=0), "power": tau * z[1],
    }  # fmt: skip
    peaks, times = [], []
    for quantity, table in values.items():
        lower, upper = bounds.lower[quantity], bounds.upper[quantity]
        if not bounds.limited(quantity).any():
            continue
        use = used(table, lower, upper)
        row, k = np.unravel_index(int(np.argmax(use)), use.shape)
        limit = upper[k] if table[row, k] > 0 or not np.isfinite(lower[k]) else lower[k]
        peaks.append(
            Peak(quantity, names[int(k)], float(s[row] * T), float(table[row, k]), float(limit), float(use[row, k]))
        )
        if quantity in SAMPLED:
            times += exceeded(use, s)
    return tuple(peaks), np.unique(np.array(times))


def _turns(problem: Problem, program: Program, x: Array, s: Array) -> Array:
    """Fractions on both sides of where joints with friction turn around, and their torques jump."""
    k, curves = problem.rubbing, program.curves
    v = curves.at(x, s, 2)[1][:, k]
    row, joint = np.nonzero(v[:-1] * v[1:] < 0)
    if not len(row):
        return np.zeros(0)
    near = s[row] - v[row, joint] * (s[row + 1] - s[row]) / (v[row + 1, joint] - v[row, joint])
    at = curves.at(x, near, 3)
    pick = np.arange(len(near)), k[joint]
    exact = near - at[1][pick] / (at[2][pick] * curves.T(x))  # one step of Newton's: v is smooth there
    exact = np.clip(np.where(np.isfinite(exact), exact, near), s[row], s[row + 1])
    return np.clip(np.concatenate([exact - BESIDE, exact + BESIDE]), 0.0, 1.0)


def closest(clearance: Clearance, q: Array, s: Array, T: float) -> tuple[Peak, list[float]]:
    """The smallest distance from an obstacle, and the fractions at which one is too small."""
    gaps = clearance.gaps(q)
    row, k = np.unravel_index(int(np.argmin(gaps)), gaps.shape)
    use, margin = clearance.use(gaps), clearance.margin
    what, who = clearance.names(int(k))
    peak = Peak(what, who, float(s[row] * T), float(gaps[row, k] + margin), margin, float(use[row, k]))
    return peak, exceeded(use, s)


def used(table: Array, lower: Array, upper: Array) -> Array:
    """How much of a limit is used: 1 at it. Of limits that are no range around zero, the excess over their width."""
    with np.errstate(divide="ignore", invalid="ignore"):
        around = (lower < 0) & (upper > 0)
        ratio = np.where(table > 0, table / upper, table / lower)
        width = np.where(np.isfinite(upper - lower), upper - lower, np.maximum(np.abs(lower), np.abs(upper)))
        off = 1 + np.maximum(table - upper, lower - table) / np.where(width > 0, width, 1.0)
    return np.nan_to_num(np.where(around, ratio, off), nan=0.0, posinf=0.0, neginf=0.0)


def exceeded(use: Array, s: Array) -> list[float]:
    """Where a use is largest, of every stretch in which it is beyond what is allowed."""
    out = []
    for column in use.T:
        over = column > 1 + EXCESS
        if not over.any():
            continue
        edges = np.flatnonzero(np.diff(np.concatenate([[0], over.astype(int), [0]])))
        out += [float(s[a + int(np.argmax(column[a:b]))]) for a, b in zip(edges[::2], edges[1::2], strict=True)]
    return out


def _with_report(motion: Motion, **changes: Any) -> Motion:
    from dataclasses import fields as all_fields
    from dataclasses import replace

    given = {f.name: getattr(motion, f.name) for f in all_fields(motion) if f.init}
    return Motion(**(given | {"report": replace(motion.report, **changes)}))
