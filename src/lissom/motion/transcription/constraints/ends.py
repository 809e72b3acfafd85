"""Accelerations at the ends of a motion."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from lissom.motion.splines.curves import Curves
from lissom.motion.transcription.constraints.constraint import AbstractConstraint
from lissom.motion.transcription.rows import Scaled
from lissom.motion.transcription.specification import Specification


class EndAccelerations(AbstractConstraint):
    """Accelerations at the ends that the curves do not have by themselves: beside a free rate or a free duration."""

    def __init__(self, spec: Specification) -> None:
        self._spec = spec

    def linear(self, curves: Curves) -> list[Scaled]:
        """One row for every acceleration."""
        spec, out = self._spec, []
        for s, word, end in ((0.0, "start", curves.start), (1.0, "goal", curves.end)):
            value = spec.accelerations(word)
            some = np.flatnonzero(np.isfinite(value) & np.isnan(end.acceleration))
            rows, zero = 2 * spec.n + some, np.zeros(len(some))
            A, c = curves.local(np.array([s]), 3) if len(some) else (sparse.csr_array((0, curves.size)), zero)
            names = [(f"{word} acceleration", spec.names[k], s) for k in some]
            out.append(
                Scaled(A[rows] if len(some) else A, c[rows] if len(some) else c, value[some], 2, zero, zero, names)
            )
        return out
