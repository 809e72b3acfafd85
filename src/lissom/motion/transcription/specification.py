"""A task on an arm, in all coordinates: limits, loads, closed loops, places to go to, obstacles."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lissom.dynamics.acting import Acting
from lissom.kernels.cache import functions_of
from lissom.kernels.loads import NO_LOADS, Applied, as_loads
from lissom.kernels.tree_call import tree_call
from lissom.kernels.verbs import INVERSE_DYNAMICS
from lissom.model.arm import Arm
from lissom.model.loads import Load
from lissom.motion.task.bounds import bounds_of
from lissom.motion.task.cost import Cost
from lissom.motion.task.criteria.criterion import Joints
from lissom.motion.task.ends import rates_at, spread
from lissom.motion.task.loads import load_at, load_table, loads_over
from lissom.motion.task.task import Task
from lissom.motion.transcription.constraints.clearance import Clearance
from lissom.motion.transcription.constraints.path import path_constraints
from lissom.motion.transcription.kernels.tape_sample import STRAIGHT
from lissom.motion.transcription.loops.closing import Closing
from lissom.motion.transcription.places import places_of
from lissom.spatial.rotations import Array
from lissom.verbs.dynamics import inverse_dynamics

VERB = "predict_motion"


class Specification:
    """What a task asks of an arm.

    Attributes
    ----------
    n : int                       coordinates
    bounds : Bounds               limits of joints and task together
    actuated, unactuated : (k,)   coordinates by the kind of their splines; with closed loops all share those of the
                                  actuated ones
    friction : (n,)               friction at rest, by whose double torques jump where a joint turns around
    margin : (n,)                 that which limits of torque leave for it
    frames, acting, bodies       that carry loads, and how inverse dynamics reads them
    cost : Cost                   what is minimised
    path_constraints : list       of deflections and distances, which arm and task have by themselves
    places : list of Place        start, via points and goal, in the order of time
    closing, clearance            closed loops and obstacles; None where there are none
    """

    verb = VERB

    def __init__(self, arm: Arm, task: Task) -> None:
        self.arm, self.task, self.n = arm, task, arm.dof
        self.bounds = bounds_of(arm, task, VERB)
        self.names = list(arm.coordinates)
        self.closing = Closing(arm, VERB) if arm.loops else None
        moved = arm.actuated | bool(arm.loops)
        self.actuated, self.unactuated = np.flatnonzero(moved), np.flatnonzero(~moved)
        self.friction, self.margin = arm.expanded(arm.breakaway), arm.expanded(arm.breakaway + arm.asymmetry)
        carried = as_loads(arm, task.loads, VERB)
        self.frames = [frame for frame, _ in carried]
        self._loads = [load for _, load in carried]  # in the frames that carry them
        self.acting = Acting(tuple(self.frames))
        self.bodies = functions_of(arm).bodies.with_stations(self.frames)
        strongest = np.maximum(np.abs(self.bounds.lower["torque"]), np.abs(self.bounds.upper["torque"]))
        self.cost = Cost(task.minimise, Joints(tuple(self.names), arm.actuated, strongest))
        self.path_constraints = path_constraints(arm, task, VERB)
        self.places = places_of(arm, task, self.bounds, self.closing, VERB)
        self.clearance = next((c for c in self.path_constraints if isinstance(c, Clearance)), None)
        if self.clearance is not None:
            self._prefer_clear(self.clearance)

    def _prefer_clear(self, clearance: Clearance) -> None:
        """Let positions that reach a place count first where they are clear of obstacles."""
        given = [place.q[0] for place in self.places if place.reaching is None and not np.isnan(place.q[0]).any()]
        if given:
            clearance.leave_room(np.array(given))
        for k, place in enumerate(self.places):
            if place.reaching is not None:
                left = clearance.gaps(place.q).min(axis=1)
                self.places[k] = place._replace(q=place.q[np.argsort(left < 0, kind="stable")])

    # ---- ends ---------------------------------------------------------------------------------------

    def given(self, word: str) -> Array:
        """(n,) positions at "start" or "goal"; NaN where they are free or follow from a place in space."""
        found = [place for place in self.places if place.word == word and place.reaching is None]
        return found[0].q[0] if found else np.full(self.n, np.nan)

    def rates(self, word: str) -> Array:
        """(n,) rates at "start" or "goal", at rest where none are given; in closed loops those left open follow."""
        rate = rates_at(self.arm, self.task, word)
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
        moved = np.isin(np.arange(self.n), self.actuated)
        return np.where(limited & moved & np.isfinite(self.rates(word)), 0.0, np.nan)

    # ---- torques ------------------------------------------------------------------------------------

    def torques(self, q: Array, qd: Array, qdd: Array, loads: Sequence[Load]) -> Array:
        """Torques (.., n) of a motion, in closed loops those of the open tree.

        They come from a tape where samples do: straight-line code would be compiled for this arm alone.
        """
        backend = "tape" if self.n > STRAIGHT else None
        return np.asarray(tree_call(self.arm, INVERSE_DYNAMICS.name, (q, qd, qdd), Applied(loads), backend=backend))

    def holding(self, q: Array, loads: Sequence[Load] = NO_LOADS) -> Array:
        """Torques (.., n) that hold an arm at rest at positions q, in closed loops those of the closed arm."""
        if self.closing is not None:
            return inverse_dynamics(self.arm, q, 0 * q, 0 * q, loads=loads)
        return self.torques(q, 0 * q, 0 * q, loads)

    # ---- loads --------------------------------------------------------------------------------------

    def load_data(self, s: Array, slopes: bool) -> Array:
        """(N, 9 loads) forces, moments and points at fractions of the duration; with `slopes`, these too."""
        return load_table(self._loads, s, slopes)

    def loads_at(self, s: Array) -> list[Load]:
        """The loads at fractions of the duration, (N, 3) each."""
        return loads_over(self.task.loads, s)

    def load_at(self, s: float) -> list[Load]:
        """The loads at one fraction, (3,) each."""
        return load_at(self.task.loads, s)
