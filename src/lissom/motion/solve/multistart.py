"""Several starts of one search, in this process or in others; what they find does not depend on where they run.

Every start has random numbers of its own, from its number and the seed. Others than the straight line may run in
processes of their own, here or on a cluster, which get arm and task and answer with what they found: solver and linear
algebra hold global state, so threads would disturb each other. Criteria that the user wrote are sent as the
expressions that they give. What a process does not answer is done here.
"""

from __future__ import annotations

import pickle
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from typing import Any, NamedTuple

import numpy as np

from lissom.motion.result.motion import Motion
from lissom.motion.result.outcome import MotionOutcome
from lissom.motion.result.report import Iteration
from lissom.motion.solve.assessment import stopped_by_user
from lissom.motion.task.criteria.function import as_function
from lissom.work.choose import executor
from lissom.work.workplace import Workplace

WORTH = 6.0  # seconds of work that other processes are worth, which take a second or two to begin
PATIENCE = 0.2  # seconds between looks at the user
AGAIN = 3  # more starts where none of those asked for led to a solution
PATIENT = 20.0  # seconds after which no more are tried
SAME = 1e-6  # relative difference of costs of one and the same optimum

VERB = "predict_motion"

Run = Callable[[int], Motion]
Progress = Callable[[Iteration], object]


class Elsewhere(NamedTuple):
    """How another process runs start k: the arguments of its search, and a function of these, pickled, and of k."""

    job: Callable[[], dict[str, Any]]
    answer: Callable[[bytes, int], dict[str, Any]]


def best_of(
    run: Run,
    count: int,
    elsewhere: Elsewhere | None,
    workers: int | None,
    progress: Progress | None,
    scheduler: str | None = None,
    rescue: Run | None = None,
) -> tuple[Motion, tuple[dict[str, Any], ...]]:
    """The best motion of all starts, and the table of what each found. Where none is a solution, some more are tried.

    run : start k, here
    elsewhere : how another process does the same; None: none does
    rescue : an extra start k where none led to a solution; default: `run`
    """
    others = executor(workers, scheduler, VERB)  # a cluster that is not there is reported before any work
    began, stopped = time.perf_counter(), False
    try:
        found = {0: run(0)}
        spent = time.perf_counter() - began
        rest = list(range(1, count))
        if not found[0].interrupted and found[0].outcome is not MotionOutcome.OUT_OF_TIME:
            alone = scheduler is None and (
                min(len(rest), others.count) < 2 or (workers is None and spent * len(rest) < WORTH)
            )
            try:
                if alone or elsewhere is None:
                    ended = _here(run, rest)
                else:
                    ended = _elsewhere(run, elsewhere, rest, others, found[0], progress)
                for k, motion in ended:
                    found[k] = motion
                    if motion.interrupted:
                        break
            except KeyboardInterrupt:
                stopped = True
    finally:
        others.shutdown(wait=False, cancel_futures=True)
    for k in range(count, count + AGAIN):
        late = time.perf_counter() - began > PATIENT or _late(found)
        limited = any(found[i].outcome.ran_out for i in range(count) if i in found)  # that is the user's limit
        if late or limited or any(motion.ok or motion.interrupted for motion in found.values()):
            break
        found[k] = (rescue or run)(k)
    chosen = min(found, key=lambda k: (not found[k].ok, found[k].cost if found[k].ok else 0.0, k))
    late = _late(found)
    left_out = (MotionOutcome.OUT_OF_TIME, "not tried: time ran out") if late else (
        MotionOutcome.INTERRUPTED, "interrupted before it ended")  # fmt: skip
    every = range(max(count, max(found) + 1))
    rows = tuple(_row(k, found.get(k), found[chosen], left_out) for k in every)
    stopped |= any(motion.interrupted for motion in found.values())
    return stopped_by_user(found[chosen]) if stopped and found[chosen].ok else found[chosen], rows


def _late(found: Mapping[int, Motion]) -> bool:
    return any(motion.outcome is MotionOutcome.OUT_OF_TIME for motion in found.values())


def _row(k: int, motion: Motion | None, best: Motion, left_out: tuple[MotionOutcome, str]) -> dict[str, Any]:
    if motion is None:
        nothing = {"cost": np.nan, "duration": np.nan, "iterations": 0, "same": False}
        return {"start": k, "outcome": left_out[0], "status": left_out[1], **nothing}
    return {
        "start": k, "outcome": motion.outcome, "status": motion.status,
        "cost": motion.cost, "duration": motion.duration,
        "iterations": len(motion.report.iterations) - 1,
        "same": motion.ok and abs(motion.cost - best.cost) <= SAME * abs(best.cost),
    }  # fmt: skip


def _here(run: Run, which: Sequence[int]) -> Iterator[tuple[int, Motion]]:
    """One after the other, until time runs out."""
    for k in which:
        motion = run(k)
        yield k, motion
        if motion.outcome is MotionOutcome.OUT_OF_TIME:
            break


# ---- other processes -------------------------------------------------------------------------------------


def _elsewhere(
    run: Run, elsewhere: Elsewhere, which: list[int], others: Workplace, first: Motion, progress: Progress | None
) -> Iterator[tuple[int, Motion]]:
    """Starts as they end, until time runs out; then those that nobody answered, here."""
    sent = pickle.dumps(_plain(elsewhere.job()))
    left, asked, last = list(which), dict[Future[Any], int](), first.report.iterations[-1]
    here: list[int] = []
    while left or asked:
        while left and len(asked) < others.count and not others.trouble:
            k = left.pop(0)
            asked[others.submit(elsewhere.answer, sent, k)] = k
        if not asked:
            break  # nobody works any more
        done, _ = wait(asked, PATIENCE, FIRST_COMPLETED)
        if not done and progress is not None:
            progress(last)  # the user may want to stop
        for future in done:
            k = asked.pop(future)
            if future.exception() is not None:
                here.append(k)
                continue
            motion = Motion(arm=first.arm, task=first.task, **future.result())
            last = motion.report.iterations[-1] if motion.report.iterations else last
            if progress is not None:
                progress(last)
            yield k, motion
            if motion.outcome is MotionOutcome.OUT_OF_TIME:
                left = []
    yield from _here(run, sorted(here + left))


def _plain(job: dict[str, Any]) -> dict[str, Any]:
    """Return a job with criteria that any process can read."""
    task, arm = job["task"], job["arm"]
    terms = {as_function(word, arm.dof) if callable(word) else word: x for word, x in task.minimise.items()}
    return job | {"task": task.replace(minimise=terms)}
