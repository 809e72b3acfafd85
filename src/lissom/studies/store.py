"""Where rows go as they come: a folder of Parquet files, each written whole, or memory.

    _study.json                what the study is, how it was made, units of the columns
    rows-0-000001.parquet      rows, a file for every chunk that came
    rows-1-000001.parquet      many such files, merged

A row is in no file, or whole in at least one; a file that is being written has another name until it is complete. One
process writes at a time, the others are refused while it lives.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TypedDict

import numpy as np
from numpy.typing import NDArray

from lissom.errors import InputError, ModelError, shown
from lissom.formats.files import Budget, read_bytes, write_text, write_whole
from lissom.formats.strict import refuse_unknown
from lissom.formats.typed import refuse_unfit
from lissom.studies.block import FAILED, Block, joined
from lissom.studies.design import Columns, seeds
from lissom.studies.study import Study

FORMAT = "lissom study 1"
ABOUT, LOCK = "_study.json", "_lock"  # readers of folders of Parquet files pass such names over
PART = re.compile(r"rows-(\d+)-(\d+)\.parquet")
MANY = 32  # files of one size that are merged into one
UNFINISHED = ".lissom-*"  # names that `write_whole` gives files until they are complete
WORDS = ("status", "error")
KINDS = {"row": "i", "seed": "i", "status": "O", "error": "O"}  # columns that every file has
LARGEST_ABOUT = 2**30  # bytes; a parameter may list many values


class Made(TypedDict):
    """How the rows of a store were made: versions of packages."""

    versions: dict[str, str]


class Settings(TypedDict, total=False):
    """What was chosen once for all rows, see `lanes.settings_of`."""

    dt: float | None
    method: str


class About(TypedDict):
    """The description of a study in its store, see `described`; arguments and values may have any text."""

    format: str
    title: str
    evaluate: str
    arguments: object
    parameters: dict[str, object]
    outputs: object
    sampling: str
    rows: int
    units: dict[str, str]
    fingerprint: str
    unseen: object
    made: Made
    settings: Settings


class Memory:
    """Rows kept in memory only."""

    def __init__(self, study: Study):
        self.study = study
        self._blocks: list[Block] = []

    def missing(self, _failed: bool = False) -> NDArray[np.int64]:
        """Return the rows that are not evaluated yet, in order."""
        return np.arange(self.study.rows, dtype=np.int64)

    def add(self, blocks: Sequence[Block]) -> None:
        """Add evaluated rows."""
        self._blocks += blocks

    def table(self) -> Columns:
        """Columns of all rows that are there, in their order."""
        if not self._blocks:
            return in_order(as_table(self.study, Block(np.zeros(0, np.int64), {}, [], [])))
        return in_order(as_table(self.study, joined(self._blocks)))


def as_table(study: Study, block: Block) -> Columns:
    """Return a block as a table with parameters and seeds."""
    return {
        "row": block.rows, **study.values(block.rows), "seed": seeds(study.seed, block.rows), **block.columns,
        "status": np.array(block.status, object), "error": np.array(block.errors, object),
    }  # fmt: skip


def in_order(table: Columns) -> Columns:
    """Return a table with every row once, sorted; text columns last. Of repeated rows the one that did not fail."""
    order = np.lexsort((table["status"] == FAILED, table["row"]))
    _, place = np.unique(table["row"][order], return_index=True)
    first = order[place]
    names = [*(name for name in table if name not in WORDS), *WORDS]
    return {name: table[name][first] for name in names}


class Folder:
    """Rows stored in a folder of Parquet files."""

    def __init__(self, path: str | os.PathLike[str], study: Study):
        self.path, self.study = Path(path), study
        refuse_no_folder(self.path)
        _arrow()
        self.settings: dict[str, Any] | None = None
        self.replaces = False  # the folder still has the rows of an earlier study, which the first new rows replace
        self._next = 0

    @contextmanager
    def opened(self, resume: bool, overwrite: bool = False) -> Iterator[Folder]:
        """Open the folder, new, to resume or to overwrite, with exclusive access.

        To overwrite removes nothing yet: rows of an earlier study stay until the first new ones are written.
        """
        about = self.path / ABOUT
        if self.path.exists() and not about.is_file() and any(not _own(path) for path in self.path.iterdir()):
            raise InputError(f"{self.path}: it has files that are not of a study; use an empty or a new folder.")
        if about.is_file() and not (resume or overwrite):
            raise InputError(
                f"{self.path}: it already has {len(rows_in(self.path))} rows of a study. Continue with resume=True "
                "(--resume), or replace them with overwrite=True (--overwrite)."
            )
        if about.is_file():
            read_about(self.path)  # a folder that only looks like a store is refused before anything is written
        try:
            self.path.mkdir(exist_ok=True)
            lock = _locked(self.path / LOCK)
        except OSError as error:
            raise ModelError(f"it cannot be written to ({error.strerror}).", file=str(self.path)) from None
        try:
            self.replaces = overwrite and about.is_file()
            self._look(about)
            yield self
        finally:
            if not about.is_file():  # a study that did not begin leaves nothing
                with suppress(OSError):
                    (self.path / LOCK).unlink()
                    self.path.rmdir()
            os.close(lock)

    def _look(self, about: Path) -> None:
        """Read the settings of an earlier run, and remove unfinished files."""
        for leftover in self.path.glob(UNFINISHED):
            with suppress(OSError):
                leftover.unlink()
        self._next = 1 + max((n for _, n in parts(self.path).values()), default=0)
        if about.is_file() and not self.replaces:
            stored = read_about(self.path)
            _refuse_other(self.path, stored, self.study)
            self.settings = stored["settings"]

    def begin(self, settings: dict[str, Any]) -> None:
        """Write the description of the study, before any rows; where rows are replaced, `add` writes it with the first.

        A study that is replaced stays as it is until then.
        """
        self.settings = settings
        if not self.replaces:
            self._describe()

    def _describe(self) -> None:
        from lissom.studies.described import described

        stored = {"format": FORMAT, **described(self.study), "settings": self.settings}
        write_text(self.path / ABOUT, json.dumps(stored, indent=1) + "\n")

    def _replace(self) -> None:
        """Remove the rows of an earlier study, then replace its description.

        A crash between leaves the earlier study with fewer rows, never rows of one study beside another's description.
        """
        for path in parts(self.path):
            path.unlink()
        self._describe()
        self.replaces = False

    def missing(self, failed: bool = False) -> NDArray[np.int64]:
        """Return the rows that are not evaluated yet, in order; with `failed` also those that failed."""
        if self.replaces:
            return np.arange(self.study.rows, dtype=np.int64)
        rows, there = rows_in(self.path), np.zeros(self.study.rows, bool)
        refuse_beyond(self.path, rows, self.study.rows)
        there[rows] = True
        if failed:
            table = self.table()
            there[table["row"][table["status"] == FAILED]] = False
        return np.flatnonzero(~there).astype(np.int64)

    def add(self, blocks: Sequence[Block]) -> None:
        """Write rows to disk."""
        self._write(0, as_table(self.study, joined(blocks)))

    def _write(self, tier: int, table: Columns) -> None:
        arrow = _arrow()
        data = arrow.table({name: _column(arrow, x) for name, x in table.items()})
        target = self.path / f"rows-{tier}-{self._next:06d}.parquet"

        def write(place: Path) -> None:
            arrow.parquet.write_table(data, place)
            if self.replaces:  # only now, with new rows complete on the disk but for their name
                self._replace()

        write_whole(target, write)
        self._next += 1
        same_size = sorted(path for path, (t, _) in parts(self.path).items() if t == tier)
        if len(same_size) >= MANY:
            self._write(tier + 1, merged([read_part(path) for path in same_size]))
            for path in same_size:  # what is lost between is there twice, which readers know
                path.unlink()

    def table(self) -> Columns:
        """Columns of all rows that are there, in their order."""
        empty = as_table(self.study, Block(np.zeros(0, np.int64), {}, [], []))
        return in_order(empty) if self.replaces else read_table(self.path, empty)


def _own(path: Path) -> bool:
    """Whether a file was left by a process that ended before its first row."""
    return path.name == LOCK or path.match(UNFINISHED)


def refuse_no_folder(path: Path) -> None:
    """Raise an error where a store's folder cannot exist."""
    if path.is_file() or (path.is_symlink() and not path.exists()):
        raise InputError(f"{path}: it is a file; expected a folder for the store.")
    if not path.absolute().parent.is_dir():
        raise InputError(f"{path}: there is no folder {path.parent}; make it first.")


