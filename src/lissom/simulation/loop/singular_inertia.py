"""Arms with a singular mass matrix in some pose: links without inertia, a point mass on three intersecting axes.

Accelerations are then undefined. With feedback or damping the motion is defined as the limit of small inertia, which is
computed with an armature too small to matter.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lissom.kernels.singular_inertia import PART, degenerate_links, directions_without_inertia, sentence, taking_part
from lissom.model.arm import Arm
from lissom.simulation.loop.closed_loop import ClosedLoop
from lissom.spatial.rotations import Array

ARMATURE = 1e-9  # beside the largest entry of the mass matrix
MOST = 256  # poses that are looked at
DAMPED = 1e-9  # damping of a direction beside the largest of a joint, below which there is none


class Regularised(NamedTuple):
    """The loop of an arm with small armatures, and the note for the report."""

    arm: Arm
    note: str


def regularised(loop: ClosedLoop, poses: Mapping[int, Array]) -> Regularised | None:
    """Return the arm with armatures if its mass matrix is singular at poses (dof,) of runs or at the reference.

    None if it is not, if the motion is undefined without inertia (no feedback, no damping), and if armatures do not
    help: those of elastic joints are on the actuator side.
    """
    arm = loop.arm
    if not _may_be_singular(loop):
        return None
    M = _inertias(loop, dict(list(poses.items())[:MOST]))
    singular = [found for row in M if (found := directions_without_inertia(row[None])).size]
    restores = loop.controller is not None and loop.controller.restores
    if not singular or not (restores or all(_damped(arm, D) for D in singular)):
        return None
    names = taking_part(arm, np.hstack(singular))
    joints = [link.joint.name for link in arm.links if link.joint.name in names]
    rows = [arm.coordinates.index(name) for name in joints]
    if not all(_independent(D[rows]) for D in singular):
        return None
    size = ARMATURE * float(M.max())
    links = [
        link.replace(joint=link.joint.replace(armature=link.joint.armature + size))
        if link.joint.name in joints
        else link
        for link in arm.links
    ]
    note = (
        f"The mass matrix is singular in some poses (joints {', '.join(names)}: links without inertia); an armature of "
        f"{size:.2g} kg m^2 or kg was added to {', '.join(joints)}."
    )
    return Regularised(arm.replace(links=links), note)


def singular_at(loop: ClosedLoop, t: float, q: Array) -> str:
    """Return a message that names the joints without inertia in a pose of a single run; empty where there are none."""
    if not _may_be_singular(loop):
        return ""
    given = loop.inputs.at(t)[None]
    names = taking_part(loop.arm, directions_without_inertia(loop.inertia(q[None], loop.own(given))))
    return f"The mass matrix is singular at this position: {sentence(loop.arm, names)}" if names else ""


def singular_starts(loop: ClosedLoop, q: Array) -> NDArray[np.bool_]:
    """(runs,) whether the inertia is singular at starts (runs, dof)."""
    if not _may_be_singular(loop):
        return np.zeros(len(q), bool)
    M = loop.inertia(q, loop.own(loop.inputs.steady(len(q))))
    return np.array([directions_without_inertia(row[None]).size > 0 for row in M])


def _may_be_singular(loop: ClosedLoop) -> bool:
    return not (loop.looped or loop.arm.flexible or loop.several is not None) and bool(degenerate_links(loop.arm))


def _independent(directions: Array) -> bool:
    """Whether no motion in the directions (dof, k) of one pose vanishes."""
    return len(directions) > 0 and bool(np.linalg.eigvalsh(directions.T @ directions)[0] > PART**2)


def _damped(arm: Arm, directions: Array) -> bool:
    """Whether every motion in the directions (dof, k) of one pose is damped."""
    damping = np.zeros(arm.dof)
    damping[arm.joint_index] = arm.damping
    dissipated = directions.T @ (damping[:, None] * directions)
    return bool(np.linalg.eigvalsh(dissipated)[0] > DAMPED * damping.max(initial=0.0))


def _inertias(loop: ClosedLoop, poses: Mapping[int, Array]) -> Array:
    """(poses, dof, dof) at the poses of some runs, and at their references where these do not vary."""
    runs = list(poses)
    steady = loop.inputs.steady(max(loop.inputs.runs or 1, max(runs) + 1))[runs]
    where = loop.inputs.places.get("controller.q")
    q, given = np.stack(list(poses.values())), steady
    if where is not None and where.stop <= steady.shape[1]:
        q, given = np.concatenate([q, steady[:, where]]), np.concatenate([steady, steady])
    return loop.inertia(np.ascontiguousarray(q), loop.own(given))
