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

from lissom.dynamics import forward, kinematics
from lissom.dynamics.acting import base_motion
from lissom.dynamics.articulated import Given
from lissom.dynamics.bodies import Bodies
from lissom.dynamics.body import BASE
from lissom.dynamics.drives import is_zero
from lissom.dynamics.from_arm import tree_of
from lissom.dynamics.gears import NO_DRIVE, Gears, friction_of_gear, friction_of_prescribed_gear
from lissom.dynamics.inverse import joint_torques
from lissom.elements.pivots import Held
from lissom.engine.program import Entries
from lissom.engine.run import AbstractRun
from lissom.joints.drive import Drive
from lissom.records import filled, flat, record
from lissom.spatial.motions import LoadValues, PointVelocity
from lissom.spatial.scalar import Scalar, add

POWERS = 3
Drives = dict[int, Drive]  # by coordinate


class Sliding(NamedTuple):
    """Coordinates with friction: friction (one entry) and sliding direction (1, -1; 0 sticks).

    drives : of joints with further laws of friction
    """

    friction: dict[int, Any]
    way: dict[int, Any]
    drives: Drives


class Flow(NamedTuple):
    """Results of a plant: accelerations by coordinate, effort of held coordinates, power (3)."""

    qdd: list[Any]
    effort: dict[int, Any]
    power: Any


@record
class Power:
    """Power of the motors, power that is lost, and power that comes from outside."""

    motors: Scalar
    lost: Scalar
    outer: Scalar


def plant(
    run: AbstractRun, bodies: Bodies, given: Given, held: dict[int, Held], sliding: Sliding, moving_base: bool,
    tape: bool,
) -> Flow:  # fmt: skip
    """Accelerations and power; `bodies` have friction of their own only where their motion is prescribed."""
    acting = given._replace(tau=_after_sliding(run, bodies.dof, given, sliding))
    geared = {k: own for k, own in sliding.drives.items() if own.bears_load}
    gears = {k: run.call(own.gear_of, sliding.way[k][0]) for k, own in geared.items()}
    qdd, effort = forward.accelerations(run, bodies, acting, held, tape, gears=gears)
    taken = _taken_by_gears(run, bodies, acting, qdd, effort, gears)
    for k in taken.keys() - gears.keys():
        effort[k] = [run.call(add, effort[k][0], taken[k])]
    motors: Scalar = run.constant([0.0])[0]
    for k in range(bodies.dof):
        holding = effort[k][0] if k in effort else None
        motors = run.call(_with_motor, motors, given.tau[k], holding, given.qd[k])
    lost = _lost(run, bodies, given.qd, sliding)
    for k, torque in taken.items():
        lost = run.call(_with_motor, lost, torque, None, given.qd[k])
    parts = (motors, lost, _outer(run, bodies, given, qdd, moving_base))
    return Flow(qdd, effort, flat(run.call(_power, *parts)).entries)


def _after_sliding(run: AbstractRun, dof: int, given: Given, sliding: Sliding) -> Entries:
    """What friction leaves of the torques of joints that slide, without that of gears."""
    net = [given.tau[k : k + 1] for k in range(dof)]
    for k, way in sliding.way.items():
        own = sliding.drives.get(k)
        if own is None:
            net[k] = [run.call(_minus_product, net[k][0], sliding.friction[k][0], way[0])]
        else:
            net[k] = [run.call(own.after_sliding, net[k][0], given.qd[k], way[0])]
    return Entries(net)


def _taken_by_gears(
    run: AbstractRun, bodies: Bodies, given: Given, qdd: list[Any], effort: dict[int, Any], gears: Gears
) -> dict[int, Scalar]:
    """Load-dependent friction by coordinate: of joints that slide, and of those whose motion is prescribed."""
    out: dict[int, Scalar] = {}
    for _, node in tree_of(bodies).own():
        k, drive = node.first, node.drive or NO_DRIVE
        if k in gears:
            net = run.call(drive.less_resistance, given.tau[k], given.qd[k])
            out[k] = run.call(friction_of_gear, drive, net, gears[k], qdd[k][0])
        elif drive.bears_load:
            parts = (given.tau[k], effort[k][0], given.qd[k], qdd[k][0])
            out[k] = run.call(friction_of_prescribed_gear, drive, *parts)
    return out


def _power(motors: Scalar, lost: Scalar, outer: Scalar) -> Power:
    return Power(motors, lost, outer)


def _minus_product(a: Scalar, b: Scalar, c: Scalar) -> Scalar:
    return a - b * c


def _with_motor(power: Scalar, tau: Scalar, effort: Scalar | None, qd: Scalar) -> Scalar:
    return power + (tau if effort is None else tau + effort) * qd


def _lost(run: AbstractRun, bodies: Bodies, qd: Any, sliding: Sliding) -> Scalar:
    """Power of damping and friction; of joints that follow others it is counted with those."""
    lost: Scalar = run.constant([0.0])[0]
    for i, node in tree_of(bodies).own():
        if bodies.list[i].follows:
            continue
        k = node.first
        lost = run.call(node.element.with_loss, lost, node.part(qd))
        if node.drive is not None and not is_zero(node.drive.damping):
            lost = run.call(node.drive.with_damping_loss, lost, qd[k])
        if node.drive is not None and node.drive.has_friction:
            lost = run.call(node.drive.with_friction_loss, lost, qd[k])
        if k in sliding.drives:
            lost = run.call(sliding.drives[k].with_sliding_loss, lost, qd[k], sliding.way[k][0])
        elif k in sliding.way:
            lost = run.call(_with_friction, lost, sliding.friction[k][0], sliding.way[k][0], qd[k])
    return lost


def _with_friction(power: Scalar, friction: Scalar, way: Scalar, qd: Scalar) -> Scalar:
    return power + friction * (way * qd)


def _outer(run: AbstractRun, bodies: Bodies, given: Given, qdd: list[Any], moving_base: bool) -> Scalar:
    """Power of loads, and of the inertial forces of a moving base."""
    power: Scalar = run.constant([0.0])[0]
    for load in given.loads:
        if load.body != BASE:
            way = kinematics.reach(run, bodies, load.frame, given.q, flat(load.values.point).entries)
            v = filled(kinematics.VELOCITY, kinematics.point_velocity(run, bodies, way, given.qd))
            power = run.call(_with_load, power, v, load.values)
    if moving_base:
        motion = (given.q, given.qd, run.gathered(qdd))  # beams read several of them at once
        bodies = bodies.without_gears
        still = joint_torques(run, bodies, *motion, base_motion(run, bodies), [])
        moved = joint_torques(run, bodies, *motion, given.base, [])
        for k in range(bodies.dof):
            power = run.call(_with_difference, power, still[k][0], moved[k][0], given.qd[k])
    return power


def _with_load(power: Scalar, v: PointVelocity, load: LoadValues) -> Scalar:
    return power + (v.v.dot(load.f) + v.w.dot(load.n))


def _with_difference(power: Scalar, a: Scalar, b: Scalar, qd: Scalar) -> Scalar:
    return power + (a - b) * qd
