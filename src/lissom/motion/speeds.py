"""A given path, run through as fast as the motors allow.

The path p(x), x from 0 to 1, is fixed; free is the square of its speed, b(x) = (dx/dt)^2, so that

    qd = p' sqrt(b),    qdd = p'' b + p' b' / 2,    tau = A b' / 2 + C b + D sqrt(b) + F + G,    T = int dx / sqrt(b)

with A = M p', C the centrifugal torques of p' and M p'', D viscous and F Coulomb friction, G gravity, springs and
loads. Limits of torque and acceleration are linear in (b, b'), those of rates in b, and T is convex in b: without
damping, there are no local optima. At rest b grows in proportion to x and 1 / sqrt(b) has no bound; b is a spline in w,
x = w^2 (3 - 2 w), of which all that is integrated is smooth.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import casadi as ca
import numpy as np
from scipy import sparse
from scipy.interpolate import BSpline
from scipy.optimize import linprog

from lissom.errors import InputError, UnsupportedError
from lissom.model.arm import Arm
from lissom.model.limits import used
from lissom.motion.basis import Basis
from lissom.motion.bounds import bounds_of
from lissom.motion.curves import Curves, End, Space
from lissom.motion.peaks import exceeded
from lissom.motion.program import Block, Program
from lissom.motion.record import grid
from lissom.motion.sample import LANES, Sample, Symbols
from lissom.motion.task import Task
from lissom.spatial.rotations import Array
from lissom.verbs.dynamics import inverse_dynamics

VERB = "retime_motion"
CRITERIA = ("time", "torque_squared")
LOOKED = ("velocity", "acceleration", "torque")
TINY = 2e-8  # added to b, in parts of its size: the solver lets it be so little below zero
FINE = 16  # points of a segment at which limits are looked at
POINTS = 401  # at which a path is looked at
STRAIGHT = 1e-9  # of the largest rate of a joint along the path: one below it stays where it is
WAYS = {1.0: "forwards", -1.0: "backwards", 0.0: "nowhere"}


def warp(w: Array) -> tuple[Array, Array]:
    """x and dx/dw."""
    return w * w * (3 - 2 * w), 6 * w * (1 - w)


def _moving(p1: Array) -> Any:
    """Where joints move along the path, of its derivatives (N, n)."""
    return np.abs(p1) > STRAIGHT * np.abs(p1).max()


class Coefficients(NamedTuple):
    """Along the path, (N, n) each: its derivatives, and tau = A b'/2 + C b + D sqrt(b) + H."""

    p1: Array
    p2: Array
    A: Array
    C: Array
    D: Array
    H: Array


class Speeds:
    """A path, an arm and limits."""

    def __init__(self, arm: Arm, task: Task, curve: BSpline) -> None:
        self.arm, self.task, self.curve, self.n = arm, task, curve, arm.dof
        self.bounds = bounds_of(arm, task, VERB)
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
        self._refuse_locked(x)
        self._refuse_weak(x)

    def _refuse_locked(self, x: Array) -> None:
        """Joints that the path moves, and that may not go its way, or not speed up and slow down."""
        p1 = self.curve(x, 1)
        ways = np.where(_moving(p1), np.sign(p1), 0.0)
        for word in ("velocity", "acceleration"):
            lower, upper = self.bounds.lower[word], self.bounds.upper[word]
            forth, back = (ways > 0, ways < 0) if word == "velocity" else (ways != 0, ways != 0)
            off = np.argwhere(forth & (upper <= 0) | back & (lower >= 0) | (lower > 0) | (upper < 0))
            if len(off):
                row, k = off[0]
                raise InputError(
                    f"{VERB}: at {x[row]:.3g} of the path, which begins and ends at rest, joint {self.names[k]!r} goes "
                    f"{WAYS[ways[row, k]]}, and its {word} limits of {lower[k]:.6g} to {upper[k]:.6g} forbid that."
                )

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
        """By inverse dynamics at multiples of the rates: what grows with the rate, with its square, or not at all."""
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
        weights = self.task.minimise
        rate = weights.get("time", 0.0) + weights.get("torque_squared", 0.0) * ca.sumsqr(tau)
        return ca.vertcat(tau, p2 * b + p1 * half, z.q), rate * slope / root

    def data(self, w: Array) -> Array:
        """(N, 6 n + 5): coefficients; b' from derivatives by w (at the ends from the second); dx/dw; size of b."""
        x, slope = warp(w)
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
        return Block(self.sample, s, weights, combine, lower.ravel()[some], upper.ravel()[some], names, data)

    def _limits(self, p1: Array) -> tuple[Array, Array, Array]:
        """Of the rows (N, m), and the joint whose rate limits b."""
        N, bounds = len(p1), self.bounds
        fastest = np.where(p1 > 0, bounds.upper["velocity"], -bounds.lower["velocity"])
        most = np.divide(fastest, np.abs(p1), out=np.full(p1.shape, np.inf), where=_moving(p1))
        owner = np.argmin(most, axis=1)
        top = (most.min(axis=1) ** 2 / self.scale)[:, None]
        lower = [np.tile(bounds.lower[word], (N, 1)) for word in ("torque", "acceleration")]
        upper = [np.tile(bounds.upper[word], (N, 1)) for word in ("torque", "acceleration")]
        return np.hstack([*lower, np.full((N, 1), -np.inf)]), np.hstack([*upper, top]), owner

    def values(self, curves: Curves, x: Array, w: Array) -> tuple[Array, Array]:
        """b and b'/2 at w."""
        z = curves.at(x, w)[:, :, 0] * self.scale
        data = self.data(w)[:, 6 * self.n :]
        return np.maximum(z[0], 0.0), (data[:, 0] * z[1] + data[:, 1] * z[2]) / 2

    def look(self, curves: Curves, x: Array) -> tuple[dict[str, Array], Array]:
        """Use of limits on a fine grid, and the w at which one is exceeded."""
        w = grid(curves.spaces[0].basis.breaks, FINE)
        b, half = (part[:, None] for part in self.values(curves, x, w))
        at, root = self.coefficients(warp(w)[0]), np.sqrt(b)
        values = {
            "torque": at.A * half + at.C * b + at.D * root + at.H,
            "acceleration": at.p1 * half + at.p2 * b, "velocity": at.p1 * root,
        }  # fmt: skip
        times = []
        for word, table in values.items():
            times += exceeded(used(table, self.bounds.lower[word], self.bounds.upper[word]), w)
        return values, np.unique(np.array(times))
