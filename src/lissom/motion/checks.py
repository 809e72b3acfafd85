"""What can be said of a task before a solver runs."""

from __future__ import annotations

import numpy as np

from lissom.errors import InputError, UnsupportedError
from lissom.model.arm import Arm
from lissom.motion.build import Problem
from lissom.motion.task import Task
from lissom.spatial.rotations import Array
from lissom.verbs.dynamics import inverse_dynamics

VERB = "predict_motion"
SLACK = 1e-9


def refuse_arm(arm: Arm) -> None:
    """Arms whose motion cannot be planned here."""
    if arm.flexible or any(joint.elastic is not None for joint in arm.joints):
        raise UnsupportedError(
            f"{VERB}: arm {arm.name!r} has flexible links or elastic joints; motions of these are not available yet."
        )
    passive = [joint.name for joint in arm.joints if not joint.actuated]
    if passive:
        raise UnsupportedError(
            f"{VERB}: joint {passive[0]!r} has no motor; motions of such arms are not available yet."
        )
    if arm.loops:
        raise UnsupportedError(f"{VERB}: arm {arm.name!r} has closed loops; their motion is not available yet.")
    if not arm.joints:
        raise UnsupportedError(f"{VERB}: arm {arm.name!r} has no joint that moves.")


def refuse_lengths(arm: Arm, task: Task) -> None:
    """Vectors of another length than the arm has joints."""
    n = len(arm.joints)
    for word in ("start", "goal", "start_velocity", "goal_velocity", "start_acceleration", "goal_acceleration"):
        value = getattr(task, word)
        if value is not None and len(value) != n:
            raise InputError(f"{VERB}: {word} has {len(value)} entries; expected {n}, one per joint of {arm.name!r}.")


def refuse_impossible(problem: Problem) -> None:
    """Ends outside limits, motors too weak to hold an end, durations too short for the limits; nothing that limits."""
    _ends_within(problem)
    _rests_held(problem)
    _duration_possible(problem)
    _something_limits(problem)


def _name(problem: Problem, k: int) -> str:
    return f"joint {problem.names[k]!r}"


def _ends_within(problem: Problem) -> None:
    task, bounds = problem.task, problem.bounds
    given = [("start", task.start, "position"), ("goal", task.goal, "position")]
    given += [(word, getattr(task, word), "velocity") for word in ("start_velocity", "goal_velocity")]
    given += [(f"via point at {via.at:g}", via.q, "position") for via in task.via]
    given += [(f"rate at the via point at {via.at:g}", via.velocity, "velocity") for via in task.via]
    for word, value, quantity in given:
        if value is None:
            continue
        lower, upper = bounds.lower[quantity], bounds.upper[quantity]
        off = np.flatnonzero((value < lower - SLACK) | (value > upper + SLACK))
        if len(off):
            k = int(off[0])
            raise InputError(
                f"{VERB}: {word} of {_name(problem, k)} is {value[k]:.6g}, outside its {quantity} limits of "
                f"{lower[k]:.6g} to {upper[k]:.6g}. Move it inside, or widen the limits."
            )


def _rests_held(problem: Problem) -> None:
    """Torques that hold an end at rest, where its positions are given and rest is asked for at both rates."""
    task, lower, upper = problem.task, problem.bounds.lower["torque"], problem.bounds.upper["torque"]
    for word, s in (("start", 0.0), ("goal", 1.0)):
        q, rate = getattr(task, word), getattr(task, f"{word}_velocity")
        acceleration = getattr(task, f"{word}_acceleration")
        still = acceleration is not None and not np.any(acceleration)
        if q is None or np.isnan(q).any() or (rate is not None and np.any(rate)) or not still:
            continue
        tau = inverse_dynamics(problem.arm, q, 0 * q, 0 * q, loads=_at(problem, s))
        off = np.flatnonzero((tau < lower) | (tau > upper))
        if len(off):
            k = int(off[0])
            raise InputError(
                f"{VERB}: {_name(problem, k)} needs {tau[k]:.4g} to hold the {word} at rest, and its torque limits are "
                f"{lower[k]:.4g} to {upper[k]:.4g}. Give a stronger motor, or another {word}."
            )


