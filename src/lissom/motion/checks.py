"""What can be said of a task before a solver runs."""

from __future__ import annotations

import warnings
from itertools import pairwise

import numpy as np

from lissom.dynamics.bodies import BASE
from lissom.errors import InputError, OutsideLimits, UnsupportedError
from lissom.model.positions import degrees_hint, outside_limits
from lissom.model.units import unit_of
from lissom.motion.build import SAMPLED, VERB, Problem
from lissom.motion.crossing import refuse_singular
from lissom.motion.durations import refuse_duration
from lissom.motion.ends import spread
from lissom.motion.immobile import refuse_immobile
from lissom.motion.rows import linear_rows
from lissom.motion.ways import refuse_closed_ways
from lissom.spatial.rotations import Array
from lissom.verbs.dynamics import inverse_dynamics

SLACK = 1e-9
CLOSE = 1e-9


def _rates_of_torque(problem: Problem) -> None:
    """Limits of torque_rate where torques jump, or are not differentiated."""
    limited, minimised = problem.bounds.limited("torque_rate"), "torque_rate" in problem.task.minimise
    if problem.closing is not None and (limited.any() or minimised):
        raise UnsupportedError(
            f"{VERB}: torque-rate limits are not supported for closed loops; limit the jerk instead."
        )
    rough = np.flatnonzero(limited & (problem.friction > 0))
    if len(rough):
        raise InputError(
            f"{VERB}: {_name(problem, int(rough[0]))} has Coulomb friction, so its torque jumps where it reverses and "
            "no torque-rate limit can be satisfied. Limit the jerk instead, or remove the friction."
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
    refuse_immobile(problem)
    _rests_held(problem)
    _slides_held(problem)
    _motors_free(problem)
    refuse_closed_ways(problem)
    refuse_duration(problem)


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
            unit = unit_of(problem.arm, quantity, problem.names[k])
            hint = degrees_hint(value[k], lower[k], upper[k]) if unit.startswith("rad") else ""
            raise InputError(
                f"{VERB}: {word} of {_name(problem, k)} is {value[k]:.6g} {unit}, outside its {quantity} limits of "
                f"{lower[k]:.6g} to {upper[k]:.6g} {unit}. {hint or 'Move it inside, or widen the limits.'}"
            )
    for place in problem.places:
        turns = outside_limits(problem.arm, place.q) if place.reaching is None else ""
        if turns:
            warnings.warn(f"{VERB}: {place.word}: {turns}", OutsideLimits, stacklevel=2)


def _ends_closed(problem: Problem) -> None:
    """Ends of arms with closed loops: not singular, and with rates that keep them closed."""
    closing = problem.closing
    if closing is not None and not problem.task.periodic:
        for word in ("start", "goal"):
            q = problem.given(word)
            if np.isfinite(q).all():
                refuse_singular(closing, q, VERB, word)
            closing.refuse_opening(q, problem.rates(word), f"{word}_velocity")


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
                f"{VERB}: the {quantity} of {_name(problem, k)} must change sign in this task, but its limits of "
                f"{lower[k]:.6g} to {upper[k]:.6g} exclude zero."
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
            f"{VERB}: {problem.segments} segments are too few for the conditions at both ends. Increase segments."
        )
    if not curves.size:
        raise InputError(
            f"{VERB}: {problem.segments} segments are too few: end conditions and duration leave no free variables. "
            "Increase segments."
        )


def _via_apart(problem: Problem) -> None:
    """Conditions at one time, or more of them than the splines can meet."""
    task = problem.task
    vias = sorted(task.via, key=lambda via: float(via.at))
    for first, second in pairwise(vias):
        if second.at - first.at < CLOSE:
            raise InputError(
                f"{VERB}: two via points are at the same fraction {first.at:g} of the duration. Remove one, or change "
                "its time."
            )
    curves = problem.curves(problem.mesh())
    given = ("via", "start acceleration", "goal acceleration")
    rows = [part for part in linear_rows(problem, curves) if part.names[0][0].startswith(given)]
    if not rows:
        return
    A = np.concatenate([part.A.toarray() for part in rows])
    if np.linalg.matrix_rank(A) < len(A):
        what = f"{len(vias)} via points so close to each other or to an end" if vias else "the conditions at the ends"
        times = ", or change the times" if vias else ""
        raise InputError(f"{VERB}: {problem.segments} segments are too few for {what}. Increase segments{times}.")


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
                f"{VERB}: at the {place.word} the {what} of {who!r} is {gaps[k] + margin:.4g} m"
                + (f": less than the margin of {margin:g} m" if gaps[k] + margin >= 0 else ", so that it is inside it")
                + f". Move the {place.word} or the obstacle, or use smaller bodies for the arm."
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
                f"{VERB}: {weak}. Use a stronger actuator or another {place.word}; or NaN in {place.word}_acceleration "
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
    leading = {mimic.joint for mimic in problem.arm.mimics.values()}  # they move other joints too
    alone = [b.coordinate for b in problem.bodies.list if b.parent == BASE and not b.follows and b.joint not in leading]
    first = np.isin(np.arange(n), alone)
    rng = np.random.default_rng(0)
    lower, upper = (np.clip(b["position"], -3, 3) for b in (problem.bounds.lower, problem.bounds.upper))
    q = rng.uniform(lower, upper, (16, n))
    held = inverse_dynamics(problem.arm, q, 0 * q, 0 * q)
    friction = problem.arm.friction
    way = np.nan_to_num(np.abs(problem.given("goal") - problem.given("start")), nan=np.inf)
    damped = (problem.arm.damping > 0) & (way > 0)
    for k in np.flatnonzero(first & (np.ptp(held, axis=0) < 1e-9 * (1 + np.abs(held[0]))) & ~damped):
        low, high = problem.bounds.lower["torque"][k] - friction[k], problem.bounds.upper["torque"][k] + friction[k]
        if not low <= held[0, k] <= high:
            raise InputError(
                f"{VERB}: {_name(problem, int(k))} needs {held[0, k]:.4g} to hold the arm anywhere, and its torque "
                f"limits (with friction) are {low:.4g} to {high:.4g}, so no motion can end at rest. Use a stronger "
                "actuator."
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
                f"leaves its actuator no range. Use wider limits{passive}."
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
