"""From an arm and a task to a program.

What holds at all times by construction: positions, rates, accelerations and jerks, by the control points of the
profile and of its derivatives. What is looked at in samples: torque, its rate, power; in knots and midpoints, and
wherever a look at a fine grid found them exceeded.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import casadi as ca
import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from lissom.errors import InputError
from lissom.model.arm import Arm
from lissom.model.limits import QUANTITIES
from lissom.model.loads import Load
from lissom.motion.basis import Basis
from lissom.motion.curves import Curves, End, Space
from lissom.motion.program import Block, Program, Scaled
from lissom.motion.rubbing import excess
from lissom.motion.sample import LANES, Sample, Symbols
from lissom.motion.tapes import TapeSample, prefers_tape
from lissom.motion.task import Task
from lissom.motion.torques import torques
from lissom.spatial.rotations import Array
from lissom.verbs.call import as_loads, library_of
from lissom.verbs.library import digest

ROUND = 1e-3  # of the largest power: |tau qd| is smooth within it
DERIVATIVES = {"velocity": 1, "acceleration": 2, "jerk": 3}
APART = 4  # joints from which squares of torques are left out of compiled code: half of it would be theirs
SAMPLED = ("torque", "torque_rate", "power")


class Bounds(NamedTuple):
    """Lower and upper limits (n,) of every quantity, the tighter of joints' and task's."""

    lower: dict[str, Array]
    upper: dict[str, Array]

    def limited(self, quantity: str) -> NDArray[np.bool_]:
        """Coordinates for which it is limited."""
        return np.isfinite(self.lower[quantity]) | np.isfinite(self.upper[quantity])


def bounds_of(arm: Arm, task: Task) -> Bounds:
    """Of joints and task together."""
    n = len(arm.joints)
    lower, upper = {}, {}
    for quantity in QUANTITIES:
        own, given = arm.bounds(quantity), task.limits.bounds(quantity, n)
        lower[quantity], upper[quantity] = np.maximum(own[0], given[0]), np.minimum(own[1], given[1])
        for k, joint in enumerate(arm.joints):
            if lower[quantity][k] > upper[quantity][k]:
                raise InputError(
                    f"predict_motion: the limits of {quantity} of joint {joint.name!r} leave nothing: the joint allows "
                    f"{own[0][k]:g} to {own[1][k]:g}, the task {given[0][k]:g} to {given[1][k]:g}."
                )
    return Bounds(lower, upper)


class Problem:
    """An arm, a task, and everything a program of them is made of; programs of any mesh can be built."""

    def __init__(self, arm: Arm, task: Task, regularise: float = 0.0) -> None:
        self.arm, self.task, self.n = arm, task, arm.dof
        self.bounds = bounds_of(arm, task)
        self.small = small_weights(self.bounds, task, regularise)
        self.names = [joint.name for joint in arm.joints]
        self.friction = np.array([joint.friction for joint in arm.joints])
        self.rubbing = np.flatnonzero(self.bounds.limited("torque") & (self.friction > 0))
        pushes = as_loads(arm, task.loads, "predict_motion")
        self.frames = [frame for frame, _ in pushes]
        self._pushes = [load for _, load in pushes]  # in the frames that carry them
        library = library_of(arm)
        self.setting = library.setting(self.frames)
        self.bodies = library.bodies.with_stations(self.frames)
        self.sample = self._sample()

    # ---- the sample ---------------------------------------------------------------------------------

    @property
    def orders(self) -> int:
        """Derivatives that a sample sees."""
        rates = self.bounds.limited("torque_rate").any() or {"jerk", "torque_rate"} & set(self.task.minimise)
        return 4 if rates else 3

    def load_data(self, s: Array) -> Array:
        """(N, 9 loads) forces, moments and points at fractions of the duration."""
        parts = [part for load in loads_over(self._pushes, s) for part in (load.force, load.moment, load.point)]
        return np.ascontiguousarray(np.concatenate(parts, axis=1)) if parts else np.zeros((len(s), 0))

    def loads_at(self, s: Array) -> list[Load]:
        """The loads at fractions of the duration, (N, 3) each."""
        return loads_over(self.task.loads, s)

    def _sample(self) -> Sample | TapeSample:
        key = "|".join(map(str, (digest(self.bodies), self.setting, self._spec)))
        made: dict[str, Sample | TapeSample] = self.arm.__dict__.setdefault("_samples", {})  # live as long as the arm
        if key not in made:
            rates = bool(self.bounds.limited("torque_rate").any())
            if prefers_tape(self.arm, self.task.minimise, rates):
                powers = np.flatnonzero(self.bounds.limited("power"))
                made[key] = TapeSample(
                    self.arm, self.setting, powers, self.task.minimise, self.small, self.rubbing, ROUND
                )
            else:
                squares = self._squares if self.n >= APART else None
                made[key] = Sample(key, self.n, self._expressions, self.orders, 9 * len(self.frames), squares)
        return made[key]

    @property
    def _spec(self) -> str:
        """What decides the expressions of a sample."""
        limited = {quantity: self.bounds.limited(quantity).tolist() for quantity in ("power", "torque_rate")}
        limited["rubbing"] = self.rubbing.tolist()
        terms = {}
        for word, weight in self.task.minimise.items():
            if callable(word):
                symbols = [ca.SX.sym(x, self.n) for x in ("q", "qd", "qdd", "tau")]
                terms[str(ca.Function("f", symbols, [self._own_cost(word, *symbols)]).serialize())] = weight
            else:
                terms[word] = weight
        return f"{limited}|{terms}|{self.small.tolist()}"

    def _own_cost(self, f: Callable[..., Any], q: Any, qd: Any, qdd: Any, tau: Any) -> Any:
        found = ca.SX(f(q, qd, qdd, tau))
        if found.numel() != 1:
            raise InputError(f"predict_motion: a criterion gave {found.shape} numbers; expected one.")
        return found

    def _expressions(self, z: Symbols) -> tuple[Any, Any]:
        """Rows as `_row_limits` has them; the rate of cost."""
        loads = [z.data[9 * k : 9 * k + 9] for k in range(len(self.frames))]
        tau = torques(self.bodies, self.setting, z.q, z.qd, z.qdd, loads)
        rows = [tau]
        rate: Any = self._torque_rate(z, loads) if self.orders > 3 else None
        some = np.flatnonzero(self.bounds.limited("torque_rate"))
        if len(some):
            rows.append(rate[some.tolist()])
        some = np.flatnonzero(self.bounds.limited("power"))
        if len(some):
            rows.append((tau * z.qd)[some.tolist()])
        some = self.rubbing
        if len(some):
            rows += [(tau + self.friction * excess(z.qd, side))[some.tolist()] for side in (1.0, -1.0)]
        return ca.vertcat(*rows), self._cost(z, tau, rate)

    def _torque_rate(self, z: Symbols, loads: Any) -> Any:
        """d tau / dt along the motion, loads at rest."""
        q, qd, qdd = (ca.SX.sym(x, self.n) for x in ("q", "qd", "qdd"))
        tau = torques(self.bodies, self.setting, q, qd, qdd, loads)
        state = ca.vertcat(q, qd, qdd)
        along = ca.jtimes(tau, state, ca.vertcat(z.qd, z.qdd, z.jerk))
        return ca.substitute(along, state, ca.vertcat(z.q, z.qd, z.qdd))

    @property
    def _squares(self) -> Array:
        """(n,) weights of squared torques."""
        return self.small + self.task.minimise.get("torque_squared", 0.0)

    def _cost(self, z: Symbols, tau: Any, rate: Any) -> Any:
        cost = ca.dot(self._squares, tau * tau) if self.n < APART else ca.SX(0)
        for word, weight in self.task.minimise.items():
            if word == "torque_squared":
                continue
            if callable(word):
                term = self._own_cost(word, z.q, z.qd, z.qdd, tau)
            elif word == "energy":
                power = tau * z.qd
                term = ca.sum1(ca.sqrt(power * power + ROUND * ROUND) - ROUND)
            else:
                vectors = {"jerk": z.jerk, "torque_rate": rate}
                term = 1.0 if word == "time" else ca.sumsqr(vectors[word])
            cost = cost + weight * term
        return cost

    # ---- the program --------------------------------------------------------------------------------

    def curves(self, basis: Basis) -> Curves:
        """The profiles on a basis, with the task's end conditions."""
        n, task = self.n, self.task
        free, rest = np.full(n, np.nan), np.zeros(n)

        def given(value: Any, default: Array) -> Array:
            return default if value is None else np.asarray(value, float)

        ends = []
        for word in ("start", "goal"):
            acceleration = given(getattr(task, f"{word}_acceleration"), free)
            if task.fixed_duration is None:
                acceleration = np.where(acceleration == 0.0, 0.0, np.nan)  # others are rows
            ends.append(
                End(given(getattr(task, word), free), given(getattr(task, f"{word}_velocity"), rest), acceleration)
            )
        return Curves([Space(basis, tuple(range(n)))], ends[0], ends[1], task.fixed_duration)

    def program(self, basis: Basis, more: Array) -> Program:
        """On a basis, with samples at the fractions `more` too."""
        curves = self.curves(basis)
        low, high = self._variable_bounds(curves)
        return Program(curves, [self._block(curves, basis, more)], self._linear_rows(curves), low, high)

    def _block(self, curves: Curves, basis: Basis, more: Array) -> Block:
        s, weights = quadrature(basis, self.orders)
        s, weights = np.append(s, more), np.append(weights, np.zeros(len(more)))
        short = max(LANES - len(s), 0)
        s, weights = np.append(s, np.full(short, 0.5)), np.append(weights, np.zeros(short))
        lower, upper, words = self._row_limits()
        N, m = len(s), len(lower)
        limited = np.flatnonzero(np.isfinite(lower) | np.isfinite(upper))
        rows = (np.arange(N)[:, None] * m + limited).ravel()
        combine = sparse.csr_array((np.ones(len(rows)), (np.arange(len(rows)), rows)), shape=(len(rows), N * m))
        names = [(*words[k], float(x)) for x in s for k in limited]
        return Block(
            self.sample, s, weights, combine, np.tile(lower[limited], N), np.tile(upper[limited], N),
            np.zeros(len(rows)), names, self.load_data(s),
        )  # fmt: skip

    def _row_limits(self) -> tuple[Array, Array, list[tuple[str, str]]]:
        """Of the rows of a sample: torques of all, then rates of torque and powers of the limited, then torques with
        friction on the safe side: their upper limits and their lower ones."""
        far, some = np.full(self.n, np.inf), self.rubbing
        plain = np.isin(np.arange(self.n), some, invert=True)
        lower = [np.where(plain, self.bounds.lower["torque"], -far)]
        upper = [np.where(plain, self.bounds.upper["torque"], far)]
        words = [("torque", name) for name in self.names]
        for quantity in ("torque_rate", "power"):
            some = np.flatnonzero(self.bounds.limited(quantity))
            lower.append(self.bounds.lower[quantity][some])
            upper.append(self.bounds.upper[quantity][some])
            words += [(quantity, self.names[k]) for k in some]
        some = self.rubbing
        lower += [-far[some], self.bounds.lower["torque"][some]]
        upper += [self.bounds.upper["torque"][some], far[some]]
        words += 2 * [("torque", self.names[k]) for k in some]
        return np.concatenate(lower), np.concatenate(upper), words

    def _variable_bounds(self, curves: Curves) -> tuple[Array, Array]:
        """Positions on control points; the duration."""
        owner = curves.variable_places[:, 1]
        low, high = self.bounds.lower["position"][owner], self.bounds.upper["position"][owner]
        if curves.duration is None:
            shortest, longest = self.task.duration or (1e-4, np.inf)
            low, high = np.append(low, shortest), np.append(high, longest)
        return low, high

    def _linear_rows(self, curves: Curves) -> list[Scaled]:
        rows = [
            part for word in DERIVATIVES if self.bounds.limited(word).any() for part in self._hull_rows(curves, word)
        ]
        rows += [self._tied_positions(curves), *self._via_rows(curves), *self._end_accelerations(curves)]
        return [part for part in rows if len(part.c)]

    def _hull_rows(self, curves: Curves, quantity: str) -> list[Scaled]:
        """Limits of a derivative on its control points: one row with both where T is given, else one of each."""
        order = DERIVATIVES[quantity]
        hull, owner = curves.hull(order)
        moves = np.diff(hull.A.indptr) > 0  # some are given by the ends
        lower, upper = self.bounds.lower[quantity][owner], self.bounds.upper[quantity][owner]
        out = []
        for limit, above in ((upper, True), (lower, False)):
            some = np.flatnonzero(moves & np.isfinite(limit))
            names = [(quantity, self.names[owner[k]], k / max(len(owner) - 1, 1)) for k in some]
            zero, far = np.zeros(len(some)), np.full(len(some), np.inf)
            low, high = (-far, zero) if above else (zero, far)
            out.append(Scaled(hull.A[some], hull.c[some], limit[some], order, low, high, names))
        return out

    def _tied_positions(self, curves: Curves) -> Scaled:
        """Position limits of control points that depend on T (moving ends); others are bounds of variables."""
        hull, owner = curves.hull(0)
        A = hull.A
        last = curves.size - 1
        tied = np.zeros(A.shape[0], bool)
        if curves.duration is None:
            column = sparse.csc_array(A)
            tied[column.indices[column.indptr[last] : column.indptr[last + 1]]] = True
        lower, upper = self.bounds.lower["position"][owner], self.bounds.upper["position"][owner]
        some = np.flatnonzero(tied & (np.isfinite(lower) | np.isfinite(upper)))
        names = [("position", self.names[owner[k]], 0.0) for k in some]
        nothing = np.zeros(len(some))
        return Scaled(A[some], hull.c[some], nothing, 0, lower[some], upper[some], names)

    def _via_rows(self, curves: Curves) -> list[Scaled]:
        out = []
        for via in self.task.via:
            for word, order in (("q", 0), ("velocity", 1)):
                value = getattr(via, word)
                if value is None:
                    continue
                value = self._full(value, f"via point at {via.at:g}: {word}")
                local = curves.local(np.array([via.at]), order + 1)
                some = np.flatnonzero(np.isfinite(value))
                rows = order * self.n + some
                c = local.c[rows] - (value[some] if order == 0 else 0.0)
                limit = value[some] if order else np.zeros(len(some))
                zero = np.zeros(len(some))
                names = [(f"via {word}", self.names[k], via.at) for k in some]
                out.append(Scaled(local.A[rows], c, limit, order, zero, zero, names))
        return out

    def _end_accelerations(self, curves: Curves) -> list[Scaled]:
        """Accelerations other than zero at the ends of a motion of free duration."""
        out: list[Scaled] = []
        if self.task.fixed_duration is not None:
            return out
        for s, word in ((0.0, "start_acceleration"), (1.0, "goal_acceleration")):
            value = getattr(self.task, word)
            if value is None:
                continue
            local = curves.local(np.array([s]), 3)
            some = np.flatnonzero(np.isfinite(value) & (value != 0.0))
            rows, zero = 2 * self.n + some, np.zeros(len(some))
            names = [(word.replace("_", " "), self.names[k], s) for k in some]
            out.append(Scaled(local.A[rows], local.c[rows], value[some], 2, zero, zero, names))
        return out

    def _full(self, value: Array, what: str) -> Array:
        if len(value) != self.n:
            raise InputError(f"predict_motion: {what} has {len(value)} entries; expected {self.n}, one per joint.")
        return value


