"""What can be said of a task before a solver runs."""

from __future__ import annotations

from itertools import combinations, pairwise

import numpy as np

from lissom.dynamics.bodies import BASE
from lissom.errors import InputError, UnsupportedError
from lissom.model.arm import Arm
from lissom.model.units import unit_of
from lissom.motion.build import SAMPLED, VERB, Problem
from lissom.motion.ends import spread
from lissom.motion.rows import linear_rows
from lissom.motion.task import Task
from lissom.motion.ways import refuse_closed_ways, towards
from lissom.spatial.rotations import Array
from lissom.verbs.dynamics import inverse_dynamics

SLACK = 1e-9
CLOSE = 1e-9


def refuse_arm(arm: Arm, verb: str = VERB) -> None:
    """Arms whose motion cannot be planned here."""
    if arm.loops and (arm.flexible or any(joint.elastic is not None for joint in arm.joints)):
        raise UnsupportedError(
            f"{verb}: arm {arm.name!r} has closed loops, and flexible links or elastic joints; motions of both are not "
            "available together."
        )
    if not arm.joints:
        raise UnsupportedError(f"{verb}: arm {arm.name!r} has no joint that moves.")
    for joint in arm.joints:
        if joint.mimic is not None:
            raise UnsupportedError(
                f"{verb}: joint {joint.name!r} is to follow {joint.mimic.joint!r}, and motions of coupled joints are "
                "not available. Make it fixed, or a joint of its own: arm.with_joint(name, mimic=None)."
            )
    if not arm.actuated.any():
        raise UnsupportedError(f"{verb}: no joint of arm {arm.name!r} has a motor, so nothing can be planned.")


def refuse_loose(arm: Arm, verb: str) -> None:
    """Arms with closed loops, or with coordinates that no motor moves."""
    if arm.loops:
        raise UnsupportedError(f"{verb}: arm {arm.name!r} has closed loops, which are for predict_motion.")
    if not arm.actuated.all():
        word = arm.coordinates[int(np.argmin(arm.actuated))]
        raise UnsupportedError(
            f"{verb}: {word!r} of arm {arm.name!r} has no motor, so the arm cannot be kept on a path; flexible links, "
            "elastic and passive joints are for predict_motion."
        )


def refuse_lengths(arm: Arm, task: Task) -> None:
    """Vectors of another length than the arm has joints, or coordinates."""
    n = len(arm.joints)
    words = ("start", "goal", "start_velocity", "goal_velocity", "start_acceleration", "goal_acceleration")
    given = [(word, getattr(task, word)) for word in words]
    given += [(f"q of the via point at {via.at:g}", via.q) for via in task.via]
    given += [(f"velocity of the via point at {via.at:g}", via.velocity) for via in task.via]
    more = f" (or {arm.dof}, one per coordinate)" if arm.dof > n else ""
    for word, value in given:
        if isinstance(value, np.ndarray) and len(value) not in (n, arm.dof):
            raise InputError(
                f"{VERB}: {word} has {len(value)} entries; expected {n}, one per joint of {arm.name!r}{more}."
            )


def refuse_for_loose(arm: Arm, task: Task) -> None:
    """What is not for arms with coordinates that no motor moves."""
    if arm.actuated.all():
        return
    word = arm.coordinates[int(np.argmin(arm.actuated))]
    rates = [joint.name for joint in arm.joints if joint.limits.torque_rate is not None]
    if task.limits.torque_rate is not None or rates or "torque_rate" in task.minimise:
        raise UnsupportedError(
            f"{VERB}: rates of torque are not available where a coordinate ({word!r}) has no motor: torques jump a "
            "little where its splines join. Limit or minimise the jerk instead."
        )
    if task.obstacles and task.bodies is None and arm.flexible:
        raise UnsupportedError(
            f"{VERB}: arm {arm.name!r} has flexible links, whose shape is not followed as they bend; give bodies=[...] "
            "of parts that move with a link's root ('name') or tip ('name.tip')."
        )
    for end in ("start", "goal"):
        value = getattr(task, f"{end}_acceleration")
        if value is not None and np.isfinite(spread(arm, value, np.nan)[~arm.actuated]).any():
            raise InputError(
                f"{VERB}: {end}_acceleration is given for a coordinate without a motor; it follows from the others. "
                "Give NaN there."
            )


