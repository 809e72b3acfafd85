"""From an arm and a task to a program.

What holds at all times by construction: positions, rates, accelerations and jerks, by the control points of the
profile and of its derivatives; deflections and strains likewise. What is looked at in samples: torque, its rate, power;
in knots and midpoints, and wherever a look at a fine grid found them exceeded. Rows of coordinates without a motor
vanish at the collocation points of the mesh (see `mesh`).
"""

from __future__ import annotations

import time

import numpy as np

from lissom.errors import OutOfTimeError
from lissom.later import cached_property
from lissom.model.arm import Arm
from lissom.motion.splines.basis import grid, uniform_basis
from lissom.motion.splines.curves import Curves, End, Space
from lissom.motion.splines.mesh import UNACTUATED_CONTINUITY, Mesh, unactuated_basis
from lissom.motion.task.bounds import small_weights
from lissom.motion.task.criteria.criterion import Course
from lissom.motion.task.periods import fastest_period
from lissom.motion.task.task import SEGMENTS, Task
from lissom.motion.transcription.constraints.constraint import AbstractConstraint, Look
from lissom.motion.transcription.constraints.control_points import ControlPointLimits
from lissom.motion.transcription.constraints.ends import EndAccelerations
from lissom.motion.transcription.constraints.loops import LoopClosure
from lissom.motion.transcription.constraints.reach import ReachTargets
from lissom.motion.transcription.constraints.rest import EndsAtRest
from lissom.motion.transcription.constraints.torque import Only, Samples, TorqueLimits
from lissom.motion.transcription.constraints.via import ViaPoints
from lissom.motion.transcription.first_guess import FirstGuess, along
from lissom.motion.transcription.immobile import held_joints
from lissom.motion.transcription.kernels.expressions import Expressions
from lissom.motion.transcription.loops.closures import Closures
from lissom.motion.transcription.loops.singularity import narrows
from lissom.motion.transcription.peak import Peak
from lissom.motion.transcription.peaks import BESIDE, Excess, both_sides, rates_of, summits, turns
from lissom.motion.transcription.program import Program
from lissom.motion.transcription.specification import Specification
from lissom.spatial.rotations import Array

FINE = 12  # points of Gauss at which the cost is looked at, in every part of a segment
PARTS = 8  # of a segment where |power| is minimised: its kinks may be anywhere
SHORTEST = 1e-4  # s that a free duration takes at least; one that ends there has nothing that takes time
ACTUATED_DEGREE = 5  # of coordinates with a motor, beside some without
RESOLVED = 8  # segments per period of the fastest mode from which a mesh resolves them all
LOOKS = 4  # at the first guess, in a segment


