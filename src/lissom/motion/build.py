"""From an arm and a task to a program.

What holds at all times by construction: positions, rates, accelerations and jerks, by the control points of the
profile and of its derivatives; deflections and strains likewise. What is looked at in samples: torque, its rate, power;
in knots and midpoints, and wherever a look at a fine grid found them exceeded. Rows of coordinates without a motor
vanish at the collocation points of the mesh (see `mesh`).
"""

from __future__ import annotations

import time
from collections.abc import Mapping

import numpy as np
from scipy import sparse

from lissom.dynamics.inverse import Setting
from lissom.kernels.cache import cache_of, functions_of
from lissom.kernels.loads import as_loads
from lissom.kernels.tree_call import tree_call
from lissom.kernels.verbs import INVERSE_DYNAMICS
from lissom.later import cached_property
from lissom.model.arm import Arm
from lissom.model.limits import used
from lissom.model.loads import Load
from lissom.motion import start
from lissom.motion.basis import Basis
from lissom.motion.bending import bending_rows, measures_of
from lissom.motion.bounds import bounds_of, small_weights
from lissom.motion.clearance import Clearance, clearance_of
from lissom.motion.closing import Closing
from lissom.motion.criteria import Course, rate_of_cost
from lissom.motion.curves import Curves, End, Space
from lissom.motion.ends import spread
from lissom.motion.expressions import Expressions
from lissom.motion.immobile import held_joints
from lissom.motion.mesh import LOOSE_CONTINUITY, Mesh, loose_basis
from lissom.motion.places import Place, places_of
from lissom.motion.program import Block, Program
from lissom.motion.pushes import load_table, loads_over
from lissom.motion.record import grid
from lissom.motion.report import Closures
from lissom.motion.resting import resting
from lissom.motion.rows import linear_rows
from lissom.motion.sample import LANES, Sample
from lissom.motion.tapes import TapeSample
from lissom.motion.task import SEGMENTS, Task
from lissom.spatial.rotations import Array
from lissom.verbs.modes import modes

NEAR = 2.0  # obstacles nearer to the first guess than so many times what is allowed are watched from the start
FINE = 12  # points of Gauss at which the cost is looked at, in every part of a segment
PARTS = 8  # of a segment where |power| is minimised: its kinks may be anywhere
VERB = "predict_motion"
SHORTEST = 1e-4  # s that a free duration takes at least; one that ends there has nothing that takes time
SMALL = 1e-3  # of the largest torque: rows of coordinates that hardly feel one count as large as this
LED_DEGREE = 5  # of coordinates with a motor, beside some without
RESOLVED = 8  # segments per period of the fastest mode from which a mesh resolves them all
SAMPLED = ("torque", "torque_rate", "power")
SLACK = 0.7  # of a limit: where a solution on a coarse mesh uses less of it, finer meshes have no rows for it at first


Only = Mapping[float, set[tuple[str, str]]]  # quantities and coordinates by fraction


class OutOfTimeError(Exception):
    """The time of a search ended before its functions were compiled."""


