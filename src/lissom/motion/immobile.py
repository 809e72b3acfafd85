"""Joints whose actuators are no stronger than their Coulomb friction.

Such an actuator alone cannot start a joint that is at rest, and next to rest no torque within the limits covers
friction in both directions. If a task leaves the joint where it is, it is held there exactly: friction then has no
direction, and the torque that holds the joint is within its limits by itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lissom.errors import InputError
from lissom.model.units import units
from lissom.spatial.rotations import Array
from lissom.verbs.dynamics import inverse_dynamics

if TYPE_CHECKING:
    from lissom.motion.build import Problem


def held_joints(problem: Problem) -> dict[int, float]:
    """Coordinates of such joints that the task leaves at rest, and their positions."""
    found = {k: _positions(problem, k) for k in _too_weak(problem)}
    return {
        k: float(q[0]) for k, q in found.items() if not _open(problem, q) and not np.ptp(q) and not _rates(problem, k)
    }


def refuse_immobile(problem: Problem) -> None:
    """Refuse tasks that move a joint whose actuator cannot, or that leave its position open."""
    for k in _too_weak(problem):
        q = _positions(problem, k)
        why = f"{problem.verb}: {_weaker(problem, k, float(_strongest(problem)[k]))}"
        lock = f"lock it with arm.lock({{{problem.names[k]!r}: {q[0] if len(q) else 0.0:g}}})"
        stronger = "use a stronger actuator"
        if len(q) and np.ptp(q):
            other = float(q[q != q[0]][0])
            raise InputError(
                f"{why}, so it cannot move from {q[0]:.6g} to {other:.6g}. Give it one position for the whole motion, "
                f"{lock}, or {stronger}."
            )
        if _rates(problem, k):
            raise InputError(f"{why}, so it cannot reach the velocity that is given for it. Give zero, or {stronger}.")
        if _open(problem, q):
            raise InputError(
                f"{why}, so it cannot move, and this task does not say that it stays where it is. Give joint positions "
                f"for start and goal, {lock}, or {stronger}."
            )
        _refuse_weak_hold(problem, k, f"{why}, and", f"{lock[0].upper()}{lock[1:]}, or {stronger}.")


def weak_against_friction(problem: Problem) -> str:
    """Which motor that has to move its joint is no stronger than its Coulomb friction; for tasks that failed."""
    start, goal = problem.given("start"), problem.given("goal")
    lower, upper = problem.bounds.lower["torque"], problem.bounds.upper["torque"]
    limit = np.where(goal > start, upper, -lower)
    weak = (np.abs(goal - start) > 0) & (problem.friction > 0) & (limit <= problem.friction)
    if not weak.any():
        return ""
    k = int(np.argmax(weak))
    return (
        f"{_weaker(problem, k, float(limit[k]))}: its actuator alone cannot move it from {start[k]:.4g} to "
        f"{goal[k]:.4g}"
    )


def _weaker(problem: Problem, k: int, limit: float) -> str:
    unit = units(problem.arm, "tau")[k]
    return (
        f"the Coulomb friction of joint {problem.names[k]!r}, {problem.friction[k]:.4g} {unit}, is not less than its "
        f"torque limit, {limit:.4g} {unit}"
    )


def _strongest(problem: Problem) -> Array:
    """(n,) torques of actuators in their stronger direction."""
    return np.maximum(problem.bounds.upper["torque"], -problem.bounds.lower["torque"])


def _too_weak(problem: Problem) -> list[int]:
    """Coordinates of joints that begin or end at rest and cannot leave it; in closed loops others may move them."""
    if problem.closing is not None or problem.task.periodic:
        return []
    rests = np.any([problem.rates(word) == 0 for word in ("start", "goal")], axis=0)
    weak = problem.arm.actuated & (problem.friction > 0) & (_strongest(problem) <= problem.friction)
    return [int(k) for k in np.flatnonzero(weak & rests)]


def _positions(problem: Problem, k: int) -> Array:
    """Positions of a coordinate that the task gives, in the order of time."""
    q = np.array([place.q[0][k] for place in problem.places if place.reaching is None])
    return q[np.isfinite(q)]


def _open(problem: Problem, q: Array) -> bool:
    """The task leaves it to the search where a coordinate with positions q goes: none, or a pose, is given."""
    return not len(q) or any(place.reaching is not None for place in problem.places)


def _rates(problem: Problem, k: int) -> bool:
    """The task gives a coordinate a rate other than zero somewhere."""
    ends = [problem.rates(word)[k] for word in ("start", "goal")]
    joint = np.flatnonzero(problem.arm.joint_index == k)
    via = [rate[k if len(rate) == problem.n else joint[0]] for rate in
           (via.velocity for via in problem.task.via) if rate is not None]  # fmt: skip
    return bool(np.any(np.nan_to_num([*ends, *via])))


def _refuse_weak_hold(problem: Problem, k: int, why: str, advice: str) -> None:
    """The torque that holds a joint must be within its limits: friction that sticks is not counted on."""
    limit = _strongest(problem)[k]
    for place in problem.places:
        q = place.q[0]
        if np.isnan(q).any() or place.s not in (0.0, 1.0):
            continue
        tau = inverse_dynamics(problem.arm, q, 0 * q, 0 * q, loads=problem.load_at(place.s))[k]
        if abs(tau) > limit:
            raise InputError(
                f"{why} holding the {place.word} takes {tau:.4g}; friction that sticks is not counted on. {advice}"
            )
