"""Load-dependent friction in forward dynamics.

With L the torque between gear and link, Ia the armature, g = load times the direction of the motion, and tau the
torque of the motor less all friction that does not depend on the load,

    tau = Ia qdd + L + g |L| = Ia qdd + c L,      c = 1 + g s,      s = sign L = sign(tau - Ia qdd)

for |g| < 1. With s known, a joint moves as one without this friction, of armature Ia / c under the torque tau / c; s
follows from the accelerations. These are the minimum of a strictly convex function, so there is one fixed point; the
search is Newton's on its quadratic pieces. It ends, exactly, when no sign changes. With H = M + Ia / c for the signs of
a pass, the error shrinks in the norm of H by 2 load / (1 - load), and norms of two passes differ by a factor of at most
sqrt((1 + load) / (1 - load)): for certain it contracts up to load = 1/4. Up to 0.99 none of 400,000 random states of
arms with up to 19 joints took more than five passes. Joints without armature need one. A state that takes more is
computed again with many, and refused if these do not suffice.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from lissom.dynamics.drives import is_zero
from lissom.dynamics.tree import Tree
from lissom.engine.run import AbstractRun
from lissom.joints.drive import Drive
from lissom.spatial.scalar import Scalar, absolute, sign

PASSES = 5
MANY_PASSES = 60  # of a state that is tried again
NOISE = 1e-12  # of the torques of a gear: a load that small has either sign


class Addition(NamedTuple):
    """What friction adds to the armature of a joint, and to its torque."""

    armature: Scalar
    torque: Scalar


Gears = dict[int, Scalar]  # g, by coordinate
Additions = Mapping[int, Addition]
Solution = tuple[list[Any], dict[int, Any]]  # accelerations by coordinate, efforts of those that are held
NO_GEARS: Gears = {}
NO_DRIVE = Drive(0.0, 0.0, 0.0, 0.0, 0.0)


def gears_of(run: AbstractRun, tree: Tree, qd: Any) -> Gears:
    """The gears of an arm, in the directions of its rates."""
    loaded = (node for node in tree.nodes if node.drive is not None and node.drive.bears_load)
    return {node.first: run.call(node.drive.gear, qd[node.first]) for node in loaded if node.drive is not None}


def with_gears(
    run: AbstractRun, tree: Tree, state: tuple[Any, Any], gears: Gears, solve: Callable[[Additions], Solution],
    guarded: bool = True,
) -> Solution:  # fmt: skip
    """Accelerations and efforts with the friction of gears, from `solve`, which finds them with additions.

    state : rates, and torques of the motors
    guarded : accelerations whose loads contradict the signs that they were found with are made infinite
    """
    if not gears:
        return solve({})
    qd, tau = state
    drives = {node.first: node.drive or NO_DRIVE for _, node in tree.own() if node.first in gears}
    net = {k: run.call(drives[k].less_resistance, tau[k], qd[k]) for k in gears}
    signs = {k: run.call(sign, net[k]) for k in gears}
    for last in reversed(range(_passes(drives, gears, guarded))):
        additions = {k: run.call(addition, drives[k], net[k], gears[k], signs[k]) for k in gears}
        qdd, effort = solve(additions)
        if not last:
            break
        signs = {k: run.call(sign_of_load, drives[k], net[k], qdd[k][0]) for k in gears}
    if guarded:
        for k in gears:
            qdd[k] = [run.call(consistent, drives[k], net[k], signs[k], qdd[k][0])]
    return qdd, effort


def _passes(drives: Mapping[int, Drive], gears: Gears, guarded: bool) -> int:
    if all(is_zero(drives[k].armature) for k in gears):
        return 1
    return PASSES if guarded else MANY_PASSES


def addition(drive: Drive, net: Scalar, gear: Scalar, load_sign: Scalar) -> Addition:
    """Armature and torque that stand for the friction of a gear."""
    part = gear * load_sign
    more = -(part / (1 + part))
    return Addition(drive.armature * more, net * more)


def sign_of_load(drive: Drive, net: Scalar, qdd: Scalar) -> Scalar:
    """Sign of the torque between gear and link."""
    return sign(net - drive.armature * qdd)


def consistent(drive: Drive, net: Scalar, load_sign: Scalar, qdd: Scalar) -> Scalar:
    """The acceleration; infinite where the load does not have the sign that it was found with."""
    taken = drive.armature * qdd
    doubt = 1e-300 + NOISE * (absolute(net) + absolute(taken))
    found: Scalar = qdd / (0.5 + 0.5 * sign((net - taken) * load_sign + doubt))
    return found


def friction_of_gear(drive: Drive, net: Scalar, gear: Scalar, qdd: Scalar) -> Scalar:
    """Torque that load-dependent friction takes, against the joint's coordinate."""
    rest = net - drive.armature * qdd
    return gear * absolute(rest) / (1 + gear * sign(rest))


def friction_of_prescribed_gear(drive: Drive, tau: Scalar, effort: Scalar, qd: Scalar, qdd: Scalar) -> Scalar:
    """The same of a joint whose motion is prescribed; `effort` moves it without this friction."""
    load = drive.less_resistance(tau + effort, qd) - drive.armature * qdd
    return drive.gear(qd) * absolute(load)
