"""Tasks that move a joint whose actuator is no stronger than its Coulomb friction: see `immobile`."""

from __future__ import annotations

import numpy as np

from lissom.errors import InputError
from lissom.model.units import units
from lissom.motion.transcription.immobile import given_positions, left_open, moves_at_places, strongest, too_weak
from lissom.motion.transcription.specification import Specification


def refuse_immobile(spec: Specification) -> None:
    """Refuse tasks that move a joint whose actuator cannot, or that leave its position open."""
    for k in too_weak(spec):
        q = given_positions(spec, k)
        why = f"{spec.verb}: {_weaker(spec, k, float(strongest(spec)[k]))}"
        lock = f"lock it with arm.lock({{{spec.names[k]!r}: {q[0] if len(q) else 0.0:g}}})"
        stronger = "use a stronger actuator"
        if len(q) and np.ptp(q):
            other = float(q[q != q[0]][0])
            raise InputError(
                f"{why}, so it cannot move from {q[0]:.6g} to {other:.6g}. Give it one position for the whole motion, "
                f"{lock}, or {stronger}."
            )
        if moves_at_places(spec, k):
            raise InputError(f"{why}, so it cannot reach the velocity that is given for it. Give zero, or {stronger}.")
        if left_open(spec, q):
            raise InputError(
                f"{why}, so it cannot move, and this task does not say that it stays where it is. Give joint positions "
                f"for start and goal, {lock}, or {stronger}."
            )
        _refuse_weak_hold(spec, k, f"{why}, and", f"{lock[0].upper()}{lock[1:]}, or {stronger}.")


def weak_against_friction(spec: Specification) -> str:
    """Name a motor that has to move its joint against Coulomb friction above its limit; for tasks that failed."""
    start, goal = spec.given("start"), spec.given("goal")
    lower, upper = spec.bounds.lower["torque"], spec.bounds.upper["torque"]
    limit = np.where(goal > start, upper, -lower)
    weak = (np.abs(goal - start) > 0) & (spec.friction > 0) & (limit <= spec.friction)
    if not weak.any():
        return ""
    k = int(np.argmax(weak))
    return (
        f"{_weaker(spec, k, float(limit[k]))}: its actuator alone cannot move it from {start[k]:.4g} to {goal[k]:.4g}"
    )


def _weaker(spec: Specification, k: int, limit: float) -> str:
    unit = units(spec.arm, "tau")[k]
    word = "Coulomb friction" if (spec.arm.breakaway == spec.arm.friction).all() else "friction at rest"
    return (
        f"the {word} of joint {spec.names[k]!r}, {spec.friction[k]:.4g} {unit}, is not less than its "
        f"torque limit, {limit:.4g} {unit}"
    )


def _refuse_weak_hold(spec: Specification, k: int, why: str, advice: str) -> None:
    """Refuse ends at which a motor is too weak to hold its joint: friction that sticks is not counted on."""
    limit = strongest(spec)[k]
    for place in spec.places:
        q = place.q[0]
        if np.isnan(q).any() or place.s not in (0.0, 1.0):
            continue
        tau = spec.holding(q, spec.load_at(place.s))[k]
        if abs(tau) > limit:
            raise InputError(
                f"{why} holding the {place.word} takes {tau:.4g}; friction that sticks is not counted on. {advice}"
            )
