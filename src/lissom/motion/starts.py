"""Several starts of one search, in this process or in others; what they find does not depend on where they run.

Every start has random numbers of its own, from its number and the seed. Others than the straight line may run in
processes of their own, which are told arm and task and answer with what they found: solver and linear algebra hold
global state, so threads would disturb each other. Processes are fresh interpreters, not copies of this one.
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

from lissom.errors import InputError, shown
from lissom.motion.record import INTERRUPTED, RAN_OUT, Iteration, Motion

WORTH = 6.0  # seconds of work that other processes are worth, which take a second or two to begin
PATIENCE = 0.2  # seconds between looks at the user
AGAIN = 3  # more starts where none of those asked for led to a solution
OUT_OF_TIME = f"time {RAN_OUT}"
SAME = 1e-6  # relative difference of costs of one and the same optimum

Run = Callable[[int], Motion]
Told = Callable[[Iteration], object]


def random_numbers(seed: int, k: int) -> np.random.Generator | None:
    """Those of start k; the first needs none."""
    return np.random.default_rng([seed, k]) if k else None


def best_of(
    run: Run, count: int, job: dict[str, Any], workers: int | None, told: Told | None
) -> tuple[Motion, tuple[dict[str, Any], ...]]:
    """The best motion of all starts, and the table of what each found. Where none is a solution, some more are tried.

    run : start k, here
    job : what another process needs to do the same: see `serve`
    """
    began = time.perf_counter()
    found = {0: run(0)}
    spent = time.perf_counter() - began
    rest = list(range(1, count))
    if not _stopped(found[0]) and OUT_OF_TIME not in found[0].status:
        many = _processes(workers, len(rest), spent, job)
        with suppress(KeyboardInterrupt):
            for k, motion in _elsewhere(job, rest, many, found[0], told) if many > 1 else _here(run, rest):
                found[k] = motion
                if _stopped(motion) or OUT_OF_TIME in motion.status:
                    break
    for k in range(count, count + AGAIN):
        if any(motion.ok or _stopped(motion) or RAN_OUT in motion.status for motion in found.values()):
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
    for k in which:
        yield k, run(k)


def _processes(workers: Any, left: int, spent: float, job: dict[str, Any]) -> int:
    """How many; 1: this one does it."""
    if workers is not None and (isinstance(workers, bool) or not isinstance(workers, int | np.integer) or workers < 1):
        raise InputError(f"predict_motion: workers is {shown(workers)}; expected a whole number from 1, or None.")
    if not left or workers == 1 or (workers is None and spent * left < WORTH):
        return 1
    try:
        pickle.dumps(job)
    except Exception as error:
        if workers is None:
            return 1
        raise InputError(
            f"predict_motion: the task cannot be sent to other processes ({error}); name a function of a module "
            "instead of one made on the spot, or use workers=1."
        ) from None
    return min(left, int(workers or os.cpu_count() or 1))


# ---- other processes -------------------------------------------------------------------------------------


def _elsewhere(
    job: dict[str, Any], which: list[int], many: int, first: Motion, told: Told | None
) -> Iterator[tuple[int, Motion]]:
    """Starts shared out in turns, as they end."""
    answers: queue.Queue[Any] = queue.Queue()
    running = [_begin(job, which[w::many], answers) for w in range(many)]
    left, last = len(which), first.report.iterations[-1]
    try:
        while left:
            try:
                k, answer = answers.get(timeout=PATIENCE)
            except queue.Empty:
                if told is not None:
                    told(last)  # the user may want to stop
                continue
            if isinstance(answer, BaseException):
                raise answer
            left -= 1
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


def _begin(job: dict[str, Any], which: list[int], answers: queue.Queue[Any]) -> subprocess.Popen[bytes]:
    apart: dict[str, Any] = {"start_new_session": True} if os.name == "posix" else {}  # Ctrl-C is for this process
    command = [sys.executable, "-c", "from lissom.motion.starts import serve; serve()"]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment, **apart)
    threading.Thread(target=_listen, args=(process, which, answers), daemon=True).start()
    assert process.stdin
    with suppress(OSError):  # the listener tells that it ended
        pickle.dump((job, which), process.stdin)
        process.stdin.flush()
    return process


def _listen(process: subprocess.Popen[bytes], which: list[int], answers: queue.Queue[Any]) -> None:
    """Hand on what a process says."""
    assert process.stdout
    with process.stdout as stream:
        try:
            for _ in which:
                answers.put(pickle.load(stream))
        except Exception as error:
            answers.put((-1, RuntimeError(f"predict_motion: a process of starts ended early ({error!r}).")))


def serve() -> None:
    """In another process: read arm, task and starts, answer with every motion as it is found."""
    from lissom.motion.predict import Search

    answer = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever is printed must not come between
    job, which = pickle.load(sys.stdin.buffer)
    try:
        search = Search(**job)
        for k in which:
            motion = search.start(k)
            given = {
                f.name: getattr(motion, f.name) for f in fields(motion) if f.init and f.name not in ("arm", "task")
            }
            pickle.dump((k, given), answer)
            answer.flush()
    except Exception as error:
        pickle.dump((-1, error), answer)
        answer.flush()
