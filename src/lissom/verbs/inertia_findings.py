"""Findings of `lissom check` about poses in which joints can move without moving any inertia."""

from __future__ import annotations

import numpy as np

from lissom.errors import LissomError
from lissom.kernels.singular_inertia import degenerate_links, directions_without_inertia, sentence, taking_part
from lissom.model.arm import Arm
from lissom.model.plausibility import ModelFinding
from lissom.spatial.rotations import Array
from lissom.verbs.dynamics import mass_matrix

LARGEST = 500  # coordinates up to which mass matrices are made


def inertia_findings(arm: Arm) -> list[ModelFinding]:
    """Warnings where the mass matrix is singular at home or at the middle of the joint limits."""
    if arm.kinematics_only or arm.flexible or not 0 < arm.dof <= LARGEST or not degenerate_links(arm):
        return []
    found = []
    for where, q in (("at home", arm.home), ("at the middle of the joint limits", _middle(arm))):
        try:
            names = taking_part(arm, directions_without_inertia(mass_matrix(arm, q)[None]))
        except LissomError:  # another finding names it
            continue
        if names:
            found.append(ModelFinding("warning", f"arm {arm.name!r}", f"{where}: {sentence(arm, names)}"))
    return found[:1]


def _middle(arm: Arm) -> Array:
    """(dof,) the middle of the range of every joint that has one, else 0."""
    lower, upper = arm.bounds("position")
    q = np.zeros(arm.dof)
    limited = np.isfinite(lower) & np.isfinite(upper)
    q[arm.joint_index] = np.where(limited, (np.where(limited, lower, 0.0) + np.where(limited, upper, 0.0)) / 2, 0.0)
    return q
