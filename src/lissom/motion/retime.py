"""The best timing of a given path: solve for its speeds, then splines in time."""

from __future__ import annotations

import time
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from scipy.interpolate import BSpline, CubicHermiteSpline, make_interp_spline
from scipy.sparse.linalg import splu

from lissom.errors import InputError, MotionError, UnsupportedError, shown
from lissom.model.arm import Arm
from lissom.motion import suited
from lissom.motion.basis import Basis
from lissom.motion.curves import Curves
from lissom.motion.options import refuse_wrong
from lissom.motion.peaks import EXCESS, peaks_of
from lissom.motion.program import Program
from lissom.motion.record import Motion, grid
from lissom.motion.report import RAN_OUT, Iteration, MotionReport, Peak
from lissom.motion.search import MET, ROUNDS
from lissom.motion.solver import INFEASIBLE, Solution, Solver, numbered_on
from lissom.motion.speeds import FINE, POINTS, VERB, Speeds, warp
from lissom.motion.task import Task
from lissom.spatial.rotations import Array
from lissom.verbs.call import as_loads
from lissom.verbs.dynamics import inverse_dynamics
from lissom.verbs.states import as_arm

NOTHING = 1e-14  # of b, that the clock goes on
MESHES = 4  # of the splines of the motion, each twice as fine as the last


def retime_motion(
    arm: Arm, path: Any, fields: dict[str, Any], tolerance: float, iterations: int, on_failure: str
) -> Motion:
    """See `lissom.retime_motion`; fields: of the task, beside its ends."""
    suited.refuse_arm(as_arm(arm, VERB), VERB)
    suited.refuse_loose(arm, VERB)
    if on_failure not in ("raise", "return"):
        raise InputError(f"{VERB}: on_failure is {shown(on_failure)}; expected 'raise' or 'return'.")
    refuse_wrong(VERB, tolerance=tolerance, iterations=iterations)
    curve = _path(path, arm)
    task = Task(curve(0.0), curve(1.0), **fields)
    as_loads(arm, task.loads, VERB)
    if any(np.ndim(part) > 1 for load in task.loads for part in (load.force, load.moment, load.point)):
        raise UnsupportedError(f"{VERB}: loads that change along the motion are not available; give constant ones.")
    motion = _Retiming(Speeds(arm, task, curve)).solved(tolerance, iterations)
    if not motion.ok and on_failure == "raise":
        raise MotionError(f"{VERB}: {motion.status}", motion)
    return motion


# ---- the path ------------------------------------------------------------------------------------


def _path(path: Any, arm: Arm) -> BSpline:
    """A spline over [0, 1]."""
    n = len(arm.joints)
    if callable(path):
        x = np.linspace(0.0, 1.0, POINTS)
        found = [path(float(at)) for at in x]
        values = _numbers(found)
        if values is None:
            raise InputError(f"{VERB}: the path gives {shown(found[0])}; expected {n} finite positions.")
        if values.shape != (POINTS, n) or not np.isfinite(values).all():
            raise InputError(f"{VERB}: the path gives {shown(path(0.0))}; expected {n} finite positions.")
        return make_interp_spline(x, values, 5)
    points = _numbers(path)
    if points is None:
        raise InputError(f"{VERB}: path is {shown(path)}; expected waypoints (k, {n}), two or more, or f(x).")
    if points.ndim != 2 or points.shape[1] != n or len(points) < 2 or not np.isfinite(points).all():
        raise InputError(f"{VERB}: path has shape {points.shape}; expected waypoints (k, {n}), two or more, or f(x).")
    length = np.linalg.norm(np.diff(points, axis=0), axis=1)
    if not (length > 0).all():
        k = int(np.argmin(length))
        raise InputError(f"{VERB}: waypoints {k} and {k + 1} are the same; leave one out.")
    x = np.append(0.0, np.cumsum(length)) / length.sum()
    return make_interp_spline(x, points, min(3, len(points) - 1))


def _numbers(value: Any) -> Array | None:
    """As an array, where it is one."""
    try:
        return np.asarray(value, float)
    except (TypeError, ValueError):
        return None


# ---- solution ------------------------------------------------------------------------------------


class _Clock(NamedTuple):
    """Duration, w at every time, and the grid it was made of."""

    T: float
    w: Any
    grid: Array
    t: Array

    def x(self, t: Array) -> Array:
        """How far along the path."""
        return warp(np.clip(self.w(t), 0.0, 1.0))[0]