def _rates_of_torque(problem: Problem) -> None:
    """Limits of torque_rate where torques jump, or are not differentiated."""
    limited, minimised = problem.bounds.limited("torque_rate"), "torque_rate" in problem.task.minimise
    if problem.closing is not None and (limited.any() or minimised):
        raise UnsupportedError(f"{VERB}: rates of torque are not available for closed loops; limit the jerk instead.")
    rough = np.flatnonzero(limited & (problem.friction > 0))
    if len(rough):
        raise InputError(
            f"{VERB}: {_name(problem, int(rough[0]))} has Coulomb friction, so its torque jumps where it turns, and no "
            "limit of its rate can hold. Limit the jerk instead, or leave friction out."
        )


def refuse_impossible(problem: Problem) -> None:
    """What is certain before a solver runs."""
    _rates_of_torque(problem)
    _ends_within(problem)
    _ends_closed(problem)
    _rates_possible(problem)
    _enough_segments(problem)
    _via_apart(problem)
    _ends_clear(problem)
    _rests_held(problem)
    _slides_held(problem)
    _motors_free(problem)
    refuse_closed_ways(problem)
    _duration_possible(problem)
    _something_limits(problem)


def _name(problem: Problem, k: int) -> str:
    return f"joint {problem.names[k]!r}"


def _ends_within(problem: Problem) -> None:
    task, bounds = problem.task, problem.bounds
    given = [(place.word, place.q[0], "position") for place in problem.places if place.reaching is None]
    for word in () if task.periodic else ("start", "goal"):
        given.append((f"{word}_velocity", problem.rates(word), "velocity"))
        given.append((f"{word}_acceleration", problem.accelerations(word), "acceleration"))
    given += [(f"rate at the via point at {via.at:g}", spread(problem.arm, via.velocity, np.nan), "velocity")
              for via in task.via if via.velocity is not None]  # fmt: skip
    for word, value, quantity in given:
        lower, upper = bounds.lower[quantity], bounds.upper[quantity]
        off = np.flatnonzero((value < lower - SLACK) | (value > upper + SLACK))
        if len(off):
            k = int(off[0])
            raise InputError(
                f"{VERB}: {word} of {_name(problem, k)} is {value[k]:.6g}, outside its {quantity} limits of "
                f"{lower[k]:.6g} to {upper[k]:.6g}. Move it inside, or widen the limits."
            )


def _ends_closed(problem: Problem) -> None:
    """Rates at ends of arms with closed loops."""
    if problem.closing is not None and not problem.task.periodic:
        for word in ("start", "goal"):
            problem.closing.refuse_opening(problem.given(word), problem.rates(word), f"{word}_velocity")


def _rates_possible(problem: Problem) -> None:
    """What ends as it began has zero mean: a rate where positions are the same, an acceleration where rates are."""
    task = problem.task
    rates = [problem.rates(word) for word in ("start", "goal")]
    same = {
        "velocity": np.full(problem.n, task.periodic) | (problem.given("start") == problem.given("goal")),
        "acceleration": np.full(problem.n, task.periodic) | (rates[0] == rates[1]),
        "jerk": np.full(problem.n, task.periodic),
    }
    for quantity, closed in same.items():
        lower, upper = problem.bounds.lower[quantity], problem.bounds.upper[quantity]
        off = np.flatnonzero(closed & ((lower > 0) | (upper < 0)))
        if len(off):
            k = int(off[0])
            raise InputError(
                f"{VERB}: the {quantity} of {_name(problem, k)} must pass through zero in this task, and its limits of "
                f"{lower[k]:.6g} to {upper[k]:.6g} exclude that."
            )


def _enough_segments(problem: Problem) -> None:
    """Control points that both ends would give, or none that is left to choose."""
    curves = problem.curves(problem.mesh())
    taken = sum(
        np.max([np.where(np.isfinite(end[r]), r + 1, 0) for r in range(3)], axis=0)
        for end in (curves.start, curves.end)
    )
    some = [(taken[list(space.coordinates)], space.basis) for space in curves.spaces]
    if any((count > basis.count).any() for count, basis in some if not basis.periodic):
        raise InputError(
            f"{VERB}: {problem.task.segments} segments are too few for all that is given at both ends. Give more."
        )
    if not curves.size:
        raise InputError(
            f"{VERB}: {problem.task.segments} segments are too few: ends and duration leave nothing to choose. Give "
            "more segments."
        )


