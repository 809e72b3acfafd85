"""A given path, run through as fast as the motors allow.

The path p(x), x from 0 to 1, is fixed; free is the square of its speed, b(x) = (dx/dt)^2, so that

    qd = p' sqrt(b),    qdd = p'' b + p' b' / 2,    tau = A b' / 2 + C b + D sqrt(b) + F + G,    T = int dx / sqrt(b)

with A = M p', C the centrifugal torques of p' and M p'', D viscous and F Coulomb friction, G gravity, springs and
loads. Limits of torque and acceleration are linear in (b, b'), those of rates in b, and T is convex in b: without
damping, there are no local optima. At rest b grows in proportion to x and 1 / sqrt(b) has no bound; b is a spline in w,
x = w^2 (3 - 2 w), of which all that is integrated is smooth.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse
from scipy.interpolate import BSpline, CubicHermiteSpline, make_interp_spline
from scipy.optimize import linprog
from scipy.sparse.linalg import splu

from lissom.errors import InputError, UnsupportedError, shown
from lissom.model.arm import Arm
from lissom.model.limits import Limits
from lissom.model.loads import Load
from lissom.motion import checks
from lissom.motion.basis import Basis
from lissom.motion.build import Bounds, bounds_of
from lissom.motion.curves import Curves, End, Space
from lissom.motion.predict import EXCESS, ROUNDS, MotionError, exceeded, used
from lissom.motion.program import Block, Program
from lissom.motion.record import Motion, MotionReport, Peak
from lissom.motion.sample import LANES, Sample, Symbols
from lissom.motion.solver import Solution, Solver
from lissom.motion.task import Task
from lissom.spatial.rotations import Array
from lissom.verbs.dynamics import inverse_dynamics
from lissom.verbs.states import as_arm

VERB = "retime_motion"
CRITERIA = ("time", "torque_squared")
LOOKED = ("velocity", "acceleration", "torque")
TINY = 2e-8  # added to b, in parts of its size: the solver lets it be so little below zero
NOTHING = 1e-14  # of b, that the clock goes on
FINE = 16  # points of a segment at which limits are looked at
POINTS = 401  # at which a path that is a function is taken
MESHES = 4  # of the splines of the motion, each twice as fine as the last


def retime_motion(
    arm: Arm,
    path: ArrayLike | Callable[[float], ArrayLike],
    *,
    limits: Limits | None = None,
    loads: Sequence[Load] = (),
    minimise: Any = "time",
    segments: int = 40,
    tolerance: float = 1e-8,
    iterations: int = 500,
    on_failure: str = "raise",
) -> Motion:
    """The best timing of a given path, from rest to rest.

    Parameters
    ----------
    arm : Arm                      rigid, every joint with a motor
    path : (k, dof) or f(x) -> (dof,)    waypoints, joined by a cubic spline over the length between them (straight
                                   lines for two); or positions as a smooth function of x from 0 to 1
    limits : Limits                of torque, velocity and acceleration; those of the joints hold too
    loads : sequence of Load       that act, the same all the time
    minimise : str or {str: weight}    "time", "torque_squared", or both
    segments : int                 of the profile of speed
    tolerance, iterations          of the solver
    on_failure : "raise" or "return"

    Returns
    -------
    Motion
        Its splines follow the path closely: where limits are reached, to 0.1 % of them.

    Examples
    --------
    >>> import lissom as ls
    >>> from lissom.motion.retime import retime_motion
    >>> arm = ls.load("two_link").with_gravity((0, 0, 0))
    >>> motion = retime_motion(arm, [[0, 0], [0.4, 0.5], [1, 0.5]], limits=ls.Limits(torque=4.0))
    >>> motion.status, bool(abs(motion.tau).max() < 4.004)
    ('solved', True)
    """
    checks.refuse_arm(as_arm(arm, VERB))
    if on_failure not in ("raise", "return"):
        raise InputError(f"{VERB}: on_failure is {shown(on_failure)}; expected 'raise' or 'return'.")
    if any(np.ndim(part) > 1 for load in loads for part in (load.force, load.moment, load.point)):
        raise UnsupportedError(f"{VERB}: loads that change along the motion are not available; give constant ones.")
    curve = _path(path, arm)
    task = Task(curve(0.0), curve(1.0), limits, loads, minimise=minimise, segments=segments)
    retiming = _Retiming(arm, task, curve)
    motion = retiming.solved(tolerance, iterations)
    if not motion.ok and on_failure == "raise":
        raise MotionError(f"{VERB}: {motion.status}", motion)
    return motion


# ---- the path ------------------------------------------------------------------------------------


def _path(path: Any, arm: Arm) -> BSpline:
    """A spline over [0, 1]."""
    n = len(arm.joints)
    if callable(path):
        x = np.linspace(0.0, 1.0, POINTS)
        values = np.array([np.asarray(path(float(at)), float) for at in x])
        if values.shape != (POINTS, n) or not np.isfinite(values).all():
            raise InputError(f"{VERB}: the path gives {shown(path(0.0))}; expected {n} finite positions.")
        return make_interp_spline(x, values, 5)
    points = np.asarray(path, float)
    if points.ndim != 2 or points.shape[1] != n or len(points) < 2 or not np.isfinite(points).all():
        raise InputError(f"{VERB}: path has shape {points.shape}; expected waypoints (k, {n}), two or more, or f(x).")
    length = np.linalg.norm(np.diff(points, axis=0), axis=1)
    if not (length > 0).all():
        k = int(np.argmin(length))
        raise InputError(f"{VERB}: waypoints {k} and {k + 1} are the same; leave one out.")
    x = np.append(0.0, np.cumsum(length)) / length.sum()
    return make_interp_spline(x, points, min(3, len(points) - 1))


def _warp(w: Array) -> tuple[Array, Array]:
    """x and dx/dw."""
    return w * w * (3 - 2 * w), 6 * w * (1 - w)


class Coefficients(NamedTuple):
    """Along the path, (N, n) each: its derivatives, and tau = A b'/2 + C b + D sqrt(b) + H."""

    p1: Array
    p2: Array
    A: Array
    C: Array
    D: Array
    H: Array


