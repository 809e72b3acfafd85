"""Refusal of tasks that cannot have a solution, before a solver runs."""

from __future__ import annotations

import warnings
from itertools import pairwise

import numpy as np

from lissom.dynamics.body import BASE
from lissom.dynamics.refusals import refuse_laws
from lissom.errors import InputError, OutsideLimits, UnsupportedError
from lissom.model.positions import coordinate_hint, outside_limits
from lissom.model.units import unit_of, units
from lissom.motion.checks.directions import refuse_closed_directions
from lissom.motion.checks.durations import refuse_duration
from lissom.motion.checks.friction import refuse_immobile
from lissom.motion.task.ends import spread
from lissom.motion.transcription.constraints.ends import EndAccelerations
from lissom.motion.transcription.constraints.torque import SAMPLED
from lissom.motion.transcription.constraints.via import ViaPoints
from lissom.motion.transcription.loops.singularity import refuse_singular
from lissom.motion.transcription.problem import Problem
from lissom.motion.transcription.specification import VERB, Specification
from lissom.spatial.rotations import Array

SLACK = 1e-9
CLOSE = 1e-9
BALANCED = 1e-6  # of the largest torque that holds the arm, or of 1: torques on passive joints below it are none


def _torque_rates_possible(spec: Specification) -> None:
    """Refuse limits of torque_rate where torques jump, or are not differentiated."""
    limited, minimised = spec.bounds.limited("torque_rate"), spec.cost.torque_rate
    if spec.closing is not None and (limited.any() or minimised):
        raise UnsupportedError(
            f"{VERB}: torque-rate limits are not supported for closed loops; limit the jerk instead."
        )
    rough = np.flatnonzero(limited & (spec.friction > 0))
    if len(rough):
        raise InputError(
            f"{VERB}: {_name(spec, int(rough[0]))} has Coulomb friction, so its torque jumps where it reverses and "
            "no torque-rate limit can be satisfied. Limit the jerk instead, or remove the friction."
        )


def _gears_left_out(spec: Specification) -> None:
    """Refuse friction that limits of torque cannot be kept for."""
    instead = (
        "Plan with a bound of it, Friction(coulomb=...) of its load coefficient times the largest load, and check the "
        "motion in a simulation of this arm."
    )
    refuse_laws(spec.arm, VERB, instead, gears_only=True)


def refuse_impossible(problem: Problem) -> None:
    """Refuse tasks that are certain to have no solution."""
    spec = problem.spec
    spec.cost.check(VERB)
    _gears_left_out(spec)
    _ends_balanced(spec)
    _torque_rates_possible(spec)
    _ends_within(spec)
    _ends_closed(spec)
    _rates_possible(spec)
    _enough_segments(problem)
    _via_apart(problem)
    _places_allowed(spec)
    refuse_immobile(spec)
    _rests_held(spec)
    _slides_held(spec)
    _motors_free(spec)
    refuse_closed_directions(spec)
    refuse_duration(spec)


def _name(spec: Specification, k: int) -> str:
    return f"joint {spec.names[k]!r}"


def _ends_within(spec: Specification) -> None:
    task, bounds = spec.task, spec.bounds
    given = [(place.word, place.q[0], "position") for place in spec.places if place.reaching is None]
    for word in () if task.periodic else ("start", "goal"):
        given.append((f"{word}_velocity", spec.rates(word), "velocity"))
        given.append((f"{word}_acceleration", spec.accelerations(word), "acceleration"))
    given += [(f"rate at the via point at {via.at:g}", spread(spec.arm, via.velocity, np.nan), "velocity")
              for via in task.via if via.velocity is not None]  # fmt: skip
    for word, value, quantity in given:
        lower, upper = bounds.lower[quantity], bounds.upper[quantity]
        off = np.flatnonzero((value < lower - SLACK) | (value > upper + SLACK))
        if len(off):
            k = int(off[0])
            unit = unit_of(spec.arm, quantity, spec.names[k])
            hint = coordinate_hint(spec.arm, spec.names[k], value[k], lower[k], upper[k])
            raise InputError(
                f"{VERB}: {word} of {_name(spec, k)} is {value[k]:.6g} {unit}, outside its {quantity} limits of "
                f"{lower[k]:.6g} to {upper[k]:.6g} {unit}. {hint or 'Move it inside, or widen the limits.'}"
            )
    for place in spec.places:
        turns = outside_limits(spec.arm, place.q) if place.reaching is None else ""
        if turns:
            warnings.warn(f"{VERB}: {place.word}: {turns}", OutsideLimits, stacklevel=2)


