"""A walk as a task of motion prediction."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from lissom.humans.walk.posture import KEPT, standing_height, step_guess, stride_guess
from lissom.humans.walk.request import WalkRequest
from lissom.humans.walk.timing import phases_of_step, phases_of_stride, transfers
from lissom.humans.walk.weights import REFERENCE, kind_of
from lissom.model.arm import Arm
from lissom.model.limits import Limits
from lissom.model.loads import Payload
from lissom.motion.task.phases import Travel
from lissom.motion.task.task import Task
from lissom.spatial.frames import turn
from lissom.spatial.rotations import Array
from lissom.verbs.kinematics import pose

CLEARANCE = 0.015  # m: of the swinging foot, midway
SHOULDER = 0.813  # height of the shoulders over that of the body
BACK = (-0.16, -0.15)  # m: of a load on the back, from the shoulders: behind and below


def walker(request: WalkRequest) -> Arm:
    """The person with what is carried, on the slope, with torques limited to twice those that count as one."""
    person = request.arm
    arm = request.weights.limited(person, person_scale(person))
    arm = carrying(arm, request.load)
    if request.slope:
        arm = arm.with_gravity(turn("y", request.slope)[:3, :3] @ arm.gravity)
    return arm


def person_scale(person: Arm) -> float:
    """Mass x height relative to those of the weights' torques; the height is that of the shoulders over 0.813."""
    rest = np.zeros(person.dof)
    name = next(link.name for link in person.links if link.name in ("arm_r", "upper_arm_r"))
    shoulder = float(pose(person, rest, name)[2, 3]) + standing_height(person)
    return person.mass * shoulder / SHOULDER / REFERENCE


def carrying(arm: Arm, load: Mapping[str, float]) -> Arm:
    """The person with masses [kg] in the hands, half in each, and on the back."""
    if "hands" in load:
        for side in ("r", "l"):
            arm = arm.with_payload(Payload(load["hands"] / 2), f"grip_{side}")
    if "back" in load:
        names = [link.name for link in arm.links]
        shoulder = arm.links[names.index("arm_r" if "arm_r" in names else "upper_arm_r")]
        link, height = shoulder.parent, float(shoulder.joint.placement[2, 3])
        while link is not None and arm.links[names.index(link)].mass == 0.0:
            height += float(arm.links[names.index(link)].joint.placement[2, 3])
            link = arm.links[names.index(link)].parent
        arm = arm.with_payload(Payload(load["back"], com=(BACK[0], 0.0, height + BACK[1])), link)
    return arm


def position_limits(arm: Arm, asked: Mapping[str, tuple[float, float]]) -> Limits:
    """Ranges of positions: what is asked, and where walking people keep to."""
    lower, upper = np.full(arm.dof, -np.inf), np.full(arm.dof, np.inf)
    for k, name in enumerate(arm.coordinates):
        low, high = np.deg2rad(KEPT.get(kind_of(name), KEPT.get(name, (-np.inf, np.inf))))
        if name in asked:
            low, high = asked[name]
        lower[k], upper[k] = low, high
    return Limits(position=(lower, upper))


def walk_task(request: WalkRequest, arm: Arm, free: bool) -> Task:
    """The task: one step with its mirror image, or a whole stride; free: with durations that are to be found."""
    step = request.first_step
    duration = step / request.speed
    symmetric = request.symmetric
    make = phases_of_step if symmetric else phases_of_stride
    phases = make(arm, duration if symmetric else 2 * duration, free, request.segments)
    distance = None if request.step is None else request.step * (1 if symmetric else 2)
    return Task(
        minimise=request.weights.criteria(request.arm, request.speed, request.spatial),
        phases=phases, mirror=True if symmetric else None, periodic=True,
        travel=Travel("pelvis_x", distance=distance if free else None, speed=request.speed),
        transfer=() if free else transfers(arm, phases), swing_height=CLEARANCE,
        limits=position_limits(arm, request.limits),
    )  # fmt: skip


def walk_guess(request: WalkRequest, arm: Arm) -> Array:
    """Waypoints of the first guess, evenly spaced in time."""
    make = step_guess if request.symmetric else stride_guess
    q = make(arm, request.first_step)
    for name, (low, high) in request.limits.items():
        k = arm.coordinates.index(name)
        q[:, k] = np.clip(q[:, k], low, high)
    return q
