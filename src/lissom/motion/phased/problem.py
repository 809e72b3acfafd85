"""From an arm and a task with phases to a program."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lissom.model.arm import Arm
from lissom.motion.phased.checks import (
    contacts_of,
    mirror_of,
    refuse_endless_contacts,
    refuse_odd_mirror,
    refuse_unsupported,
    refuse_wrong_ends,
    refuse_wrong_travel,
)
from lissom.motion.phased.costs.differences import DifferenceCost, force_differences, torque_differences
from lissom.motion.phased.costs.samples import SampleCost
from lissom.motion.phased.feasible import refuse_fixed_contacts, refuse_wrong_durations
from lissom.motion.phased.guess import PhasedGuess
from lissom.motion.phased.holding import Ends, choose_rows
from lissom.motion.phased.layout import Layout, Reflection
from lissom.motion.phased.margins import Margins
from lissom.motion.phased.program import PhasedProgram
from lissom.motion.phased.rows import linear
from lissom.motion.phased.rows.block import LinearRows
from lissom.motion.phased.rows.dynamics import DynamicsRows
from lissom.motion.phased.rows.joins import JoinRows, joins_of
from lissom.motion.phased.rows.limits import ORDERS, LimitRows
from lissom.motion.phased.rows.offsets import OffsetRows, place_sums, refuse_ends_beyond
from lissom.motion.phased.rows.places import PlaceRows
from lissom.motion.phased.rows.rates import StillRows
from lissom.motion.phased.swing import swing_rows
from lissom.motion.phased.symmetry import refuse_asymmetry
from lissom.motion.phased.timing import Timing
from lissom.motion.solve.guess import Guess
from lissom.motion.task.bounds import bounds_of
from lissom.motion.task.criteria.criterion import Joints, Parts
from lissom.motion.task.criteria.known import criterion
from lissom.motion.task.ends import rates_at, spread
from lissom.motion.task.task import Task
from lissom.spatial.rotations import Array

VERB = "predict_motion"
SHORTEST, LONGEST = 0.01, 60.0  # s, of a phase whose duration is free
MOST_FORCE = 20.0  # weights, of a contact without bounds
EXPECTED = 0.07  # of the units of torque: where a cost is looked at for its size


class PhasedProblem:
    """An arm, a task with phases, and what a program of them is made of.

    Attributes
    ----------
    layout : Layout
    program : PhasedProgram
    """

    def __init__(self, arm: Arm, task: Task, segments: Sequence[int], guess: Guess | None = None,
                 margins: Margins | None = None, timing: Timing | None = None) -> None:  # fmt: skip
        """margins : by which limits are tightened at samples; timing : of loads, transfers and swings."""
        refuse_unsupported(arm, task)
        refuse_wrong_durations(task)
        self.arm, self.task, self.sums = arm, task, place_sums(arm, task)
        self.bounds = bounds_of(arm, task, VERB)
        self.layout = layout = Layout(arm, task, contacts_of(arm, task), segments)
        self.margins = Margins.none(len(segments), len(layout.names), arm.dof) if margins is None else margins
        mirror = mirror_of(arm, task)
        self.reflection = Reflection(layout, mirror)
        if mirror is not None:
            refuse_odd_mirror(layout, self.reflection, mirror)
            refuse_asymmetry(layout, self.reflection, self.bounds)
        refuse_wrong_travel(layout)
        refuse_endless_contacts(layout, self.reflection)
        refuse_fixed_contacts(layout)
        self.start, self.goal = (self._given(word) for word in ("start", "goal"))
        self.rates = None if task.periodic else [rates_at(arm, task, word) for word in ("start", "goal")]
        self.typical = Timing.expected(task).durations
        self.timing = Timing(self.typical) if timing is None else timing
        self.guess = PhasedGuess(layout, self.typical, self.start, self.goal, guess, self.bounds)
        self.joins = joins_of(layout)
        self.holding = choose_rows(layout, self.reflection, self.guess.beginnings, self._ends())
        refuse_wrong_ends(layout, self.start, self.goal)
        self.units = self.guess.units
        self.terms = self._terms()
        self.parts = Parts.none(arm.dof)
        for (_, part), weight in zip(self.terms.items(), task.minimise.values(), strict=True):
            self.parts = self.parts.plus(part, weight)
        self.program = self._program()

    def _given(self, word: str) -> Array:
        """(n,) positions at an end; NaN where free."""
        value = getattr(self.task, word)
        return np.full(self.arm.dof, np.nan) if value is None else spread(self.arm, value, 0.0)

    def _ends(self) -> Ends | None:
        if self.rates is None:
            return None
        start, goal = np.isnan(self.start), np.isnan(self.goal)
        return Ends(start, np.isnan(self.rates[0]), goal, np.isnan(self.rates[1]))

    def _terms(self) -> dict[str, Parts]:
        """Every criterion, by its name, without its weight."""
        bounds, arm = self.bounds, self.arm
        lower, upper = bounds.lower["torque"], bounds.upper["torque"]
        turning = np.zeros(arm.dof, bool)
        turning[arm.joint_index] = [joint.angular for joint in arm.joints]
        joints = Joints(arm.coordinates, arm.actuated, np.maximum(np.abs(lower), np.abs(upper)), lower, upper, turning)
        out = {}
        for word in self.task.minimise:
            kind = criterion(word)
            if not kind.of_contacts:
                kind.check(joints, VERB)
            part = kind.parts(joints)
            assert part is not None  # refused before
            out[kind.name] = part
        return out

    # ---- the program --------------------------------------------------------------------------------

    def _program(self) -> PhasedProgram:
        layout, joins, typical = self.layout, self.joins, self.typical
        jumps = self.holding.jumps
        smooth = [join for join in joins if not jumps[join.after]]
        swing, least = swing_rows(layout, self.reflection, self.timing.durations)
        blocks = [
            DynamicsRows(layout, self.units, self._times()),
            PlaceRows(layout, self.holding.places),
            StillRows(layout, self.holding.rates, typical),
            JoinRows(layout, joins, 1, self.reflection, typical),
            JoinRows(layout, smooth, 2, self.reflection, typical),
            PlaceRows(layout, swing, least),
            *(LimitRows(layout, self.bounds, quantity) for quantity in ORDERS),
            OffsetRows(layout, self.sums, refuse_ends_beyond(self.arm, self.task, self.start, self.goal)),
        ]
        low, high = self._bounds()
        begin = PhasedProgram(layout, blocks, self._costs(), self._linear(), low, high, self.parts.time, 1.0)
        begin.typical = self._size(begin)
        return begin

    def _times(self) -> list[Array]:
        """Fractions of the motion at the samples of every phase."""
        T = self.timing.durations
        begin = np.cumsum([0.0, *T])
        return [(begin[p] + mesh.s * T[p]) / begin[-1] for p, mesh in enumerate(self.layout.phases)]

    def _costs(self) -> list[SampleCost | DifferenceCost]:
        layout, parts, reflection = self.layout, self.parts, self.reflection
        costs: list[SampleCost | DifferenceCost] = [SampleCost(layout, self.units, parts, self.arm.home)]
        rate = parts.torque_rate[layout.motors] * self.units.torque**2
        if rate.any():
            costs.append(DifferenceCost(layout, torque_differences(layout, self.joins, reflection, rate)))
        if parts.force_rate:
            costs.append(DifferenceCost(layout, force_differences(layout, reflection, parts.force_rate)))
        return costs

    def _linear(self) -> LinearRows:
        layout = self.layout
        parts = [
            *linear.joined_positions(layout, self.joins, self.reflection),
            *linear.friction(layout, self.units.force, self.margins.force),
            *linear.transfers(layout, self.timing.durations),
            *linear.durations(layout),
            *linear.rates(layout, self.bounds),
        ]
        if self.rates is not None:
            known = (np.isfinite(self.start), np.isfinite(self.goal))
            parts += linear.end_rates(layout, self.rates, known)
        return linear.joined(parts, layout.size)

    def _bounds(self) -> tuple[Array, Array]:
        """Bounds of the variables."""
        layout = self.layout
        low, high = np.full(layout.size, -np.inf), np.full(layout.size, np.inf)
        for p, phase in enumerate(self.task.phases):
            low[layout.points[p]], high[layout.points[p]] = (
                self.bounds.lower["position"], self.bounds.upper["position"],
            )  # fmt: skip
            for bound, side in ((low, self.bounds.lower), (high, self.bounds.upper)):
                bound[layout.torques[p]] = (side["torque"] * (1 - self.margins.torque))[
                    layout.motors
                ] / self.units.torque
            for i, places in layout.forces[p].items():
                least, most = dict(phase.normal_force).get(layout.names[i], (0.0, np.inf))
                low[places], high[places] = -MOST_FORCE, MOST_FORCE
                inner = min(self.margins.force[p, i, 1], (most - least) / self.units.force / 2)
                low[places[:, 0]], high[places[:, 0]] = (
                    least / self.units.force + inner,
                    most / self.units.force - inner,
                )
                if layout.planes[i].friction == 0.0:
                    low[places[:, 1:]] = high[places[:, 1:]] = 0.0
            shortest, longest = phase.bounds
            low[layout.durations[p]], high[layout.durations[p]] = max(shortest, SHORTEST), min(longest, LONGEST)
            if isinstance(phase.duration, float) or self.timing.fixed:
                low[layout.durations[p]] = high[layout.durations[p]] = self.timing.durations[p]
        for place, one in zip(layout.travels, self.task.travel, strict=True):
            if one.distance is not None:
                low[place], high[place] = one.distance if isinstance(one.distance, tuple) else 2 * (one.distance,)
        self._bound_ends(low, high)
        return low, high

    def _bound_ends(self, low: Array, high: Array) -> None:
        """Positions that are given at the ends; of a periodic motion, where it begins along what it travels."""
        layout = self.layout
        if self.rates is None:
            for k in self.guess.shifts:
                place = layout.points[0][0, k]
                low[place] = high[place] = self.guess.q[0, k]
            return
        for phase, at, q, rate in ((0, (0, 1), self.start, self.rates[0]), (-1, (-1, -2), self.goal, self.rates[1])):
            some = np.isfinite(q)
            for row in at:
                fixed = some if row == at[0] else some & (rate == 0.0)
                low[layout.points[phase][row, fixed]] = high[layout.points[phase][row, fixed]] = q[fixed]

    def _size(self, program: PhasedProgram) -> float:
        """What the cost is of the size of."""
        x = self.guess.variables(self.holding)
        for places in self.layout.torques:
            x[places] = EXPECTED
        return max(float(program.f(x)), 1e-9)

    # ---- parts of solutions -------------------------------------------------------------------------

    def durations(self, x: Array) -> Array:
        """(phases,) durations [s]."""
        return x[self.layout.durations]

    def forces(self, x: Array) -> list[Array]:
        """(N, contacts, 3) forces in world axes at the samples of every phase [N]."""
        layout, out = self.layout, []
        for p, mesh in enumerate(layout.phases):
            found = np.zeros((len(mesh.s), len(layout.names), 3))
            for i, places in layout.forces[p].items():
                found[:, i] = self.units.force * x[places] @ layout.planes[i].directions
            out.append(found)
        return out
