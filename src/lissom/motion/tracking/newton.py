"""The search without limits: Newton's method until its steps are rounding."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from lissom.motion.result.report import Iteration
from lissom.motion.tracking.program import TrackingProgram
from lissom.spatial.rotations import Array

LONGEST = 1.0  # of a step, rad or m: farther its equations mean nothing
SMALLEST = 1e-10  # of a step, rad or m
STALLED, ROUNDED = 0.5, 1e-6  # steps that are this small, and no longer shrink, are rounding


class Searched(NamedTuple):
    """Where a search ended: the variables, its log, whether it converged, and whether that was within limits."""

    x: Array
    log: tuple[Iteration, ...]
    converged: bool
    within: bool = False


def search(program: TrackingProgram, x: Array, weight: float, iterations: int, show: Any) -> Searched:
    """Return where the search from variables x ends; weight of squared accelerations."""
    log: list[Iteration] = []
    before, left = np.inf, np.zeros_like(program.targets)
    for number in range(iterations):
        now = program.linearised(x, weight, left)
        change = now.step(now.hessian, now.gradient)
        size, off = float(np.abs(change).max(initial=0.0)), float(np.abs(now.errors).max())
        log.append(Iteration(number, off, float(np.abs(now.dynamics).max(initial=0.0)), size, program.duration))
        show(f"step {number + 1}, {off:.1e} m off")
        if not np.isfinite(size):
            return Searched(x, tuple(log), False)
        x = x + change * min(1.0, LONGEST / max(size, LONGEST))
        if size < SMALLEST or (size < ROUNDED and size > STALLED * before):
            return Searched(x, tuple(log), True)
        before, left = size, now.left(change)
    return Searched(x, tuple(log), False)