class Problem:
    """An arm, a task, and everything a program of them is made of; programs of any mesh can be built."""

    verb = VERB

    def __init__(self, arm: Arm, task: Task, regularise: float = 0.0) -> None:
        self.arm, self.task, self.n = arm, task, arm.dof
        self.bounds = bounds_of(arm, task, VERB)
        self.small = small_weights(self.bounds, task, regularise, arm.actuated)
        self.names = list(arm.coordinates)
        self.closing = Closing(arm, VERB) if arm.loops else None
        # with closed loops all coordinates share the splines of those with a motor
        led = arm.actuated | bool(arm.loops)
        self.led, self.loose = np.flatnonzero(led), np.flatnonzero(~led)
        self.friction = arm.expanded(arm.friction)
        pushes = as_loads(arm, task.loads, "predict_motion")
        self.frames = [frame for frame, _ in pushes]
        self._pushes = [load for _, load in pushes]  # in the frames that carry them
        self.setting = Setting(tuple(self.frames))
        self.bodies = functions_of(arm).bodies.with_stations(self.frames)
        self.expressions = Expressions(self)
        self.left_out: set[tuple[str, str]] = set()  # sampled limits without rows: quantity and coordinate
        # fractions by which sampled limits are tightened, by quantity: what closing the loops adds to torques
        self.margins: dict[str, Array] = {}
        self.measures = measures_of(arm, task.bending, VERB)
        self.places = places_of(self)
        self.held_joints = held_joints(self)
        rough = self.bounds.limited("torque") & (self.friction > 0)
        self.rubbing = np.setdiff1d(np.flatnonzero(rough), list(self.held_joints))
        self.clearance = self._clearance()
        if self.closing is not None:
            self.closing.choose(self.line[1])

    @cached_property
    def sample(self) -> Sample | TapeSample:
        """Torques, their rates and powers, the rate of cost; compiled when it is first asked for."""
        return self.expressions.sample()

    def compile(self, until: float = np.inf) -> None:
        """Have all that is compiled ready; beyond a time of `time.perf_counter` nothing more is begun."""

        def check() -> None:
            if time.perf_counter() > until:
                raise OutOfTimeError

        self.expressions.sample(check)

    # ---- where it goes ------------------------------------------------------------------------------

    def given(self, word: str) -> Array:
        """(n,) positions at "start" or "goal"; NaN where they are free or follow from a place in space."""
        found = [place for place in self.places if place.word == word and place.reaching is None]
        return found[0].q[0] if found else np.full(self.n, np.nan)

    def rates(self, word: str) -> Array:
        """(n,) rates at "start" or "goal", at rest where none are given; in closed loops those left open follow."""
        value = getattr(self.task, f"{word}_velocity")
        rate = np.zeros(self.n) if value is None else spread(self.arm, value, 0.0)
        return rate if self.closing is None else self.closing.completed_rates(self.given(word), rate)

    def accelerations(self, word: str) -> Array:
        """(n,) accelerations at "start" or "goal", NaN where they are free: those of unactuated coordinates follow.

        Where jerk or rates of torque are limited they are zero unless given: an arm at rest that leaves with an
        acceleration has a jerk without bounds there, which no limit along the motion sees.
        """
        value = getattr(self.task, f"{word}_acceleration")
        if value is not None:
            return spread(self.arm, value, np.nan)
        if self.task.periodic:
            return np.full(self.n, np.nan)
        limited = self.bounds.limited("jerk") | self.bounds.limited("torque_rate").any()
        return np.where(limited & np.isin(np.arange(self.n), self.led) & np.isfinite(self.rates(word)), 0.0, np.nan)

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
        given = [place.q[0] for place in self.places if place.reaching is None and not np.isnan(place.q[0]).any()]
        if given:
            made.leave_room(np.array(given))
        for k, place in enumerate(self.places):  # of positions that reach a place, those that are clear count first
            if place.reaching is not None:
                left = made.gaps(place.q).min(axis=1)
                self.places[k] = place._replace(q=place.q[np.argsort(left < 0, kind="stable")])
        return made

    # ---- the sample ---------------------------------------------------------------------------------

    def load_data(self, s: Array) -> Array:
        """(N, 9 loads) forces, moments and points at fractions of the duration; where asked for, their slopes too."""
        return load_table(self._pushes, s, self.expressions.rates)

    def loads_at(self, s: Array) -> list[Load]:
        """The loads at fractions of the duration, (N, 3) each."""
        return loads_over(self.task.loads, s)

    def load_at(self, s: float) -> list[Load]:
        """The loads at one fraction, (3,) each."""
        return [load.replace(force=load.force[0], moment=load.moment[0], point=load.point[0])
                for load in self.loads_at(np.array([s]))]  # fmt: skip

    @cached_property
    def guess(self) -> Course:
        """A smooth motion along the path of the first guess."""
        return start.course(self)

    @cached_property
    def line(self) -> start.Line:
        """The path of the first guess."""
        return start.waypoints(self)

    def watch(self, curves: Curves, x: Array, s: Array, excess: float) -> bool:
        """Have rows for obstacles that a motion comes too near to; whether some are new."""
        at = self.clearance
        return at is not None and at.watch(lambda s: curves.at(x, s, 1)[0], s, excess=excess)

    @property
    def rounded(self) -> bool:
        """What is minimised is rounded off: energy, or torques with Coulomb friction."""
        return "energy" in self.task.minimise or (bool(self.friction.any()) and set(self.task.minimise) != {"time"})

    def cost(self, curves: Curves, x: Array) -> float:
        """The integral that is minimised, as defined: nothing rounded off, on a fine grid."""
        breaks = curves.spaces[-1].basis.breaks
        if "energy" in self.task.minimise:
            breaks = grid(breaks, PARTS)
        node, weight = np.polynomial.legendre.leggauss(FINE)
        h = np.diff(breaks)[:, None]
        s, weights = (breaks[:-1, None] + h * (node + 1) / 2).ravel(), (h * weight / 2).ravel()
        z, T = curves.at(x, s, 4), curves.T(x)
        driven = self.arm.actuated
        tau = np.where(driven, self.required(curves, x, s, z), 0.0)
        at = Course(z[0], z[1], z[2], np.where(driven, z[3], 0.0), tau, np.gradient(tau, s * T, axis=0))
        return T * float(weights @ rate_of_cost(self.task, at))

    def required(self, curves: Curves, x: Array, s: Array, z: Array) -> Array:
        """(N, n) torques at fractions s of a motion, z (.., N, n) its positions, rates and accelerations there."""
        z = np.array(z[:3])
        z[1:, :, list(self.held_joints)] = 0.0  # exactly: the sign of rounding would be that of friction
        tau = np.asarray(tree_call(self.arm, INVERSE_DYNAMICS.name, list(z), loads=self.loads_at(s)))
        return tau if self.closing is None else self.closing.torques(z[0], tau, curves.forces_at(x, s))

    def closures(self, curves: Curves, x: Array) -> Closures | None:
        """Forces in closed loops, in the order of time."""
        if self.closing is None:
            return None
        s = np.unique(curves.nodes)
        return Closures(s, self.closing.rows.astype(float), curves.forces_at(x, s))

    def begun(self, curves: Curves, x: Array, before: tuple[Curves, Array] | None = None) -> Array:
        """Variables to begin with, forces in closed loops filled in: those of a solution, or likely ones."""
        if self.closing is None:
            return x
        if before is not None:
            return curves.with_forces(x, before[0].forces_at(before[1], curves.nodes))
        z = curves.at(x, curves.nodes)
        tau = tree_call(self.arm, INVERSE_DYNAMICS.name, list(z[:3]), loads=self.loads_at(curves.nodes))
        return curves.with_forces(x, self.closing.least(z[0], np.asarray(tau)).force)

    # ---- the program --------------------------------------------------------------------------------

    def leave_out_slack(self, program: Program, rows: Array) -> bool:
        """Leave out the rows of sampled limits of which a solution uses little; whether there are some.

        Most of a solver's time goes into rows. `restore_limits` has them back where a later look finds one exceeded.
        """
        most: dict[tuple[str, str], float] = {}
        use = used(rows[:, None], program.lower[:, None], program.upper[:, None])[:, 0]
        for (what, who, _), x in zip(program.names, use, strict=True):
            if what in SAMPLED:
                most[what, who] = max(most.get((what, who), 0.0), float(x))
        self.left_out |= {key for key, x in most.items() if x < SLACK}
        return bool(self.left_out)

    def restore_limits(self, which: set[tuple[str, str]] | None = None) -> bool:
        """Have rows again for some limits that were left out, default: all; whether there are such."""
        some = self.left_out if which is None else self.left_out & which
        self.left_out = self.left_out - some
        return bool(some)

    @property
    def segments(self) -> int:
        """Of actuated coordinates, to begin with where the task does not give them."""
        return SEGMENTS if self.task.segments is None else int(self.task.segments)

    def mesh(self, finer: int = 1, segments: int | None = None) -> Mesh:
        """The task's segments for actuated coordinates, and `finer` times as many for loose ones."""
        task = self.task
        count = self.segments if segments is None else segments
        if not len(self.loose):
            return Mesh(Basis(count, task.degree or 3, task.continuity, task.periodic))
        led = Basis(count, task.degree or LED_DEGREE, self._continuity(count), task.periodic)
        return Mesh(led, loose_basis(led, finer))

    def _continuity(self, segments: int) -> int | None:
        """Continuity of actuated coordinates beside unactuated ones: the highest, so that fast modes are not excited;
        the lowest for the shortest time, whose torques jump, if the mesh resolves all modes."""
        if self.task.continuity is not None or set(self.task.minimise) != {"time"}:
            return self.task.continuity
        return LOOSE_CONTINUITY if self.resolved(segments) else None

    def resolved(self, segments: int) -> bool:
        """So many segments resolve all modes, as the first guess goes."""
        return fastest_period(self.arm) * segments >= RESOLVED * self.line_duration

    @cached_property
    def line_duration(self) -> float:
        """Of the first guess [s]."""
        return start.duration(self)

    def curves(self, mesh: Mesh, nodes: Array | None = None) -> Curves:
        """The profiles on a mesh, with the task's end conditions; with closed loops, forces at nodes."""
        ends = []
        for word in ("start", "goal"):
            acceleration = self.accelerations(word)
            if self.task.fixed_duration is None:
                acceleration = np.where(acceleration == 0.0, 0.0, np.nan)  # others are rows
            rate = self.rates(word)
            ends.append(End(self.given(word), rate, np.where(np.isnan(rate), np.nan, acceleration)))
        spaces = [Space(mesh.led, tuple(self.led.tolist()))] if len(self.led) else []
        spaces += [] if mesh.loose is None else [Space(mesh.loose, tuple(self.loose.tolist()))]
        forces = 0 if self.closing is None else self.closing.count
        return Curves(spaces, ends[0], ends[1], self.task.fixed_duration, nodes, forces)

    def program(self, mesh: Mesh, more: Array, soft: float = 1.0, only: Only | None = None) -> Program:
        """On a mesh, with samples at the fractions `more` too.

        soft : how many times wider |power| is rounded off
        only : the limits that have rows at fractions of `more`; default: all of them
        """
        blocks = [self._block(mesh, more, soft, only or {})]
        curves = self.curves(mesh, blocks[0].s)
        low, high = self._variable_bounds(curves)
        if self.closing is not None:
            blocks.append(self.closing.block(self._closed_at(mesh)))
        held = [place.reaching for place in self.held]
        for place in self.places:
            if place.reaching is not None and place.reaching not in held:
                blocks.append(place.reaching.block(place.q[0]))
        for s, word in () if self.task.periodic else ((0.0, "start"), (1.0, "goal")):
            rest = resting(self, s, word) if len(self.loose) else None
            blocks += [] if rest is None else [rest]
        if self.clearance is not None:
            looks = np.linspace(0.0, 1.0, 4 * mesh.led.segments + 1)
            self.clearance.watch(lambda s: start.along(self.line, s), looks, NEAR)
            blocks += self.clearance.blocks(blocks[0].s)
        linear = [*linear_rows(self, curves), *bending_rows(self.measures, curves)]
        return Program(curves, blocks, linear, low, high, self.typical)

    def _closed_at(self, mesh: Mesh) -> Array:
        """Knots at which loops are to close; at ends whose positions are given they do."""
        free = [self.task.periodic or np.isnan(self.given("start")).any(), np.isnan(self.given("goal")).any()]
        inner = mesh.led.breaks[1:-1]
        return np.concatenate([[0.0] * bool(free[0]), inner, [1.0] * bool(free[1] and not self.task.periodic)])

    def _block(self, mesh: Mesh, more: Array, soft: float, only: Only) -> Block:
        """Limits at all samples, at some `only` those named.

        Rows of unactuated coordinates vanish at the samples of the mesh.
        """
        s, weights = mesh.samples(self.expressions.orders, "energy" in self.task.minimise)
        points = len(s)
        lower, upper, words = self.expressions.row_limits()
        limited = np.isfinite(lower) | np.isfinite(upper)
        limited &= [word not in self.left_out for word in words]
        first, count = points, len(more)  # of the samples that `only` is about
        if limited.any() and (mesh.loose is not None or mesh.led.continuity < 2):
            more = np.append(mesh.corners, more)
            first += len(mesh.corners)
        more = np.append(more, np.full(max(LANES - points - len(more), 0), 0.5))
        s, weights = np.append(s, more), np.append(weights, np.zeros(len(more)))
        N, m = len(s), len(lower)
        chosen = np.tile(limited, (N, 1))
        for which, at in zip(chosen[first:], s[first : first + count].tolist(), strict=False):
            if at in only:
                which &= [word in only[at] for word in words]
        still = np.flatnonzero(~self.arm.actuated)
        chosen[: points if self.closing is None else N, still] = True
        at, row = np.nonzero(chosen)
        combine = sparse.csr_array((np.ones(len(row)), (np.arange(len(row)), at * m + row)), shape=(len(row), N * m))
        lower[still] = upper[still] = 0.0
        for k in still:
            words[k] = ("equation of motion", self.names[k])
        names = [(*words[k], float(s[i])) for i, k in zip(at, row, strict=True)]
        size = self._sizes(lower, upper)[row]
        data = np.concatenate([self.load_data(s), np.tile(self.expressions.width_data(soft), (N, 1))], axis=1)
        return Block(self.sample, s, weights, combine, lower[row], upper[row], names, data, size)

    def _sizes(self, lower: Array, upper: Array) -> Array:
        """(m,) of the rows of a sample: their limits; torques that have none, as large as those of the first guess."""
        tau = np.abs(self.guess.tau).max(axis=0)
        out = np.append(np.maximum(tau, SMALL * tau.max()), np.ones(len(lower) - self.n))
        limit = np.max(np.where(np.isfinite([lower, upper]), np.abs([lower, upper]), 0.0), axis=0)
        out = np.where(limit > 0, limit, out)
        return np.where(np.isfinite(out) & (out > 0), out, 1.0)

    @cached_property
    def typical(self) -> float:
        """How large the cost is, by the first guess."""
        found = self.line_duration * float(rate_of_cost(self.task, self.guess).mean())
        return found if np.isfinite(found) and found > 0 else 1.0

    def _variable_bounds(self, curves: Curves) -> tuple[Array, Array]:
        """Positions on control points; the duration."""
        owner = curves.variable_places[:, 1]
        low, high = self.bounds.lower["position"][owner], self.bounds.upper["position"][owner]
        for k, q in self.held_joints.items():
            low[owner == k] = high[owner == k] = q
        far = np.full(len(curves.nodes) * curves.each, np.inf)
        low, high = np.append(low, -far), np.append(high, far)
        if curves.duration is None:
            shortest, longest = self.task.duration or (SHORTEST, np.inf)
            low, high = np.append(low, shortest), np.append(high, longest)
        return low, high


def fastest_period(arm: Arm) -> float:
    """Of all natural modes of an open arm, no torque acting, the shortest period [s]; infinite where there are none."""

    def period() -> float:
        found = modes(arm, None, "free").frequencies_hz
        return float(1 / found.max()) if len(found) else np.inf

    return cache_of(arm).stored("fastest period", None, period)
