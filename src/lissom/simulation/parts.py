"""Storage of ensembles in blocks, so that a simulation can be resumed: a folder with one file per finished block.

The folder also has a fingerprint of the simulation, so that runs of different simulations are not mixed.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from lissom.errors import InputError, ModelError, shown
from lissom.formats.files import write_text
from lissom.formats.identity import identity
from lissom.formats.kinds import read_instead
from lissom.simulation.closed_loop import ClosedLoop
from lissom.simulation.events import Event
from lissom.simulation.files import load_run
from lissom.simulation.options import Options
from lissom.simulation.outcome import RunOutcome
from lissom.simulation.run import Run
from lissom.simulation.setup import Start
from lissom.simulation.signals import Steady

PLAN = "plan.txt"


class Store:
    """A folder with blocks of runs."""

    def __init__(self, folder: Path, size: int, resume: bool):
        self.folder, self.size, self.resume = folder, size, resume

    @classmethod
    def of(cls, save: Any, every: Any, resume: bool, begin: Start) -> Store | None:
        """Return the store that the arguments of `simulate` request, or None."""
        if every is None:
            if resume:
                raise InputError("simulate: resume needs the same save and save_every as the first call.")
            return None
        if save is None:
            raise InputError("simulate: save_every needs save, the file in which all runs are finally stored.")
        if isinstance(every, bool) or not isinstance(every, int | np.integer) or every < 1:
            raise InputError(f"simulate: save_every is {shown(every)}; expected a whole number of runs, at least 1.")
        if begin.single:
            raise InputError(
                "simulate: save_every needs an ensemble of runs, and this is a single run. Use save alone."
            )
        return cls(folder_of(save), int(every), bool(resume))

    def open(self, loop: ClosedLoop, begin: Start, options: Options, events: Sequence[Event]) -> None:
        """Make the folder, or check that it belongs to the same simulation."""
        print_, unseen = fingerprint(loop, begin, options, events, self.size)
        plan = self.folder / PLAN
        if self.folder.exists() and any(self.folder.iterdir()):
            if not self.resume:
                raise InputError(
                    f"simulate: {self.folder} has runs of an earlier simulation; continue with resume=True, or remove "
                    "the folder."
                )
            if unseen:
                raise InputError(
                    f"simulate: {self.folder} cannot be resumed: the content of {', '.join(unseen)} cannot be "
                    "compared, so it is unknown whether this is the same simulation. Remove the folder and start "
                    "again, or let the functions use numbers, arrays and plain objects only."
                )
            if not plan.is_file() or plan.read_text(encoding="utf-8").strip() != print_:
                raise InputError(
                    f"simulate: {self.folder} belongs to a different simulation: the arm, options, states, gains, "
                    "functions, or values that functions use differ. Remove the folder, or repeat the first call."
                )
            return
        try:
            self.folder.mkdir(exist_ok=True)
        except OSError as error:
            raise ModelError(f"the folder cannot be created ({error.strerror}).", file=str(self.folder)) from None
        write_text(plan, print_ + "\n")

    def blocks(self, count: int) -> Iterator[tuple[int, slice]]:
        """Yield the number and the runs of every block."""
        for k, start in enumerate(range(0, count, self.size)):
            yield k, slice(start, min(start + self.size, count))

    def _file(self, k: int) -> Path:
        return self.folder / f"part-{k:06d}.nc"

    def finished(self, k: int) -> Run | None:
        """Return a block that is already stored, or None."""
        return load_run(self._file(k)) if self.resume and self._file(k).is_file() else None

    def keep(self, k: int, run: Run) -> None:
        """Write a block."""
        run.save(self._file(k))

    def remove(self) -> None:
        """Remove the folder, when all runs are saved in one file."""
        shutil.rmtree(self.folder)


def folder_of(save: str | os.PathLike[str]) -> Path:
    """Return the folder for the parts of a file."""
    return Path(f"{os.fspath(save)}.parts")


def fingerprint(
    loop: ClosedLoop, begin: Start, options: Options, events: Sequence[Event], size: int
) -> tuple[str, tuple[str, ...]]:
    """Return a hash of everything that results depend on, and the names of objects that cannot be hashed.

    Functions of the user enter by their code and by the values that they use (see `lissom.formats.identity`).
    """
    total = hashlib.sha256(f"{loop.key}|{loop.described.digest}|{options._replace(threads=None)}|{size}".encode())
    functions = [getattr(loop.feedback, "source", None)]
    for event in events:
        place = getattr(event, "place", None)
        total.update(repr((event.name, event.direction, event.stop, place)).encode())
        functions += [event.function] if place is None else []
    for array in (begin.states, loop.inputs.steady(len(begin.states))):
        total.update(np.ascontiguousarray(array).tobytes())
    for name, signal in loop.inputs.signals:
        total.update(name.encode())
        if isinstance(signal.value, Steady):
            total.update(signal.value.profile.content)
        elif signal.varies:
            functions.append(signal.value.source)
    found = identity(functions)
    total.update(json.dumps(found.content, sort_keys=True).encode())
    return total.hexdigest(), found.unseen


def load_parts(folder: Path) -> Run:
    """Return the finished runs of an interrupted simulation."""
    files = sorted(folder.glob("part-*.nc"))
    if not files:
        raise ModelError(f"it has no finished runs.{read_instead(folder)}", file=str(folder))
    runs = [load_run(file) for file in files]
    for file, run in zip(files, runs, strict=True):
        if run.count is None or run.arm != runs[0].arm or not np.array_equal(run.t, runs[0].t, equal_nan=True):
            raise ModelError("it belongs to a different simulation than the other parts.", file=str(file))
    run = joined(runs)
    status = f"interrupted: {len(run.q)} finished runs of an interrupted simulation"
    return replace(run, status=status, ok=False, interrupted=True)


def joined(runs: Sequence[Run]) -> Run:
    """Join blocks of runs into one ensemble."""
    if len(runs) == 1:
        return runs[0]
    starts = np.cumsum([0, *(len(run.q) for run in runs)])
    arrays: dict[str, Any] = {word: np.concatenate([getattr(run, word) for run in runs]) for word in runs[0].over_time}
    events = tuple(e._replace(run=e.run + int(s)) for run, s in zip(runs, starts, strict=False) for e in run.events)
    failures = {k + int(s): why for run, s in zip(runs, starts, strict=False) for k, why in run.failures.items()}
    reports = [run.report for run in runs]
    notes = tuple(dict.fromkeys(note for report in reports for note in report.notes))
    report = replace(
        reports[0], notes=notes, steps=max(r.steps for r in reports), evaluations=sum(r.evaluations for r in reports),
        wall=sum(r.wall for r in reports), cpu=sum(r.cpu for r in reports),
    )  # fmt: skip
    bad = [run for run in runs if not run.ok]
    outcomes = tuple(outcome for run in runs for outcome in run.outcomes)
    status = runs[0].status if not bad else f"in {len(bad)} of {len(runs)} blocks: {bad[0].status}"
    if failures:
        first = min(failures)
        status = f"{len(failures)} of {int(starts[-1])} runs failed; run {first}: {failures[first]}"
    elif not bad and RunOutcome.STOPPED in outcomes:
        status = f"done; {outcomes.count(RunOutcome.STOPPED)} of {int(starts[-1])} runs were stopped by events"
    ok = all(run.ok for run in runs)
    arms = None if runs[0].arms is None else [arm for run in runs for arm in run.arms or ()]
    return replace(
        runs[0], **arrays, arms=arms, events=events, failures=failures, report=report, status=status, ok=ok,
        outcomes=outcomes,
    )  # fmt: skip
