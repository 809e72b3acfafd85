"""Margins by which limits are tightened at samples, because they are exceeded between them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lissom.spatial.rotations import Array


class Margins(NamedTuple):
    """force (phases, contacts, 3) : by which forces are inside their cones, in units of force: where a phase begins,
    at its samples, where it ends
    torque (n,) : parts of limits."""

    force: Array
    torque: Array

    @classmethod
    def none(cls, phases: int, contacts: int, n: int) -> Margins:
        """Return no margins."""
        return cls(np.zeros((phases, contacts, 3)), np.zeros(n))
