"""Running a study: rows are sent out in chunks, return in any order, and are stored at once."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import ExitStack, suppress
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lissom.cores import cores
from lissom.errors import InputError, NoSuchOutput, StudyError, WorkerLost
from lissom.progress import Reporter, bar, reporter
from lissom.studies.chunks import Chunks
from lissom.studies.outcome import StudyOutcome
from lissom.studies.plan.description import AbstractStudy
from lissom.studies.plan.design import Columns
from lissom.studies.result import StudyResult, result_of
from lissom.studies.rows.block import FAILED, Block, Row
from lissom.studies.rows.evaluation import Evaluation, settings_of
from lissom.studies.rows.sending import Sent, received
from lissom.studies.store.folder import Folder
from lissom.studies.store.memory import Memory
from lissom.work.choose import executor
from lissom.work.here import Here
from lissom.work.processes import Processes
from lissom.work.workplace import Workplace

VERB = "Study.run"
PATIENCE = 0.5  # seconds between looks at whether answers may still come
AHEAD = 1  # chunks that wait beside those that are worked on
WORTH = 6.0  # seconds of work that other processes are worth, which take a second or two to begin


class Answer(NamedTuple):
    """The answer of a worker: blocks of rows, and how long they took [s]."""

    blocks: list[Block]
    seconds: float


def run(
    study: AbstractStudy,
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
        anywhere = workers is None and scheduler is None
        place = _place(1 if anywhere else workers, scheduler, stack)
        if not isinstance(place, Here):
            Sent.of(study, {})
        stack.enter_context(rows.opened(resume or retry, overwrite))
        if rows.settings is None:
            rows.settings = settings_of(study)
        call = lambda done: progress(done, study.rows)  # noqa: E731
        show = stack.enter_context(
            reporter(progress, partial(bar, "evaluating", study.rows, "rows"), call, VERB, "f(done, total)")
        )
        return _Sweep(study, rows, place, show, stack if anywhere else None).do(rows.missing(retry))


def _place(workers: int | None, scheduler: str | None, stack: ExitStack) -> Workplace:
    """Return where rows are evaluated, open until the stack unwinds."""
    place = executor(workers, scheduler, VERB)
    stack.callback(place.shutdown, wait=False, cancel_futures=True)
    return place


class _Sweep:
    """One pass over the rows that are missing; with a stack, it may move on to several processes."""

    def __init__(
        self, study: AbstractStudy, rows: Memory, place: Workplace, show: Reporter, stack: ExitStack | None
    ) -> None:
        self.study, self.rows, self.show, self._stack = study, rows, show, stack
        self.settings = rows.settings or {}
        self.place, self.job = place, self._job(place)
        self.done, self.fresh, self.evaluating = 0, 0, 0.0
        self.began = time.perf_counter()
        self.under_way: dict[Future[Answer], NDArray[np.int64]] = {}

    def _job(self, place: Workplace) -> Callable[..., Answer]:
        """Return the function that evaluates rows: the study itself in this process, packed in others."""
        if isinstance(place, Here):
            return partial(answered, Evaluation(self.study, self.settings))
        sent = Sent.of(self.study, self.settings)
        for _ in range(place.count if isinstance(place, Processes) else 0):
            place.submit(prepare, sent)  # all begin at once, not when the first row is done
        return partial(evaluate_rows, sent)

    def do(self, missing: NDArray[np.int64]) -> StudyResult:
        self.done = self.study.rows - len(missing)
        self.show(self.done)
        try:
            self._all(Chunks(missing))
        except KeyboardInterrupt:
            return self._result(StudyOutcome.INTERRUPTED, f"interrupted: {self._so_far()}")
        return self._result()

    def _result(self, outcome: StudyOutcome | None = None, status: str = "") -> StudyResult:
        effort = {
            "seconds": time.perf_counter() - self.began, "evaluating": self.evaluating, "rows": self.fresh,
            "place": self.place.place,
        }  # fmt: skip
        return result_of(self.study, self.rows.table(), self.settings, effort, outcome, status)

    def _so_far(self) -> str:
        return f"{self.done} of {self.study.rows} rows are evaluated{self.rows.advice}"

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
        most = self.place.count + AHEAD if self.done else 1
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
                self._keep([Block.of(rows, [Row({}, FAILED, f"{name}{error}")])])
            return
        if error is not None:
            raise error
        answer = future.result()
        chunks.done(rows, answer.seconds)
        self.evaluating += answer.seconds
        self._keep(answer.blocks)

    def _deserted(self) -> StudyError:
        """Return the error for workers that do not answer any more."""
        result = self._result(StudyOutcome.WORKERS_LOST, self.place.trouble)
        return StudyError(f"{VERB}: {self.place.trouble}. {self._so_far()}.", result)

    def _keep(self, blocks: list[Block]) -> None:
        self.rows.add(blocks)
        count = sum(len(block.rows) for block in blocks)
        self.fresh, self.done = self.fresh + count, self.done + count
        self.show(self.done)

    def _move(self, chunks: Chunks) -> None:
        """Move from this process to several, if neither workers nor scheduler was given and enough work is left."""
        if self._stack is None or not chunks or chunks.left * chunks.pace < WORTH or cores() == 1:
            return
        stack, self._stack = self._stack, None
        with suppress(InputError):  # what cannot be sent elsewhere is done here
            Sent.of(self.study, self.settings)
            self.place = _place(min(cores(), chunks.left), None, stack)
            self.job = self._job(self.place)


# ---- where the work is done ----------------------------------------------------------------------


def answered(evaluation: Evaluation, rows: NDArray[np.int64], values: Columns) -> Answer:
    """Evaluate rows of a study and measure the time."""
    began = time.perf_counter()
    blocks = evaluation(rows, values)
    return Answer(blocks, time.perf_counter() - began)


def evaluate_rows(sent: Sent, rows: NDArray[np.int64], values: Columns) -> Answer:
    """Evaluate rows in another process, in which the study is unpacked and compiled once."""
    return answered(received(sent), rows, values)


def prepare(sent: Sent) -> None:
    """Load what rows of a study need."""
    received(sent)
