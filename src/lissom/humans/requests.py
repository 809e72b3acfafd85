"""What every prediction of a person checks and does: the person, numbers, weights, the search."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from lissom.errors import InputError, ModelError, MotionError, shown, suggest
from lissom.humans.walk.weights import WalkWeights
from lissom.kernels.arguments import as_arm
from lissom.model.arm import Arm
from lissom.model.fields import number
from lissom.motion.public import predict_motion

if TYPE_CHECKING:
    from lissom.motion.result.motion import Motion
    from lissom.motion.task.task import Task

NEEDED = ("pelvis_x", "pelvis_z", "pelvis_pitch", "hip_flexion_r", "knee_flexion_r", "ankle_dorsiflexion_r")
LINKS = ("thigh_r", "shank_r", "foot_r")
SIDES = ("r", "l")
PARTS = ("heel", "ball", "tip")  # of a foot, in the names of contacts: heel_r, or heel_r_inner and heel_r_outer
ASIDE = 1e-9  # of gravity
EXPECTED = "expected a person, as of lissom.human(joints=31)"


def person_of(verb: str, arm: Any, level: bool = False) -> Arm:
    """Return a person; raise an error for an arm that is none. level: the ground must not slope."""
    arm = as_arm(arm, verb)
    links = [link.name for link in arm.links]
    missing = [f"joint {name!r}" for name in NEEDED if name not in arm.coordinates]
    missing += [f"link {name!r}" for name in LINKS if name not in links]
    if not {"arm_r", "upper_arm_r"} & set(links):
        missing.append("link 'upper_arm_r'")
    if missing or arm.mirror is None or not arm.contacts:
        what = f"has no {missing[0]}" if missing else "has no contacts, or no mirror"
        raise InputError(f"{verb}: arm {arm.name!r} {what}; {EXPECTED}.")
    _refuse_other_feet(verb, arm)
    _refuse_other_gravity(verb, arm, level)
    return arm


def _refuse_other_feet(verb: str, arm: Arm) -> None:
    """Refuse contacts that are not heel, ball and tip of both feet, each the mirror image of the other foot's."""
    known = [f"{part}_{side}" for side in SIDES for part in PARTS]
    parts = {one.name: "_".join(one.name.split("_")[:2]) for one in arm.contacts}
    for name, part in parts.items():
        if part not in known:
            raise InputError(f"{verb}: arm {arm.name!r} has a contact {name!r}; {suggest(part, known)}")
    missing = next((part for part in known if part not in parts.values()), None)
    if missing is not None:
        raise InputError(f"{verb}: arm {arm.name!r} has no contact {missing!r}; expected heel, ball and tip of a foot.")
    assert arm.mirror is not None
    for name, part in parts.items():
        partner = arm.mirror.partner("contacts", name)
        if parts.get(partner) != f"{part[:-1]}{'l' if part[-1] == 'r' else 'r'}":
            raise InputError(
                f"{verb}: arm {arm.name!r}: the mirror image of contact {name!r} is {partner!r}; expected a contact of "
                "the same part of the other foot."
            )


def _refuse_other_gravity(verb: str, arm: Arm, level: bool) -> None:
    """Refuse gravity that does not pull to the ground, or pulls along what has to be level."""
    aside = np.abs(arm.gravity[0 if level else 1 : 2])
    if arm.gravity[2] >= 0.0 or aside.max() > ASIDE * np.linalg.norm(arm.gravity):
        where = "straight down (-z)" if level else "down (-z) and not sideways (y)"
        raise InputError(
            f"{verb}: the gravity of arm {arm.name!r} is {shown(arm.gravity.tolist())}; expected one that pulls "
            f"{where}."
        )


def foot_points(arm: Arm, parts: Sequence[str], side: str) -> list[str]:
    """Return names of the contact points of parts of a foot."""
    return [one.name for one in arm.contacts for part in parts if one.name.split("_")[:2] == [part, side]]


def plain_number(verb: str, value: Any, what: str) -> float:
    """Return a finite number."""
    try:
        return number(value, what)
    except ModelError as error:
        raise InputError(f"{verb}: {error.problem}") from None


def weights_of(verb: str, weights: Any) -> WalkWeights:
    """Return weights, by default the usual ones."""
    if weights is not None and not isinstance(weights, WalkWeights):
        raise InputError(f"{verb}: weights is {shown(weights)}; expected WalkWeights(...).")
    return WalkWeights() if weights is None else weights


def predicted(verb: str, arm: Arm, task: Task, **options: Any) -> Motion:
    """Return a predicted motion; errors name the verb that was called."""
    try:
        return predict_motion(arm, task, **options)
    except MotionError as error:
        raise MotionError(f"{verb}{str(error).removeprefix('predict_motion')}", error.motion) from None