def _refuse_other(path: Path, stored: dict[str, Any], study: Study) -> None:
    """Raise an error where a store has rows of another study or of other versions."""
    from lissom.studies.described import described

    own = described(study)
    if own["unseen"]:
        raise InputError(
            f"{path}: it cannot be resumed: the content of {', '.join(own['unseen'])} cannot be compared, so it is "
            "unknown whether this is the same study. Use another folder, or let the function use numbers, arrays and "
            "plain objects only."
        )
    if stored["fingerprint"] != own["fingerprint"]:
        unnamed = ("fingerprint", "unseen", "made")
        differing = [word for word in own if word not in unnamed and own[word] != stored.get(word)]
        what = ", ".join(differing) or "what it evaluates, or values that it uses,"
        raise InputError(
            f"{path}: it has rows of a different study ({what} differ). Use another folder. (A function that modifies "
            "a list or table while it runs differs from its first state: resume in a fresh process then.)"
        )
    then, now = stored["made"]["versions"], own["made"]["versions"]
    other = [f"{word} {then.get(word)} (here {now.get(word)})" for word in now if then.get(word) != now[word]]
    if other:
        raise InputError(
            f"{path}: its rows were computed with {', '.join(other)}; results of different versions are not mixed. "
            "Install those versions, or use another folder."
        )


