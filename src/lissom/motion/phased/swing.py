"""Points that are not in contact stay above their plane, and swing over it."""

from __future__ import annotations

import numpy as np

from lissom.motion.phased.holding import Direction, HeldRow
from lissom.motion.phased.layout import Layout, Reflection
from lissom.spatial.rotations import Array


def swing_rows(layout: Layout, reflection: Reflection, typical: Array) -> tuple[list[HeldRow], Array]:
    """Return rows of contacts at the samples of phases in which they do not hold, and their least distances (rows,).

    Between two contacts of a point these are `swing_height` times sin^2 of the fraction of its swing that is over, with
    the durations of `typical` (phases,); of a point that never holds before or after, zero.
    """
    rows, least = [], [np.zeros(0)]
    for i in range(len(layout.names)):
        for p, mesh in enumerate(layout.phases):
            if i in mesh.contacts:
                continue
            rows += [HeldRow(p, float(s), Direction(i, 0)) for s in mesh.s]
            least.append(layout.task.swing_height * _lift(layout, reflection, typical, i, p))
    return rows, np.concatenate(least)


def _lift(layout: Layout, reflection: Reflection, typical: Array, i: int, p: int) -> Array:
    """(N,) sin^2 at the samples of a phase in which a contact swings."""
    before, after = (_swung(layout, reflection, typical, i, p, way) for way in (-1, 1))
    if before is None or after is None:
        return np.zeros(len(layout.phases[p].s))
    done = (before + layout.phases[p].s * typical[p]) / (before + typical[p] + after)
    return np.asarray(np.sin(np.pi * done) ** 2)


def _swung(layout: Layout, reflection: Reflection, typical: Array, i: int, p: int, way: int) -> float | None:
    """How long a contact swings before or after a phase; None if it has no contact there."""
    time, count = 0.0, len(layout.phases)
    for _ in range(2 * count):
        p += way
        if not 0 <= p < count:
            if not layout.task.periodic:
                return None
            p, i = p % count, reflection.partner[i]
        if i in layout.phases[p].contacts:
            return time
        time += typical[p]
    return None