class _Retiming:
    """A path, an arm and limits."""

    def __init__(self, arm: Arm, task: Task, curve: BSpline) -> None:
        self.arm, self.task, self.curve, self.n = arm, task, curve, arm.dof
        self.bounds: Bounds = bounds_of(arm, task)
        self.names = [joint.name for joint in arm.joints]
        self._refuse()
        self.scale = self._speed()
        key = f"retime|{self.n}|{sorted(task.minimise.items())}"
        made: dict[str, Sample] = arm.__dict__.setdefault("_samples", {})
        if key not in made:
            made[key] = Sample(key, 1, self._expressions, 3, 6 * self.n + 5)
        self.sample = made[key]

    def _refuse(self) -> None:
        for word in ("jerk", "torque_rate", "power"):
            if self.bounds.limited(word).any():
                raise UnsupportedError(f"{VERB}: {word} is limited; available are torque, velocity and acceleration.")
        if set(self.task.minimise) - set(CRITERIA):
            raise UnsupportedError(f"{VERB}: minimise takes {' and '.join(CRITERIA)}.")
        if not any(self.bounds.limited(word).any() for word in LOOKED):
            raise InputError(f"{VERB}: nothing limits how fast the joints go. Give limits of torque or velocity.")
        x = np.linspace(0.0, 1.0, POINTS)
        q, speed = self.curve(x), np.linalg.norm(self.curve(x, 1), axis=1)
        if speed.min() < 1e-6 * speed.max():
            raise InputError(f"{VERB}: the path stands still at {x[int(np.argmin(speed))]:.3g} of its length.")
        lower, upper = self.bounds.lower["position"], self.bounds.upper["position"]
        off = np.argwhere((q < lower - 1e-9) | (q > upper + 1e-9))
        if len(off):
            row, k = off[0]
            raise InputError(
                f"{VERB}: at {x[row]:.3g} of the path joint {self.names[k]!r} is at {q[row, k]:.6g}, outside its "
                f"position limits of {lower[k]:.6g} to {upper[k]:.6g}."
            )
        self._refuse_weak(x)

    def _refuse_weak(self, x: Array) -> None:
        """Places where no speed and no acceleration meets the limits: a linear program in b and b' / 2 at each.

        At the start b is zero and cannot fall, at the end it cannot rise. Inside, damping, which is not linear, may
        help: nothing is certain then.
        """
        at, lower, upper = self.coefficients(x), self.bounds.lower["torque"], self.bounds.upper["torque"]
        off = (lower > at.H) | (upper < at.H)
        for row in np.flatnonzero(off.any(axis=1)):
            rows = np.stack([at.C[row], at.A[row]], axis=1)
            limited = [(rows, upper - at.H[row]), (-rows, at.H[row] - lower)]
            G = np.concatenate([part[np.isfinite(h)] for part, h in limited])
            h = np.concatenate([h[np.isfinite(h)] for _, h in limited])
            ends = {0: [(0, 0), (0, None)], len(x) - 1: [(0, 0), (None, 0)]}
            if row not in ends and (at.D[row] != 0).any():
                continue
            found = linprog([0.0, 0.0], G, h, bounds=ends.get(int(row), [(0, None), (None, None)]))
            if found.status == 2:
                k = int(np.flatnonzero(off[row])[0])
                raise InputError(
                    f"{VERB}: at {x[row]:.3g} of the path joint {self.names[k]!r} needs {at.H[row, k]:.4g} to be held, "
                    f"its torque limits are {lower[k]:.4g} to {upper[k]:.4g}, and no motion along the path helps."
                )

    # ---- torques along the path -----------------------------------------------------------------------

    def coefficients(self, x: Array) -> Coefficients:
        """By inverse dynamics at several multiples of the rates: what grows with the rate, its square, or not at all."""
        q, p1, p2 = (self.curve(x, r) for r in range(3))
        zero = np.zeros_like(q)

        def tau(k: float, acceleration: Array) -> Array:
            return inverse_dynamics(self.arm, q, k * p1, acceleration, loads=self.task.loads)

        still, forth, back = tau(0, zero), tau(1, zero), tau(-1, zero)
        rub, rub_twice = (forth - back) / 2, (tau(2, zero) - tau(-2, zero)) / 2  # F + D and F + 2 D
        C = (forth + back) / 2 - still + tau(0, p2) - still
        return Coefficients(p1, p2, tau(0, p1) - still, C, rub_twice - rub, still + 2 * rub - rub_twice)

    def _speed(self) -> float:
        """About the size of b: what limits of rates and torques allow at most, in the middle."""
        at = self.coefficients(np.linspace(0.05, 0.95, 19))
        with np.errstate(divide="ignore", invalid="ignore"):
            by_rate = (self.bounds.upper["velocity"] / np.abs(at.p1)).min(axis=1) ** 2
            by_torque = (self.bounds.upper["torque"] / np.abs(at.A)).min(axis=1)
            by_acceleration = (self.bounds.upper["acceleration"] / np.abs(at.p1)).min(axis=1)
        sizes = np.nanmedian(np.stack([by_rate, by_torque, by_acceleration]), axis=1)
        good = sizes[np.isfinite(sizes) & (sizes > 0)]
        return float(good.min()) if len(good) else 1.0

    # ---- the program ----------------------------------------------------------------------------------

    def _expressions(self, z: Symbols) -> tuple[Any, Any]:
        """Rows: torques, accelerations, b; of the derivatives of b by w, and data. b is in parts of its size."""
        n = self.n
        p1, p2, A, C, D, H = (z.data[k * n : (k + 1) * n] for k in range(6))
        first, second, slope, size = (z.data[6 * n + k] for k in range(4))
        b = size * z.q
        half = size * (first * z.qd + second * z.qdd) / 2  # b' / 2
        root = ca.sqrt(b + TINY * size)
        tau = A * half + C * b + D * root + H
        weights = self.task.minimise
        rate = weights.get("time", 0.0) + weights.get("torque_squared", 0.0) * ca.sumsqr(tau)
        return ca.vertcat(tau, p2 * b + p1 * half, z.q), rate * slope / root

    def data(self, w: Array) -> Array:
        """(N, 6 n + 5): coefficients; b' from derivatives by w (at the ends from the second); dx/dw; size of b."""
        x, slope = _warp(w)
        end = (w == 0.0) | (w == 1.0)
        first = np.where(end, 0.0, 1 / np.where(end, 1.0, slope))
        second = np.where(end, (1 - 2 * w) / 6, 0.0)
        more = np.stack([first, second, slope, np.full(len(w), self.scale), w], axis=1)
        return np.ascontiguousarray(np.concatenate([*self.coefficients(x), more], axis=1))

    def program(self, more: Array) -> Program:
        """b on splines in w, zero with its slope at both ends."""
        basis = Basis(self.task.segments)
        none, zero = np.array([np.nan]), np.zeros(1)
        curves = Curves([Space(basis, (0,))], End(zero, zero, none), End(zero, zero, none), 1.0)
        low = np.zeros(curves.size)
        return Program(curves, [self._block(basis, more)], [], low, np.full(curves.size, np.inf))

    def _block(self, basis: Basis, more: Array) -> Block:
        node, weight = np.polynomial.legendre.leggauss(4)
        h = np.diff(basis.breaks)[:, None]
        inner = (basis.breaks[:-1, None] + h * (node + 1) / 2).ravel()
        s = np.concatenate([inner, basis.breaks, more])
        s = np.append(s, np.full(max(LANES - len(s), 0), 0.5))
        weights = np.append((h * weight / 2).ravel(), np.zeros(len(s) - len(inner)))
        data = self.data(s)
        lower, upper, owner = self._limits(data[:, : self.n])
        N, m = lower.shape
        some = np.flatnonzero((np.isfinite(lower) | np.isfinite(upper)).ravel())
        combine = sparse.csr_array((np.ones(len(some)), (np.arange(len(some)), some)), shape=(len(some), N * m))
        words = ["torque"] * self.n + ["acceleration"] * self.n + ["velocity"]
        names = [(words[k % m], self.names[owner[k // m] if k % m == m - 1 else k % m % self.n], float(s[k // m]))
                 for k in some]  # fmt: skip
        zero = np.zeros(len(some))
        return Block(self.sample, s, weights, combine, lower.ravel()[some], upper.ravel()[some], zero, names, data)

    def _limits(self, p1: Array) -> tuple[Array, Array, Array]:
        """Of the rows (N, m), and the joint whose rate limits b."""
        N, bounds = len(p1), self.bounds
        fastest = np.where(p1 > 0, bounds.upper["velocity"], -bounds.lower["velocity"])
        with np.errstate(divide="ignore"):
            most = np.where(p1 != 0, fastest / np.abs(p1), np.inf)
        owner = np.argmin(most, axis=1)
        top = (most.min(axis=1) ** 2 / self.scale)[:, None]
        lower = [np.tile(bounds.lower[word], (N, 1)) for word in ("torque", "acceleration")]
        upper = [np.tile(bounds.upper[word], (N, 1)) for word in ("torque", "acceleration")]
        return np.hstack([*lower, np.full((N, 1), -np.inf)]), np.hstack([*upper, top]), owner

    # ---- solution -------------------------------------------------------------------------------------

    def solved(self, tolerance: float, iterations: int) -> Motion:
        """Solve; where a limit is exceeded between samples, sample there too and solve again."""
        more, x, rounds, spent = np.zeros(0), None, 0, {"build": 0.0, "solve": 0.0, "evaluate": 0.0}
        while True:
            rounds += 1
            clock = time.perf_counter()
            program = self.program(more)
            solver = Solver(program, tolerance, iterations, None)
            spent["build"] += time.perf_counter() - clock
            begin = program.curves.fitted([self._begin(program.curves)], 1.0) if x is None else x
            solution = solver(begin, None, None)
            spent["solve"] += solution.seconds
            spent["evaluate"] += solution.evaluation_seconds
            x = solution.x
            _, times = self._look(program.curves, x)
            if not solution.solved or not len(times) or rounds == ROUNDS:
                return self._motion(program, solution, rounds, spent)
            more = np.append(more, times)

    def _begin(self, curves: Curves) -> Array:
        """A tenth of the size, less near the ends."""
        x = _warp(np.clip(curves.spaces[0].basis.greville, 0, 1))[0]
        return (0.4 * x * (1 - x))[:, None]

    def _speeds(self, curves: Curves, x: Array, w: Array) -> tuple[Array, Array]:
        """b and b'/2 at w."""
        z = curves.at(x, w)[:, :, 0] * self.scale
        data = self.data(w)[:, 6 * self.n :]
        return np.maximum(z[0], 0.0), (data[:, 0] * z[1] + data[:, 1] * z[2]) / 2

    def _look(self, curves: Curves, x: Array) -> tuple[dict[str, Array], Array]:
        """Use of limits on a fine grid, and the w at which one is exceeded."""
        breaks = curves.spaces[0].basis.breaks
        w = np.append((breaks[:-1, None] + np.diff(breaks)[:, None] * np.arange(FINE) / FINE).ravel(), 1.0)
        b, half = (part[:, None] for part in self._speeds(curves, x, w))
        at, root = self.coefficients(_warp(w)[0]), np.sqrt(b)
        values = {
            "torque": at.A * half + at.C * b + at.D * root + at.H,
            "acceleration": at.p1 * half + at.p2 * b, "velocity": at.p1 * root,
        }  # fmt: skip
        times = []
        for word, table in values.items():
            times += exceeded(used(table, self.bounds.lower[word], self.bounds.upper[word]), w)
        return values, np.unique(np.array(times))

    def _motion(self, program: Program, solution: Solution, rounds: int, spent: dict[str, float]) -> Motion:
        curves = program.curves
        at = self._clock(curves, solution.x)
        status, ok, mesh = solution.status, solution.solved, 4 * curves.spaces[0].basis.segments
        over = float(np.maximum(program.lower - solution.rows, solution.rows - program.upper).max(initial=0.0))
        if not ok:
            worst = int(np.argmax(np.maximum(program.lower - solution.rows, solution.rows - program.upper)))
            word, who, place = program.names[worst]
            status += f"; {word} of {who!r} cannot be met at {_warp(np.array(place))[0]:.3g} of the path"
        for _ in range(MESHES):
            basis, P = self._fitted(at, mesh)
            peaks = self._peaks(basis, P, at)
            if not ok or max(peak.use for peak in peaks) <= 1 + EXCESS:
                break
            mesh *= 2
        else:
            peak = max(peaks, key=lambda p: p.use)
            ok = False
            status = f"solved, but {peak.quantity} of {peak.joint!r} exceeds its limit by {100 * (peak.use - 1):.2g} %"
        task = self.task.replace(segments=basis.segments, degree=basis.degree)
        samples = len(program.blocks[0].block.s)
        report = MotionReport(solution.iterations, max(over, 0.0), tuple(peaks), samples, rounds, spent)
        return Motion(self.arm, task, at.T, solution.cost, status, ok, basis.breaks, basis.degree, P, report)

    def _clock(self, curves: Curves, x: Array) -> _Clock:
        """t as a function of w, by Gauss's rule on a fine mesh."""
        grid = np.linspace(0.0, 1.0, 16 * curves.spaces[0].basis.segments + 1)
        node, weight = np.polynomial.legendre.leggauss(5)
        h = np.diff(grid)[:, None]
        w = grid[:-1, None] + h * (node + 1) / 2
        b, _ = self._speeds(curves, x, w.ravel())
        slow = _warp(w.ravel())[1] / np.sqrt(np.maximum(b, NOTHING * self.scale))
        t = np.append(0.0, np.cumsum((slow.reshape(w.shape) * h * weight / 2).sum(axis=1)))
        inner = grid[1:-1]
        b, _ = self._speeds(curves, x, inner)
        rate = np.sqrt(np.maximum(b, NOTHING * self.scale)) / _warp(inner)[1]
        ends = self._speeds(curves, x, np.array([0.0, 1.0]))[1]  # dw/dt = sqrt(b' / 12), as x = 3 w^2 there
        first, last = np.sqrt(np.maximum(np.abs(ends), NOTHING * self.scale) / 6)
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

    def _peaks(self, basis: Basis, P: Array, at: _Clock) -> list[Peak]:
        """On a fine grid; friction as of a joint that moves along the path, up to the moment it stops."""
        T = at.T
        friction = np.array([joint.friction for joint in self.arm.joints])
        s = np.append((basis.breaks[:-1, None] + np.diff(basis.breaks)[:, None] * np.arange(FINE) / FINE).ravel(), 1.0)
        q, qd, qdd = (basis.rows(s, r) @ P / T**r for r in range(3))
        values = {"velocity": qd, "acceleration": qdd}
        values["torque"] = inverse_dynamics(self.arm, q, qd, qdd, loads=self.task.loads)
        values["torque"] += friction * (np.sign(self.curve(at.x(s * T), 1)) - np.sign(qd))
        out = []
        for word, table in values.items():
            if self.bounds.limited(word).any():
                lower, upper = self.bounds.lower[word], self.bounds.upper[word]
                use = used(table, lower, upper)
                row, k = np.unravel_index(int(np.argmax(use)), use.shape)
                limit = upper[k] if table[row, k] > 0 else lower[k]
                out.append(Peak(word, self.names[k], float(s[row] * T), float(table[row, k]), float(limit),
                                float(use[row, k])))  # fmt: skip
        return out


class _Clock(NamedTuple):
    """Duration, w at every time, and the grid it was made of."""

    T: float
    w: Any
    grid: Array
    t: Array

    def x(self, t: Array) -> Array:
        """How far along the path."""
        return _warp(np.clip(self.w(t), 0.0, 1.0))[0]
