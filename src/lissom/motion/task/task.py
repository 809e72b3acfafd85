"""Tasks of motion planning: ends, via points, limits, and the minimised criterion."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from lissom.arrays import as_floats, refuse_names
from lissom.errors import ModelError, about, shown, suggest
from lissom.model.contact import Mirror
from lissom.model.fields import number, records
from lissom.model.limits import Limits
from lissom.model.loads import Load
from lissom.model.record import Record
from lissom.motion.task.bending_limits import BendingLimit
from lissom.motion.task.criteria.known import CRITERIA
from lissom.motion.task.obstacles import Capsule, CollisionBody, Sphere, refuse_foreign
from lissom.motion.task.path_constraint import AbstractPathConstraint
from lissom.motion.task.phases import Phase, Transfer, Travel, names_of, refuse_contradictions, span
from lissom.motion.task.reach import Reach

MOST_SEGMENTS = 2000
SEGMENTS = 20  # where a task gives no number
INFORMATION = "information"  # of `excite`, which no integral along the motion gives


@dataclass(frozen=True, eq=False)
class Via(Record):
    """A via point of a task.

    Parameters
    ----------
    at : float             when, as a fraction of the duration, between 0 and 1
    q : (joints,) or Reach    positions, NaN where a joint is free; or where a frame should be
    velocity : (joints,) or None    rates there; NaN where free
    """

    at: Any
    q: Any = None
    velocity: Any = None

    def __post_init__(self) -> None:
        with about("via point"):
            at = number(self.at, "at")
            if not 0.0 < at < 1.0:
                raise ModelError(f"at is {at:g}; expected a fraction of the duration above 0 and below 1.")
            self._set(at=at)
            for word in ("q", "velocity"):
                value = getattr(self, word)
                if value is not None and not (word == "q" and isinstance(value, Reach)):
                    self._set(**{word: _with_gaps(value, word)})
            given = [value for value in (self.q, self.velocity) if value is not None]
            if not given:
                raise ModelError("nothing is given; give q or velocity.")
            if all(isinstance(value, np.ndarray) and np.isnan(value).all() for value in given):
                raise ModelError(
                    f"at {at:g} every entry is NaN, which leaves all joints free; give at least one value."
                )


def _with_gaps(value: Any, word: str) -> Any:
    """Return a vector in which NaN stands for a free entry."""
    refuse_names(value, word, ModelError)
    try:
        out = as_floats(value).copy()
    except TypeError as error:
        raise ModelError(f"{word} is {shown(value)}; expected {error}, one per joint.") from None
    infinite = np.flatnonzero(np.isinf(out))
    if out.ndim != 1 or infinite.size:
        found = shown(value) if out.ndim != 1 else f"{out[infinite[0]]} at index {infinite[0]}"
        raise ModelError(f"{word} is {found}; expected a list of finite numbers, one per joint; NaN: free.")
    out.setflags(write=False)
    return out


@dataclass(frozen=True, eq=False)
class Task(Record):
    """The task of a motion: ends, via points, limits, loads and the criterion to minimise.

    Parameters
    ----------
    start, goal : (joints,) or Reach    positions at both ends, NaN where a joint is free; or where a frame should be
    start_velocity, goal_velocity : (joints,) or None     default: at rest; NaN where free
    start_acceleration, goal_acceleration : (joints,) or None     default: free
    via : sequence of Via          via points
    limits : Limits                of position, velocity, acceleration, jerk, torque, torque_rate, power; those of the
                                   joints hold too, the tighter of both
    loads : sequence of Load       that act; a force, moment or point (k, 3) changes along the motion, k samples evenly
                                   spaced from start to goal
    duration : float, (shortest, longest) or None    None: free
    minimise : str or {str: weight}    integral over the motion of the weighted sum of "time" (1), "torque_squared",
                                   "effort_normalised" (torques relative to their limits, squared), "energy", "jerk",
                                   "acceleration", "torque_rate"; a key may be a function f(q, qd, qdd, tau) of casadi
                                   vectors that gives a casadi number
    segments : int or None         of the splines; None: 20, and up to 80 where effort is minimised and the cost still
                                   changes by more than 1 %
    degree : int or None           of the splines, 3 or more; None: 3, or 5 for arms with unactuated coordinates
                                   (flexible links, elastic and passive joints)
    continuity : int or None       number of continuous derivatives between segments, at least 1; None: degree - 1;
                                   1 for the shortest time of such arms, where the segments resolve all their modes
    periodic : bool                the motion ends in its initial state, rates included; start and goal are not given
    obstacles : Sphere and Capsule, one or several     obstacles to avoid
    bodies : sequence of CollisionBody or None    the arm's shape; None: from its links, see `bodies_of`
    margin : float                 smallest distance between bodies and obstacles [m]
    bending : BendingLimit, one or several    limits of deflection, strain and stress of flexible links
    constraints : FrameHeight and FrameOffset, one or several    further constraints along the path
    contacts : sequence of str or None    names of the contacts of the arm that count; None: all
    phases : sequence of Phase     parts of a motion with contacts, one after the other; each has its own splines, and
                                   criteria are means over the motion
    mirror : Mirror, True or None  the motion ends in the mirror image of its initial state, so it is periodic; True:
                                   the mirror of the arm
    travel : Travel, one or several    how far a periodic motion goes along coordinates of the base
    transfer : Transfer, one or several    how the load passes from some contacts to others
    swing_height : float           height of points that are not in contact, midway between two contacts [m]
    """

    start: Any = None
    goal: Any = None
    limits: Any = None
    loads: Any = ()
    duration: Any = None
    minimise: Any = "time"
    segments: Any = None
    via: Any = ()
    start_velocity: Any = None
    goal_velocity: Any = None
    start_acceleration: Any = None
    goal_acceleration: Any = None
    degree: Any = None
    periodic: Any = False
    obstacles: Any = ()
    bodies: Any = None
    margin: Any = 0.0
    continuity: Any = None
    bending: Any = ()
    constraints: Any = ()
    contacts: Any = None
    phases: Any = ()
    mirror: Any = None
    travel: Any = ()
    transfer: Any = ()
    swing_height: Any = 0.0

    def __post_init__(self) -> None:
        with about("task"):
            for word in ("start", "goal", "start_velocity", "goal_velocity", "start_acceleration", "goal_acceleration"):
                value = getattr(self, word)
                if value is not None and not (word in ("start", "goal") and isinstance(value, Reach)):
                    self._set(**{word: _with_gaps(value, word)})
            self._set(limits=Limits() if self.limits is None else self.limits)
            if not isinstance(self.limits, Limits):
                raise ModelError(f"limits is {shown(self.limits)}; expected Limits(...).")
            loads = (self.loads,) if isinstance(self.loads, Load) else self.loads
            self._set(loads=records(loads, "loads", Load), via=records(self.via, "via", Via))
            self._refuse_deep_loads()
            self._set(obstacles=refuse_foreign(self.obstacles, (Sphere, Capsule), "obstacles"))
            if self.bodies is not None:
                self._set(bodies=refuse_foreign(self.bodies, (CollisionBody,), "bodies"))
            self._set(bending=refuse_foreign(self.bending, (BendingLimit,), "bending"))
            self._set(constraints=refuse_foreign(self.constraints, (AbstractPathConstraint,), "constraints"))
            self._set(margin=number(self.margin, "margin", least=0.0))
            self._set(duration=span(self.duration, "duration"))
            self._clean_minimise()
            most_smooth = 6 if self.degree is None else self.degree - 1 if isinstance(self.degree, int) else 6
            for word, least, most in (("segments", 2, MOST_SEGMENTS), ("degree", 3, 7), ("continuity", 1, most_smooth)):
                value = getattr(self, word)
                if value is None:
                    continue
                if isinstance(value, bool) or not isinstance(value, int | np.integer) or not least <= value <= most:
                    raise ModelError(f"{word} is {shown(value)}; expected a whole number from {least} to {most}.")
            if not isinstance(self.periodic, bool):
                raise ModelError(f"periodic is {shown(self.periodic)}; expected True or False.")
            self._clean_phases()
            self._refuse_contradictions()

    def _refuse_deep_loads(self) -> None:
        for load in self.loads:
            for word in ("force", "moment", "point"):
                shape = getattr(load, word).shape
                if len(shape) > 2 or shape[0] == 0:
                    raise ModelError(
                        f"{word} of the load on {load.link!r} has shape {shape}; expected (3,), or (k, 3) samples from "
                        "start to goal."
                    )

    def _clean_phases(self) -> None:
        """Check what is about contacts."""
        if self.contacts is not None:
            self._set(contacts=names_of(self.contacts, "contacts"))
        for word, kind in (("phases", Phase), ("travel", Travel), ("transfer", Transfer)):
            value = getattr(self, word)
            self._set(**{word: records((value,) if isinstance(value, kind) else value, word, kind)})
        self._set(swing_height=number(self.swing_height, "swing_height", least=0.0))
        if self.mirror is not None and self.mirror is not True and not isinstance(self.mirror, Mirror):
            raise ModelError(f"mirror is {shown(self.mirror)}; expected Mirror(...), or True for that of the arm.")
        if not self.phases:
            for word in ("contacts", "mirror", "travel", "transfer", "swing_height"):
                if getattr(self, word) not in (None, (), 0.0):
                    raise ModelError(f"{word} is given without phases; give phases=(Phase(...), ...) too.")
            return
        self._set(periodic=self.periodic or self.mirror is not None)
        for word in ("segments", "degree", "continuity"):
            if getattr(self, word) is not None:
                raise ModelError(
                    f"{word} is given beside phases, whose splines are cubic; give segments of each Phase."
                )
        refuse_contradictions(self.phases, self.travel, self.transfer, self.periodic)
        self._refuse_unknown_contacts()

    def _refuse_unknown_contacts(self) -> None:
        for phase in self.phases if self.contacts is not None else ():
            for word in phase.contacts:
                if word not in self.contacts:
                    known = suggest(word, self.contacts)
                    raise ModelError(f"phase {phase.name!r} names contact {word!r}, not one of contacts; {known}")

    def _clean_minimise(self) -> None:
        value = self.minimise
        terms = {value: 1.0} if isinstance(value, str) or callable(value) else value
        if not isinstance(terms, Mapping) or not terms:
            raise ModelError(f"minimise is {shown(value)}; expected one of {', '.join(CRITERIA)}, or {{name: weight}}.")
        for word, weight in terms.items():
            if not callable(word) and word not in CRITERIA and word != INFORMATION:
                raise ModelError(f"minimise has {shown(word)}; expected {', '.join(CRITERIA)}, or a function.")
            if number(weight, "weight") < 0:
                raise ModelError(f"minimise has the weight {weight:g}; expected 0 or more.")
        if not any(terms.values()):
            raise ModelError("minimise has no weight above 0.")
        self._set(minimise={word: float(weight) for word, weight in terms.items()})

    def _refuse_contradictions(self) -> None:
        if self.periodic and (self.start is not None or self.goal is not None):
            raise ModelError("a periodic motion has no start and goal; give via points.")
        ends = [f"{end}_{kind}" for end in ("start", "goal") for kind in ("velocity", "acceleration")]
        given = [word for word in ends if getattr(self, word) is not None]
        if self.periodic and given:
            raise ModelError(
                f"{given[0]} is given, but a periodic motion has no ends; give via points with a velocity."
            )
        if not self.periodic and (self.start is None or self.goal is None):
            missing = " and ".join(word for word in ("start", "goal") if getattr(self, word) is None)
            are = "are" if " and " in missing else "is"
            raise ModelError(f"{missing} {are} missing; give start and goal, with NaN where a joint is free.")
        for word in ("start", "goal") if not (self.via or given) else ():  # these may take time
            value = getattr(self, word)
            if set(self.minimise) == {"time"} and isinstance(value, np.ndarray) and np.isnan(value).all():
                raise ModelError(
                    f"{word} is NaN for every joint, which leaves all of them free: then the shortest time is zero. "
                    "Give the position of one joint at least, or minimise an effort over a duration."
                )
        if self.fixed_duration is not None and set(self.minimise) == {"time"}:
            raise ModelError(
                "the duration is given, so time cannot be minimised; minimise 'torque_squared', for example."
            )

    @property
    def fixed_duration(self) -> float | None:
        """The duration if it is given, otherwise None."""
        return self.duration if isinstance(self.duration, float) else None
