"""Rows in a folder of Parquet files, each written whole.

    _study.json                what the study is, how it was made, units of the columns
    rows-0-000001.parquet      rows, a file for every chunk that came
    rows-1-000001.parquet      many such files, merged

A row is in no file, or whole in at least one; a file that is being written has another name until it is complete. One
process writes at a time, the others are refused while it lives.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from lissom.errors import InputError, ModelError
from lissom.formats.files import check_folder, write_whole
from lissom.formats.records.parquet import write_parquet
from lissom.studies.plan.description import AbstractStudy
from lissom.studies.plan.design import Columns
from lissom.studies.rows.block import FAILED, Block, joined
from lissom.studies.store.about import ABOUT, read_about, refuse_other, write_about
from lissom.studies.store.memory import Memory
from lissom.studies.store.parts import parts, pyarrow, read_part, read_table, refuse_beyond, rows_in
from lissom.studies.store.tables import as_table, in_order, merged

LOCK = "_lock"
MANY = 32  # files of one size that are merged into one
UNFINISHED = ".lissom-*"  # names that `write_whole` gives files until they are complete


class Folder(Memory):
    """Rows stored in a folder.

    The description is written with the first rows, so that a study that fails leaves nothing.
    """

    def __init__(self, path: str | os.PathLike[str], study: AbstractStudy):
        super().__init__(study)
        self.path = Path(path)
        if self.path.is_file() or (self.path.is_symlink() and not self.path.exists()):
            raise InputError(f"{self.path}: it is a file; expected a folder for the store.")
        check_folder(self.path)
        self._arrow = pyarrow()
        self._described = False
        self._replaces = False  # the folder still has the rows of an earlier study, which the first new rows replace
        self._next = 0

    @property
    def advice(self) -> str:  # type: ignore[override]
        """What can be done when rows are missing, to end a sentence."""
        return "; the store still has its earlier rows" if self._replaces else "; continue with resume=True (--resume)"

    @contextmanager
    def opened(self, resume: bool, overwrite: bool = False) -> Iterator[None]:
        """Open the folder, new, to resume or to overwrite, with exclusive access.

        To overwrite removes nothing yet: rows of an earlier study stay until the first new ones are written.
        """
        about = self.path / ABOUT
        self._refuse(resume, overwrite)
        try:
            self.path.mkdir(exist_ok=True)
            lock = _locked(self.path / LOCK)
        except OSError as error:
            raise ModelError(f"it cannot be written to ({error.strerror}).", file=str(self.path)) from None
        try:
            self._replaces = overwrite and about.is_file()
            self._look(about)
            yield
        finally:
            if not about.is_file():  # a study that did not begin leaves nothing
                with suppress(OSError):
                    (self.path / LOCK).unlink()
                    self.path.rmdir()
            os.close(lock)

    def _refuse(self, resume: bool, overwrite: bool) -> None:
        """Raise an error for a folder of something else, or of rows that nobody wants to continue or replace."""
        begun = (self.path / ABOUT).is_file()
        if self.path.exists() and not begun and any(not _own(path) for path in self.path.iterdir()):
            raise InputError(f"{self.path}: it has files that are not of a study; use an empty or a new folder.")
        if begun and not (resume or overwrite):
            raise InputError(
                f"{self.path}: it already has {len(rows_in(self.path))} rows of a study. Continue with resume=True "
                "(--resume), or replace them with overwrite=True (--overwrite)."
            )
        if begun:
            read_about(self.path)

    def _look(self, about: Path) -> None:
        """Read the settings of an earlier run, and remove unfinished files."""
        for leftover in self.path.glob(UNFINISHED):
            with suppress(OSError):
                leftover.unlink()
        self._next = 1 + max((n for _, n in parts(self.path).values()), default=0)
        if about.is_file() and not self._replaces:
            stored = read_about(self.path)
            refuse_other(self.path, stored, self.study)
            self.settings, self._described = stored["settings"], True

    def _describe(self) -> None:
        write_about(self.path, self.study, self.settings)
        self._described = True

    def _replace(self) -> None:
        """Remove the rows of an earlier study, then replace its description.

        A crash between leaves the earlier study with fewer rows, never rows of one study beside another's description.
        """
        for path in parts(self.path):
            path.unlink()
        self._describe()
        self._replaces = False

    def missing(self, failed: bool = False) -> NDArray[np.int64]:
        """Return the rows that are not evaluated yet, in order; with `failed` also those that failed."""
        if self._replaces:
            return super().missing()
        rows, there = rows_in(self.path), np.zeros(self.study.rows, bool)
        refuse_beyond(self.path, rows, self.study.rows)
        there[rows] = True
        if failed:
            table = self.table()
            there[table["row"][table["outcome"] == FAILED]] = False
        return np.flatnonzero(~there).astype(np.int64)

    def add(self, blocks: Sequence[Block]) -> None:
        """Write rows to disk."""
        if not self._described and not self._replaces:
            self._describe()
        self._write(0, as_table(self.study, joined(blocks)))

    def _write(self, tier: int, table: Columns) -> None:
        def write(place: Path) -> None:
            write_parquet(self._arrow, place, table)
            if self._replaces:  # only now, with new rows complete on the disk but for their name
                self._replace()

        write_whole(self.path / f"rows-{tier}-{self._next:06d}.parquet", write)
        self._next += 1
        same_size = sorted(path for path, (t, _) in parts(self.path).items() if t == tier)
        if len(same_size) >= MANY:
            self._write(tier + 1, merged([read_part(path) for path in same_size]))
            for path in same_size:  # what is lost between is there twice, which readers know
                path.unlink()

    def table(self) -> Columns:
        """Return the columns of all rows that are there, in their order."""
        empty = as_table(self.study, joined([]))
        return in_order(empty) if self._replaces else read_table(self.path, empty)


def _own(path: Path) -> bool:
    """Whether a file was left by a process that ended before its first row."""
    return path.name == LOCK or path.match(UNFINISHED)


def _lock(handle: int) -> None:
    """Lock an open file; raises OSError where another process has it."""
    if sys.platform == "win32":
        import msvcrt

        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
    else:
        import fcntl

        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _locked(path: Path) -> int:
    """Open and lock a file, which this process alone holds until it closes it, or ends."""
    handle = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o644)
    try:
        _lock(handle)
    except OSError:
        os.close(handle)
        raise InputError(f"{path.parent}: another process is writing to it; wait until it has finished.") from None
    return handle
