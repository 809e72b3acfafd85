"""Arms and tasks that fit each other: what is refused before a problem is made of them."""

from __future__ import annotations

import numpy as np

from lissom.errors import InputError, UnsupportedError, listed
from lissom.model.arm import Arm
from lissom.motion.task.criteria.known import criterion
from lissom.motion.task.ends import spread
from lissom.motion.task.task import Task
from lissom.motion.transcription.specification import VERB


def refuse_arm(arm: Arm, verb: str = VERB) -> None:
    """Refuse arms whose motion cannot be planned."""
    if arm.loops and (arm.flexible or any(joint.elastic is not None for joint in arm.moving_joints)):
        raise UnsupportedError(
            f"{verb}: arm {arm.name!r} has closed loops and elastic parts (flexible links or elastic joints), which is "
            "not supported."
        )
    if not arm.joints:
        raise UnsupportedError(f"{verb}: arm {arm.name!r} has no joint that moves.")
    if not arm.actuated.any():
        raise UnsupportedError(f"{verb}: no joint of arm {arm.name!r} is actuated, so no motion can be planned.")


def refuse_unactuated(arm: Arm, verb: str) -> None:
    """Refuse arms with closed loops, or with coordinates that no motor moves."""
    if arm.loops:
        raise UnsupportedError(f"{verb}: closed loops (arm {arm.name!r}) are not supported; use predict_motion.")
    if not arm.actuated.all():
        word = arm.coordinates[int(np.argmin(arm.actuated))]
        raise UnsupportedError(
            f"{verb}: {word!r} of arm {arm.name!r} is unactuated, so the arm cannot follow a given path; use "
            "predict_motion for flexible links, elastic and passive joints."
        )


def refuse_lengths(arm: Arm, task: Task) -> None:
    """Refuse vectors of another length than the arm has joints, or coordinates."""
    n = len(arm.joints)
    words = ("start", "goal", "start_velocity", "goal_velocity", "start_acceleration", "goal_acceleration")
    given = [(word, getattr(task, word)) for word in words]
    given += [(f"q of the via point at {via.at:g}", via.q) for via in task.via]
    given += [(f"velocity of the via point at {via.at:g}", via.velocity) for via in task.via]
    more = f" (or {arm.dof}, one per coordinate)" if arm.dof > n else ""
    for word, value in given:
        if isinstance(value, np.ndarray) and len(value) not in (n, arm.dof):
            raise InputError(
                f"{VERB}: {word} has {len(value)} entries; expected {n}, one per joint of {arm.name!r} "
                f"({listed((joint.name for joint in arm.joints), 12)}){more}."
            )


def refuse_unsupported(arm: Arm, task: Task) -> None:
    """Refuse tasks that are not supported for arms with coordinates that no motor moves."""
    if arm.actuated.all():
        return
    word = arm.coordinates[int(np.argmin(arm.actuated))]
    rates = [joint.name for joint in arm.joints if joint.limits.torque_rate is not None]
    if task.limits.torque_rate is not None or rates or any(criterion(word).torque_rate for word in task.minimise):
        raise UnsupportedError(
            f"{VERB}: torque-rate limits and criteria are not supported for arms with unactuated coordinates "
            f"({word!r}). Limit or minimise the jerk instead."
        )
    if task.obstacles and task.bodies is None and arm.flexible:
        raise UnsupportedError(
            f"{VERB}: arm {arm.name!r} has flexible links, whose deflected shape is not known to the obstacle check; "
            "give bodies=[...] that move with a link's root ('name') or tip ('name.tip')."
        )
    for end in ("start", "goal"):
        value = getattr(task, f"{end}_acceleration")
        if value is not None and np.isfinite(spread(arm, value, np.nan)[~arm.actuated]).any():
            raise InputError(
                f"{VERB}: {end}_acceleration is given for an unactuated coordinate, where it follows from the others. "
                "Give NaN there."
            )
