"""Limits of position, velocity, acceleration and jerk, on the control points: so they hold at all times."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lissom.motion.splines.curves import Curves
from lissom.motion.task.bounds import Bounds
from lissom.motion.transcription.constraints.constraint import AbstractConstraint, Look
from lissom.motion.transcription.peak import Peak
from lissom.motion.transcription.peaks import peaks_of
from lissom.motion.transcription.rows import Scaled
from lissom.spatial.rotations import Array

DERIVATIVES = {"velocity": 1, "acceleration": 2, "jerk": 3}


class ControlPointLimits(AbstractConstraint):
    """Bounds of the control points of profiles and of their derivatives."""

    def __init__(self, bounds: Bounds, names: Sequence[str]) -> None:
        self._bounds, self._names = bounds, names

    def linear(self, curves: Curves) -> list[Scaled]:
        """Rows of derivatives, and of control points of positions that are no variables."""
        limited = [word for word in DERIVATIVES if self._bounds.limited(word).any()]
        return [*(part for word in limited for part in self._derivative(curves, word)), self._positions(curves)]

    def peaks(self, look: Look) -> list[Peak]:
        """Return the peaks of positions, rates, accelerations and jerks."""
        values = {word: look.values[word] for word in ("position", *DERIVATIVES)}
        return peaks_of(self._bounds, self._names, look.s, look.T, values)

    def _derivative(self, curves: Curves, quantity: str) -> list[Scaled]:
        """Rows for upper limits, and rows for lower ones."""
        order = DERIVATIVES[quantity]
        hull, owner = curves.hull(order)
        moves = np.diff(hull.A.indptr) > 0  # some are given by the ends
        lower, upper = self._bounds.lower[quantity][owner], self._bounds.upper[quantity][owner]
        out = []
        for limit, above in ((upper, True), (lower, False)):
            some = np.flatnonzero(moves & np.isfinite(limit))
            names = _named(quantity, self._names, owner[some], some / max(len(owner) - 1, 1))
            zero, far = np.zeros(len(some)), np.full(len(some), np.inf)
            low, high = (-far, zero) if above else (zero, far)
            out.append(Scaled(hull.A[some], hull.c[some], limit[some], order, low, high, names))
        return out

    def _positions(self, curves: Curves) -> Scaled:
        """Bound control points that follow from others or from T (moving ends); others are variables with bounds."""
        hull, owner = curves.hull(0)
        A = hull.A
        count = np.diff(A.indptr)
        plain = (count == 1) & (hull.c == 0.0)
        plain[plain] = A.data[A.indptr[:-1][plain]] == 1.0
        if curves.duration is None:
            plain[plain] = A.indices[A.indptr[:-1][plain]] != curves.size - 1
        lower, upper = self._bounds.lower["position"][owner], self._bounds.upper["position"][owner]
        some = np.flatnonzero((count > 0) & ~plain & (np.isfinite(lower) | np.isfinite(upper)))
        names = _named("position", self._names, owner[some], np.zeros(len(some)))
        return Scaled(A[some], hull.c[some], np.zeros(len(some)), 0, lower[some], upper[some], names)


def _named(quantity: str, names: Sequence[str], owner: Array, s: Array) -> list[tuple[str, str, float]]:
    """Names of rows: what, coordinate, where."""
    return [(quantity, names[k], at) for k, at in zip(owner.tolist(), s.tolist(), strict=True)]
