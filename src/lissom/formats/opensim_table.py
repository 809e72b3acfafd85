"""Tables of OpenSim (``.mot``, ``.sto``): a header of keys, a line of names, rows of numbers that begin with a time.

Coordinates
version=1
nRows=2
nColumns=3
inDegrees=yes
endheader
time    hip_flexion_r    pelvis_tx
0.00    12.5             0.10
0.01    12.7             0.11
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Never

import numpy as np

from lissom.errors import InputError, ModelError, listed, shown, suggest
from lissom.formats.files import LARGEST_TABLE, read_bytes
from lissom.keywords import check_keywords, without_unknown
from lissom.listing import Listing
from lissom.markup import Markup
from lissom.spatial.rotations import Array

ENDINGS = (".mot", ".sto")
END = "endheader"
LONGEST_HEADER = 1000  # lines
KEY = re.compile(r"\s*([A-Za-z]\w*)\s*=\s*(.*?)\s*$")
ROWS, COLUMNS = ("nrows", "datarows"), ("ncolumns", "datacolumns")
MOST_COUNT = 12  # digits of a number of rows or columns
ANGLES = {"yes": True, "no": False}


@dataclass(frozen=True, eq=False, repr=False)
class OpenSimTable:
    """A table of OpenSim: columns of numbers over time, as the file has them.

    Attributes
    ----------
    title : str                  the line before the keys of the header
    t : (nt,)                    times [s]
    columns : {name: (nt,)}      all other columns: angles in degrees where `in_degrees`, otherwise in radians
    in_degrees : bool
    source : str                 the file

    Examples
    --------
    >>> import lissom as ls, tempfile, pathlib
    >>> text = "walk\\nnRows=2\\nnColumns=2\\ninDegrees=yes\\nendheader\\ntime\\tknee\\n0\\t1.5\\n0.1\\t2\\n"
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder, "walk.mot")
    ...     count = file.write_text(text)
    ...     table = ls.load_opensim_table(file)
    >>> table
    <OpenSimTable 'walk.mot': 2 rows from 0 to 0.1 s, 1 column, angles in degrees>
    >>> table["knee"]
    array([1.5, 2. ])
    """

    title: str
    t: Array
    columns: Mapping[str, Array]
    in_degrees: bool
    source: str = ""

    def __getitem__(self, name: str) -> Array:
        """Return a column (nt,) by its name."""
        if name not in self.columns:
            raise InputError(f"{self.source}: it has no column {shown(name)}; {suggest(str(name), self.columns)}")
        return self.columns[name]

    def __contains__(self, name: object) -> bool:
        """Whether there is a column of this name."""
        return name in self.columns

    def angle(self, name: str) -> Array:
        """Return a column of angles (nt,) in radians."""
        return np.deg2rad(self[name]) if self.in_degrees else self[name]

    def listing(self) -> Listing:
        """Return a table with the range of every column."""
        rows = ((name, f"{x.min():.4g}", f"{x.max():.4g}") for name, x in self.columns.items())
        return Listing.of(("column", "least", "greatest"), rows)

    def describe(self) -> str:
        """Return size, times and the range of every column as text."""
        return "\n".join([repr(self).strip("<>"), *self.listing().lines()])

    def _repr_html_(self) -> Markup:
        return Markup(repr(self).strip("<>") + self.listing().html())

    def __repr__(self) -> str:
        unit = "degrees" if self.in_degrees else "radians"
        many = f"{len(self.columns)} column{'s' if len(self.columns) != 1 else ''}"
        times = f"{len(self.t)} rows from {self.t[0]:g} to {self.t[-1]:g} s"
        return f"<OpenSimTable {self.source!r}: {times}, {many}, angles in {unit}>"


@without_unknown
def load_opensim_table(path: str | os.PathLike[str], **unknown: Never) -> OpenSimTable:
    """Load a table of OpenSim: joint angles, ground forces, or any other columns over time.

    Parameters
    ----------
    path : path     a file ``.mot`` or ``.sto``

    Returns
    -------
    OpenSimTable

    Raises
    ------
    ModelError
        with file and line, if the file is damaged: a missing header, rows that are cut short, cells that are no finite
        numbers, times that do not rise

    Examples
    --------
    >>> import lissom as ls, tempfile, pathlib
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder, "walk.mot")
    ...     count = file.write_text("inDegrees=yes\\nendheader\\ntime knee_angle_r\\n0 1.5\\n0.1 2\\n")
    ...     table = ls.load_opensim_table(file)
    >>> table.angle("knee_angle_r").round(4)
    array([0.0262, 0.0349])
    """
    check_keywords(load_opensim_table, unknown)
    if not isinstance(path, str | os.PathLike):
        raise InputError(f"load_opensim_table: got {shown(path)}; expected a file .mot or .sto.")
    place = Path(path)
    if place.suffix.lower() not in ENDINGS:
        raise InputError(f"{place}: a table of OpenSim ends in .mot or .sto.")
    text = read_bytes(place, LARGEST_TABLE).decode("utf-8-sig", errors="replace")
    return _Reader(place, text.split("\n")).table()


class _Reader:
    """Reads the lines of one file; what it refuses has the number of the line."""

    def __init__(self, path: Path, lines: list[str]):
        self.path, self.lines = path, lines
        self.keys: dict[str, tuple[str, int]] = {}  # values and lines of the header's keys, in small letters

    def refusal(self, problem: str, k: int | None = None) -> ModelError:
        return ModelError(problem, file=str(self.path), line=None if k is None else k + 1)

    def table(self) -> OpenSimTable:
        end = self._header()
        at = next((k for k in range(end + 1, len(self.lines)) if self.lines[k].strip()), None)
        if at is None:
            raise self.refusal(f"nothing follows {END}; expected a line with the names of the columns.", end)
        names = self._names(at)
        rows = [k for k in range(at + 1, len(self.lines)) if self.lines[k].strip()]
        self._check_count(ROWS, len(rows), "rows")
        values = self._values(names, rows)
        self._check_times(values[:, 0], rows)
        columns = {name: np.ascontiguousarray(x) for name, x in zip(names[1:], values[:, 1:].T, strict=True)}
        for x in columns.values():
            x.flags.writeable = False
        return OpenSimTable(self._title(), np.array(values[:, 0]), columns, self._in_degrees(), self.path.name)

    def _header(self) -> int:
        """The line of `endheader`; keys before it are read."""
        for k, line in enumerate(self.lines[:LONGEST_HEADER]):
            if line.strip().lower() == END:
                return k
            if found := KEY.match(line):
                self.keys.setdefault(found[1].lower(), (found[2], k))
        raise self.refusal(f"it has no line {END!r}; expected the header of a table of OpenSim (.mot, .sto).")

    def _title(self) -> str:
        first = self.lines[0].strip()
        return "" if KEY.match(first) or first.lower() == END else first

    def _in_degrees(self) -> bool:
        word, k = self.keys.get("indegrees", ("no", 0))
        if word.lower() not in ANGLES:
            raise self.refusal(f"inDegrees is {shown(word)}; expected yes or no.", k)
        kind, at = self.keys.get("datatype", ("double", 0))
        if kind.lower() != "double":
            raise self.refusal(f"DataType is {shown(kind)}; expected double, one number in a cell.", at)
        return ANGLES[word.lower()]

    def _check_count(self, words: tuple[str, ...], count: int, what: str) -> None:
        """Refuse a file that has fewer or more rows or columns than its header says."""
        for word in words:
            if word not in self.keys:
                continue
            given, k = self.keys[word]
            if not (given.isascii() and given.isdecimal() and len(given) <= MOST_COUNT):
                raise self.refusal(f"the number of {what} is {shown(given)}; expected a whole number.", k)
            if int(given) != count:
                why = "the file is cut short" if count < int(given) else "rows were added, or it is another's header"
                raise self.refusal(f"its header says {given} {what}, but it has {count}: {why}.", k)

    def _names(self, at: int) -> list[str]:
        line = self.lines[at].strip()
        names = [name.strip() for name in (line.split("\t") if "\t" in line else line.split())]
        if names[0].lower() != "time":
            raise self.refusal(f"the first column is {shown(names[0])}; expected time.", at)
        if len(names) < 2 or not all(names):
            what = "a column without a name" if len(names) > 1 else "no column besides time"
            raise self.refusal(f"it has {what}.", at)
        if len(set(names)) != len(names):
            twice = next(name for name in names if names.count(name) > 1)
            raise self.refusal(f"two columns have the same name, {shown(twice)}.", at)
        self._check_count(COLUMNS, len(names), "columns")
        return names

    def _values(self, names: list[str], rows: list[int]) -> Array:
        """(rows, columns) numbers; the first row that does not fit is named."""
        if len(rows) < 2:
            raise self.refusal(f"it has {len(rows)} rows; expected at least two.")
        try:
            values = np.loadtxt([self.lines[k] for k in rows], ndmin=2, comments=None)
        except ValueError:
            values = np.empty((0, 0))
        if values.shape != (len(rows), len(names)) or not np.isfinite(values).all():
            self._refuse_row(names, rows)
        return values

    def _refuse_row(self, names: list[str], rows: list[int]) -> None:
        for k in rows:
            cells = self.lines[k].split()
            if len(cells) != len(names):
                raise self.refusal(f"it has {len(cells)} numbers for {len(names)} columns.", k)
            for name, cell in zip(names, cells, strict=True):
                if not _finite(cell):
                    raise self.refusal(f"column {shown(name)} has {shown(cell)}; expected a finite number.", k)
        raise self.refusal(f"its {len(rows)} rows of {len(names)} columns are not numbers.")

    def _check_times(self, t: Array, rows: list[int]) -> None:
        if (np.diff(t) <= 0).any():
            k = int(np.argmax(np.diff(t) <= 0))
            raise self.refusal(f"time falls or stays: {t[k]:g} s, then {t[k + 1]:g} s.", rows[k + 1])


def _finite(cell: str) -> bool:
    try:
        return bool(np.isfinite(np.loadtxt([cell], comments=None)).all())
    except ValueError:
        return False


def names_listed(table: OpenSimTable) -> str:
    """The names of the columns, for messages."""
    return listed(table.columns, 8)


def as_table(source: Any) -> OpenSimTable:
    """A table, or the one that a file has."""
    return source if isinstance(source, OpenSimTable) else load_opensim_table(source)