def _ends_closed(spec: Specification) -> None:
    """Refuse ends of closed loops that are singular, or whose rates open them."""
    closing = spec.closing
    if closing is not None and not spec.task.periodic:
        for word in ("start", "goal"):
            q = spec.given(word)
            if np.isfinite(q).all():
                refuse_singular(closing, q, VERB, word)
            closing.refuse_opening(q, spec.rates(word), f"{word}_velocity")


def _rates_possible(spec: Specification) -> None:
    """Refuse limits that exclude zero where a rate or an acceleration must change sign.

    What ends as it began has zero mean: a rate where positions are the same, an acceleration where rates are.
    """
    task = spec.task
    rates = [spec.rates(word) for word in ("start", "goal")]
    same = {
        "velocity": np.full(spec.n, task.periodic) | (spec.given("start") == spec.given("goal")),
        "acceleration": np.full(spec.n, task.periodic) | (rates[0] == rates[1]),
        "jerk": np.full(spec.n, task.periodic),
    }
    for quantity, closed in same.items():
        lower, upper = spec.bounds.lower[quantity], spec.bounds.upper[quantity]
        off = np.flatnonzero(closed & ((lower > 0) | (upper < 0)))
        if len(off):
            k = int(off[0])
            raise InputError(
                f"{VERB}: the {quantity} of {_name(spec, k)} must change sign in this task, but its limits of "
                f"{lower[k]:.6g} to {upper[k]:.6g} exclude zero."
            )


def _enough_segments(problem: Problem) -> None:
    """Refuse meshes so coarse that both ends fix a control point, or that none is left to choose."""
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
    """Refuse via points at one time, or more conditions than the splines can satisfy."""
    spec = problem.spec
    vias = sorted(spec.task.via, key=lambda via: float(via.at))
    for first, second in pairwise(vias):
        if second.at - first.at < CLOSE:
            raise InputError(
                f"{VERB}: two via points are at the same fraction {first.at:g} of the duration. Remove one, or change "
                "its time."
            )
    curves = problem.curves(problem.mesh())
    rows = [*ViaPoints(spec).linear(curves), *EndAccelerations(spec).linear(curves)]
    A = np.concatenate([part.A.toarray() for part in rows])
    if np.linalg.matrix_rank(A) < len(A):
        what = f"{len(vias)} via points so close to each other or to an end" if vias else "the conditions at the ends"
        times = ", or change the times" if vias else ""
        raise InputError(f"{VERB}: {problem.segments} segments are too few for {what}. Increase segments{times}.")


def _places_allowed(spec: Specification) -> None:
    """Refuse places given by all joints that violate a constraint along the path."""
    for constraint in spec.path_constraints:
        for place in spec.places:
            if place.reaching is None and not np.isnan(place.q[0]).any():
                constraint.refuse_place(place.word, place.q[0], place.s, VERB)


def _ends_balanced(spec: Specification) -> None:
    """Refuse ends at rest at which forces act on coordinates without a motor."""
    free = spec.unactuated
    for place in spec.places if len(free) else ():
        q, at_end = place.q[0], place.s in (0.0, 1.0)
        if place.reaching is not None or not at_end or np.isnan(q).any():
            continue
        if spec.rates(place.word)[spec.arm.joint_index].any():
            continue
        tau = spec.holding(q, spec.load_at(place.s))
        k = int(free[np.argmax(np.abs(tau[free]))])
        if abs(tau[k]) > BALANCED * max(1.0, float(np.abs(tau).max())):
            raise InputError(
                f"{VERB}: the {place.word} is at rest, but {spec.names[k]!r} is unactuated and not in equilibrium: a "
                f"generalized force of {abs(tau[k]):.3g} {units(spec.arm, 'tau')[k]} acts on it. Give an equilibrium "
                "position, NaN to leave it free, or a rate."
            )


