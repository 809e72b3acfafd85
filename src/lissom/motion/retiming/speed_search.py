"""The speed profile of a given path that is best for a criterion with torques, by a search.

Free is b(s) = (ds/dt)^2, the x of `given_path`; d^2s/dt^2 = b' / 2, and the duration is the integral of 1 / sqrt(b).
Limits of torque and acceleration are linear in (b, b'), those of rates in b, and the cost is convex in b: without
damping, there are no local optima. At rest b grows in proportion to s and 1 / sqrt(b) has no bound; b is a spline in w,
s = w^2 (3 - 2 w), of which all that is integrated is smooth.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, NamedTuple

import casadi as ca
import numpy as np
from scipy import sparse

from lissom.kernels.cache import cache_of
from lissom.model.limits import exceeded, used
from lissom.motion.result.outcome import MotionOutcome
from lissom.motion.result.report import Iteration
from lissom.motion.retiming.given_path import LIMITED, GivenPath
from lissom.motion.solve.assessment import MET
from lissom.motion.solve.ipopt import Ipopt
from lissom.motion.solve.search import ROUNDS
from lissom.motion.solve.solver import Solution, numbered_on
from lissom.motion.splines.basis import Basis, grid
from lissom.motion.splines.curves import Curves, End, Space
from lissom.motion.transcription.kernels.sample import LANES, Sample, Symbols
from lissom.motion.transcription.peaks import AGAIN
from lissom.motion.transcription.program import Program
from lissom.motion.transcription.rows import Block
from lissom.spatial.rotations import Array

TINY = 2e-8  # added to b, in parts of its size: the solver lets it be so little below zero
FINE = 16  # points of a segment at which limits are evaluated
COARSER = 10  # times fewer segments than the grid of the path
FEWEST = 4  # segments


def warp(w: Array) -> tuple[Array, Array]:
    """Return s and ds/dw at w."""
    return w * w * (3 - 2 * w), 6 * w * (1 - w)


class Found(NamedTuple):
    """What a search found: the profile b as a function of s, outcome, status, the solver's log, seconds spent."""

    profile: Callable[[Array], Array]
    outcome: MotionOutcome
    status: str
    log: tuple[Iteration, ...]
    seconds: dict[str, float]