def _via_apart(problem: Problem) -> None:
    """Conditions at one time, or more of them than the splines can meet."""
    task = problem.task
    vias = sorted(task.via, key=lambda via: float(via.at))
    for first, second in pairwise(vias):
        if second.at - first.at < CLOSE:
            raise InputError(
                f"{VERB}: two via points are at {first.at:g} of the duration; a motion is at one place at a time. Give "
                "one, or other times."
            )
    curves = problem.curves(problem.mesh())
    given = ("via", "start acceleration", "goal acceleration")
    rows = [part for part in linear_rows(problem, curves) if part.names[0][0].startswith(given)]
    if not rows:
        return
    A = np.concatenate([part.A.toarray() for part in rows])
    if np.linalg.matrix_rank(A) < len(A):
        what = (
            f"{len(vias)} via points so close to each other or to an end" if vias else "all that is given at the ends"
        )
        times = ", or other times" if vias else ""
        raise InputError(f"{VERB}: {task.segments} segments are too few for {what}. Give more segments{times}.")


def _ends_clear(problem: Problem) -> None:
    """Places that are given by all joints, and lie in an obstacle."""
    if problem.clearance is None:
        return
    for place in problem.places:
        if place.reaching is not None or np.isnan(place.q[0]).any():
            continue
        gaps = problem.clearance.gaps(place.q[:1])[0]
        k = int(np.argmin(gaps))
        if gaps[k] < -SLACK:
            what, who = problem.clearance.names(k)
            margin = problem.clearance.margin
            raise InputError(
                f"{VERB}: at the {place.word} the {what} of {who!r} is {gaps[k] + margin:.4g} m, and the margin is "
                f"{margin:g} m."
            )


def _rests_held(problem: Problem) -> None:
    """Torques that hold an end at rest, where its positions are given; accelerations given as NaN let go of it."""
    task = problem.task
    for place in problem.places:
        rate, acceleration = (getattr(task, f"{place.word}_{kind}", None) for kind in ("velocity", "acceleration"))
        still = acceleration is None or not np.any(acceleration)
        if np.isnan(place.q[0]).any() or (rate is not None and np.any(rate)) or not still or place.reaching is not None:
            continue
        weak = _weak(problem, place.word, place.q[0], place.s)
        if weak:
            raise InputError(
                f"{VERB}: {weak}. Give a stronger motor or another {place.word}; or NaN in {place.word}_acceleration "
                "if the arm need not stay there."
            )


def _slides_held(problem: Problem) -> None:
    """A joint on the base with the same weight everywhere: between two rests its torque is on average that weight.

    The momentum p of a joint that no other carries changes as dp/dt = tau - weight - friction, whatever the others do
    (the inertia of an arm does not depend on its first joint). For other joints nothing so simple is certain: others
    can throw them up.
    """
    task, n = problem.task, problem.n
    if task.periodic or task.start_velocity is not None or task.goal_velocity is not None or task.loads:
        return
    if len(problem.loose) or problem.closing is not None:
        return
    first = np.array([body.parent == BASE for body in problem.bodies.list])
    rng = np.random.default_rng(0)
    lower, upper = (np.clip(b["position"], -3, 3) for b in (problem.bounds.lower, problem.bounds.upper))
    q = rng.uniform(lower, upper, (16, n))
    held = inverse_dynamics(problem.arm, q, 0 * q, 0 * q)
    friction = np.array([joint.friction for joint in problem.arm.joints])
    way = np.nan_to_num(np.abs(problem.given("goal") - problem.given("start")), nan=np.inf)
    damped = np.array([joint.damping > 0 for joint in problem.arm.joints]) & (way > 0)
    for k in np.flatnonzero(first & (np.ptp(held, axis=0) < 1e-9 * (1 + np.abs(held[0]))) & ~damped):
        low, high = problem.bounds.lower["torque"][k] - friction[k], problem.bounds.upper["torque"][k] + friction[k]
        if not low <= held[0, k] <= high:
            raise InputError(
                f"{VERB}: {_name(problem, int(k))} needs {held[0, k]:.4g} to hold the arm anywhere, and its torque "
                f"limits (with friction) are {low:.4g} to {high:.4g}, so no motion can end at rest. Give a stronger "
                "motor."
            )


