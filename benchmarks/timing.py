"""Candidates against each other: interleaved, CPU time, best and median of the rounds."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

Candidate = tuple[Callable[[], object], int]  # what to call, states per call


def race(candidates: dict[Any, Candidate], rounds: int, clock: Callable[[], float] = time.process_time) -> dict:
    """Best and median nanoseconds per state, rounds interleaved."""
    repeats = {}
    for name, (call, _) in candidates.items():
        call()
        start = clock()
        call()
        repeats[name] = max(1, int(0.004 / max(clock() - start, 1e-7)))
    times: dict[Any, list[float]] = {name: [] for name in candidates}
    for _ in range(rounds):
        for name, (call, states) in candidates.items():
            start = clock()
            for _ in range(repeats[name]):
                call()
            times[name].append((clock() - start) / repeats[name] / states * 1e9)
    return {name: (min(t), float(np.median(t))) for name, t in times.items()}
