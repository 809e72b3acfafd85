"""Loads along a motion."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lissom.model.loads import Load
from lissom.spatial.rotations import Array

AHEAD = 1e-7  # of the duration: slopes of loads, which change on straight lines, are taken over it


def loads_over(loads: Sequence[Load], s: Array) -> list[Load]:
    """Return loads at fractions of a motion, (N, 3) each; those given as samples change evenly along it."""
    out = []
    for load in loads:
        parts = []
        for part in (load.force, load.moment, load.point):
            table = np.atleast_2d(part)
            grid = np.linspace(0.0, 1.0, len(table)) if len(table) > 1 else np.array([0.0])
            parts.append(np.stack([np.interp(s, grid, table[:, k]) for k in range(3)], axis=-1))
        out.append(Load(load.link, *parts))
    return out


def load_at(loads: Sequence[Load], s: float) -> list[Load]:
    """Return loads at one fraction of a motion, (3,) each."""
    return [load.replace(force=load.force[0], moment=load.moment[0], point=load.point[0])
            for load in loads_over(loads, np.array([s]))]  # fmt: skip


def load_table(loads: Sequence[Load], s: Array, slopes: bool) -> Array:
    """Return forces, moments and points (N, 9 loads) at fractions s (N,); with `slopes` also their derivatives by s."""
    if not loads:
        return np.zeros((len(s), 0))
    now = _joined(loads_over(loads, s))
    if not slopes:
        return now
    back = np.where(s < 1.0 - AHEAD, 1.0, -1.0) * AHEAD
    return np.concatenate([now, (_joined(loads_over(loads, s + back)) - now) / back[:, None]], axis=1)


def _joined(loads: Sequence[Load]) -> Array:
    """Return the forces, moments and points of loads side by side, (N, 9 loads)."""
    parts = [np.concatenate([load.force, load.moment, load.point], axis=1) for load in loads]
    return np.ascontiguousarray(np.concatenate(parts, axis=1))