def small_weights(bounds: Bounds, task: Task, regularise: float) -> Array:
    """(n,) weights of squared torques beside the time, where time alone is minimised.

    Joints that do not decide the duration would otherwise move in any of many ways. Torques are taken relative to their
    limits and averaged over the joints that have one, so the shortest time becomes longer by at most this fraction.
    """
    upper = np.maximum(np.abs(bounds.lower["torque"]), np.abs(bounds.upper["torque"]))
    known = np.isfinite(upper) & (upper > 0)
    if set(task.minimise) != {"time"} or not regularise or not known.any():
        return np.zeros(len(upper))
    scale = np.where(known, upper, upper[known].max())
    return np.asarray(regularise * task.minimise["time"] / (len(upper) * scale**2))


def loads_over(loads: Sequence[Load], s: Array) -> list[Load]:
    """Loads at fractions of a motion, (N, 3) each; those given as samples change evenly along it."""
    out = []
    for load in loads:
        parts = []
        for part in (load.force, load.moment, load.point):
            table = np.atleast_2d(part)
            grid = np.linspace(0.0, 1.0, len(table)) if len(table) > 1 else np.array([0.0])
            parts.append(np.stack([np.interp(s, grid, table[:, k]) for k in range(3)], axis=-1))
        out.append(Load(load.link, *parts))
    return out


