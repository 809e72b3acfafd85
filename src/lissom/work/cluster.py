"""A cluster of dask.distributed, named by the address of its scheduler.

A worker does one job of ours at a time, however many threads it has (solvers hold global state), and the kernels of
that job use the threads. Jobs of a worker that dies are done by another; after a broken connection they are handed in
again. Jobs are bytes and a function that needs lissom on the workers only, not on the scheduler.
"""

from __future__ import annotations

import asyncio
import logging
import os
import platform
import threading
import time
import warnings
from collections.abc import Callable
from concurrent.futures import CancelledError, Future, wait as wait_for_all
from contextlib import suppress
from typing import Any

from lissom.cores import THREADS
from lissom.errors import InputError, WorkerLost, install_extra
from lissom.versions import versions
from lissom.work.jobs import answer, opened, packed
from lissom.work.loop import Loop
from lissom.work.workplace import Workplace

REACH = 10.0  # seconds to reach the scheduler, and to reach it again; and for the first worker
PATIENCE = 60.0  # seconds without a worker, or without an answer
LOOK = 1.0  # seconds between looks at the cluster
TRIES = 3  # connections that may break during a job
SAME = ("lissom", "numpy", "scipy", "casadi", "llvmlite")  # versions that this process and the workers must share


class Cluster(Workplace):
    """The workers of a scheduler.

    ``shutdown(wait=False)`` leaves the cluster at once; what its workers have begun they end, for nobody.
    """

    def __init__(self, address: str):
        _hush()
        self._address, self._count, self._trouble, self._closed = address, 0, "", False
        self._tasks: set[asyncio.Task[Any]] = set()
        self._futures: set[Future[Any]] = set()
        self._client: Any = None
        self._loop = Loop()
        try:
            self._loop.begin(self._reach()).result()
            self._loop.begin(self._refuse_unlike()).result()
        except BaseException:
            self._leave()
            raise
        self._loop.begin(self._watch())

    @property
    def count(self) -> int:
        """Jobs at once: one for each worker."""
        return max(1, self._count)

    @property
    def place(self) -> str:
        """Description of the place for messages."""
        return f"cluster at {self._address}"

    @property
    def trouble(self) -> str:
        """Why no answers are expected any more; empty while they are."""
        return self._trouble

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Submit a job and return its future."""
        if self._closed:
            raise RuntimeError("cannot schedule new futures after shutdown")
        future = self._loop.begin(self._answered(packed(fn, args, kwargs)))
        self._futures.add(future)
        future.add_done_callback(self._futures.discard)
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Leave the cluster, which goes on without us."""
        if self._closed:
            return
        self._closed = True
        try:
            if wait and not cancel_futures:
                wait_for_all(list(self._futures))
        finally:
            self._leave()

    def _leave(self) -> None:
        rest = list(self._futures)
        for future in rest:
            future.cancel()
        wait_for_all(rest, timeout=REACH)
        self._loop.begin(self._goodbye()).result()
        self._loop.end()

    # ---- on the loop ----------------------------------------------------------------------------------

    async def _reach(self) -> None:
        from distributed import Client
        from distributed.versions import VersionMismatchWarning

        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", VersionMismatchWarning)  # those that matter are refused
                self._client = Client(self._address, timeout=REACH, asynchronous=True, set_as_default=False)
                await self._client
        except (OSError, ValueError, TypeError, RuntimeError, ImportError) as error:
            reason = str(error).splitlines()[0] if str(error) else type(error).__name__
            raise InputError(
                f"there is no scheduler at {self._address!r} ({reason.rstrip('.')}). Give the address that "
                "`dask scheduler` prints, such as tcp://127.0.0.1:8786."
            ) from None

    async def _goodbye(self) -> None:
        if self._client is not None:
            with suppress(OSError):  # a scheduler that does not answer
                await asyncio.wait_for(self._client.close(), REACH)

    async def _answered(self, job: bytes) -> Any:
        """Return what a job gave, or raise what it raised."""
        task: Any = asyncio.current_task()
        self._tasks.add(task)
        try:
            if self._trouble:
                raise WorkerLost(f"{self._trouble}.")
            result, error = opened(await self._asked(job))
        except asyncio.CancelledError:
            if self._trouble:
                raise WorkerLost(f"{self._trouble}.") from None
            raise
        finally:
            self._tasks.discard(task)
        if error is not None:
            raise error
        return result

    async def _asked(self, job: bytes) -> bytes:
        """Return the answer to a job; what a broken connection takes with it is asked again."""
        import dask
        from distributed import KilledWorker

        for _ in range(TRIES):
            try:
                with dask.config.set({"distributed.admin.large-graph-warning-threshold": "1PB"}):  # jobs may be large
                    future = self._client.submit(CARRIER, job, _same(), pure=False)
                return bytes(await self._client.gather(future))
            except KilledWorker as error:
                raise WorkerLost(
                    f"{error.allowed_failures + 1} workers died during a job, the last at "
                    f"{error.last_worker.address}; a common cause is lack of memory."
                ) from None
            except (CancelledError, OSError):
                while self._client.status == "connecting":
                    await asyncio.sleep(0.1)
                if self._client.status != "running":
                    raise self._lost() from None
        raise WorkerLost(f"the connection to the scheduler at {self._address} was lost {TRIES} times during a job.")

    def _lost(self) -> WorkerLost:
        self._trouble = self._trouble or f"the connection to the scheduler at {self._address} is lost"
        return WorkerLost(f"{self._trouble}.")

    async def _watch(self) -> None:
        """Look whether answers may still come; where they may not, end the waiting."""
        well = time.monotonic()
        while not self._trouble:
            await asyncio.sleep(LOOK)
            silent = True
            with suppress(OSError, AttributeError):  # it is being closed
                self._count = len(await asyncio.wait_for(self._client.scheduler.ncores(), REACH))
                silent = False
            if self._count and not silent:
                well = time.monotonic()
            if self._client.status in ("closing", "closed"):
                self._lost()
            elif time.monotonic() - well > PATIENCE:
                what = "has not answered" if silent else "has had no workers"
                self._trouble = f"the scheduler at {self._address} {what} for {PATIENCE:.0f} s"
        for task in list(self._tasks):
            task.cancel()

    async def _refuse_unlike(self) -> None:
        """Refuse workers with other versions of packages, whose numbers may differ."""
        try:
            await self._client.wait_for_workers(1, timeout=REACH)
        except OSError:
            raise InputError(
                f"the scheduler at {self._address} has no workers. Start some: dask worker {self._address} --nthreads 1"
            ) from None
        try:
            theirs = await asyncio.wait_for(self._versions(), REACH)
        except OSError:
            raise InputError(f"workers of the scheduler at {self._address} did not answer in {REACH:.0f} s.") from None
        self._count = len(theirs)
        for worker, found in theirs.items():
            if not isinstance(found, dict):
                raise InputError(
                    f"worker {worker} of the cluster cannot use lissom ({found}). Install lissom "
                    f"{versions()['lissom']} there."
                )
            _refuse(worker, found, _same())

    async def _versions(self) -> dict[str, Any]:
        """Return the versions of every worker; that of Python first: functions of another one cannot be read."""
        for worker, found in (await self._client.get_versions())["workers"].items():
            own = {"python": _minor(platform.python_version())}
            _refuse(worker, {"python": _minor(found["host"]["python"])}, own)
        return dict(await self._client.run(ASKER, on_error="return"))


