"""An arm in motion: accelerations with joints that are held, and the power that flows.

Friction does not follow the sign of the rate here: which way a joint slides (1, -1, or 0 when it sticks)
is an input, so that a motion is smooth between the instants at which it changes. A joint that sticks, and
one whose motion is prescribed, is held (see `forward`).

Power, for the balance of energy dE/dt = in - lost + outer:

    in      torques, and what holds a prescribed joint
    lost    damping and friction
    outer   loads, and the motion of the base as seen by a rider on it
"""

from __future__ import annotations

from typing import Any, NamedTuple

from lissom.dynamics import forward, inverse, kinematics
from lissom.dynamics.acting import base_motion
from lissom.dynamics.bodies import BASE, Bodies
from lissom.dynamics.drives import DAMPING, FRICTION, drive_of
from lissom.dynamics.forward import Given
from lissom.dynamics.inverse import joint_torques
from lissom.dynamics.vectors import dot
from lissom.elements.pivots import Held
from lissom.engine.program import Entries
from lissom.engine.step import Step
from lissom.spatial.scalar import absolute

POWERS = 3
PUSH = Step("push", lambda P, tau, effort, qd: [[P[0] + (tau[0] + effort[0]) * qd[0]]], (1, 1, 1, 1), (1,))
DRIVE_POWER = Step("drive_power", lambda P, tau, qd: [[P[0] + tau[0] * qd[0]]], (1, 1, 1), (1,))
DAMP = Step("damp", lambda P, qd, K: [[P[0] + K[0] * (qd[0] * qd[0])]], (1, 1), (1,), 1)
RUB = Step("rub", lambda P, qd, way, K: [[P[0] + K[0] * (way[0] * qd[0])]], (1, 1, 1), (1,), 1)
SCRAPE = Step("scrape", lambda P, qd, K: [[P[0] + K[0] * absolute(qd[0])]], (1, 1), (1,), 1)
RUBBED = Step("rubbed", lambda tau, way, K: [[tau[0] - K[0] * way[0]]], (1, 1), (1,), 1)
LOAD_POWER = Step("load_power", lambda P, v, load: [[P[0] + dot(v, load[0:6])]], (1, 6, 9), (1,))
FELT = Step("felt", lambda P, still, moved, qd: [[P[0] + (still[0] - moved[0]) * qd[0]]], (1, 1, 1, 1), (1,))
JOIN = Step("join", lambda a, b, c: [[a[0] + 0, b[0] + 0, c[0] + 0]], (1, 1, 1), (3,))
OWN = (PUSH, DRIVE_POWER, DAMP, RUB, SCRAPE, RUBBED, LOAD_POWER, FELT, JOIN)
STEPS = tuple(dict.fromkeys((*forward.STEPS, *inverse.STEPS, *kinematics.STEPS, *OWN)))


class Sliding(NamedTuple):
    """Coordinates with friction: friction (one entry) and sliding direction (1, -1; 0 sticks)."""

    friction: dict[int, Any]
    way: dict[int, Any]


class Flow(NamedTuple):
    """Results of a plant: accelerations by coordinate, effort of held coordinates, power (3)."""

    qdd: list[Any]
    effort: dict[int, Any]
    power: Any


def plant(
    run: Any, bodies: Bodies, given: Given, held: dict[int, Held], sliding: Sliding, moving_base: bool, tape: bool
) -> Flow:
    """Accelerations and power; `bodies` have friction of their own only where their motion is prescribed."""
    tau = [given.tau[k : k + 1] for k in range(bodies.dof)]
    net = list(tau)
    for k, way in sliding.way.items():
        net[k] = run.apply(RUBBED, tau[k], way, constants=sliding.friction[k])
    pulled = given._replace(tau=Entries(net))
    qdd, effort = forward.accelerations(run, bodies, pulled, held, tape)
    driven = run.constant([0.0])
    for k, torque in enumerate(tau):
        qd = given.qd[k : k + 1]
        driven = (
            run.apply(PUSH, driven, torque, effort[k], qd)
            if k in effort
            else run.apply(DRIVE_POWER, driven, torque, qd)
        )
    lost = run.constant([0.0])
    for i, body in enumerate(bodies.list):
        k = body.coordinate
        if body.beam_owner >= 0 or body.follows:  # what is lost there is counted with the joint that it follows
            continue
        if body.beam is not None:
            lost = run.apply(body.beam.step("loss"), lost, bodies.own(given.qd, i), constants=body.beam.values)
            continue
        for step, part in ((DAMP, DAMPING), (SCRAPE, FRICTION)):
            own = drive_of(body, part)
            if own is not None:
                lost = run.apply(step, lost, given.qd[k : k + 1], constants=own)
        if k in sliding.way:
            lost = run.apply(RUB, lost, given.qd[k : k + 1], sliding.way[k], constants=sliding.friction[k])
    outer = _outer(run, bodies, given, qdd, moving_base)
    return Flow(qdd, effort, run.apply(JOIN, driven, lost, outer))


def _outer(run: Any, bodies: Bodies, given: Given, qdd: list[Any], moving_base: bool) -> Any:
    """Power of loads, and of the inertial forces of a moving base."""
    power = run.constant([0.0])
    for frame, load in given.loads:
        if bodies.place(frame).body != BASE:
            way = kinematics.reach(run, bodies, frame, given.q, load[6:9])
            power = run.apply(LOAD_POWER, power, kinematics.point_velocity(run, bodies, way, given.qd), load)
    if moving_base:
        still = base_motion(run, bodies)
        motion = (given.q, given.qd, run.gathered(qdd))  # beams read several of them at once
        calm = joint_torques(run, bodies, *motion, still, [])
        felt = joint_torques(run, bodies, *motion, given.base, [])
        for k in range(bodies.dof):
            power = run.apply(FELT, power, calm[k], felt[k], given.qd[k : k + 1])
    return power