def _rests_held(spec: Specification) -> None:
    """Refuse ends at rest that motors are too weak to hold; an acceleration of NaN says that the arm need not stay."""
    task = spec.task
    for place in spec.places:
        rate, acceleration = (getattr(task, f"{place.word}_{kind}", None) for kind in ("velocity", "acceleration"))
        still = acceleration is None or not np.any(acceleration)
        if np.isnan(place.q[0]).any() or (rate is not None and np.any(rate)) or not still or place.reaching is not None:
            continue
        weak = _weak(spec, place.word, place.q[0], place.s)
        if weak:
            raise InputError(
                f"{VERB}: {weak}. Use a stronger actuator or another {place.word}; or NaN in {place.word}_acceleration "
                "if the arm need not stay there."
            )


def _slides_held(spec: Specification) -> None:
    """Refuse a joint on the base that is too weak for a weight that is the same everywhere, such as a lift.

    Between two rests its torque is on average that weight.

    The momentum p of a joint that no other carries changes as dp/dt = tau - weight - friction, whatever the others do
    (the inertia of an arm does not depend on its first joint). For other joints nothing so simple is certain: others
    can throw them up.
    """
    task, n = spec.task, spec.n
    if task.periodic or task.start_velocity is not None or task.goal_velocity is not None or task.loads:
        return
    if len(spec.unactuated) or spec.closing is not None:
        return
    leading = {mimic.joint for mimic in spec.arm.mimics.values()}  # they move other joints too
    alone = [b.coordinate for b in spec.bodies.list if b.parent == BASE and not b.follows and b.joint not in leading]
    first = np.isin(np.arange(n), alone)
    rng = np.random.default_rng(0)
    lower, upper = (np.clip(b["position"], -3, 3) for b in (spec.bounds.lower, spec.bounds.upper))
    q = rng.uniform(lower, upper, (16, n))
    held = spec.holding(q)
    friction = spec.margin
    way = np.nan_to_num(np.abs(spec.given("goal") - spec.given("start")), nan=np.inf)
    damped = (spec.arm.damping > 0) & (way > 0)
    for k in np.flatnonzero(first & (np.ptp(held, axis=0) < 1e-9 * (1 + np.abs(held[0]))) & ~damped):
        low, high = spec.bounds.lower["torque"][k] - friction[k], spec.bounds.upper["torque"][k] + friction[k]
        if not low <= held[0, k] <= high:
            raise InputError(
                f"{VERB}: {_name(spec, int(k))} needs {held[0, k]:.4g} to hold the arm anywhere, and its torque "
                f"limits (with friction) are {low:.4g} to {high:.4g}, so no motion can end at rest. Use a stronger "
                "actuator."
            )


def _motors_free(spec: Specification) -> None:
    """Refuse motors whose limits leave them no range."""
    for quantity in SAMPLED:
        lower, upper = spec.bounds.lower[quantity], spec.bounds.upper[quantity]
        off = np.flatnonzero(spec.arm.actuated & (lower == upper))
        if len(off):
            k = int(off[0])
            passive = ", or make the joint passive (actuated=False)" if quantity == "torque" and not upper[k] else ""
            raise InputError(
                f"{VERB}: the {quantity} limits of {_name(spec, k)} are {lower[k]:.6g} to {upper[k]:.6g}, which "
                f"leaves its actuator no range. Use wider limits{passive}."
            )


def _weak(spec: Specification, word: str, q: Array, s: float) -> str:
    """A phrase that names a motor too weak to hold positions; empty if there is none, or if motors share the work."""
    if spec.closing is not None and int(spec.arm.actuated.sum()) > spec.n - spec.closing.count:
        return ""
    lower, upper = spec.bounds.lower["torque"], spec.bounds.upper["torque"]
    tau = spec.holding(q, spec.load_at(s))
    off = np.flatnonzero((tau < lower - spec.friction) | (tau > upper + spec.friction))
    if not len(off):
        return ""
    k = int(off[0])
    needed = f"{tau[k]:.4g} {unit_of(spec.arm, 'torque', spec.names[k])}"
    limits = f"{lower[k]:.4g} to {upper[k]:.4g}"
    return f"{_name(spec, k)} needs {needed} to hold the {word} at rest, and its torque limits are {limits}"


def weak_for_holding(spec: Specification) -> str:
    """A phrase for errors that names a motor too weak to hold an end; empty if there is none."""
    known = [place for place in spec.places if not np.isnan(place.q[0]).any()]
    found = [_weak(spec, place.word, place.q[0], place.s) for place in known if place.s in (0.0, 1.0)]
    return next((word for word in found if word), "")