class Problem:
    """An arm, a task, and everything a program of them is made of; programs of any mesh can be built."""

    def __init__(self, arm: Arm, task: Task, regularise: float = 0.0) -> None:
        self.arm, self.task, self.n = arm, task, arm.dof
        self.spec = spec = Specification(arm, task)
        self.guess = FirstGuess(spec)
        self.small = small_weights(spec.bounds, task, regularise, arm.actuated)
        self.held_joints = held_joints(spec)
        rough = np.flatnonzero(spec.bounds.limited("torque") & (spec.friction > 0))
        self.friction_joints = np.setdiff1d(rough, list(self.held_joints))
        if spec.closing is not None:
            spec.closing.choose(self.guess.line[1])
        self.expressions = Expressions(spec, self.small, self.friction_joints, self.guess)
        self.torque = TorqueLimits(spec.bounds, spec.names)
        self.targets = ReachTargets(spec)
        self.constraints: list[AbstractConstraint] = [
            ControlPointLimits(spec.bounds, spec.names), self.torque, ViaPoints(spec), EndAccelerations(spec),
            LoopClosure(spec), self.targets, EndsAtRest(spec), *spec.path_constraints,
        ]  # fmt: skip

    @cached_property
    def samples(self) -> Samples:
        """Limits of torques and the rate of cost; compiled when it is first asked for."""
        return Samples(self.expressions, self.guess.course)

    def compile(self, until: float = np.inf) -> None:
        """Have all that is compiled ready; beyond a time of `time.perf_counter` nothing more is begun."""

        def check() -> None:
            if time.perf_counter() > until:
                raise OutOfTimeError

        self.expressions.sample(check)

    # ---- costs and torques --------------------------------------------------------------------------

    @property
    def rounded(self) -> bool:
        """What is minimised is rounded off: energy, or torques with Coulomb friction."""
        only_time = set(self.task.minimise) == {"time"}
        return self.spec.cost.kinks or (bool(self.spec.friction.any()) and not only_time)

    @property
    def graduated(self) -> bool:
        """What is rounded off is so by less and less, each search starting from the solution of the last.

        With unactuated coordinates, Coulomb friction too: a Z1 with two flexible links takes 120 iterations with
        friction rounded off four times as wide, and 410 without. Where the motors move all coordinates, solutions are
        near after few iterations, and from a wider one the search would only begin elsewhere.
        """
        return self.spec.cost.kinks or (self.rounded and len(self.spec.unactuated) > 0)

    def cost(self, curves: Curves, x: Array) -> float:
        """The integral that is minimised, as defined: nothing rounded off, on a fine grid."""
        breaks = curves.spaces[-1].basis.breaks
        if self.spec.cost.kinks:
            breaks = grid(breaks, PARTS)
        node, weight = np.polynomial.legendre.leggauss(FINE)
        h = np.diff(breaks)[:, None]
        s, weights = (breaks[:-1, None] + h * (node + 1) / 2).ravel(), (h * weight / 2).ravel()
        z, T = curves.at(x, s, 4), curves.T(x)
        driven = self.arm.actuated
        tau = np.where(driven, self.required(curves, x, s, z), 0.0)
        at = Course(z[0], z[1], z[2], np.where(driven, z[3], 0.0), tau, np.gradient(tau, s * T, axis=0))
        return T * float(weights @ self.spec.cost.rate(at))

    @cached_property
    def typical(self) -> float:
        """How large the cost is, by the first guess."""
        found = self.guess.duration * float(self.spec.cost.rate(self.guess.course).mean())
        return found if np.isfinite(found) and found > 0 else 1.0

    def required(self, curves: Curves, x: Array, s: Array, z: Array) -> Array:
        """(N, n) torques at fractions s of a motion, z (.., N, n) its positions, rates and accelerations there."""
        z = np.array(z[:3])
        z[1:, :, list(self.held_joints)] = 0.0  # exactly: the sign of rounding would be that of friction
        tau = self.spec.torques(z[0], z[1], z[2], self.spec.loads_at(s))
        closing = self.spec.closing
        return tau if closing is None else closing.torques(z[0], tau, curves.forces_at(x, s))

    # ---- forces in closed loops ---------------------------------------------------------------------

    def closures(self, curves: Curves, x: Array) -> Closures | None:
        """Forces in closed loops, in the order of time."""
        if self.spec.closing is None:
            return None
        s = np.unique(curves.nodes)
        return Closures(s, self.spec.closing.rows.astype(float), curves.forces_at(x, s))

    def with_forces(self, curves: Curves, x: Array, before: tuple[Curves, Array] | None = None) -> Array:
        """Variables to begin with, forces in closed loops filled in: those of a solution, or likely ones."""
        if self.spec.closing is None:
            return x
        if before is not None:
            return curves.with_forces(x, before[0].forces_at(before[1], curves.nodes))
        z = curves.at(x, curves.nodes)
        tau = self.spec.torques(z[0], z[1], z[2], self.spec.loads_at(curves.nodes))
        return curves.with_forces(x, self.spec.closing.least(z[0], tau).force)

    # ---- meshes -------------------------------------------------------------------------------------

    @property
    def segments(self) -> int:
        """Number of segments of actuated coordinates, to begin with where the task does not give them."""
        return SEGMENTS if self.task.segments is None else int(self.task.segments)

    def mesh(self, finer: int = 1, segments: int | None = None) -> Mesh:
        """The task's segments for actuated coordinates, and `finer` times as many for unactuated ones."""
        task = self.task
        count = self.segments if segments is None else segments
        if not len(self.spec.unactuated):
            return Mesh(uniform_basis(count, task.degree or 3, task.continuity, task.periodic))
        basis = uniform_basis(count, task.degree or ACTUATED_DEGREE, self._continuity(count), task.periodic)
        return Mesh(basis, unactuated_basis(basis, finer))

    def _continuity(self, segments: int) -> int | None:
        """Continuity of actuated coordinates beside unactuated ones: the highest, so that fast modes are not excited;
        the lowest for the shortest time, whose torques jump, if the mesh resolves all modes."""
        if self.task.continuity is not None or set(self.task.minimise) != {"time"}:
            return self.task.continuity
        return UNACTUATED_CONTINUITY if self.resolved(segments) else None

    def resolved(self, segments: int) -> bool:
        """So many segments resolve all modes, as the first guess goes."""
        return fastest_period(self.arm) * segments >= RESOLVED * self.guess.duration

    # ---- the program --------------------------------------------------------------------------------

    def curves(self, mesh: Mesh, nodes: Array | None = None) -> Curves:
        """The profiles on a mesh, with the task's end conditions; with closed loops, forces at nodes."""
        spec, ends = self.spec, []
        for word in ("start", "goal"):
            acceleration = spec.accelerations(word)
            if self.task.fixed_duration is None:
                acceleration = np.where(acceleration == 0.0, 0.0, np.nan)  # others are rows
            rate = spec.rates(word)
            ends.append(End(spec.given(word), rate, np.where(np.isnan(rate), np.nan, acceleration)))
        spaces = [Space(mesh.actuated, tuple(spec.actuated.tolist()))] if len(spec.actuated) else []
        spaces += [] if mesh.unactuated is None else [Space(mesh.unactuated, tuple(spec.unactuated.tolist()))]
        forces = 0 if spec.closing is None else spec.closing.count
        return Curves(spaces, ends[0], ends[1], self.task.fixed_duration, nodes, forces)

    def program(self, mesh: Mesh, more: Array, soft: float = 1.0, only: Only | None = None) -> Program:
        """Return the program on a mesh, with samples at the fractions `more` too.

        soft : how many times wider |power| and friction are rounded off, see `Expressions.width_data`
        only : the limits that have rows at fractions of `more`; default: all of them
        """
        blocks = [self.samples.block(mesh, more, soft, only or {})]
        s = blocks[0].s
        curves = self.curves(mesh, s)
        looks = np.linspace(0.0, 1.0, LOOKS * mesh.actuated.segments + 1)
        for constraint in self.constraints:
            constraint.anticipate(lambda s: along(self.guess.line, s), looks)
            blocks += constraint.blocks(mesh, s)
        linear = [rows for constraint in self.constraints for rows in constraint.linear(curves) if len(rows.c)]
        smooth = self.expressions.layout.size == 0
        return Program(curves, blocks, linear, *self._variable_bounds(curves), self.typical, smooth)

    def _variable_bounds(self, curves: Curves) -> tuple[Array, Array]:
        """Positions on control points; the duration."""
        owner = curves.variable_places[:, 1]
        low, high = self.spec.bounds.lower["position"][owner], self.spec.bounds.upper["position"][owner]
        for k, q in self.held_joints.items():
            low[owner == k] = high[owner == k] = q
        far = np.full(len(curves.nodes) * curves.each, np.inf)
        low, high = np.append(low, -far), np.append(high, far)
        if curves.duration is None:
            shortest, longest = self.task.duration or (SHORTEST, np.inf)
            low, high = np.append(low, shortest), np.append(high, longest)
        return low, high

    # ---- between samples ----------------------------------------------------------------------------

    def look(self, mesh: Mesh, curves: Curves, x: Array) -> tuple[tuple[Peak, ...], list[Excess]]:
        """The largest utilisation of every limit, and where one is exceeded between samples."""
        look = self._look(mesh, curves, x)
        peaks = tuple(peak for constraint in self.constraints for peak in constraint.peaks(look))
        return peaks, self.torque.exceeded(look)

    def _look(self, mesh: Mesh, curves: Curves, x: Array) -> Look:
        """A motion on a fine grid: breaks and points between, turns of joints with friction, summits of torques."""
        bounds, closing, breaks = self.spec.bounds, self.spec.closing, mesh.finest.breaks

        def at(s: Array) -> Array:
            return curves.at(x, s, 1)[0]

        s = regular = mesh.looks()
        if bounds.limited("torque_rate").any():
            s = both_sides(s, breaks)
        if len(self.friction_joints):
            s = np.union1d(s, turns(curves, x, s, self.friction_joints))
        if closing is not None:
            s = np.union1d(s, narrows(closing, at, s))
        first = curves.at(x, s, 3)
        s = np.union1d(s, summits(bounds, s, first[1], self.required(curves, x, s, first)))
        z, T = curves.at(x, s, 4), curves.T(x)
        tau = self._directed(curves, x, s, z)
        rate = rates_of(lambda s: self.required(curves, x, s, curves.at(x, s)), s, breaks, T, bounds)
        return Look(at, regular, s, T, z, tau, rate)

    def _directed(self, curves: Curves, x: Array, s: Array, z: Array) -> Array:
        """`required` of a motion with states z; at both ends friction has the direction of the adjacent motion."""
        if not len(self.friction_joints):
            return self.required(curves, x, s, z)
        inside = np.clip(s, BESIDE, 1 - BESIDE)
        return self.required(curves, x, inside, curves.at(x, inside, 3))

    def watch(self, curves: Curves, x: Array, s: Array, excess: float) -> bool:
        """Have rows where a motion exceeds a constraint between samples; whether some are new."""
        found = [constraint.watch(lambda s: curves.at(x, s, 1)[0], s, excess) for constraint in self.constraints]
        return any(found)
