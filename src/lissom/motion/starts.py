"""Several starts of one search, in this process or in others; what they find does not depend on where they run.

Every start has random numbers of its own, from its number and the seed. Others than the straight line may run in
processes of their own, which are told arm and task and answer with what they found: solver and linear algebra hold
global state, so threads would disturb each other. Processes are fresh interpreters, not copies of this one; criteria
that the user wrote are sent as the expressions that they give. What a process does not answer is done here.
"""

from __future__ import annotations

import os
import pickle
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import fields
from typing import Any

import numpy as np

from lissom.motion.criteria import as_function
from lissom.motion.record import Motion
from lissom.motion.report import INTERRUPTED, RAN_OUT, Iteration

WORTH = 6.0  # seconds of work that other processes are worth, which take a second or two to begin
PATIENCE = 0.2  # seconds between looks at the user
AGAIN = 3  # more starts where none of those asked for led to a solution
PATIENT = 20.0  # seconds after which no more are tried
OUT_OF_TIME = f"time {RAN_OUT}"
SAME = 1e-6  # relative difference of costs of one and the same optimum

SERVE = "from lissom.motion.starts import serve; serve()"

Run = Callable[[int], Motion]
Told = Callable[[Iteration], object]


def random_numbers(seed: int, k: int) -> np.random.Generator | None:
    """Those of start k; the first needs none."""
    return np.random.default_rng([seed, k]) if k else None


def best_of(
    run: Run, count: int, job: Callable[[], dict[str, Any]], workers: int | None, told: Told | None
) -> tuple[Motion, tuple[dict[str, Any], ...]]:
    """The best motion of all starts, and the table of what each found. Where none is a solution, some more are tried.

    run : start k, here
    job : gives what another process needs to do the same, see `serve`
    """
    began = time.perf_counter()
    found = {0: run(0)}
    spent = time.perf_counter() - began
    rest = list(range(1, count))
    if not _stopped(found[0]) and OUT_OF_TIME not in found[0].status:
        many = _processes(workers, len(rest), spent)
        with suppress(KeyboardInterrupt):
            for k, motion in _elsewhere(run, job, rest, many, found[0], told) if many > 1 else _here(run, rest):
                found[k] = motion
                if _stopped(motion):
                    break
    for k in range(count, count + AGAIN):
        late = time.perf_counter() - began > PATIENT
        if late or any(motion.ok or _stopped(motion) or RAN_OUT in motion.status for motion in found.values()):
            break
        found[k] = run(k)
    chosen = min(found, key=lambda k: (not found[k].ok, found[k].cost if found[k].ok else 0.0, k))
    late = any(OUT_OF_TIME in motion.status for motion in found.values())
    left_out = f"not tried: {OUT_OF_TIME}" if late else f"{INTERRUPTED} before it ended"
    every = range(max(count, max(found) + 1))
    return found[chosen], tuple(_row(k, found.get(k), found[chosen], left_out) for k in every)


def _stopped(motion: Motion) -> bool:
    return motion.status.startswith(INTERRUPTED)


def _row(k: int, motion: Motion | None, best: Motion, left_out: str) -> dict[str, Any]:
    if motion is None:
        nothing = {"cost": np.nan, "duration": np.nan, "iterations": 0, "same": False}
        return {"start": k, "status": left_out, **nothing}
    return {
        "start": k, "status": motion.status, "cost": motion.cost, "duration": motion.duration,
        "iterations": len(motion.report.iterations) - 1,
        "same": motion.ok and abs(motion.cost - best.cost) <= SAME * abs(best.cost),
    }  # fmt: skip


def _here(run: Run, which: Sequence[int]) -> Iterator[tuple[int, Motion]]:
    """One after the other, until time runs out."""
    for k in which:
        motion = run(k)
        yield k, motion
        if OUT_OF_TIME in motion.status:
            break


def _processes(workers: int | None, left: int, spent: float) -> int:
    """How many; 1: this one does it."""
    if not left or workers == 1 or (workers is None and spent * left < WORTH):
        return 1
    return min(left, int(workers or os.cpu_count() or 1))


# ---- other processes -------------------------------------------------------------------------------------


def _elsewhere(
    run: Run, job: Callable[[], dict[str, Any]], which: list[int], many: int, first: Motion, told: Told | None
) -> Iterator[tuple[int, Motion]]:
    """Starts shared out in turns, as they end; then those of processes that failed, here."""
    answers: queue.Queue[Any] = queue.Queue()
    sent = pickle.dumps(_plain(job()))
    running = [_begin(sent, which[w::many], answers) for w in range(many)]
    left, last, here = len(which), first.report.iterations[-1], []
    try:
        while left:
            try:
                k, answer = answers.get(timeout=PATIENCE)
            except queue.Empty:
                if told is not None:
                    told(last)  # the user may want to stop
                continue
            left -= 1
            if answer is None:
                here.append(k)
                continue
            motion = Motion(arm=first.arm, task=first.task, **answer)
            last = motion.report.iterations[-1] if motion.report.iterations else last
            if told is not None:
                told(last)
            yield k, motion
    finally:
        for process in running:
            process.kill()
            process.wait()
            assert process.stdin
            process.stdin.close()
    yield from _here(run, sorted(here))


def _plain(job: dict[str, Any]) -> dict[str, Any]:
    """The same job, with criteria that any process can read."""
    task, arm = job["task"], job["arm"]
    terms = {as_function(word, arm.dof) if callable(word) else word: x for word, x in task.minimise.items()}
    return job | {"task": task.replace(minimise=terms)}


def _begin(job: bytes, which: list[int], answers: queue.Queue[Any]) -> subprocess.Popen[bytes]:
    apart: dict[str, Any] = {"start_new_session": True} if os.name == "posix" else {}  # Ctrl-C is for this process
    command = [sys.executable, "-c", SERVE]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment, **apart)
    threading.Thread(target=_listen, args=(process, which, answers), daemon=True).start()
    assert process.stdin
    with suppress(OSError):  # the listener tells that it ended
        process.stdin.write(job)
        pickle.dump(which, process.stdin)
        process.stdin.flush()
    return process


def _listen(process: subprocess.Popen[bytes], which: list[int], answers: queue.Queue[Any]) -> None:
    """Hand on what a process says; None for every start that it says nothing of."""
    assert process.stdout
    left = list(which)
    with process.stdout as stream, suppress(Exception):
        while left:
            k, answer = pickle.load(stream)
            left.remove(k)
            answers.put((k, answer))
    for k in left:
        answers.put((k, None))


def serve() -> None:
    """In another process: read arm, task and starts, answer with every motion as it is found.

    It ends silently where something goes wrong: what is left is done, and raised, where it was asked for.
    """
    from lissom.motion.search import Search

    answer = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever is printed must not come between
    with suppress(Exception):
        job, which = (pickle.load(sys.stdin.buffer) for _ in range(2))
        search = Search(**job)
        for k in which:
            motion = search.start(k)
            given = {
                f.name: getattr(motion, f.name) for f in fields(motion) if f.init and f.name not in ("arm", "task")
            }
            pickle.dump((k, given), answer)
            answer.flush()
            if OUT_OF_TIME in motion.status:
                break