def _at(problem: Problem, s: float) -> list:  # type: ignore[type-arg]
    return [load.replace(force=load.force[0], moment=load.moment[0], point=load.point[0])
            for load in problem.loads_at(np.array([s]))]  # fmt: skip


def weak_for_holding(problem: Problem) -> str:
    """Which motor cannot hold an end, in words; empty where all can. For messages about tasks that failed."""
    task, lower, upper = problem.task, problem.bounds.lower["torque"], problem.bounds.upper["torque"]
    for word, s in (("start", 0.0), ("goal", 1.0)):
        q = getattr(task, word)
        if q is None or np.isnan(q).any():
            continue
        tau = inverse_dynamics(problem.arm, q, 0 * q, 0 * q, loads=_at(problem, s))
        off = np.flatnonzero((tau < lower) | (tau > upper))
        if len(off):
            k = int(off[0])
            return (
                f"{_name(problem, k)} needs {tau[k]:.4g} to hold the {word}, and its torque limits are {lower[k]:.4g} "
                f"to {upper[k]:.4g}"
            )
    return ""


def shortest(problem: Problem) -> tuple[float, str]:
    """A duration that no motion can go below, by limits of rate and acceleration alone, and why."""
    task, bounds = problem.task, problem.bounds
    best, why = 0.0, ""
    if task.start is None or task.goal is None:
        return best, why
    way = task.goal - task.start
    at_rest = task.start_velocity is None and task.goal_velocity is None
    for k in np.flatnonzero(np.isfinite(way) & (way != 0)):
        limit = {word: _towards(bounds.lower[word][k], bounds.upper[word][k], way[k]) for word in ("velocity",)}
        bound = abs(way[k]) / limit["velocity"]
        if bound > best:
            best, why = bound, f"the velocity limit of {_name(problem, int(k))}"
        if at_rest:
            forth = _towards(bounds.lower["acceleration"][k], bounds.upper["acceleration"][k], way[k])
            back = _towards(bounds.lower["acceleration"][k], bounds.upper["acceleration"][k], -way[k])
            bound = float(np.sqrt(2 * abs(way[k]) * (1 / forth + 1 / back)))
            if bound > best:
                best, why = bound, f"the acceleration limits of {_name(problem, int(k))}"
    return best, why


def _towards(lower: float, upper: float, way: float) -> float:
    """How large a quantity may be in a direction."""
    size = upper if way > 0 else -lower
    return float(max(size, 1e-300))


def _duration_possible(problem: Problem) -> None:
    given = problem.task.duration
    if given is None:
        return
    longest = given if isinstance(given, float) else given[1]
    bound, why = shortest(problem)
    if longest < bound * (1 - SLACK):
        raise InputError(
            f"{VERB}: a duration of {longest:.6g} s is too short: {why} allows no motion below {bound:.6g} s."
        )


def _something_limits(problem: Problem) -> None:
    task, bounds = problem.task, problem.bounds
    if task.duration is not None:
        return
    words = ("velocity", "acceleration", "jerk", "torque", "torque_rate", "power")
    limited = [bounds.limited(word) for word in words]
    moving = _moving(problem)
    loose = moving & ~np.any(limited, axis=0)
    if set(task.minimise) == {"time"} and loose.all() and moving.any():
        raise InputError(
            f"{VERB}: the duration is free and nothing limits how fast the joints go, so the shortest time is zero. "
            "Give limits (torque, velocity ...), or a duration."
        )
    if not task.minimise.get("time") and "energy" not in task.minimise and not np.any(problem.arm.gravity):
        raise InputError(
            f"{VERB}: the duration is free and only effort is minimised: the longer the better. Give a duration, or a "
            "weight for 'time'."
        )


def _moving(problem: Problem) -> Array:
    task = problem.task
    if task.start is None or task.goal is None:
        return np.ones(problem.n, bool)
    return np.asarray(~np.isclose(task.start, task.goal))
