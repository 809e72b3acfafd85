"""Rates of torques of motors, as mean rates from each sample of a motion to the next."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from lissom.motion.tracking.limits.torques import TorqueRows
from lissom.motion.tracking.samples import Samples
from lissom.spatial.rotations import Array


class RateRows:
    """Rates of torques of some coordinates from sample to sample, both ends included, and their derivatives.

    duration : of the window [s]
    x : variables of the motion in whose directions joints with friction move
    count : how many intervals there are
    """

    def __init__(self, samples: Samples, ends: Samples, duration: float, some: NDArray[np.intp], x: Array) -> None:
        self._inside, self._ends = TorqueRows(samples, some, x), TorqueRows(ends, some, x)
        s, k = (samples.s[:-1] if samples.still else samples.s), len(some)
        self.count, self._last = len(s) + 1, len(s) * k
        step = np.repeat(1.0 / (duration * np.diff(s, prepend=0.0, append=1.0)), k)
        rows, size = self.count * k, (self.count + 1) * k
        ahead, here = sparse.eye_array(rows, size, k=k), sparse.eye_array(rows, size)
        self._differences = sparse.csr_array(sparse.diags_array(step) @ (ahead - here))

    def __call__(self, x: Array) -> tuple[Array, Any]:
        """Rates in all intervals, one after the other, and their derivatives."""
        (tau, A), (outer, B) = self._inside(x), self._ends(x)
        k, last = len(outer) // 2, self._last
        values = np.concatenate([outer[:k], tau[:last], outer[k:]])
        slopes = sparse.vstack([B[:k], A[:last], B[k:]], "csr")
        return np.asarray(self._differences @ values), self._differences @ slopes