def _locked(path: Path) -> int:
    """A file that this process alone holds until it closes it, or ends."""
    handle = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o644)
    try:
        import fcntl

        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except ImportError:  # a system without such locks
        pass
    except OSError:
        os.close(handle)
        raise InputError(f"{path.parent}: another process is writing to it; wait until it has finished.") from None
    return handle


# ---- reading -------------------------------------------------------------------------------------


def parts(folder: Path) -> dict[Path, tuple[int, int]]:
    """Files of rows, with their size class and number."""
    found = {path: PART.fullmatch(path.name) for path in sorted(folder.iterdir())}
    return {path: (int(m[1]), int(m[2])) for path, m in found.items() if m and path.is_file()}


def read_about(folder: Path) -> dict[str, Any]:
    """Return a store's description of its study."""
    path = folder / ABOUT
    try:
        stored = json.loads(read_bytes(path, LARGEST_ABOUT))
        if stored["format"] != FORMAT:
            raise ModelError(f"its format is {shown(stored['format'])}; expected {FORMAT!r}.", file=str(path))
        _refuse_damaged(stored, path)
        return dict(stored)
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        if isinstance(error, ModelError):
            raise
        raise ModelError(f"it is damaged ({type(error).__name__}: {error}).", file=str(path)) from None


def _refuse_damaged(stored: dict[str, Any], path: Path) -> None:
    """Raise an error for a description that is not that of a study."""
    try:
        refuse_unfit(About, stored)
        refuse_unknown(stored["settings"], tuple(Settings.__annotations__), "its settings")
        if stored["rows"] < 1:
            raise ModelError(f"its rows are {stored['rows']}; expected at least 1.")
    except ModelError as error:
        raise ModelError(f"it is damaged: {error.problem}", file=str(path)) from None


def rows_in(folder: Path) -> NDArray[np.int64]:
    """Numbers of the rows that are there."""
    found = [read_part(path, ["row"])["row"] for path in parts(folder)]
    return np.unique(np.concatenate([np.zeros(0, np.int64), *found]))