def _motors_free(problem: Problem) -> None:
    """A motor's torque that is given at all times leaves nothing to choose."""
    for quantity in SAMPLED:
        lower, upper = problem.bounds.lower[quantity], problem.bounds.upper[quantity]
        off = np.flatnonzero(problem.arm.actuated & (lower == upper))
        if len(off):
            k = int(off[0])
            passive = ", or make the joint passive (actuated=False)" if quantity == "torque" and not upper[k] else ""
            raise InputError(
                f"{VERB}: the {quantity} limits of {_name(problem, k)} are {lower[k]:.6g} to {upper[k]:.6g}, which "
                f"leaves its motor nothing to do. Give wider limits{passive}."
            )


def _weak(problem: Problem, word: str, q: Array, s: float) -> str:
    """Which motor cannot hold positions, in words; empty where all can, or where motors share the work."""
    if problem.closing is not None and int(problem.arm.actuated.sum()) > problem.n - problem.closing.count:
        return ""
    lower, upper = problem.bounds.lower["torque"], problem.bounds.upper["torque"]
    tau = inverse_dynamics(problem.arm, q, 0 * q, 0 * q, loads=problem.load_at(s))
    off = np.flatnonzero((tau < lower - problem.friction) | (tau > upper + problem.friction))
    if not len(off):
        return ""
    k = int(off[0])
    needed = f"{tau[k]:.4g} {unit_of(problem.arm, 'torque', problem.names[k])}"
    limits = f"{lower[k]:.4g} to {upper[k]:.4g}"
    return f"{_name(problem, k)} needs {needed} to hold the {word} at rest, and its torque limits are {limits}"


def weak_for_holding(problem: Problem) -> str:
    """Which motor cannot hold an end, in words; empty where all can. For messages about tasks that failed."""
    known = [place for place in problem.places if not np.isnan(place.q[0]).any()]
    found = [_weak(problem, place.word, place.q[0], place.s) for place in known if place.s in (0.0, 1.0)]
    return next((word for word in found if word), "")


def shortest(problem: Problem) -> tuple[float, str]:
    """A duration that no motion can go below, by limits of rate and acceleration alone, and why."""
    task, bounds = problem.task, problem.bounds
    best, why = 0.0, ""
    at_rest = task.start_velocity is None and task.goal_velocity is None
    known = [place for place in problem.places if place.reaching is None]
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
                best, why = bound, f"the {limit} of {_name(problem, int(k))}"
    return best, why


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
    """A free duration has a best value."""
    task, bounds, arm = problem.task, problem.bounds, problem.arm
    if task.duration is not None or any(callable(word) for word in task.minimise):
        return
    words = ("velocity", "acceleration", "jerk", "torque", "torque_rate", "power")
    if set(task.minimise) == {"time"}:
        moving = _moving(problem)
        if not moving.any():
            raise InputError(
                f"{VERB}: start and goal are the same and nothing lies between, so the shortest time is zero. Give a "
                "duration, another goal, or via points."
            )
        if not (moving & np.any([bounds.limited(word) for word in words], axis=0)).any():
            raise InputError(
                f"{VERB}: the duration is free and nothing limits how fast the joints go, so the shortest time is "
                "zero. Give limits (torque, velocity ...), or a duration."
            )
    pulled = np.any(arm.gravity) or task.loads or any(joint.stiffness for joint in arm.joints)
    if not task.minimise.get("time") and not (pulled and task.minimise.get("torque_squared")):
        raise InputError(
            f"{VERB}: the duration is free and only effort is minimised: the longer the better. Give a duration, or a "
            "weight for 'time'."
        )


def _moving(problem: Problem) -> Array:
    """Joints that must move, or may have to."""
    task = problem.task
    if any(place.reaching is not None for place in problem.places) or task.periodic or task.via:
        return np.ones(problem.n, bool)
    turning = (problem.rates("start") != 0) | (problem.rates("goal") != 0)
    way = problem.given("goal") - problem.given("start")
    return np.asarray(turning | np.isfinite(way) & ~np.isclose(way, 0.0, atol=1e-12))
