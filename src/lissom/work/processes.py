"""Worker processes on this machine.

They are fresh interpreters, not copies of this one (which may have threads and compiled code), and do not load its
main module, so scripts need no ``if __name__ == "__main__":``. A process that dies takes its job with it: a fresh one
gets the job again, and only a job that ends several processes is given up. Where this process ends, however it
does, the pipes close, and the others end too.
"""

from __future__ import annotations

import os
import queue
import subprocess
import sys
import threading
import weakref
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from typing import Any

from lissom.cores import THREADS
from lissom.errors import InputError, WorkerLost
from lissom.work import pipes
from lissom.work.jobs import opened, packed
from lissom.work.workplace import Workplace

TRIES = 3  # processes that a job may end, or that may end before they begin
SERVE = "from lissom.work.serve import serve; serve()"
# one thread in each: there is a process for every core
ONE_THREAD = dict.fromkeys((THREADS, "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")

Job = tuple["Future[Any]", bytes]


class Processes(Workplace):
    """`count` processes, begun when there is work for them, with the path and folder that this one has now.

    ``shutdown(wait=False, cancel_futures=True)`` ends them at once, whatever they do.
    """

    def __init__(self, count: int):
        self._count = int(count)
        self._owner, self._closed = os.getpid(), False
        self._jobs: queue.SimpleQueue[Job | None] = queue.SimpleQueue()
        self._start = _Start()
        self._crew: list[_Worker] = []
        self._lock = threading.Lock()
        weakref.finalize(self, _let_go, self._jobs, self._crew)

    @property
    def count(self) -> int:
        """Number of jobs that run at once."""
        return self._count

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
        future: Future[Any] = Future()
        job = future, packed(fn, args, kwargs)
        with self._lock:
            if self._closed:
                raise RuntimeError("cannot schedule new futures after shutdown")
            self._jobs.put(job)
            if len(self._crew) < self.count:
                self._crew.append(_Worker(self._jobs, self._start))
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """End the processes when their jobs are done, or at once."""
        with self._lock:
            self._closed = True
            if cancel_futures:
                self._cancel()
            _let_go(self._jobs, self._crew)
        if wait:
            try:
                for worker in self._crew:
                    worker.join()
            except BaseException:  # Ctrl-C
                self.shutdown(wait=False, cancel_futures=True)
                raise
        elif cancel_futures:
            for worker in self._crew:
                worker.kill()
            for worker in self._crew:
                worker.join()

    def _cancel(self) -> None:
        """Cancel the jobs that no process has started."""
        with suppress(queue.Empty):
            while True:
                job = self._jobs.get_nowait()
                if job is not None and job[0].cancel():
                    job[0].set_running_or_notify_cancel()


def _let_go(jobs: queue.SimpleQueue[Job | None], crew: list[_Worker]) -> None:
    """Let them end when all is done: nobody can ask them any more."""
    for _ in crew:
        jobs.put(None)


class _Start:
    """How processes begin."""

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
            start_new_session=True,  # Ctrl-C is for this process
        )  # fmt: skip

    def failed(self, codes: list[int]) -> WorkerLost:
        """None of several processes began."""
        listed = ", ".join(map(str, codes))
        self.trouble = f"worker processes of {sys.executable} exit while starting (exit codes {listed})"
        return WorkerLost(f"{self.trouble}.")


class _Worker:
    """One process after the other, each with one job at a time; a thread of this process looks after them.

    Processes are begun by that thread: on Linux they end with it.
    """

    def __init__(self, jobs: queue.SimpleQueue[Job | None], start: _Start) -> None:
        self._jobs, self._start = jobs, start
        self._process: subprocess.Popen[bytes] | None = None
        self._killed = False
        self._lock = threading.Lock()  # a process must not begin after all were ended
        self._thread = threading.Thread(target=self._work, name="lissom-worker", daemon=True)
        self._thread.start()

    def join(self) -> None:
        """Until its process has ended."""
        self._thread.join()

    def kill(self) -> None:
        """At once, in the middle of its job."""
        with self._lock:
            self._killed = True
            if self._process is not None:
                self._process.kill()

    def _work(self) -> None:
        while (job := self._jobs.get()) is not None:
            self._do(*job)
            del job  # it must not live on while this waits
        self._end()

    def _do(self, future: Future[Any], sent: bytes) -> None:
        if not future.set_running_or_notify_cancel():
            return
        try:
            result, error = opened(self._asked(sent))
        except Exception as lost:
            error = lost
        if error is None:
            future.set_result(result)
        else:
            future.set_exception(error)

    def _asked(self, sent: bytes) -> bytes:
        """The answer to a job; a process that dies is followed by another."""
        codes: list[int] = []
        while len(codes) < TRIES:
            process = self._begun()
            try:
                assert process.stdin
                assert process.stdout
                pipes.write(process.stdin, sent)
                return pipes.read(process.stdout)
            except (OSError, EOFError):
                codes.append(self._end())
        raise WorkerLost(
            f"{TRIES} worker processes died during a job (exit codes {', '.join(map(str, codes))}; -9 often means lack "
            "of memory)."
        )

    def _begun(self) -> subprocess.Popen[bytes]:
        """A process that is ready for a job."""
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
                codes.append(self._end())
        return self._process

    def _end(self) -> int:
        """Let it end, its job done."""
        with self._lock:
            process, self._process = self._process, None
        if process is None:
            return 0
        for pipe in (process.stdin, process.stdout):
            assert pipe
            with suppress(OSError):
                pipe.close()
        return process.wait()
