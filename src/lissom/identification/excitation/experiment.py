"""What a motion is searched for with: its limits, the parameters that it should show, its family."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from lissom.errors import InputError, shown
from lissom.identification.excitation.design import Design
from lissom.identification.excitation.distances import Distances
from lissom.identification.excitation.limits import VERB, allowed
from lissom.identification.excitation.penalty import Penalty
from lissom.identification.excitation.problem import Parameters, as_noise, held, parameters, refuse_arm
from lissom.identification.excitation.profile import DEGREE, Profile
from lissom.kernels.arguments import as_arm
from lissom.model.arm import Arm
from lissom.model.limits import Limits
from lissom.motion.task.bounds import Bounds, bounds_of
from lissom.motion.task.options import refuse_wrong
from lissom.motion.task.task import INFORMATION, Task
from lissom.motion.transcription.constraints.path import path_constraints
from lissom.spatial.rotations import Array
from lissom.verbs.dynamics import inverse_dynamics

RANDOM = 24  # motions, of which the best are improved
SEGMENT = 1.0  # s
SLOWEST = 1e-9  # rad/s or m/s: with it friction has a direction
FEWEST, MOST = 8, 40  # segments


class Wishes(NamedTuple):
    """What is asked for: the keywords of `excite`."""

    duration: Any
    start: Any
    limits: Any
    noise: Any
    rate_hz: Any
    ignore: str | Sequence[str]
    friction: Any
    torque_utilisation: Any
    obstacles: Any
    bodies: Any
    margin: Any
    constraints: Any
    self_collision: Any
    segments: Any
    starts: Any
    seed: Any

    def check(self) -> None:
        """Refuse options that are not what they may be."""
        refuse_wrong(VERB, duration=self.duration, rate_hz=self.rate_hz, starts=self.starts, seed=self.seed)
        for word in ("friction", "self_collision"):
            if not isinstance(getattr(self, word), bool):
                raise InputError(f"{VERB}: {word} is {shown(getattr(self, word))}; expected True or False.")
        if not (isinstance(self.torque_utilisation, int | float) and 0 < self.torque_utilisation <= 1):
            raise InputError(
                f"{VERB}: torque_utilisation is {shown(self.torque_utilisation)}; expected a part of the torque "
                "limits, above 0 and at most 1."
            )
        if not isinstance(self.limits, Limits | None):
            raise InputError(f"{VERB}: limits is {shown(self.limits)}; expected Limits(...).")
        if self.starts is None or self.starts > RANDOM:
            raise InputError(f"{VERB}: starts is {shown(self.starts)}; expected a whole number from 1 to {RANDOM}.")


class Experiment(NamedTuple):
    """Everything that a motion is searched for with."""

    arm: Arm
    task: Task
    start: Array
    noise: Array
    parameters: Parameters
    profile: Profile
    penalty: Penalty
    rate_hz: float
    assumptions: tuple[str, ...]

    @property
    def design(self) -> Design:
        """The information in a motion."""
        found = self.parameters
        return Design(found.model, found.columns, found.counts, self.noise)


def prepared(arm: Arm, wishes: Wishes) -> Experiment:
    """Check what is asked for, and return the experiment."""
    refuse_arm(as_arm(arm, VERB))
    wishes.check()
    limits, start, notes = allowed(arm, wishes.limits or Limits(), wishes.start, float(wishes.torque_utilisation))
    segments = wishes.segments
    if segments is None:
        segments = int(np.clip(round(wishes.duration / SEGMENT), FEWEST, MOST))
    task = Task(
        start, start, limits=limits, duration=float(wishes.duration), minimise=INFORMATION, segments=segments,
        degree=DEGREE, obstacles=wishes.obstacles, bodies=wishes.bodies, margin=wishes.margin,
        constraints=wishes.constraints,
    )  # fmt: skip
    bounds = bounds_of(arm, task, VERB)
    _refuse_start(arm, task, start, bounds)
    assumptions = list(notes)
    noise = as_noise(arm, wishes.noise, bounds, start, assumptions)
    found = parameters(arm, bounds, start, noise, wishes.friction, wishes.ignore)
    profile = Profile(start, float(wishes.duration), segments)
    if held(bounds).all():
        raise InputError(f"{VERB}: the limits leave no joint of arm {arm.name!r} any range to move in.")
    penalty = Penalty(arm, bounds, Distances(arm, task, start, wishes.self_collision))
    return Experiment(arm, task, start, noise, found, profile, penalty, float(wishes.rate_hz), tuple(assumptions))


def _refuse_start(arm: Arm, task: Task, start: Array, bounds: Bounds) -> None:
    """Refuse places where the arm cannot rest."""
    still = np.zeros(arm.dof)
    tau = np.stack([inverse_dynamics(arm, start, still + rate, still) for rate in (-SLOWEST, 0.0, SLOWEST)])
    lower, upper = bounds.lower["torque"], bounds.upper["torque"]
    for k in np.flatnonzero(((tau < lower) | (tau > upper)).any(axis=0)):
        raise InputError(
            f"{VERB}: joint {arm.coordinates[k]!r} needs {tau[1, k]:.4g} to hold the arm at the start, with friction "
            f"{tau[:, k].min():.4g} to {tau[:, k].max():.4g} to leave it, and its torque may be {lower[k]:.4g} to "
            f"{upper[k]:.4g}. Give another start, or a larger torque_utilisation."
        )
    for constraint in path_constraints(arm, task, VERB):
        constraint.refuse_place("start", start, 0.0, VERB)