def _minor(version: str) -> str:
    return ".".join(version.split(".")[:2])


def _same() -> dict[str, str]:
    """Versions of this process that workers must have too."""
    return {word: version for word, version in versions().items() if word in SAME}


def _refuse(worker: str, theirs: dict[str, str], own: dict[str, str]) -> None:
    for word, version in own.items():
        found = theirs.get(word, "not at all")
        if found != version:
            raise InputError(
                f"worker {worker} of the cluster has {word} {found}, this process has {version}; results could differ. "
                "Install the same versions everywhere."
            )


def _hush() -> None:
    """Keep logs and tracebacks of lost connections off the user's terminal; errors say what matters."""
    try:
        import distributed  # noqa: F401  it makes its loggers
    except ImportError:
        raise InputError(f"a scheduler needs dask.distributed: {install_extra('cluster')}.") from None
    for name in list(logging.root.manager.loggerDict):
        if name.split(".")[0] == "distributed":
            logging.getLogger(name).setLevel(logging.CRITICAL)
    logging.getLogger("tornado.application").addFilter(_not_of_cluster)


def _not_of_cluster(record: logging.LogRecord) -> bool:
    kind = record.exc_info[0] if record.exc_info else None
    return kind is None or not kind.__module__.startswith("distributed")


# ---- on the workers ------------------------------------------------------------------------------

_alone = threading.Lock()


def alone(job: bytes, versions: dict[str, str]) -> bytes:
    """One job at a time, with the threads of the worker, which may have come later and have other versions."""
    from distributed import get_worker

    worker = get_worker()
    _refuse(worker.address, _same(), versions)
    with _alone:
        os.environ[THREADS] = str(worker.state.nthreads)
        return answer(job)


def _by_value() -> tuple[Callable[[bytes, dict[str, str]], bytes], Callable[[], Any]]:
    """Functions that are sent as they are: a scheduler that reads them need not have lissom."""

    def lissom_job(job: bytes, versions: dict[str, str]) -> bytes:
        from lissom.work.cluster import alone

        return alone(job, versions)

    def lissom_versions() -> Any:
        try:
            from lissom.versions import versions
            from lissom.work.cluster import alone  # noqa: F401  an older one may have none
        except Exception as error:
            return f"{type(error).__name__}: {error}"
        return versions()

    return lissom_job, lissom_versions


CARRIER, ASKER = _by_value()
