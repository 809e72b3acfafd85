"""Simulations of a motion on its arm or on one that differs: what motors do is a function of time.

*Open loop*, the motors give the planned torques, whatever the arm does. *Tracked*, every actuated joint follows its
planned course, as under stiff control of the joints, and only the rest of the arm is free.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np
from scipy.interpolate import PPoly
from scipy.special import factorial

from lissom.model.arm import Arm
from lissom.model.loads import Load
from lissom.motion.result.commands import without_lag
from lissom.motion.result.record import AbstractMotion
from lissom.motion.task.ends import sagged, spread
from lissom.motion.task.loads import load_at
from lissom.motion.task.periods import fastest_period
from lissom.simulation.controllers.planned import Exact, planned_torques
from lissom.simulation.held_splines import HeldSpline
from lissom.simulation.run import Run
from lissom.simulation.simulate import simulate
from lissom.spatial.rotations import Array

STEPS = 40  # of order 8 in the period of the fastest mode: errors of 1e-9
FEWEST = 4  # in a segment


def accelerations(motion: AbstractMotion) -> PPoly:
    """Return the accelerations of the actuated joints of a motion over time, one column for each."""
    basis, some, P = motion.splines[0]
    P, T = P[:, motion.arm.actuated[some]], motion.duration
    # a coordinate that stays where it is has a rate of exactly 0
    taylor = [basis.rows(basis.breaks[:-1], r) @ (P - P[0]) / factorial(r) / T**r for r in range(basis.degree, -1, -1)]
    return PPoly(np.stack(taylor), basis.breaks * T).derivative(2)


def loads_of(motion: AbstractMotion) -> list[Load] | Callable[[float], list[Load]]:
    """The task's loads as a simulation takes them."""
    loads = motion.task.loads
    if not any(part.ndim > 1 for load in loads for part in (load.force, load.moment, load.point)):
        return list(loads)

    return lru_cache(maxsize=4)(lambda t: load_at(loads, min(t / motion.duration, 1.0)))


def rest_of(arm: Arm, joints: Array, loads: Any) -> Array:
    """(n,) an arm with its joints at given positions, elastic parts at rest."""
    now = loads(0.0) if callable(loads) else loads
    return sagged(arm, spread(arm, joints, np.nan), now, "at the start")


def open_loop(motion: AbstractMotion, arm: Arm | None = None) -> Run:
    """Simulate a motion open loop: its torques on its arm, or on another that begins at rest where this one does."""
    loads, tau, joints = loads_of(motion), planned_torques(motion), motion.arm.joint_index
    if arm is None or arm is motion.arm:
        return _simulated(motion.arm, motion.q[0], motion.qd[0], motion.duration, tau.t, loads, tau=tau)
    q0, qd0 = rest_of(arm, motion.q[0][joints], loads), arm.expanded(motion.qd[0][joints])
    acting = Exact(tau.t, lambda t: tau.function(t)[:, joints], tau.leaps)
    return _simulated(arm, q0, qd0, motion.duration, tau.t, loads, tau=acting)


def follow(plan: AbstractMotion, arm: Arm, after: float, rate: float) -> Run:
    """An arm whose joints follow a plan exactly and then stand still for `after` seconds or a little longer.

    rate : samples per second, at least; a whole number of them in every segment, since steps across the kinks between
           segments would leave the joints with a small rate
    """
    course, loads = accelerations(plan), loads_of(plan)
    segments = round(plan.duration / np.diff(course.x).min())
    moving = segments * int(np.ceil(rate * plan.duration / segments))
    samples = moving + int(np.ceil(after / plan.duration * moving))
    end = samples * plan.duration / moving
    still = PPoly(np.append(course.c, 0 * course.c[:, -1:], axis=1), np.append(course.x, end))
    return lead(arm, rest_of(arm, plan.q[0][plan.arm.joint_index], loads), still, loads, samples=samples + 1)


def tracked(motion: AbstractMotion, arm: Arm | None = None) -> Run:
    """Simulate the arm of a motion, or another, with its actuated joints on their planned paths and the rest free."""
    loads, course = loads_of(motion), accelerations(motion)
    if arm is None:
        return lead(motion.arm, motion.q[0], course, loads, motion.qd[0])
    return lead(arm, rest_of(arm, motion.q[0][motion.arm.joint_index], loads), course, loads)


def lead(
    arm: Arm, q0: Array, course: PPoly, loads: Any, qd0: Array | None = None, samples: int | None = None
) -> Run:  # fmt: skip
    """An arm whose actuated joints follow accelerations, one column for each, in their order; from rest by default."""
    driven = [joint.name for joint in arm.joints if joint.actuated]
    acting = {name: HeldSpline(course.x, course.c[:, :, [k]]) for k, name in enumerate(driven)}
    even = np.linspace(0.0, course.x[-1], samples or len(course.x))
    start = np.zeros(arm.dof) if qd0 is None else qd0
    return _simulated(arm, q0, start, float(course.x[-1]), even, loads, prescribed=acting)


def _simulated(arm: Arm, q0: Array, qd0: Array, until: float, breaks: Array, loads: Any, **acting: Any) -> Run:
    """Simulate by steps of order 8, several in every segment and period; adaptive where steps are not compiled.

    Torques act as they are given, without the lag of actuators: the plan is judged, not its command.
    """
    arm = without_lag(arm)
    segments = len(breaks) - 1
    given: dict[str, Any] = {"loads": loads, "every": until / segments, "on_failure": "return"}
    # compiled steps know no functions of the user and no closed loops; friction needs instants between them
    if arm.loops or arm.sticks.any() or callable(loads):
        return simulate(arm, q0, qd0, until=until, method="dop853", rtol=1e-10, atol=1e-12, **given, **acting)
    longest = min(fastest_period(arm) / STEPS, until / segments / FEWEST)
    dt = until / segments / int(np.ceil(until / segments / longest))
    return simulate(arm, q0, qd0, until=until, method="rk8", dt=dt, **given, **acting)