class _Retiming:
    """Solutions for one path."""

    def __init__(self, speeds: Speeds) -> None:
        self.speeds, self.curve = speeds, speeds.curve

    def solved(self, tolerance: float, iterations: int) -> Motion:
        """Solve; where a limit is exceeded between samples, sample there too and solve again."""
        more, x, rounds, spent = np.zeros(0), None, 0, {"build": 0.0, "solve": 0.0, "evaluate": 0.0}
        log: tuple[Iteration, ...] = ()
        while True:
            rounds += 1
            clock = time.perf_counter()
            program = self.speeds.program(more)
            solver = Solver(program, tolerance, iterations)
            spent["build"] += time.perf_counter() - clock
            begin = program.curves.fitted([self._begin(program.curves)], 1.0) if x is None else x
            solution = solver(begin, None, None)
            log = numbered_on(log, solution.iterations)
            spent["solve"] += solution.seconds
            spent["evaluate"] += solution.evaluation_seconds
            x = solution.x
            _, times = self.speeds.look(program.curves, x)
            if not solution.solved or not len(times) or rounds == ROUNDS:
                return self._motion(program, solution._replace(iterations=log), rounds, spent)
            more = np.append(more, times)

    def _begin(self, curves: Curves) -> Array:
        """A tenth of the size, less near the ends."""
        x = warp(np.clip(curves.spaces[0].basis.greville, 0, 1))[0]
        return (0.4 * x * (1 - x))[:, None]

    def _motion(self, program: Program, solution: Solution, rounds: int, spent: dict[str, float]) -> Motion:
        curves = program.curves
        at = self._clock(curves, solution.x)
        status, ok, mesh = solution.status, solution.solved, 4 * curves.spaces[0].basis.segments
        over = float(np.maximum(program.lower - solution.rows, solution.rows - program.upper).max(initial=0.0))
        if not ok:
            worst = int(np.argmax(np.maximum(program.lower - solution.rows, solution.rows - program.upper)))
            word, who, place = program.names[worst]
            kept = "cannot be met" if status == INFEASIBLE else f"is off by {over:.3g}"
            found = f"{word} of {who!r} {kept} at {warp(np.array(place))[0]:.3g} of the path"
            more = "; allow it more" if RAN_OUT in status else ""
            status += f"; {found if over > MET else 'every limit is met where it ended'}{more}"
        for _ in range(MESHES):
            basis, P = self._fitted(at, mesh)
            peaks = self._peaks(basis, P, at)
            if not ok or max(peak.use for peak in peaks) <= 1 + EXCESS:
                break
            mesh *= 2
        else:
            peak = max(peaks, key=lambda p: p.use)
            ok = False
            status = f"solved, but {peak.beyond()}"
        task = self.speeds.task.replace(segments=basis.segments, degree=basis.degree)
        samples = len(program.blocks[0].block.s)
        report = MotionReport(solution.iterations, max(over, 0.0), peaks, samples, rounds, spent)
        return Motion(self.speeds.arm, task, at.T, solution.cost, status, ok, basis.breaks, basis.degree, P, report)

    def _clock(self, curves: Curves, x: Array) -> _Clock:
        """t as a function of w, by Gauss's rule on a fine mesh."""
        grid = np.linspace(0.0, 1.0, 16 * curves.spaces[0].basis.segments + 1)
        node, weight = np.polynomial.legendre.leggauss(5)
        h = np.diff(grid)[:, None]
        w = grid[:-1, None] + h * (node + 1) / 2
        b, _ = self.speeds.values(curves, x, w.ravel())
        slow = warp(w.ravel())[1] / np.sqrt(np.maximum(b, NOTHING * self.speeds.scale))
        t = np.append(0.0, np.cumsum((slow.reshape(w.shape) * h * weight / 2).sum(axis=1)))
        inner = grid[1:-1]
        b, _ = self.speeds.values(curves, x, inner)
        rate = np.sqrt(np.maximum(b, NOTHING * self.speeds.scale)) / warp(inner)[1]
        ends = self.speeds.values(curves, x, np.array([0.0, 1.0]))[1]  # dw/dt = sqrt(b' / 12), as x = 3 w^2 there
        first, last = np.sqrt(np.maximum(np.abs(ends), NOTHING * self.speeds.scale) / 6)
        return _Clock(float(t[-1]), CubicHermiteSpline(t, grid, np.concatenate([[first], rate, [last]])), grid, t)

    def _fitted(self, at: _Clock, mesh: int) -> tuple[Basis, Array]:
        """Splines in time through the motion, at rest at both ends; finer where the profile of speed is."""
        breaks = np.interp(np.linspace(0.0, 1.0, mesh + 1), at.grid, at.t / at.T)
        breaks[[0, -1]] = 0.0, 1.0
        basis = Basis(breaks)
        s = basis.greville
        A, q = sparse.lil_array(basis.rows(s)), self.curve(at.x(s * at.T))
        A[[1, -2]], q[[1, -2]] = basis.rows([0.0, 1.0], 1).toarray(), 0.0
        q[[0, -1]] = self.curve([0.0, 1.0])
        return basis, np.asarray(splu(sparse.csc_array(A)).solve(q))

    def _peaks(self, basis: Basis, P: Array, at: _Clock) -> tuple[Peak, ...]:
        """On a fine grid; friction as of a joint that moves along the path, up to the moment it stops."""
        arm, s = self.speeds.arm, grid(basis.breaks, FINE)
        z = [basis.rows(s, r) @ P / at.T**r for r in range(4)]
        tau = inverse_dynamics(arm, z[0], z[1], z[2], loads=self.speeds.task.loads)
        tau += arm.friction * (np.sign(self.curve(at.x(s * at.T), 1)) - np.sign(z[1]))
        return peaks_of(self.speeds.bounds, self.speeds.names, s, at.T, z, tau)[0]
