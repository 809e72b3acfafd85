"""The splines of all phases as one: cubic, with continuous rates."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lissom.motion.phased.layout import Layout
from lissom.spatial.rotations import Array


def joined_spline(layout: Layout, x: Array) -> tuple[Array, Array]:
    """Return breaks (segments + 1,) as fractions of the motion, and control points (2 segments + 2, n), knots double.

    Beside a break are p -+ h p' / 3, h the time to the next one; at the ends also p itself.
    """
    T = x[layout.durations]
    begin = np.cumsum([0.0, *T])
    breaks, points = [0.0], [np.zeros((0, layout.n))]
    for p, mesh in enumerate(layout.phases):
        s = mesh.basis.breaks
        q, qd = layout.values(x, p, s, 2)
        h = T[p] / mesh.basis.segments
        points += [np.stack([q[:-1] + h / 3 * qd[:-1], q[1:] - h / 3 * qd[1:]], axis=1).reshape(-1, layout.n)]
        breaks += ((begin[p] + s[1:] * T[p]) / begin[-1]).tolist()
    breaks[-1] = 1.0
    first = layout.values(x, 0, np.zeros(1), 1)[0]
    last = layout.values(x, len(layout.phases) - 1, np.ones(1), 1)[0]
    return np.array(breaks), np.concatenate([first, *points, last])


def prolonged(old: Layout, x: Array, new: Layout) -> Array:
    """Return the variables of a layout with more segments, from those of another one of the same task."""
    out = np.zeros(new.size)
    for p, (coarse, fine) in enumerate(zip(old.phases, new.phases, strict=True)):
        out[new.points[p]] = _fitted(coarse.basis, fine.basis, x[old.points[p]])
        out[new.torques[p]] = _interpolated(coarse.s, x[old.torques[p]], fine.s)
        for i, places in new.forces[p].items():
            out[places] = _interpolated(coarse.s, x[old.forces[p][i]], fine.s)
    for word in ("durations", "travels"):
        out[getattr(new, word)] = x[getattr(old, word)]
    if old.anchors == new.anchors:
        out[new.first_anchor :] = x[old.first_anchor :]
    return out


def _fitted(old: object, new: object, P: Array) -> Array:
    """Control points on another basis, nearest to those of a finer or coarser one."""
    s = np.linspace(0.0, 1.0, 8 * new.count)  # type: ignore[attr-defined]
    A, y = new.rows(s).toarray(), old.rows(s) @ P  # type: ignore[attr-defined]
    return np.asarray(np.linalg.lstsq(A, y, rcond=None)[0])


def _interpolated(x: Sequence[float] | Array, y: Array, at: Array) -> Array:
    return np.stack([np.interp(at, x, column) for column in y.T], axis=1)
