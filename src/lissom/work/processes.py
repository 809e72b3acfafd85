"""Worker processes on this machine.

They are fresh interpreters, not copies of this one (which may have threads and compiled code), and do not load its
main module, so scripts need no ``if __name__ == "__main__":``. A process that dies takes its job with it: a fresh one
gets the job again, and only a job that ends several processes is given up. Where this process ends, however it
does, the pipes close, and the others end too.

Queue, futures and threads are those of `concurrent.futures`; its process pool, and that of loky, are not used: there, a
process that dies ends all jobs of the pool (docs/studies.md has the comparison).
"""

from __future__ import annotations

import os
import queue
import subprocess
import sys
import threading
import weakref
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from typing import Any

from lissom.cores import THREADS
from lissom.errors import InputError, WorkerLost
from lissom.work import pipes
from lissom.work.jobs import opened, packed
from lissom.work.workplace import Workplace

TRIES = 3  # processes that a job may end, or that may end before they begin
NEW_GROUP = getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0)  # on Windows, which has no sessions
SERVE = "from lissom.work.serve import serve; serve()"
# one thread in each: there is a process for every core
ONE_THREAD = dict.fromkeys((THREADS, "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")


class Processes(Workplace):
    """`count` processes, begun when there is work for them, with the path and folder that this one has now.

    ``shutdown(wait=False, cancel_futures=True)`` ends them at once, whatever they do.
    """

    def __init__(self, count: int):
        start = _Start()
        self._start, self._owner = start, os.getpid()
        self._crew = [_Worker(start) for _ in range(int(count))]
        self._idle: queue.SimpleQueue[_Worker] = queue.SimpleQueue()
        for worker in self._crew:
            self._idle.put(worker)
        self._threads = ThreadPoolExecutor(len(self._crew), "lissom-worker")
        self._futures: weakref.WeakSet[Future[Any]] = weakref.WeakSet()
        weakref.finalize(self, _leave, self._threads, self._idle, self.count)

    @property
    def count(self) -> int:
        """Number of jobs that run at once."""
        return len(self._crew)

    @property
    def place(self) -> str:
        """Description of the place for messages."""
        return f"{self.count} process{'es' * (self.count > 1)} on this machine"

    @property
    def trouble(self) -> str:
        """Why processes cannot start; empty while they can."""
        return self._start.trouble

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Submit ``fn(*args, **kwargs)``, picklable objects or lambdas, and return its future."""
        if self._owner != os.getpid():
            raise InputError("these workers belong to the parent of this forked process; create new ones.")
        future = self._threads.submit(_done, self._idle, packed(fn, args, kwargs))
        self._futures.add(future)
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """End the processes when their jobs are done, or at once."""
        if not cancel_futures:
            _leave(self._threads, self._idle, self.count)
        self._threads.shutdown(wait=False, cancel_futures=cancel_futures)
        for future in [future for future in self._futures if future.cancelled()]:
            with suppress(RuntimeError):  # it is known already
                future.set_running_or_notify_cancel()
        try:
            if cancel_futures and not wait:
                self._kill()
            if cancel_futures or wait:
                self._threads.shutdown()
        except BaseException:  # Ctrl-C
            self._kill()
            raise
        finally:
            if cancel_futures:
                for worker in self._crew:
                    worker.end()

    def _kill(self) -> None:
        for worker in self._crew:
            worker.kill()


def _done(idle: queue.SimpleQueue[_Worker], sent: bytes) -> Any:
    """Do a job in an idle process, and return what it gives or raise what it raises."""
    worker = idle.get()
    try:
        result, error = opened(worker.asked(sent))
    finally:
        idle.put(worker)
    if error is not None:
        raise error
    return result


def _leave(threads: ThreadPoolExecutor, idle: queue.SimpleQueue[_Worker], count: int) -> None:
    """Let the processes end when all jobs are done: nobody can ask them any more."""
    with suppress(RuntimeError):  # it was done before
        for _ in range(count):
            threads.submit(lambda: idle.get().end())
    threads.shutdown(wait=False)


class _Start:
    """The command and the environment with which processes begin."""

    def __init__(self) -> None:
        self._command = [
            sys.executable, *(f"-W{option}" for option in sys.warnoptions), "-c",
            f"import sys; sys.path[:] = {sys.path!r}; {SERVE}",
        ]  # fmt: skip
        self._folder = os.getcwd()
        self._environment = os.environ | ONE_THREAD
        self.trouble = ""

    def __call__(self) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=self._folder, env=self._environment,
            start_new_session=True, creationflags=NEW_GROUP,  # Ctrl-C is for this process
        )  # fmt: skip

    def failed(self, codes: list[int]) -> WorkerLost:
        """Return the error for processes that did not begin."""
        listed = ", ".join(map(str, codes))
        self.trouble = f"worker processes of {sys.executable} exit while starting (exit codes {listed})"
        return WorkerLost(f"{self.trouble}.")


class _Worker:
    """One process after the other, each with one job at a time.

    A process is begun by the thread that needs it: on Linux it ends with that thread.
    """

    def __init__(self, start: _Start) -> None:
        self._start, self._killed = start, False
        self._process: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()  # a process must not begin after all were ended

    def kill(self) -> None:
        """End the process at once, in the middle of its job."""
        with self._lock:
            self._killed = True
            if self._process is not None:
                self._process.kill()

    def asked(self, sent: bytes) -> bytes:
        """Return the answer to a job; a process that dies is followed by another."""
        codes: list[int] = []
        while len(codes) < TRIES:
            process = self._begun()
            try:
                assert process.stdin
                assert process.stdout
                pipes.write(process.stdin, sent)
                return pipes.read(process.stdout)
            except (OSError, EOFError):
                codes.append(self.end())
        raise WorkerLost(
            f"{TRIES} worker processes died during a job (exit codes {', '.join(map(str, codes))}; -9 often means lack "
            "of memory)."
        )

    def _begun(self) -> subprocess.Popen[bytes]:
        """Return a process that is ready for a job."""
        codes: list[int] = []
        while self._process is None:
            if len(codes) == TRIES or self._start.trouble:
                raise self._start.failed(codes) if codes else WorkerLost(f"{self._start.trouble}.")
            with self._lock:
                if self._killed:
                    raise WorkerLost("a job was cancelled before it finished.")
                self._process = self._start()
            try:
                assert self._process.stdout
                pipes.read(self._process.stdout)
            except (OSError, EOFError):
                codes.append(self.end())
        return self._process

    def end(self) -> int:
        """Let the process end, its job done; return its exit code."""
        with self._lock:
            process, self._process = self._process, None
        if process is None:
            return 0
        for pipe in (process.stdin, process.stdout):
            assert pipe
            with suppress(OSError):
                pipe.close()
        return process.wait()
