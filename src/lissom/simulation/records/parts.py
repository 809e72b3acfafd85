"""Storage of ensembles in blocks, so that a simulation can be resumed: a folder with one file per finished block.

The folder also has a fingerprint of the simulation, so that runs of different simulations are not mixed.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from lissom.errors import InputError, ModelError, shown
from lissom.formats.files import write_text
from lissom.formats.fingerprint import Fingerprint, fingerprint
from lissom.simulation.events import Event
from lissom.simulation.files import load_run
from lissom.simulation.loop.closed_loop import ClosedLoop
from lissom.simulation.options import Options
from lissom.simulation.run import Run
from lissom.simulation.setup import Start
from lissom.simulation.signals import Steady
from lissom.versions import versions

PLAN = "plan.txt"


class Store:
    """A folder with blocks of runs."""

    def __init__(self, folder: Path, size: int, resume: bool):
        self.folder, self.size, self.resume = folder, size, resume

    @classmethod
    def of(cls, options: Options, begin: Start) -> Store | None:
        """Return the store that the options of `simulate` request, or None."""
        save, every, resume = options.save, options.save_every, options.resume
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

    def open(self, loop: ClosedLoop, begin: Start, options: Mapping[str, Any], events: Sequence[Event]) -> None:
        """Make the folder, or check that it belongs to the same simulation."""
        own = fingerprint_of(loop, begin, options, events, self.size)
        plan = self.folder / PLAN
        if self.folder.exists() and any(self.folder.iterdir()):
            if not self.resume:
                raise InputError(
                    f"simulate: {self.folder} has runs of an earlier simulation; continue with resume=True, or remove "
                    "the folder."
                )
            own.refuse_unseen(f"simulate: {self.folder}", "simulation", "Remove the folder and start again")
            if not plan.is_file() or plan.read_text(encoding="utf-8").strip() != own.digest:
                raise InputError(
                    f"simulate: {self.folder} belongs to a different simulation: the arm, options, states, gains, "
                    "functions, or values that functions use differ, or versions of packages. Remove the folder, or "
                    "repeat the first call."
                )
            return
        try:
            self.folder.mkdir(exist_ok=True)
        except OSError as error:
            raise ModelError(f"the folder cannot be created ({error.strerror}).", file=str(self.folder)) from None
        write_text(plan, own.digest + "\n")

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


def fingerprint_of(
    loop: ClosedLoop, begin: Start, options: Mapping[str, Any], events: Sequence[Event], size: int
) -> Fingerprint:
    """Return the fingerprint of everything that results depend on."""
    numbers = {word: value for word, value in options.items() if word != "threads"}
    parts: list[Any] = [
        versions(),
        loop.key,
        loop.described.digest,
        numbers,
        size,
        getattr(loop.feedback, "source", None),
        None if loop.sampler is None else loop.sampler.content,
    ]
    for event in events:
        place = getattr(event, "place", None)
        parts.append((event.name, event.direction, event.stop, event.function if place is None else repr(place)))
    parts += [begin.states, loop.inputs.steady(len(begin.states))]
    for name, signal in loop.inputs.signals:
        steady = isinstance(signal.value, Steady)
        source = signal.value.profile.content if steady else signal.value.source if signal.varies else None
        parts.append((name, source))
    return fingerprint(*parts)
