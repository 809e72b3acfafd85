"""Drives in programs: between what motors give and what moves the arm."""

from __future__ import annotations

from typing import Any

from lissom.dynamics.from_arm import drive_of
from lissom.dynamics.tree import Tree
from lissom.engine.run import AbstractRun
from lissom.joints.drive import Drive
from lissom.records import flat
from lissom.spatial.scalar import Scalar, add, mul

FRICTION = slice(2, 3)  # in the row of a joint, see `drive_of`


def smoothed(run: AbstractRun, row: Any) -> Any:
    """The row of a joint whose friction is counted elsewhere, without further laws."""
    return flat(run.call(_without_friction, drive_of(row))).entries


def _without_friction(drive: Drive) -> Drive:
    return Drive(drive.armature, drive.damping, 0.0, drive.stiffness, drive.rest)


def motor_forces(run: AbstractRun, tree: Tree, tau: list[Any], q: Any, qd: Any, qdd: Any) -> list[Any]:
    """Forces of the motors by coordinate, from those that move the arm; vectors of one entry."""
    out = list(tau)
    for node in tree.nodes:
        if node.drive is not None:
            k = node.first
            out[k] = [run.call(node.drive.motor_force, out[k][0], q[k], qd[k], qdd[k])]
    return out


def arm_forces(run: AbstractRun, tree: Tree, tau: Any, q: Any, qd: Any) -> dict[int, Any]:
    """Forces that move the arm by element, from those of the motors; the armature is counted with the arm."""
    out: dict[int, Any] = {}
    for i, node in enumerate(tree.nodes):
        out[i] = node.part(tau)
        if node.drive is not None and node.drive.resists:
            k = node.first
            out[i] = [run.call(node.drive.arm_force, tau[k], q[k], qd[k])]
    return out


def with_armature(run: AbstractRun, tree: Tree, M: dict[tuple[int, int], Any]) -> dict[tuple[int, int], Any]:
    """The mass matrix with the inertia of drives; vectors of one entry."""
    for _, node in tree.own():
        if node.drive is not None and not is_zero(node.drive.armature):
            M[node.first, node.first] = [run.call(node.drive.inertia, M[node.first, node.first][0])]
    return M


def with_slopes(
    run: AbstractRun, tree: Tree, out: dict[tuple[int, int, int], Any], state: tuple[Any, Any], tau: dict[int, Scalar]
) -> dict[tuple[int, int, int], Any]:
    """Derivatives of the motors' forces, from those of the forces that move the arm.

    out : by q, qd and qdd (0, 1, 2), row and column; vectors of one entry
    tau : forces that move the arm, of joints whose friction depends on them
    """
    q, qd = state
    for j, node in tree.own():
        if node.drive is None:
            continue
        drive, k = node.drive, node.first
        slope = drive.damping if drive.laws is None else run.call(drive.slope, qd[k])
        if not is_zero(drive.stiffness):
            out[0, j, j] = [run.call(add, out[0, j, j][0], drive.stiffness)]
        if j in tau:
            factor = run.call(drive.gear_factor, tau[j], q[k], qd[k])
            out |= {key: [run.call(mul, out[key][0], factor)] for key in out if key[1] == j}
        for which, own in ((1, slope), (2, drive.armature)):
            if not is_zero(own):
                out[which, j, j] = [run.call(add, out[which, j, j][0], own)]
    return out


def is_zero(x: Scalar) -> bool:
    """Whether a number is zero; values of a program are not known to be."""
    return isinstance(x, float) and x == 0.0
