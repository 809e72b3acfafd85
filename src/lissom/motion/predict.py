"""The best motion for a task: solve, look between the samples, exchange, refine."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from lissom.errors import InputError, LissomError, SolveError, shown
from lissom.model.arm import Arm
from lissom.motion import checks, start
from lissom.motion.basis import Basis
from lissom.motion.build import SAMPLED, Problem
from lissom.motion.clearance import Clearance
from lissom.motion.program import Program
from lissom.motion.record import Motion, MotionReport, Peak
from lissom.motion.solver import Iteration, Solution, Solver
from lissom.motion.task import Task
from lissom.motion.torques import turning
from lissom.spatial.rotations import Array
from lissom.verbs.dynamics import inverse_dynamics
from lissom.verbs.states import as_arm

VERB = "predict_motion"
FINE = 20  # points per segment that limits are looked at
EXCESS = 1e-3  # of a limit
ROUNDS = 6


def predict_motion(
    arm: Arm,
    task: Task | None = None,
    *,
    tolerance: float = 1e-8,
    iterations: int = 500,
    seconds: float | None = None,
    starts: int = 1,
    seed: int = 0,
    refine: float | None = None,
    progress: Callable[[Iteration], object] | None = None,
    on_failure: str = "raise",
    **fields: Any,
) -> Motion:
    """The motion that is best for a task.

    Parameters
    ----------
    arm : Arm                    rigid, every joint with a motor
    task : Task or None          or its fields as keywords: ``predict_motion(arm, start=..., goal=..., ...)``
    tolerance : float            of the solver
    iterations : int             at most
    seconds : float or None      of the solver, at most
    starts : int                 the first is a straight line, the others random; the best solution counts
    seed : int                   of the random starts
    refine : float or None       double the segments until the cost changes by less than this, relative
    progress : f(Iteration)      is told every iteration
    on_failure : "raise" or "return"    what to do where no motion was found; the error has the last one as `.motion`

    Returns
    -------
    Motion

    Examples
    --------
    >>> import lissom as ls
    >>> arm = ls.load("two_link").with_gravity((0, 0, 0))
    >>> motion = ls.predict_motion(arm, start=[0, 0], goal=[1, 0.5], limits=ls.Limits(torque=4.0))
    >>> motion.status, bool(abs(motion.tau).max() < 4.004)
    ('solved', True)
    """
    checks.refuse_arm(as_arm(arm, VERB))
    task = _task(task, fields)
    checks.refuse_lengths(arm, task)
    if on_failure not in ("raise", "return"):
        raise InputError(f"{VERB}: on_failure is {shown(on_failure)}; expected 'raise' or 'return'.")
    clock = time.perf_counter()
    problem = Problem(arm, task)
    checks.refuse_impossible(problem)
    problem.compile()
    search = _Search(problem, (tolerance, iterations, seconds), progress, time.perf_counter() - clock)
    motion = search.best(starts, seed)
    if refine is not None and motion.ok:
        motion = search.refined(motion, refine)
    if not motion.ok and on_failure == "raise":
        raise MotionError(f"{VERB}: {motion.status}{_too_short(arm, motion)}", motion)
    return motion


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


class MotionError(SolveError):
    """No motion was found; `.motion` is where the search ended."""

    @property
    def motion(self) -> Motion:
        """The last motion."""
        return self.result


def _task(task: Any, fields: dict[str, Any]) -> Task:
    if task is None:
        return Task(**fields)
    if not isinstance(task, Task):
        raise InputError(f"{VERB}: task is {shown(task)}; expected Task(...), or its fields as keywords.")
    return task.replace(**fields) if fields else task


class _Search:
    """Solutions of one problem."""

    def __init__(self, problem: Problem, limits: Any, progress: Any, spent: float) -> None:
        self.problem, self._limits, self._progress = problem, limits, progress
        self._spent = {"compile": spent, "build": 0.0, "solve": 0.0, "evaluate": 0.0}

    def best(self, count: int, seed: int) -> Motion:
        """From one or several starts."""
        task = self.problem.task
        basis = Basis(task.segments, task.degree, periodic=task.periodic)
        rng = np.random.default_rng(seed)
        found = []
        for k in range(count):
            x0 = lambda curves, k=k: start.start(self.problem, curves, None if k == 0 else rng)  # noqa: E731
            found.append(self._solved(basis, x0))
        rows = tuple(
            {
                "start": k,
                "status": m.status,
                "cost": m.cost,
                "duration": m.duration,
                "iterations": len(m.report.iterations) - 1,
            }
            for k, m in enumerate(found)
        )
        chosen = min(found, key=lambda m: (not m.ok, m.cost))
        return _with_report(chosen, starts=rows) if count > 1 else chosen

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
        more, x, rounds = np.zeros(0), None, 0
        while True:
            rounds += 1
            clock = time.perf_counter()
            program = self.problem.program(basis, more)
            solver = Solver(program, *self._limits)
            self._spent["build"] += time.perf_counter() - clock
            solution = solver(begin(program.curves) if x is None else x, self._progress, None)
            self._spent["solve"] += solution.seconds
            self._spent["evaluate"] += solution.evaluation_seconds
            peaks, peak_times = look(self.problem, program, solution.x)
            x = solution.x
            watched = self.problem.watch(program.curves, x, start.fine(basis, FINE))
            if not solution.solved or not (len(peak_times) or watched) or rounds == ROUNDS:
                return self._motion(program, solution, peaks, rounds)
            more = np.append(more, peak_times)

    def _motion(self, program: Program, solution: Solution, peaks: tuple[Peak, ...], rounds: int) -> Motion:
        over = np.maximum(program.lower - solution.rows, solution.rows - program.upper).max(initial=0.0)
        samples = len(program.blocks[0].block.s)
        report = MotionReport(solution.iterations, float(max(over, 0.0)), peaks, samples, rounds, dict(self._spent))
        worst = max((peak.use for peak in peaks), default=0.0)
        status, ok = solution.status, solution.solved
        if ok and worst > 1 + EXCESS:
            ok = False
            peak = max(peaks, key=lambda p: p.use)
            status = f"solved, but {peak.quantity} of {peak.joint!r} exceeds its limit by {100 * (worst - 1):.2g} %"
        missed = self.problem.missed(program.curves, solution.x) if ok else ""
        if missed:
            ok, status = False, f"solved, but {missed}"
        if not solution.solved:
            status = f"{status}; {self._why(program, solution)}"
        basis = program.curves.spaces[0].basis
        cost = solution.cost  # of energy, what was minimised is rounded off
        if "energy" in self.problem.task.minimise:
            cost = self.problem.cost(program.curves, solution.x)
        P = program.curves.control_points(solution.x)[0]
        T = program.curves.T(solution.x)
        return Motion(self.problem.arm, self.problem.task, T, cost, status, ok, basis.breaks, basis.degree, P, report)

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
    z = curves.at(x, s, 4)
    T = curves.T(x)
    tau = inverse_dynamics(problem.arm, z[0], z[1], z[2], loads=problem.loads_at(s))
    tau = tau + turning(problem.bodies, z[1])
    values = {
        "position": z[0], "velocity": z[1], "acceleration": z[2], "jerk": z[3], "torque": tau,
        "torque_rate": np.gradient(tau, s * T, axis=0), "power": tau * z[1],
    }  # fmt: skip
    peaks, times = [], []
    for quantity, table in values.items():
        lower, upper = problem.bounds.lower[quantity], problem.bounds.upper[quantity]
        if not problem.bounds.limited(quantity).any():
            continue
        use = used(table, lower, upper)
        row, k = np.unravel_index(int(np.argmax(use)), use.shape)
        limit = upper[k] if table[row, k] > 0 or not np.isfinite(lower[k]) else lower[k]
        peaks.append(
            Peak(quantity, problem.names[k], float(s[row] * T), float(table[row, k]), float(limit), float(use[row, k]))
        )
        if quantity in SAMPLED:
            times += exceeded(use, s)
    if problem.clearance is not None:
        peak, others = closest(problem.clearance, z[0], s, T)
        peaks.append(peak)
        times += others
    return tuple(peaks), np.unique(np.array(times))


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
