"""Running a study: rows are sent out in chunks, return in any order, and are stored at once."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import ExitStack, contextmanager, suppress
from functools import lru_cache, partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lissom.cores import cores
from lissom.errors import InputError, StudyError, WorkerLost, shown
from lissom.studies.block import FAILED, Block
from lissom.studies.chunks import Chunks
from lissom.studies.described import packed, unpacked
from lissom.studies.design import Columns
from lissom.studies.evaluation import Evaluation
from lissom.studies.lanes import settings_of
from lissom.studies.output import NoSuchOutput
from lissom.studies.result import StudyResult, result_of
from lissom.studies.store import Folder, Memory
from lissom.studies.study import Study
from lissom.telling import bar
from lissom.work.choose import executor
from lissom.work.here import Here
from lissom.work.processes import Processes
from lissom.work.workplace import Workplace

VERB = "Study.run"
PATIENCE = 0.5  # seconds between looks at whether answers may still come
AHEAD = 1  # chunks that wait beside those that are worked on
WORTH = 6.0  # seconds of work that other processes are worth, which take a second or two to begin
Told = Callable[[int], object]


class Answer(NamedTuple):
    """The answer of a worker: blocks of rows, and how long they took [s]."""

    blocks: list[Block]
    seconds: float


def run(
    study: Study,
    store: Any,
    workers: int | None,
    scheduler: str | None,
    resume: bool,
    retry: bool,
    overwrite: bool,
    progress: Any,
) -> StudyResult:
    """See `Study.run`."""
    if overwrite and (resume or retry):
        raise InputError(f"{VERB}: overwrite and {'resume' if resume else 'retry'} exclude each other; give one.")
    if (resume or retry) and store is None:
        raise InputError(f"{VERB}: {'resume' if resume else 'retry'}=True needs store=, the folder to continue.")
    with ExitStack() as stack:
        # whatever may be wrong is found out before anything is written
        rows = Memory(study) if store is None else Folder(store, study)
        place = _place(1 if workers is None and scheduler is None else workers, scheduler, stack)
        if not isinstance(place, Here):
            packed(study, {})
        if isinstance(rows, Folder):
            stack.enter_context(rows.opened(resume or retry, overwrite))
        settings = rows.settings if isinstance(rows, Folder) and rows.settings is not None else settings_of(study)
        missing = rows.missing(retry)
        told = stack.enter_context(_telling(progress, study.rows))
        may_move = workers is None and scheduler is None
        return _Sweep(study, rows, settings, place, told, stack if may_move else None).do(missing)


def _place(workers: int | None, scheduler: str | None, stack: ExitStack) -> Workplace:
    """Return where rows are evaluated, open until the stack unwinds."""
    place = executor(workers, scheduler, VERB)
    stack.callback(place.shutdown, wait=False, cancel_futures=True)
    return place


class _Sweep:
    """One pass over the rows that are missing; with a stack, it may move on to several processes."""

    def __init__(
        self,
        study: Study,
        rows: Memory | Folder,
        settings: dict[str, Any],
        place: Workplace,
        told: Told,
        stack: ExitStack | None,
    ):
        self.study, self.rows, self.settings, self.told, self._stack = study, rows, settings, told, stack
        self.place, self.job = place, self._job(place)
        self.begun = isinstance(rows, Folder) and rows.settings is not None
        self.done, self.fresh, self.evaluating = 0, 0, 0.0
        self.began = time.perf_counter()
        self.under_way: dict[Future[Answer], NDArray[np.int64]] = {}

    def _job(self, place: Workplace) -> Callable[..., Answer]:
        """Return the function that evaluates rows: the study itself in this process, packed in others."""
        if isinstance(place, Here):
            return partial(answered, Evaluation(self.study, self.settings))
        sent = packed(self.study, self.settings)
        key = hashlib.sha256(sent).hexdigest()
        for _ in range(place.count if isinstance(place, Processes) else 0):
            place.submit(prepare, key, sent)  # all begin at once, not when the first row is done
        return partial(evaluate_rows, key, sent)

    def do(self, missing: NDArray[np.int64]) -> StudyResult:
        self.done = self.study.rows - len(missing)
        self.told(self.done)
        status = ""
        try:
            self._all(Chunks(missing))
        except KeyboardInterrupt:
            status = f"interrupted: {self.done} of {self.study.rows} rows are evaluated{self._further()}"
        return self._result(status)

    def _result(self, status: str) -> StudyResult:
        effort = {
            "seconds": time.perf_counter() - self.began, "evaluating": self.evaluating, "rows": self.fresh,
            "place": self.place.place,
        }  # fmt: skip
        return result_of(self.study, self.rows.table(), self.settings, status, effort)

    def _all(self, chunks: Chunks) -> None:
        while chunks or self.under_way:
            self._hand_out(chunks)
            ready, _ = wait(self.under_way, timeout=PATIENCE, return_when=FIRST_COMPLETED)
            if not ready and self.place.trouble:
                raise self._deserted()
            for future in ready:
                self._take(future, self.under_way.pop(future), chunks)
            self._move(chunks)

    def _hand_out(self, chunks: Chunks) -> None:
        """Keep all workers busy; the first row of a study is evaluated alone."""
        most = self.place.count + AHEAD if self.done or self.begun else 1
        while chunks and len(self.under_way) < most:
            rows = chunks.take(self.place.count)
            future = self.place.submit(self.job, rows, self.study.values(rows))
            self.under_way[future] = rows
            if future.done():  # it was done here and now: look at it before going on
                break

    def _take(self, future: Future[Answer], rows: NDArray[np.int64], chunks: Chunks) -> None:
        error = future.exception()
        if isinstance(error, NoSuchOutput) and not self.done:
            raise InputError(f"{VERB}: {error}") from None
        if isinstance(error, WorkerLost | MemoryError | NoSuchOutput):
            if self.place.trouble:  # it is not the rows' fault
                raise self._deserted()
            if not chunks.lost(rows):
                name = "" if isinstance(error, NoSuchOutput) else f"{type(error).__name__}: "
                self._keep([Block(rows, {}, [FAILED], [f"{name}{error}"])])
            return
        if error is not None:
            raise error
        answer = future.result()
        chunks.done(rows, answer.seconds)
        self.evaluating += answer.seconds
        self._keep(answer.blocks)

    def _deserted(self) -> StudyError:
        """Return the error for workers that do not answer any more."""
        done = f"{self.done} of {self.study.rows} rows are evaluated{self._further()}"
        return StudyError(f"{VERB}: {self.place.trouble}. {done}.", self._result(self.place.trouble))

    def _further(self) -> str:
        """What can be done with a store that is not complete, to end a sentence."""
        if not isinstance(self.rows, Folder):
            return ""
        if self.rows.replaces:
            return "; the store still has its earlier rows"
        return "; continue with resume=True (--resume)"

    def _keep(self, blocks: list[Block]) -> None:
        self._begin()
        self.rows.add(blocks)
        self.fresh += sum(len(block.rows) for block in blocks)
        self.done += sum(len(block.rows) for block in blocks)
        self.told(self.done)

    def _begin(self) -> None:
        """Write the description of the study when its first rows are done, so that a failing study leaves nothing."""
        if isinstance(self.rows, Folder) and not self.begun:
            self.rows.begin(self.settings)
        self.begun = True

    def _move(self, chunks: Chunks) -> None:
        """Move from this process to several, if neither workers nor scheduler was given and enough work is left."""
        if self._stack is None or not chunks or chunks.left * chunks.pace < WORTH or cores() == 1:
            return
        stack, self._stack = self._stack, None
        with suppress(InputError):  # what cannot be sent elsewhere is done here
            packed(self.study, self.settings)
            self.place = _place(min(cores(), chunks.left), None, stack)
            self.job = self._job(self.place)


@contextmanager
def _telling(progress: Any, total: int) -> Iterator[Told]:
    if progress is False or progress is None:
        yield lambda _done: None
    elif progress is True:
        with bar("evaluating", total, "rows") as told:
            yield told
    elif callable(progress):
        yield lambda done: progress(done, total)
    else:
        raise InputError(f"{VERB}: progress is {shown(progress)}; expected True, False or a function f(done, total).")


# ---- where the work is done ----------------------------------------------------------------------


def answered(evaluation: Evaluation, rows: NDArray[np.int64], values: Columns) -> Answer:
    """Evaluate rows of a study and measure the time."""
    began = time.perf_counter()
    blocks = evaluation(rows, values)
    return Answer(blocks, time.perf_counter() - began)


def evaluate_rows(key: str, sent: bytes, rows: NDArray[np.int64], values: Columns) -> Answer:
    """Evaluate rows in another process, in which the study is unpacked and compiled once."""
    return answered(_evaluation(key, sent), rows, values)


def prepare(key: str, sent: bytes) -> None:
    """Load what rows of a study need."""
    _evaluation(key, sent)


_received: dict[str, bytes] = {}


def _evaluation(key: str, sent: bytes) -> Evaluation:
    _received[key] = sent
    try:
        return _made(key)
    finally:
        del _received[key]


@lru_cache(maxsize=4)
def _made(key: str) -> Evaluation:
    return Evaluation(*unpacked(_received[key]))
