"""By how much contact forces leave their cones, and their bounds, between samples."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from lissom.model.arm import Arm
from lissom.motion.result.contact_path import ContactPath, contacts_named
from lissom.motion.result.record import AbstractMotion
from lissom.spatial.rotations import Array

LOOKS = 12  # in a segment
INSIDE = 1e-6  # of a segment: at its ends forces are those inside it
FREE_FALL = 9.81  # m/s^2, where there is no gravity


def weight_of(arm: Arm) -> float:
    """Return the weight that forces are relative to [N]; that on earth where there is no gravity."""
    return float(arm.mass * (float(np.linalg.norm(arm.gravity)) or FREE_FALL))


class ForceExcess(NamedTuple):
    """cone (phases, contacts, 3) : by how much forces leave their cones, or pull, at most, in parts of the weight:
    before the first sample of a phase, between its samples, after the last one
    bounds (phases, contacts, 3) : by how much normal forces leave their bounds."""

    cone: Array
    bounds: Array

    @property
    def largest(self) -> Array:
        """(phases, contacts, 3) the larger of both."""
        return np.maximum(self.cone, self.bounds)

    def beyond(self, names: Sequence[str]) -> str:
        """Return a message about the largest excess; `names` of contacts."""
        i = int(np.argmax(self.largest.max(axis=(0, 2))))
        what = "its cone" if self.cone.max() >= self.bounds.max() else "its bounds"
        return (
            f"the force of contact {names[i]!r} leaves {what} by {self.largest.max():.2g} of the weight between samples"
        )


def inside(breaks: Array, looks: int) -> Array:
    """Return fractions (segments, looks + 1) from one end of every segment to the other, in its own phase."""
    part = np.clip(np.linspace(0.0, 1.0, looks + 1), INSIDE, 1 - INSIDE)
    return np.asarray(breaks[:-1, None] + np.diff(breaks)[:, None] * part)


def force_excess(motion: AbstractMotion, looks: int = LOOKS) -> ForceExcess:
    """Return by how much contact forces leave their cones, and their bounds."""
    path, view, arm = motion.contact_path, motion.contacts, motion.arm
    assert path is not None
    assert view is not None
    s = inside(motion.breaks, looks).ravel()
    forces, phase = view.forces_at(s * motion.duration), path.phase_at(s)
    part = _parts(path, s, phase)
    cone, bounds = np.zeros((2, len(path.phases), len(path.contacts), 3))
    for i, one in enumerate(contacts_named(arm, path.contacts)):
        normal = forces[:, i] @ one.normal
        along = np.linalg.norm(forces[:, i] - np.outer(normal, one.normal), axis=1)
        outside = np.maximum(along - one.friction * normal, -normal)
        for p in range(len(cone)):
            if path.active[p, i]:
                least, most = _bounds(motion, p, one.name)
                beyond = np.maximum(least - normal, normal - most)
                for k in range(3):
                    here = (phase == p) & (part == k)
                    cone[p, i, k] = float(outside[here].max(initial=0.0))
                    bounds[p, i, k] = float(beyond[here].max(initial=0.0))
    return ForceExcess(cone / weight_of(arm), bounds / weight_of(arm))


def _parts(path: ContactPath, s: Array, phase: Array) -> Array:
    """(N,) 0 before the first sample of a phase, 2 after its last one, 1 between."""
    of_samples = path.phase_at(path.s)
    first, last = (
        np.array([some(path.s[of_samples == p]) for p in range(len(path.phases))]) for some in (np.min, np.max)
    )
    return np.asarray(1 - (s < first[phase]) + (s > last[phase]))


def _bounds(motion: AbstractMotion, p: int, contact: str) -> tuple[float, float]:
    """Bounds of the normal force of a contact in a phase [N]; a force that pulls is outside its cone."""
    assert motion.contact_path is not None
    phase = next((one for one in motion.task.phases if one.name == motion.contact_path.phases[p]), None)
    least, most = dict(phase.normal_force if phase else ()).get(contact, (-np.inf, np.inf))
    return float(least), float(most)
