"""Limits of heights of frames, and of offsets between two, along a motion with contacts: `Task.constraints`.

Rows are at `LOOKS` places in every segment, and a little inside the limits, as these shall hold between them too.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from scipy import sparse

from lissom.errors import UnsupportedError
from lissom.model.arm import Arm
from lissom.model.contact import Contact
from lissom.motion.phased.layout import Layout
from lissom.motion.phased.points import Points, PointsAt
from lissom.motion.phased.rows.block import AbstractBlock, Places
from lissom.motion.phased.rows.places import SCALE
from lissom.motion.task.path_constraint import PlaceSum
from lissom.motion.task.task import Task
from lissom.spatial.rotations import Array

VERB = "predict_motion"
LOOKS = 3  # places in a segment
INSIDE = 1e-3  # m, by which rows are inside the limits; less than half of a range


def place_sums(arm: Arm, task: Task) -> list[PlaceSum]:
    """Return what the constraints of a task limit; raise an error for other kinds, and for frames that do not exist."""
    out = []
    for one in task.constraints:
        asked = one.places()
        if asked is None:
            raise UnsupportedError(f"{VERB}: constraints of kind {one.kind!r} are not supported together with phases.")
        one.on(arm, VERB)
        out.append(asked)
    return out


def refuse_ends_beyond(arm: Arm, task: Task, start: Array, goal: Array) -> tuple[bool, bool]:
    """Refuse given ends (n,) that violate a constraint; whether start and goal are given, without a NaN."""
    known = bool(np.isfinite(start).all()), bool(np.isfinite(goal).all())
    for word, q, s, given in (("start", start, 0.0, known[0]), ("goal", goal, 1.0, known[1])):
        for one in task.constraints if given else ():
            one.on(arm, VERB).refuse_place(word, q, s, VERB)
    return known


class OffsetRows(AbstractBlock):
    """d . sum f_k x_k(q) between limits, of all constraints at places of all phases; a sample is one posture.

    ends : (start, goal) whether positions are given there: `refuse_ends_beyond` looks at these
    """

    def __init__(self, layout: Layout, sums: list[PlaceSum], ends: tuple[bool, bool]) -> None:
        self._sums, self._n = sums, layout.n
        at = _fractions(layout, ends) if sums else []
        self.N, self.m, self.width = len(at), len(sums), layout.n
        curves = [layout.curve(p, np.array([s]), 0) for p, s in at]
        self.W = sparse.csr_array(sparse.vstack(curves)) if curves else sparse.csr_array((0, layout.size))
        every = [point for one in sums for point in one.points]
        self._points = Points(layout.arm, [Contact(str(k), one.link, one.point) for k, one in enumerate(every)])
        counts = np.cumsum([0, *(len(one.points) for one in sums)])
        self._own = [range(a, b) for a, b in pairwise(counts.tolist())]
        self._prepare()
        bounds = np.array([_inside(one) for one in sums]).reshape(-1, 2)
        self.lower, self.upper = (SCALE * np.tile(column, self.N) for column in bounds.T)
        self.names = [(one.what, one.who, p + s) for p, s in at for one in sums]
        self._seen = b""

    def _prepare(self) -> None:
        """Places of derivatives."""
        n, chains = self._n, self._points.chains
        first, second = np.zeros((self.m, n), bool), np.zeros((n, n), bool)
        for row, own in enumerate(self._own):
            for i in own:
                first[row, chains[i]] = True
                second[np.ix_(chains[i], chains[i])] = True
        self.jacobian, self.hessian = _nonzero(first), _nonzero(np.tril(second))

    def _at(self, w: Array) -> PointsAt:
        key = w.tobytes()
        if key != self._seen:
            self._seen, self._known = key, self._points.at(w)
        return self._known

    def value(self, w: Array) -> Array:
        """Return the rows (N, m)."""
        out, at = np.zeros((len(w), self.m)), self._at(w)
        for row, (one, own) in enumerate(zip(self._sums, self._own, strict=True)):
            for point, i in zip(one.points, own, strict=True):
                out[:, row] += point.factor * (at.place(i) @ one.direction)
        return SCALE * out

    def first(self, w: Array) -> Array:
        """Return the nonzeros of first derivatives."""
        out, at = np.zeros((len(w), self.m, self._n)), self._at(w)
        for row, (one, own) in enumerate(zip(self._sums, self._own, strict=True)):
            for point, i in zip(one.points, own, strict=True):
                out[:, row, self._points.chains[i]] += point.factor * (at.slopes(i) @ one.direction)
        return SCALE * out[:, *self.jacobian]

    def second(self, w: Array, lam: Array) -> Array:
        """Return the nonzeros of the second derivatives of lam . rows."""
        out, at = np.zeros((len(w), self._n, self._n)), self._at(w)
        for row, (one, own) in enumerate(zip(self._sums, self._own, strict=True)):
            for point, i in zip(one.points, own, strict=True):
                chain = self._points.chains[i]
                out[:, chain[:, None], chain] += at.curvature(i, point.factor * lam[:, [row]] * one.direction)
        return SCALE * out[:, *self.hessian]


def _fractions(layout: Layout, ends: tuple[bool, bool]) -> list[tuple[int, float]]:
    """Phases and fractions of them at which rows are, each time once."""
    out = []
    for p, mesh in enumerate(layout.phases):
        s = np.linspace(0.0, 1.0, LOOKS * mesh.basis.segments + 1)
        out += [(p, float(x)) for x in (s if p == 0 else s[1:])]
    return out[int(ends[0]) : len(out) - int(ends[1])]


def _nonzero(some: Array) -> Places:
    rows, columns = np.nonzero(some)
    return rows, columns


def _inside(one: PlaceSum) -> tuple[float, float]:
    """Limits, tightened."""
    by = min(INSIDE, (one.upper - one.lower) / 4)
    return one.lower + by, one.upper - by
