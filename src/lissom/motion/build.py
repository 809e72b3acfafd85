"""From an arm and a task to a program.

What holds at all times by construction: positions, rates, accelerations and jerks, by the control points of the
profile and of its derivatives. What is looked at in samples: torque, its rate, power; in knots and midpoints, and
wherever a look at a fine grid found them exceeded.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any, NamedTuple

import casadi as ca
import numpy as np
from scipy import sparse

from lissom.model.arm import Arm
from lissom.model.loads import Load
from lissom.motion import start
from lissom.motion.basis import Basis
from lissom.motion.bounds import Bounds, bounds_of
from lissom.motion.clearance import Clearance, clearance_of
from lissom.motion.criteria import Course, own_expression, rate_of_cost
from lissom.motion.curves import Curves, End, Space
from lissom.motion.program import Block, Program
from lissom.motion.reach import Reach
from lissom.motion.reaching import Range, Reaching
from lissom.motion.rows import linear_rows
from lissom.motion.rubbing import excess, width
from lissom.motion.sample import LANES, Sample, Symbols
from lissom.motion.tapes import TapeSample, prefers_tape
from lissom.motion.task import Task
from lissom.motion.torques import torques
from lissom.spatial.rotations import Array
from lissom.verbs.call import as_loads, library_of
from lissom.verbs.dynamics import inverse_dynamics
from lissom.verbs.library import digest

ROUND = 0.02  # of the largest power that is expected: |tau qd| is rounded off within it
NEAR = 2.0  # obstacles nearer to the first guess than so many times what is allowed are watched from the start
FINE = 12  # points of a segment at which the cost is looked at
VERB = "predict_motion"
APART = 4  # joints from which squares of torques are left out of compiled code: half of it would be theirs
SAMPLED = ("torque", "torque_rate", "power")


class Place(NamedTuple):
    """Somewhere on the way: what it is called, when, positions (k, n) that fit, the nearest first; NaN where free."""

    word: str
    s: float
    q: Array
    reaching: Reaching | None


class Problem:
    """An arm, a task, and everything a program of them is made of; programs of any mesh can be built."""

    def __init__(self, arm: Arm, task: Task, regularise: float = 0.0) -> None:
        self.arm, self.task, self.n = arm, task, arm.dof
        self.bounds = bounds_of(arm, task, VERB)
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
        self.places = self._places()
        self.clearance = self._clearance()

    @cached_property
    def sample(self) -> Sample | TapeSample:
        """Torques, their rates and powers, the rate of cost; compiled when it is first asked for."""
        return self._sample()

    def compile(self) -> None:
        """Have all that is compiled ready."""
        assert self.sample.n == self.n

    # ---- where it goes ------------------------------------------------------------------------------

    def given(self, word: str) -> Array:
        """(n,) positions at "start" or "goal"; NaN where they are free or follow from a place in space."""
        value = getattr(self.task, word)
        return np.full(self.n, np.nan) if value is None or isinstance(value, Reach) else np.asarray(value, float)

    def _places(self) -> list[Place]:
        """Start, via points and goal, in the order of time, with positions that fit those given in space."""
        task = self.task
        known = [] if task.periodic else [("start", 0.0, task.start), ("goal", 1.0, task.goal)]
        known += [(f"via point at {via.at:g}", via.at, via.q) for via in task.via if via.q is not None]
        known.sort(key=lambda place: place[1])
        allowed = Range(self.bounds.lower["position"], self.bounds.upper["position"])
        near = np.clip(0.0, *allowed)
        first = next((q for _, _, q in known if q is not None and not isinstance(q, Reach)), near)
        near = np.where(np.isfinite(first), first, near)
        out = []
        for word, s, q in known:
            if isinstance(q, Reach):
                reaching = Reaching(self.arm, q, word, s, allowed, VERB)
                out.append(Place(word, s, reaching.solutions(near), reaching))
            else:
                out.append(Place(word, s, np.full((1, self.n), np.nan) if q is None else np.array([q], float), None))
            near = np.where(np.isfinite(out[-1].q[0]), out[-1].q[0], near)
        return out

    @cached_property
    def held(self) -> list[Place]:
        """Places in space where the arm is singular."""
        return [p for p in self.places if p.reaching is not None and p.reaching.singular(p.q[0])]

    def missed(self, curves: Curves, x: Array) -> str:
        """In words, a place in space that a motion does not reach."""
        found = [place.reaching.missed(curves.at(x, np.array([place.s]), 1)[0, 0])
                 for place in self.places if place.reaching is not None]  # fmt: skip
        return next((word for word in found if word), "")

    def _clearance(self) -> Clearance | None:
        made = clearance_of(self.arm, self.task, VERB)
        if made is None:
            return None
        for k, place in enumerate(self.places):  # of positions that reach a place, those that are clear count first
            if place.reaching is not None:
                left = made.gaps(place.q).min(axis=1)
                self.places[k] = place._replace(q=place.q[np.argsort(left < 0, kind="stable")])
        return made

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
                rounding = self.rounding if "energy" in self.task.minimise else 1.0
                made[key] = TapeSample(
                    self.arm, self.setting, powers, self.task.minimise, self.small, self.rubbing, self.wide, rounding
                )
            else:
                squares = self._squares if self.n >= APART else None
                made[key] = Sample(key, self.n, self._expressions, self.orders, 9 * len(self.frames), squares)
        return made[key]

    @property
    def _spec(self) -> str:
        """What decides the expressions of a sample."""
        limited = {quantity: self.bounds.limited(quantity).tolist() for quantity in ("power", "torque_rate")}
        limited["rubbing"] = [*self.rubbing.tolist(), self.wide]
        terms = {}
        for word, weight in self.task.minimise.items():
            if callable(word):
                symbols = [ca.SX.sym(x, self.n) for x in ("q", "qd", "qdd", "tau")]
                terms[str(ca.Function("f", symbols, [own_expression(word, *symbols)]).serialize())] = weight
            else:
                terms[word] = weight
        rounding = self.rounding if "energy" in terms else 0.0
        return f"{limited}|{terms}|{self.small.tolist()}|{rounding!r}"

    @cached_property
    def rounding(self) -> float:
        """Power [W] within which |tau qd| is rounded off: ROUND of the largest of the first guess, by half decades."""
        size = ROUND * float(np.abs(self.guess.tau * self.guess.qd).max())
        return float(10.0 ** (np.round(2 * np.log10(size)) / 2)) if size > 1e-12 else ROUND

    @cached_property
    def wide(self) -> float:
        """Rate [rad/s or m/s] within which friction turns around, in limits; where there is none, nothing."""
        return width(float(np.abs(self.guess.qd).max())) if len(self.rubbing) else 0.0

    @cached_property
    def guess(self) -> Course:
        """A smooth motion along the path of the first guess."""
        return start.course(self)

    @cached_property
    def line(self) -> start.Line:
        """The path of the first guess."""
        return start.waypoints(self)

    def watch(self, curves: Curves, x: Array, s: Array) -> bool:
        """Have rows for obstacles that a motion comes too near to; whether some are new."""
        return self.clearance is not None and self.clearance.watch(lambda s: curves.at(x, s, 1)[0], s)

    def cost(self, curves: Curves, x: Array) -> float:
        """The integral that is minimised, as defined: nothing rounded off, on a fine grid."""
        breaks = curves.spaces[0].basis.breaks
        node, weight = np.polynomial.legendre.leggauss(FINE)
        h = np.diff(breaks)[:, None]
        s, weights = (breaks[:-1, None] + h * (node + 1) / 2).ravel(), (h * weight / 2).ravel()
        z, T = curves.at(x, s, 4), curves.T(x)
        tau = inverse_dynamics(self.arm, z[0], z[1], z[2], loads=self.loads_at(s))
        at = Course(z[0], z[1], z[2], z[3], tau, np.gradient(tau, s * T, axis=0))
        return T * float(weights @ rate_of_cost(self.task, at))

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
            rows += [(tau + self.friction * excess(z.qd, side, self.wide))[some.tolist()] for side in (1.0, -1.0)]
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
                term = own_expression(word, z.q, z.qd, z.qdd, tau)
            elif word == "energy":
                power = tau * z.qd
                term = ca.sum1(ca.sqrt(power * power + self.rounding**2) - self.rounding)
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
            ends.append(End(self.given(word), given(getattr(task, f"{word}_velocity"), rest), acceleration))
        return Curves([Space(basis, tuple(range(n)))], ends[0], ends[1], task.fixed_duration)

    def program(self, basis: Basis, more: Array) -> Program:
        """On a basis, with samples at the fractions `more` too."""
        curves = self.curves(basis)
        low, high = self._variable_bounds(curves)
        blocks = [self._block(curves, basis, more)]
        held = [place.reaching for place in self.held]
        for place in self.places:
            if place.reaching is not None and place.reaching not in held:
                blocks.append(place.reaching.block(place.q[0]))
        if self.clearance is not None:
            looks = np.linspace(0.0, 1.0, 4 * basis.segments + 1)
            self.clearance.watch(lambda s: start.along(self.line, s), looks, NEAR)
            blocks += self.clearance.blocks(blocks[0].s)
        return Program(curves, blocks, linear_rows(self, curves), low, high)

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
