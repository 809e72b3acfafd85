"""How far contacts wander from where they hold between knots."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lissom.motion.result.contact_path import contacts_named
from lissom.motion.result.record import AbstractMotion
from lissom.spatial.rotations import Array

LOOKS = 12  # in a segment


class Wander(NamedTuple):
    """phases (phases,): how far contacts are from where they hold, or below their plane [m]; which one is worst."""

    phases: Array
    contact: str
    slip: float
    penetration: float

    @property
    def largest(self) -> float:
        """The largest of all [m]."""
        return float(self.phases.max(initial=0.0))

    def beyond(self) -> str:
        """Return a message about it."""
        return f"contact {self.contact!r} is up to {1e3 * self.largest:.2g} mm from where it should be between knots"


def wander_of(motion: AbstractMotion, looks: int = LOOKS) -> Wander:
    """Return how far the contacts of a motion wander."""
    path, view = motion.contact_path, motion.contacts
    assert path is not None
    assert view is not None
    breaks = motion.breaks
    fine = np.unique((breaks[:-1, None] + np.diff(breaks)[:, None] * np.linspace(0, 1, looks + 1)).ravel())
    some = contacts_named(motion.arm, path.contacts)
    out, largest, worst = np.zeros(len(path.phases)), 0.0, path.contacts[0] if path.contacts else ""
    slip, deep = 0.0, 0.0
    held: dict[int, Array] = {}
    for p in range(len(path.phases)):
        s = np.clip(fine[(fine >= path.ends[p] - 1e-12) & (fine <= path.ends[p + 1] + 1e-12)], 0.0, 1.0)
        x = view.points_at(s * motion.duration)
        for i, one in enumerate(some):
            normal = x[:, i] @ one.normal - one.height
            if not path.active[p, i]:
                held.pop(i, None)
                off = float(np.maximum(-normal, 0.0).max())
                deep = max(deep, off)
            else:
                at = held.setdefault(i, x[0, i])
                along = x[:, i] - at - np.outer((x[:, i] - at) @ one.normal, one.normal)
                aside = float(np.linalg.norm(along, axis=1).max())
                slip, deep = max(slip, aside), max(deep, float(np.abs(normal).max()))
                off = max(aside, float(np.abs(normal).max()))
            out[p] = max(out[p], off)
            if off > largest:
                largest, worst = off, one.name
    return Wander(out, worst, slip, deep)
