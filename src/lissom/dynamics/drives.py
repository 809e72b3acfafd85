"""Drives in programs: between what motors give and what moves the arm."""

from __future__ import annotations

from typing import Any

from lissom.dynamics.body import Body
from lissom.dynamics.from_arm import DRIVE, joint_drive
from lissom.dynamics.tree import Tree
from lissom.engine.run import AbstractRun
from lissom.joints.drive import Drive
from lissom.records import filled, flat
from lissom.spatial.scalar import Scalar

FRICTION = slice(2, 3)  # in the row of a joint: armature, damping, friction, stiffness, rest


def smoothed(run: AbstractRun, row: Any) -> Any:
    """The row of a joint whose friction is counted elsewhere."""
    return flat(run.call(_without_friction, filled(DRIVE, row))).entries


def _without_friction(drive: Drive) -> Drive:
    return Drive(drive.armature, drive.damping, 0.0, drive.stiffness, drive.rest)


def motor_force(run: AbstractRun, body: Body, tau: Any, q: Any, qd: Any, qdd: Any) -> Any:
    """Torque of a joint's motor, from the torque that moves the arm; vectors of one entry."""
    drive = joint_drive(body)
    return tau if drive is None else [run.call(drive.motor_force, tau[0], q[0], qd[0], qdd[0])]


def arm_forces(run: AbstractRun, tree: Tree, tau: Any, q: Any, qd: Any) -> dict[int, Any]:
    """Forces that move the arm by element, from those of the motors; the armature is counted with the arm."""
    out: dict[int, Any] = {}
    for i, node in enumerate(tree.nodes):
        out[i] = node.part(tau)
        if node.drive is not None and node.drive.resists:
            k = node.first
            out[i] = [run.call(node.drive.arm_force, tau[k], q[k], qd[k])]
    return out


def arm_force(run: AbstractRun, body: Body, tau: Any, q: Any, qd: Any) -> Any:
    """Torque that moves the arm, from that of a joint's motor; vectors of one entry."""
    drive = joint_drive(body)
    return tau if drive is None else [run.call(drive.arm_force, tau[0], q[0], qd[0])]


def with_armature(run: AbstractRun, body: Body, entry: Any) -> Any:
    """An entry on the diagonal of the mass matrix with the inertia of a joint's drive; a vector of one entry."""
    drive = joint_drive(body)
    return entry if drive is None or is_zero(drive.armature) else [run.call(drive.inertia, entry[0])]


def is_zero(x: Scalar) -> bool:
    """Whether a number is zero; values of a program are not known to be."""
    return isinstance(x, float) and x == 0.0
