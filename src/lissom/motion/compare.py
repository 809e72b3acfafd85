"""A motion of a flexible arm beside what else could be done: the plan for rigid links, as it is and behind shapers."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple, TypeVar

import numpy as np

from lissom.control.shapers import Shaper, shaper, vibrating_modes
from lissom.errors import LissomError, UnsupportedError
from lissom.model.arm import Arm
from lissom.model.limits import Limits, used
from lissom.motion.result.comparison import Comparison, Plan
from lissom.motion.result.motion import Motion
from lissom.motion.result.replay import accelerations, lead, loads_of, open_loop, rest_of
from lissom.motion.result.variants import rigid, with_payload_error
from lissom.motion.result.verification.residual import vibration
from lissom.motion.result.verification.residual_check import last_loads, rings
from lissom.motion.solve.best import solved_motion
from lissom.motion.solve.search import Search
from lissom.motion.task.bounds import bounds_of
from lissom.motion.task.criteria.known import CRITERIA
from lissom.motion.task.task import Task
from lissom.simulation.run import Run
from lissom.spatial.rotations import Array
from lissom.verbs.modes import modes

VERB = "predict_motion"
PAYLOAD = 0.1  # error of the payload
SHAPERS = ("zv", "zvd")
SHAPED = 2  # modes that shapers deal with
LEAST = 0.25  # of the duration, that is left to the rigid plan in front of a shaper
PERIODS, LOOKS = 2.5, 301  # of the slowest mode that are shown of what is left, and points of it
ONE = Shaper(np.zeros(1), np.ones(1))
Made = TypeVar("Made")


class TriedPlan(NamedTuple):
    """A plan, and a function that simulates it on an arm."""

    name: str
    duration: float
    run: Callable[[Arm], Run]


def refuse_comparison(arm: Arm, task: Task, verb: str = VERB) -> None:
    """Refuse arms of which there is no rigid plan, and tasks that do not go from rest to rest."""
    passive = [joint.name for joint in arm.joints if not joint.actuated]
    if passive or arm.actuated.all():
        why = f"joint {passive[0]!r} is passive" if passive else f"arm {arm.name!r} has no elastic parts"
        raise UnsupportedError(f"{verb}: a comparison needs a flexible arm with only actuated joints; {why}.")
    rigid(arm, verb)
    rates = [rate for rate in (task.start_velocity, task.goal_velocity) if rate is not None]
    if task.periodic or any(np.any(rate != 0) for rate in rates):
        raise UnsupportedError(
            f"{verb}: a comparison needs a motion from rest to rest; this one has rates at its ends."
        )


def comparison(motion: Motion, search: Search) -> Comparison:
    """The motion and others of the same task, tried on its arm and with errors of the payload."""
    notes = [
        "residual: how far the tip can get from its rest after the plan, by the natural modes about the rest; an "
        "estimate where it swings far.",
        "joints tracked: ideal joint control follows the planned joint motion; otherwise its torques act open loop.",
    ]
    tried = [open_loop_plan("this motion", motion), tracked_plan("this motion, joints tracked", motion, motion, ONE)]
    tried += noted("rigid plan", partial(_plain, motion, search, notes), [], notes)
    for kind in SHAPERS:
        tried += noted(f"rigid plan, {kind.upper()}", partial(_shaped, kind, motion, search, notes), [], notes)
    return compared(tried, motion, notes)


def compared(tried: list[TriedPlan], motion: Motion, notes: list[str]) -> Comparison:
    """Plans simulated on the arm of a motion."""
    slowest = modes(motion.arm, motion.q[-1], "locked", 1).frequencies_hz
    times = np.linspace(0.0, PERIODS / slowest[0] if len(slowest) else motion.duration, LOOKS)
    plans: list[Plan] = []
    for one in tried:
        plans += noted(one.name, partial(simulated_plans, one, motion, times, notes), [], notes)
    return Comparison(tuple(plans), PAYLOAD, tuple(notes), tuple(times.tolist()))


def noted(what: str, make: Callable[[], Made], otherwise: Made, notes: list[str]) -> Made:
    """Return what a function makes; where it fails, something else, and a note instead of an error.

    A motion is not lost because a comparison with it fails.
    """
    try:
        return make()
    except LissomError as error:
        notes.append(f"{what}: not available, {error}")
        return otherwise


def _plain(motion: Motion, search: Search, notes: list[str]) -> list[TriedPlan]:
    """The rigid plan of the same duration."""
    try:
        plan = _rigid_plan(motion, search, motion.duration)
    except LissomError:
        plan = _rigid_plan(motion, search, motion.duration, limited=False)
        notes.append(
            f"rigid plan: no solution of {motion.duration:.3g} s within the velocity and torque limits; this plan "
            "ignores them."
        )
    return [open_loop_plan("rigid plan", plan), tracked_plan("rigid plan, joints tracked", motion, plan, ONE)]


def _shaped(kind: str, motion: Motion, search: Search, notes: list[str]) -> list[TriedPlan]:
    """A quicker rigid plan behind a shaper."""
    filter_ = shaper(motion.arm, motion.q[-1], kind, SHAPED)
    ringing, damped = vibrating_modes(motion.arm, motion.q[-1])
    left = max(motion.duration - filter_.duration, LEAST * motion.duration)
    quick, total = _rigid_plan(motion, search, left, limited=False), left + filter_.duration
    count = min(len(ringing), SHAPED)
    whose = {0: "no mode", 1: "the first mode"}.get(count, f"the first {count} modes")
    notes.append(
        f"{kind.upper()}: a rigid plan of {left:.3g} s behind an input shaper for {whose} at the goal, which adds "
        f"{filter_.duration:.3g} s; velocity and torque limits are ignored."
        + (f" Strongly damped modes are skipped: {damped}." if damped else "")
        + (f" It takes {total:.3g} s, longer than this motion." if total > motion.duration * (1 + 1e-9) else "")
    )
    return [tracked_plan(f"rigid plan, {kind.upper()}, joints tracked", motion, quick, filter_)]


def simulated_plans(tried: TriedPlan, motion: Motion, times: Array, notes: list[str]) -> list[Plan]:
    """Simulate a plan on the arm, and with payloads that are heavier and lighter."""
    arm, loads = motion.arm, last_loads(motion)

    def left(other: Arm | None) -> float:
        return np.nan if other is None else rings(tried.run(other), tried.duration, loads)

    run, off = tried.run(arm), []
    for error in (PAYLOAD, -PAYLOAD):
        what, other = f"{tried.name}, payload {100 * error:+g} %", with_payload_error(arm, error)
        off.append(noted(what, partial(left, other), np.nan, notes))
    bounds = bounds_of(arm, motion.task, VERB)
    use = float(used(run.tau, bounds.lower["torque"], bounds.upper["torque"]).max())
    residual = rings(run, tried.duration, loads)
    after = vibration(arm, run.q[-1], run.qd[-1], loads) if np.isfinite(residual) else None
    ringing = () if after is None else tuple(after.distances(times).tolist())
    path = None if motion.tracked is None else float(np.abs(motion.path_error(run)).max())
    return [Plan(tried.name, tried.duration, residual, off[0], off[1], use, ringing, path)]


def _rigid_plan(motion: Motion, search: Search, duration: float, limited: bool = True) -> Motion:
    """Return the rigid plan of least effort in a given time, with all limits or those of positions alone."""
    return solved_motion(search, *rigid_task(motion, duration, limited))


def rigid_task(motion: Motion, duration: float, limited: bool = True) -> tuple[Arm, Task]:
    """The arm with rigid links and the task of a motion for it; with all limits, or with those of positions alone."""
    task = motion.task
    arm = rigid(motion.arm, VERB)
    joints = motion.arm.joint_index
    words = {
        word: weight
        for word, weight in task.minimise.items()
        if isinstance(word, str) and word != "time" and (limited or not CRITERIA[word].torque_limits)
    }

    def own(value: Any) -> Any:
        """Return the entries of the joints alone."""
        return value[joints] if isinstance(value, np.ndarray) and len(value) == motion.arm.dof else value

    fields = {
        "start": motion.q[0][joints], "goal": motion.q[-1][joints], "duration": duration,
        "minimise": words or {"torque_squared": 1.0}, "degree": 5, "continuity": None, "bending": (),
        "start_velocity": None, "goal_velocity": None, "start_acceleration": own(task.start_acceleration),
        "goal_acceleration": own(task.goal_acceleration),
        "via": [via.replace(q=own(via.q), velocity=own(via.velocity)) for via in task.via],
    }  # fmt: skip
    if not limited:
        fields["limits"] = Limits(position=task.limits.position)
        links = (link.replace(joint=link.joint.replace(limits=Limits(position=link.joint.limits.position)))
                 for link in arm.links)  # fmt: skip
        arm = arm.replace(links=tuple(links))
    return arm, task.replace(**fields)


def open_loop_plan(name: str, plan: Motion) -> TriedPlan:
    return TriedPlan(name, plan.duration, lambda arm: open_loop(plan, arm))


def tracked_plan(name: str, motion: Motion, plan: Motion, filter_: Shaper) -> TriedPlan:
    """The joints of a plan, shaped, on an arm that begins at rest."""
    course, loads = filter_.convolved(accelerations(plan)), loads_of(motion)
    joints = plan.q[0][plan.arm.joint_index]
    return TriedPlan(name, float(course.x[-1]), lambda arm: lead(arm, rest_of(arm, joints, loads), course, loads))
