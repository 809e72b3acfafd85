"""Notes on a motion: which limits held, and what may surprise in its joints and torques."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from lissom.model.limits import QUANTITIES, used
from lissom.model.units import limit_units, units
from lissom.motion.result.record import AbstractMotion
from lissom.motion.result.report import RETIMING
from lissom.motion.task.reach import Reach
from lissom.spatial.rotations import Array

MOVED = 1e-2  # of the largest excursion of a joint: joints that start and end in one place and move less count as held
MARGIN = 5e-3  # of a torque limit: less is not worth a note


def notes_of(motion: AbstractMotion) -> tuple[str, ...]:
    """Return one sentence for each fact that the numbers of a motion alone do not show."""
    wider = (*_wider_limits(motion), *(() if motion.information is None else motion.information.assumptions))
    if motion.tracked is not None:
        wider = (_capital(motion.tracked.describe()), *wider)
    if not motion.ok:  # limits may be why; the rest is about a motion that nobody should use
        return wider
    return (*wider, *_friction_margins(motion), *_idle_joints(motion), *_reversals(motion), *_lags(motion))


def _lags(motion: AbstractMotion) -> Iterator[str]:
    """Actuators whose torques lag behind what is commanded."""
    lags = zip(motion.arm.joints, motion.arm.actuator_lag, strict=True)
    late = [f"{joint.name} {lag:g} s" for joint, lag in lags if lag]
    if late:
        yield (
            f"Actuators have a lag ({_listed(late)}): limits and torques of the motion are those that act on the "
            "joints; motion.command() is what to command for them"
        )


def _wider_limits(motion: AbstractMotion) -> Iterator[str]:
    """Limits of the task that the arm does not allow: the arm's own hold."""
    arm, unit = motion.arm, limit_units(motion.arm)
    for quantity in QUANTITIES:
        own, asked = arm.bounds(quantity), motion.task.limits.bounds(quantity, len(arm.joints))
        wider = [
            f"{joint.name} {other[k]:g} instead of {limit[k]:g} {unit[quantity][at]}"
            for k, (joint, at) in enumerate(zip(arm.joints, arm.joint_index, strict=True))
            for limit, other, sign in (_side(own, asked, k),)
            if np.isfinite(limit[k]) and sign * limit[k] > sign * other[k]
        ]
        if wider:
            yield (
                f"The task allows more {quantity.replace('_', ' ')} than the arm; the limits of the arm hold: "
                f"{_listed(wider)}. To raise them, change the arm: arm.with_joint(name, limits=...)"
            )


def _side(own: tuple[Array, Array], asked: tuple[Array, Array], k: int) -> tuple[Array, Array, float]:
    """Limits of the task and of the arm on the side where the task exceeds the arm, upper first; and the sign of it."""
    below = np.isfinite(asked[0][k]) and asked[0][k] < own[0][k] and not own[1][k] < asked[1][k] < np.inf
    return (asked[0], own[0], -1.0) if below else (asked[1], own[1], 1.0)


def _friction_margins(motion: AbstractMotion) -> Iterator[str]:
    """Joints that use less of their torque limit because friction may act in both directions near rest."""
    from lissom.motion.task.bounds import bounds_of

    arm = motion.arm
    bounds = bounds_of(arm, motion.task, "predict_motion")
    lower, upper = bounds.lower["torque"], bounds.upper["torque"]
    limit, friction = np.minimum(-lower, upper), np.zeros(arm.dof)
    friction[arm.joint_index] = arm.breakaway
    use = used(motion.tau, lower, upper).max(axis=0)
    known = np.isfinite(limit) & (limit > 0) & (friction > 0)
    margin = 2 * friction / np.where(known, limit, 1.0)
    rows = [
        f"{arm.coordinates[k]} {100 * use[k]:.1f} % of {limit[k]:g} {units(arm, 'tau')[k]}, friction {friction[k]:g}"
        for k in np.flatnonzero(known & (use < 1 - MARGIN) & (use + margin > 1 - MARGIN))
    ]
    if rows:
        yield (
            "Where a joint comes to rest, its Coulomb friction may act in either direction. Torque limits are kept for "
            "both, so a joint that brakes to rest may leave up to twice its friction unused: "
            f"{_listed(rows)}"
        )


def _idle_joints(motion: AbstractMotion) -> Iterator[str]:
    """Joints that the task starts and ends at one position, but which move in between."""
    task, arm = motion.task, motion.arm
    free = not (
        motion.information
        or task.periodic
        or task.via
        or task.obstacles
        or task.constraints
        or motion.report.solver == RETIMING
    )
    if not free or isinstance(task.start, Reach) or isinstance(task.goal, Reach):
        return
    at = arm.joint_index
    q, moved = motion.q[:, at], np.ptp(motion.q[:, at], axis=0)
    idle = (np.abs(q[-1] - q[0]) < 1e-9) & (moved > MOVED * moved.max()) & arm.actuated[at]
    if idle.any() and not idle.all() and not arm.loops:
        rows = [f"{arm.joints[k].name} by {moved[k]:.2g} {units(arm)[at[k]]}" for k in np.flatnonzero(idle)]
        held = ", ".join(f"{arm.joints[k].name!r}: {q[0, k]:g}" for k in np.flatnonzero(idle))
        yield (
            f"Joints that start and end at the same position move in between, because that lowers the cost: "
            f"{_listed(rows)}. To hold them, plan for arm.lock({{{held}}})"
        )


def _reversals(motion: AbstractMotion) -> Iterator[str]:
    """Joints with Coulomb friction that turn around, where their torques jump."""
    arm, rows = motion.arm, []
    for k, friction in zip(arm.joint_index, arm.breakaway, strict=True):
        sign = np.sign(motion.qd[:, k])
        sign = sign[sign != 0]
        turns = int((sign[1:] * sign[:-1] < 0).sum())
        if friction > 0 and turns:
            rows.append(f"{arm.coordinates[k]} by {2 * friction:g} {units(arm, 'tau')[k]}, {_times(turns)}")
    if rows:
        yield f"Where a joint with Coulomb friction reverses, its torque jumps by twice the friction: {_listed(rows)}"


def _times(count: int) -> str:
    return {1: "once", 2: "twice"}.get(count, f"{count} times")


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _listed(rows: Iterable[str]) -> str:
    return "; ".join(rows)