class Speeds:
    """A path, and the program for its speeds."""

    def __init__(self, path: GivenPath) -> None:
        self.path, self.n, self.bounds = path, path.arm.dof, path.bounds
        self.scale = self._speed()
        key = f"retime|{self.n}|{path.cost.tape}|{path.cost.squares.tolist()}"
        made = lambda: Sample(key, 1, self._expressions, 3, 6 * self.n + 5)  # noqa: E731
        self.sample = cache_of(path.arm).stored("sample", key, made)

    def search(self, tolerance: float, iterations: int) -> Found:
        """Solve; where a limit is exceeded between samples, sample there too and solve again."""
        more = np.zeros(0)
        x: Array | None = None
        log: tuple[Iteration, ...] = ()
        seconds = {"build": 0.0, "solve": 0.0, "evaluate": 0.0}
        for _ in range(ROUNDS):
            clock = time.perf_counter()
            program = self.program(more)
            solver = Ipopt(program, tolerance, iterations)
            seconds["build"] += time.perf_counter() - clock
            solution = solver(program.curves.fitted([_begin(program.curves)], 1.0) if x is None else x, None, None)
            log = numbered_on(log, solution.iterations)
            seconds["solve"] += solution.seconds
            seconds["evaluate"] += solution.evaluation_seconds
            x = solution.x
            times = self.look(program.curves, x)
            if not solution.solved or not len(times):
                break
            more = np.append(more, times)
        curves, w = program.curves, np.linspace(0.0, 1.0, 20 * FINE * program.curves.spaces[0].basis.segments + 1)
        b = self.values(curves, solution.x, w)[0]
        status = _status(program, solution)
        return Found(lambda s: np.interp(s, warp(w)[0], b), solution.outcome, status, log, seconds)

    def _coefficients(self, s: Array) -> list[Array]:
        """Six tables (N, n): p', p'', A, C, D and what does not depend on the speed."""
        at = self.path.coefficients(s)
        return [*at[:5], at.G + self.path.friction * self.path.directions(s)]

    def _speed(self) -> float:
        """Return about the size of b: what limits of rates and torques allow at most, in the middle."""
        at = self.path.coefficients(np.linspace(0.05, 0.95, 19))

        def allowed(word: str, part: Array) -> Array:
            size, most = np.abs(part), np.maximum(self.bounds.upper[word], -self.bounds.lower[word])
            return np.divide(most, size, out=np.full(size.shape, np.inf), where=size > 0).min(axis=1)

        by_rate, by_torque = allowed("velocity", at.p1) ** 2, allowed("torque", at.A)
        sizes = np.median(np.stack([by_rate, by_torque, allowed("acceleration", at.p1)]), axis=1)
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
        cost = self.path.cost
        assert cost.tape is not None
        rate = cost.tape["time"] + ca.dot(cost.squares, tau * tau)
        return ca.vertcat(tau, p2 * b + p1 * half, z.q), rate * slope / root

    def data(self, w: Array) -> Array:
        """(N, 6 n + 5): coefficients; b' from derivatives by w (at the ends from the second); dx/dw; size of b."""
        x, slope = warp(w)
        end = (w == 0.0) | (w == 1.0)
        first = np.where(end, 0.0, 1 / np.where(end, 1.0, slope))
        second = np.where(end, (1 - 2 * w) / 6, 0.0)
        more = np.stack([first, second, slope, np.full(len(w), self.scale), w], axis=1)
        return np.ascontiguousarray(np.concatenate([*self._coefficients(x), more], axis=1))

    def program(self, more: Array) -> Program:
        """b on splines in w, zero with its slope at both ends."""
        basis = Basis(max(self.path.task.segments // COARSER, FEWEST))
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
        lower, upper, owner = self._limits(data[:, : self.n], warp(s)[0])
        N, m = lower.shape
        some = np.flatnonzero((np.isfinite(lower) | np.isfinite(upper)).ravel())
        combine = sparse.csr_array((np.ones(len(some)), (np.arange(len(some)), some)), shape=(len(some), N * m))
        words = ["torque"] * self.n + ["acceleration"] * self.n + ["velocity"]
        names = [(words[k % m], self.path.names[owner[k // m] if k % m == m - 1 else k % m % self.n], float(s[k // m]))
                 for k in some]  # fmt: skip
        return Block(self.sample, s, weights, combine, lower.ravel()[some], upper.ravel()[some], names, data)

    def _limits(self, p1: Array, s: Array) -> tuple[Array, Array, Array]:
        """Return the limits of the rows (N, m), and the joint whose rate limits b."""
        N, bounds = len(p1), self.bounds
        fastest = np.where(p1 > 0, bounds.upper["velocity"], -bounds.lower["velocity"])
        most = np.divide(fastest, np.abs(p1), out=np.full(p1.shape, np.inf), where=self.path.directions(s) != 0)
        owner = np.argmin(most, axis=1)
        top = (most.min(axis=1) ** 2 / self.scale)[:, None]
        lower = [np.tile(bounds.lower[word], (N, 1)) for word in ("torque", "acceleration")]
        upper = [np.tile(bounds.upper[word], (N, 1)) for word in ("torque", "acceleration")]
        return np.hstack([*lower, np.full((N, 1), -np.inf)]), np.hstack([*upper, top]), owner

    def values(self, curves: Curves, x: Array, w: Array) -> tuple[Array, Array]:
        """Return b and b'/2 at w."""
        z = curves.at(x, w)[:, :, 0] * self.scale
        data = self.data(w)[:, 6 * self.n :]
        return np.maximum(z[0], 0.0), (data[:, 0] * z[1] + data[:, 1] * z[2]) / 2

    def look(self, curves: Curves, x: Array) -> Array:
        """Return the w of a fine grid at which a limit is exceeded."""
        w = grid(curves.spaces[0].basis.breaks, FINE)
        b, half = (part[:, None] for part in self.values(curves, x, w))
        p1, p2, A, C, D, H = self._coefficients(warp(w)[0])
        values = (p1 * np.sqrt(b), p1 * half + p2 * b, A * half + C * b + D * np.sqrt(b) + H)
        times = []
        for word, table in zip(LIMITED, values, strict=True):
            times += exceeded(used(table, self.bounds.lower[word], self.bounds.upper[word]), w, AGAIN)
        return np.unique(np.array(times))


def _begin(curves: Curves) -> Array:
    """Return an initial profile: a tenth of the size, less near the ends."""
    s = warp(np.clip(curves.spaces[0].basis.greville, 0, 1))[0]
    return (0.4 * s * (1 - s))[:, None]


def _status(program: Program, solution: Solution) -> str:
    """Return the solver's status, and what is not satisfied where it failed."""
    if solution.solved:
        return solution.status
    off = np.maximum(program.lower - solution.rows, solution.rows - program.upper)
    over, worst = float(off.max(initial=0.0)), int(np.argmax(off))
    word, who, place = program.names[worst]
    kept = "cannot be satisfied" if solution.outcome is MotionOutcome.INFEASIBLE else f"is violated by {over:.3g}"
    found = f"{word} of {who!r} {kept} at {warp(np.array(place))[0]:.3g} of the path"
    more = "; raise iterations" if solution.outcome.ran_out else ""
    return f"{solution.status}; {found if over > MET else 'a feasible motion, not yet optimal'}{more}"