def refuse_beyond(folder: Path, rows: NDArray[np.int64], count: int) -> None:
    """Rows that a study does not have are not its own."""
    if len(rows) and int(rows[-1]) >= count:
        raise ModelError(f"it has row {int(rows[-1])} of a study of {count} rows.", file=str(folder))


def read_part(path: Path, names: list[str] | None = None) -> Columns:
    """Columns of one file."""
    arrow = _arrow()
    try:
        words = [field.name for field in arrow.parquet.read_schema(path) if not _plain(arrow, field.type)]
        with arrow.parquet.ParquetFile(path, read_dictionary=words, memory_map=False) as file:
            _refuse_large(file.metadata, path)
            data = file.read(columns=names)
        table = {name: _numbers(name, data[name]) for name in data.column_names}
        rows = table["row"]
        if rows.dtype.kind != "i" or (rows < 0).any() or any(len(x) != len(rows) for x in table.values()):
            raise ValueError("rows are not numbered")
        if names is None and any(word not in table or table[word].dtype.kind != kind for word, kind in KINDS.items()):
            raise ValueError("they do not have the columns of a study")
        return table
    except Exception as error:  # the library raises all kinds of things on damaged files
        raise ModelError(
            f"its rows cannot be read ({type(error).__name__}: {error}). Remove this file and resume: its rows are "
            "evaluated again.",
            file=str(path),
        ) from None


def _refuse_large(metadata: Any, path: Path) -> None:
    """What it says of itself must fit: every row has a seed, eight bytes that cannot be packed."""
    if 8 * metadata.num_rows > path.stat().st_size:
        raise ValueError(f"{metadata.num_rows} rows are too many for its size")
    budget = Budget(path)
    for k in range(metadata.num_row_groups):
        budget.allow(
            metadata.row_group(k).total_byte_size, "table"
        )  # a damaged column, asked for its own, ends the process


def read_table(folder: Path, empty: Columns) -> Columns:
    """All rows of a store, in their order; `empty` has the columns that there are at least."""
    return in_order(merged([empty, *(read_part(path) for path in parts(folder))]))


def merged(tables: Sequence[Columns]) -> Columns:
    """One below the other; what a table does not have is not a number."""
    names = dict.fromkeys(name for table in tables for name in table)
    out: Columns = {}
    for name in names:
        columns = [t[name] if name in t else np.full(len(t["row"]), np.nan) for t in tables]
        out[name] = np.concatenate([x for x in columns if len(x)] or columns[:1])
    return out


def _column(arrow: Any, x: NDArray[Any]) -> Any:
    return arrow.array(x.tolist(), arrow.string()) if x.dtype.kind in "OU" else arrow.array(x)


def _plain(arrow: Any, kind: Any) -> bool:
    return bool(arrow.types.is_floating(kind) or arrow.types.is_integer(kind))


def _numbers(name: str, column: Any) -> NDArray[Any]:
    """Numbers, or words, each of which is kept once however often it stands there."""
    arrow = _arrow()
    if column.null_count == 0 and arrow.types.is_dictionary(column.type):
        chunks = [(np.array([*chunk.dictionary.to_pylist(), None], object), chunk.indices) for chunk in column.chunks]
        if all(isinstance(word, str) for words, _ in chunks for word in words[:-1]):
            return np.concatenate([np.zeros(0, object), *(words[at.to_numpy()] for words, at in chunks)])
    if _plain(arrow, column.type) and (array := column.to_numpy()).dtype.kind in "if":
        return np.asarray(array)
    raise ValueError(f"column {name!r} holds neither numbers nor words")


def _arrow() -> Any:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise InputError(
            "a study store needs pyarrow for its Parquet files: pip install 'lissom[studies]' (in a clone: pip install "
            "'.[studies]'). In Python, a study without store= stays in memory."
        ) from None
    return pyarrow
