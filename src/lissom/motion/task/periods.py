"""Periods of an arm's vibrations."""

from __future__ import annotations

import numpy as np

from lissom.kernels.cache import cache_of
from lissom.model.arm import Arm
from lissom.verbs.modes import modes


def fastest_period(arm: Arm) -> float:
    """Of all natural modes of an open arm, no torque acting, the shortest period [s]; infinite where there are none."""

    def period() -> float:
        found = modes(arm, None, "free").frequencies_hz
        return float(1 / found.max()) if len(found) else np.inf

    return cache_of(arm).stored("fastest period", None, period)
