"""Periods of an arm's vibrations."""

from __future__ import annotations

import numpy as np

from lissom.model.arm import Arm
from lissom.verbs.modes import modes


def fastest_period(arm: Arm) -> float:
    """Of all natural modes of an open arm, no torque acting, the shortest period [s]; infinite where there are none."""
    if "_fastest_period" not in arm.__dict__:
        found = modes(arm, None, "free").frequencies_hz
        arm.__dict__["_fastest_period"] = float(1 / found.max()) if len(found) else np.inf
    period: float = arm.__dict__["_fastest_period"]
    return period
