"""The side of the workers of `Processes`: do jobs until nobody waits for them any more."""

from __future__ import annotations

import os
import queue
import signal
import sys
import threading
from contextlib import suppress
from typing import IO

from lissom import progress
from lissom.work import pipes
from lissom.work.jobs import answer

READY = b"ready"
PR_SET_PDEATHSIG = 1


def serve() -> None:
    """Jobs come through what was the standard input, answers go through what was the standard output."""
    asked, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    with open(os.devnull) as nothing:
        os.dup2(nothing.fileno(), 0)
    os.dup2(2, 1)  # whatever is printed must not come between
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for who asked
    _end_with_parent()
    progress.turn_off()
    jobs: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(asked, jobs), daemon=True).start()
    with suppress(OSError):
        pipes.write(answers, READY)
        while True:
            done = answer(jobs.get())
            sys.stdout.flush()
            pipes.write(answers, done)
    os._exit(0)


def _listen(asked: IO[bytes], jobs: queue.SimpleQueue[bytes]) -> None:
    """Hand jobs on; end the process, in the middle of its work, when nobody waits for it any more."""
    with suppress(EOFError, OSError):
        while True:
            jobs.put(pipes.read(asked))
    os._exit(0)


def _end_with_parent() -> None:
    """Have Linux end this process with its parent: a job in compiled code may keep all threads of Python waiting."""
    if sys.platform == "linux":
        import ctypes

        with suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, int(signal.SIGKILL), 0, 0, 0)
