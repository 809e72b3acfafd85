"""Via points: positions and rates at given fractions of the duration."""

from __future__ import annotations

import numpy as np

from lissom.motion.splines.curves import Curves
from lissom.motion.task.ends import spread
from lissom.motion.task.reach import Reach
from lissom.motion.transcription.constraints.constraint import AbstractConstraint
from lissom.motion.transcription.rows import Scaled
from lissom.motion.transcription.specification import Specification


class ViaPoints(AbstractConstraint):
    """What via points give of joints; places in space are `ReachTargets`."""

    def __init__(self, spec: Specification) -> None:
        self._spec = spec

    def linear(self, curves: Curves) -> list[Scaled]:
        """One row for every position or rate."""
        spec, out = self._spec, []
        for via in spec.task.via:
            for word, order in (("q", 0), ("velocity", 1)):
                value = getattr(via, word)
                if value is None or isinstance(value, Reach):
                    continue
                value = spread(spec.arm, value, np.nan)
                local = curves.local(np.array([via.at]), order + 1)
                some = np.flatnonzero(np.isfinite(value))
                rows, zero = order * spec.n + some, np.zeros(len(some))
                c = local.c[rows] - (value[some] if order == 0 else 0.0)
                names = [(f"via {word}", spec.names[k], via.at) for k in some]
                out.append(Scaled(local.A[rows], c, value[some] if order else zero, order, zero, zero, names))
        return out