def quadrature(basis: Basis, orders: int) -> tuple[Array, Array]:
    """Samples and weights: Lobatto's points of every segment, ends shared; Gauss's where a derivative in use jumps."""
    h = np.diff(basis.breaks)
    if orders - 1 > basis.continuity:
        x, w = np.polynomial.legendre.leggauss(basis.degree)
        s = basis.breaks[:-1, None] + h[:, None] * (x + 1) / 2
        return s.ravel(), (h[:, None] * w / 2).ravel()
    x, w = _LOBATTO[3 if basis.degree == 3 else 5]
    inner = basis.breaks[:-1, None] + h[:, None] * x[:-1]
    weights = h[:, None] * w
    s = np.append(inner.ravel(), 1.0)
    total = np.append(weights[:, :-1].ravel(), 0.0)
    total[len(x) - 1 :: len(x) - 1] += weights[:, -1]
    return s, total


_LOBATTO = {
    3: (np.array([0.0, 0.5, 1.0]), np.array([1.0, 4.0, 1.0]) / 6),
    5: (
        np.array([0.0, 0.5 - np.sqrt(21) / 14, 0.5, 0.5 + np.sqrt(21) / 14, 1.0]),
        np.array([9.0, 49.0, 64.0, 49.0, 9.0]) / 180,
    ),
}
