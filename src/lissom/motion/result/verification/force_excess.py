"""By how much contact forces leave their cones, and their bounds, between samples."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from lissom.model.arm import Arm
from lissom.motion.result.contact_path import contacts_named
from lissom.motion.result.record import AbstractMotion
from lissom.motion.splines.basis import grid
from lissom.spatial.rotations import Array

LOOKS = 12  # in a segment
FREE_FALL = 9.81  # m/s^2, where there is no gravity


def weight_of(arm: Arm) -> float:
    """Return the weight that forces are relative to [N]; that on earth where there is no gravity."""
    return float(arm.mass * (float(np.linalg.norm(arm.gravity)) or FREE_FALL))


class ForceExcess(NamedTuple):
    """cone (phases, contacts) : by how much forces leave their cones, or pull, at most, in parts of the weight
    bounds (phases, contacts) : by how much normal forces leave their bounds."""

    cone: Array
    bounds: Array

    @property
    def largest(self) -> Array:
        """(phases, contacts) the larger of both."""
        return np.maximum(self.cone, self.bounds)

    def beyond(self, names: Sequence[str]) -> str:
        """Return a message about the largest excess; `names` of contacts."""
        i = int(np.argmax(self.largest.max(axis=0)))
        what = "its cone" if self.cone.max() >= self.bounds.max() else "its bounds"
        return (
            f"the force of contact {names[i]!r} leaves {what} by {self.largest.max():.2g} of the weight between samples"
        )


def force_excess(motion: AbstractMotion, looks: int = LOOKS) -> ForceExcess:
    """Return by how much contact forces leave their cones, and their bounds."""
    path, view, arm = motion.contact_path, motion.contacts, motion.arm
    assert path is not None
    assert view is not None
    s = grid(motion.breaks, looks)
    forces, phase = view.forces_at(s * motion.duration), path.phase_at(s)
    cone, bounds = np.zeros((2, len(path.phases), len(path.contacts)))
    for i, one in enumerate(contacts_named(arm, path.contacts)):
        normal = forces[:, i] @ one.normal
        along = np.linalg.norm(forces[:, i] - np.outer(normal, one.normal), axis=1)
        outside = np.maximum(along - one.friction * normal, -normal)
        for p in range(len(cone)):
            if path.active[p, i]:
                here = phase == p
                least, most = _bounds(motion, p, one.name)
                cone[p, i] = float(outside[here].max(initial=0.0))
                bounds[p, i] = float(np.maximum(least - normal[here], normal[here] - most).max(initial=0.0))
    return ForceExcess(cone / weight_of(arm), bounds / weight_of(arm))


def _bounds(motion: AbstractMotion, p: int, contact: str) -> tuple[float, float]:
    """Bounds of the normal force of a contact in a phase [N]; a force that pulls is outside its cone."""
    assert motion.contact_path is not None
    phase = next((one for one in motion.task.phases if one.name == motion.contact_path.phases[p]), None)
    least, most = dict(phase.normal_force if phase else ()).get(contact, (-np.inf, np.inf))
    return float(least), float(most)
