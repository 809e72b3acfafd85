"""Arms whose inertia is singular in a pose: links without inertia of their own, a point mass on three crossing axes.

Accelerations are then not defined. Under feedback the motion is, as the limit of small inertia: an armature that is
too small to matter stands for it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lissom.model.arm import Arm
from lissom.simulation.closed_loop import ClosedLoop
from lissom.simulation.controllers import PD, StateFeedback
from lissom.spatial.rotations import Array

LOST = 1e-12  # smallest eigenvalue of an inertia beside the largest, below which it is rounding
ARMATURE = 1e-9  # beside the largest eigenvalue
PART = 1e-3  # of a direction without inertia that a joint must have to count


class Regularised(NamedTuple):
    """The arm with armatures, and the sentence that says so."""

    arm: Arm
    note: str


def regularised(loop: ClosedLoop, q: Array) -> Regularised | None:
    """The arm with armatures where its inertia is singular at a start (runs, dof) or at the reference; else None."""
    arm = loop.arm
    if loop.looped or arm.flexible or loop.several is not None or not isinstance(loop.controller, PD | StateFeedback):
        return None
    values, vectors = np.linalg.eigh(_inertias(loop, q))
    lost = values < LOST * values[:, -1:]
    if not lost.any():
        return None
    weak = (np.abs(vectors) * lost[:, None, :] > PART).any(axis=(0, 2))
    size = ARMATURE * float(values.max())
    names = [joint.name for joint, k in zip(arm.joints, arm.joint_index, strict=True) if weak[k]]
    links = [
        link.replace(joint=link.joint.replace(armature=link.joint.armature + size))
        if link.joint.name in names
        else link
        for link in arm.links
    ]
    note = (
        f"The inertia is singular at the start or at the reference (joints {', '.join(names)}: links without inertia); "
        f"an armature of {size:.2g} kg m^2 or kg was added to these joints."
    )
    return Regularised(arm.replace(links=links), note)


def _inertias(loop: ClosedLoop, q: Array) -> Array:
    """(poses, dof, dof) at some of the starts, and at their references where these do not vary."""
    some = np.unique(np.linspace(0, len(q) - 1, 4).astype(int))
    steady = loop.inputs.steady(len(q))[some]
    where = loop.inputs.places["controller.q"]
    poses, given = q[some], steady
    if where.stop <= steady.shape[1]:
        poses, given = np.concatenate([poses, steady[:, where]]), np.concatenate([steady, steady])
    return loop.inertia(np.ascontiguousarray(poses), loop.own(given))
