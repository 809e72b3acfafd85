"""Durations that a task cannot have, or that have no best value."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from lissom.errors import InputError
from lissom.motion.checks.directions import towards
from lissom.motion.transcription.specification import VERB, Specification
from lissom.spatial.rotations import Array

SLACK = 1e-9


def refuse_duration(spec: Specification) -> None:
    """Refuse a given duration that is too short, and a free one that nothing limits."""
    _duration_possible(spec)
    _something_limits(spec)


def _shortest(spec: Specification) -> tuple[float, str]:
    """A duration that no motion can go below, by limits of rate and acceleration alone, and why."""
    task, bounds = spec.task, spec.bounds
    best, why = 0.0, ""
    at_rest = task.start_velocity is None and task.goal_velocity is None
    known = [place for place in spec.places if place.reaching is None]
    for first, second in combinations(known, 2):
        way, part = second.q[0] - first.q[0], second.s - first.s
        for k in np.flatnonzero(np.isfinite(way) & (way != 0)):
            forth, back = (towards(bounds, "acceleration", k, sign * way[k]) for sign in (1, -1))
            speed, length = towards(bounds, "velocity", k, way[k]), abs(way[k])
            whole = at_rest and part == 1.0
            # from rest to rest: up to speed and down again; on the way: at full speed
            ramps = 1 / forth + 1 / back if whole else 0.0
            top = min(speed, np.sqrt(2 * length / ramps) if ramps else np.inf)
            bound = (length / top + top * ramps / 2) / part if np.isfinite(top) else 0.0
            if bound > best:
                limit = "acceleration limits" if whole and ramps and top < speed else "velocity limit"
                best, why = bound, f"the {limit} of joint {spec.names[k]!r}"
    return best, why


def _duration_possible(spec: Specification) -> None:
    given = spec.task.duration
    if given is None:
        return
    longest = given if isinstance(given, float) else given[1]
    bound, why = _shortest(spec)
    if longest < bound * (1 - SLACK):
        raise InputError(
            f"{VERB}: a duration of {longest:.6g} s is too short: {why} allows no motion below {bound:.6g} s."
        )


def _something_limits(spec: Specification) -> None:
    """Refuse tasks whose free duration has no best value."""
    task, bounds, arm = spec.task, spec.bounds, spec.arm
    if task.duration is not None or any(callable(word) for word in task.minimise):
        return
    words = ("velocity", "acceleration", "jerk", "torque", "torque_rate", "power")
    if set(task.minimise) == {"time"}:
        moving = _moving(spec)
        if not moving.any():
            raise InputError(
                f"{VERB}: start and goal are the same and there are no via points, so the shortest time is zero. Give "
                "a duration, another goal, or via points."
            )
        if not (moving & np.any([bounds.limited(word) for word in words], axis=0)).any():
            raise InputError(
                f"{VERB}: the duration is free and there are no velocity, acceleration or torque limits, so the "
                "shortest time is zero. Give limits or a duration."
            )
    pulled = np.any(arm.gravity) or task.loads or any(joint.stiffness for joint in arm.moving_joints)
    if not task.minimise.get("time") and not (pulled and spec.cost.at_rest):
        raise InputError(
            f"{VERB}: the duration is free and only effort is minimised, so there is no best duration. Give a "
            "duration, or a weight for 'time'."
        )


def _moving(spec: Specification) -> Array:
    """Return which joints must move, or may have to."""
    task = spec.task
    if any(place.reaching is not None for place in spec.places) or task.periodic or task.via:
        return np.ones(spec.n, bool)
    turning = (spec.rates("start") != 0) | (spec.rates("goal") != 0)
    way = spec.given("goal") - spec.given("start")
    return np.asarray(turning | np.isfinite(way) & ~np.isclose(way, 0.0, atol=1e-12))
