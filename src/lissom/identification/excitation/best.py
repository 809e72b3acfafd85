"""From wishes to the best motion: random motions, the best of them improved, and what was found."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from lissom.identification.excitation.experiment import RANDOM, Wishes, prepared
from lissom.identification.excitation.problem import held
from lissom.identification.excitation.result import finished
from lissom.identification.excitation.search import Candidate, Search
from lissom.model.arm import Arm
from lissom.motion.progress import reporting
from lissom.motion.result.motion import Motion
from lissom.motion.result.report import Iteration, StartRow
from lissom.progress import stage
from lissom.spatial.rotations import Array


def excited(arm: Arm, wishes: Wishes, progress: bool | Callable[[Iteration], object] | None) -> Motion:
    """See `lissom.excite`."""
    clock = time.perf_counter()
    with reporting(progress) as report:
        experiment = prepared(arm, wishes)
        built = time.perf_counter()
        search = Search(experiment.profile, experiment.design, experiment.penalty,
                        ~held(experiment.penalty.bounds), report, experiment.rate_hz)  # fmt: skip
        randoms, rows, best, interrupted = _searched(search, wishes)
        seconds = {"build": built - clock, "solve": time.perf_counter() - built}
        return finished(experiment, search, best, randoms, rows, interrupted, seconds)


def _searched(search: Search, wishes: Wishes) -> tuple[list[Array], list[StartRow], Candidate, bool]:
    """Random motions, what each start found, the best motion, and whether the user ended the search."""
    rng, rows, best = np.random.default_rng(wishes.seed), [], None
    stage("random motions")
    randoms = [search.random(rng) for _ in range(RANDOM)]
    search.design.rescale(search.profile.samples.states(randoms[0]))
    some = sorted((search.candidate(points) for points in randoms), key=lambda found: -found.value)
    best = some[0]
    try:
        for k, begin in enumerate(some[: wishes.starts]):
            stage(f"motion {k + 1} of {wishes.starts}")
            before = len(search.log)
            found = search.improved(begin.points)
            rows.append(_row(k, found, search, before))
            best = max(best, found, key=lambda one: one.value)
    except KeyboardInterrupt:
        best = max(best, search.candidate(search.last), key=lambda one: one.value)
        return randoms, rows, best, True
    return randoms, [_compared(row, -search.log_det(best.value)) for row in rows], best, False


def _row(k: int, found: Candidate, search: Search, before: int) -> StartRow:
    cost, T = -search.log_det(found.value), search.profile.duration
    return StartRow(start=k, status="solved", outcome="solved", cost=cost, duration=T,
                    iterations=len(search.log) - before, same=False)  # fmt: skip


def _compared(row: StartRow, best: float) -> StartRow:
    return StartRow(**{**row, "same": row["cost"] == best})
