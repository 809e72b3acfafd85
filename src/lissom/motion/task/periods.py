"""Periods of an arm's vibrations."""

from __future__ import annotations

import numpy as np

from lissom.kernels.cache import cache_of
from lissom.model.arm import Arm
from lissom.verbs.modes import modes


def fastest_period(arm: Arm) -> float:
    """Return the shortest period of the natural modes of an open arm without torques [s]; infinite without modes."""

    def period() -> float:
        found = modes(arm, None, "free").frequencies_hz
        return float(1 / found.max()) if len(found) else np.inf

    return cache_of(arm).stored("fastest period", None, period)
