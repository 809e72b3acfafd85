"""Tables of numbers as comma-separated text, with the digits that identify them.

Spreadsheets take a cell that begins with one of ``= + - @`` for a formula, also where it is a name. Such text is
written behind an apostrophe, which is taken away again when it is read.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from lissom.formats.files import write_whole

Columns = dict[str, NDArray[np.float64]]
FORMULA = re.compile(r"'*[=+\-@\t\r]")
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
QUOTED = re.compile(r"'+[=+\-@\t\r]")


def text_cell(text: str) -> str:
    """Text as it is written to a cell.

    Examples
    --------
    >>> text_cell("=1+1"), text_cell("elbow")
    ("'=1+1", 'elbow')
    """
    return f"'{text}" if FORMULA.match(text) else text


def cell_text(cell: str) -> str:
    """The text of a cell that `text_cell` wrote."""
    return cell.removeprefix("'") if QUOTED.match(cell) else cell


def write_table(stream: IO[str], columns: Columns) -> None:
    """Write a line of names, then one line per row."""
    csv.writer(stream, lineterminator="\n").writerow(map(text_cell, columns))
    np.savetxt(stream, np.column_stack(list(columns.values())), fmt="%.17g", delimiter=",")


def save_csv(path: Path, columns: Mapping[str, NDArray[Any]]) -> None:
    """Write columns of numbers or words as a whole file, or not at all."""

    def write(place: Path) -> None:
        with place.open("w", encoding="utf-8", newline="") as stream:
            writer = csv.writer(stream, lineterminator="\n")
            writer.writerow(map(text_cell, columns))
            writer.writerows(zip(*map(_cells, columns.values()), strict=True))

    write_whole(path, write)


def _cells(column: NDArray[Any]) -> list[Any]:
    if column.dtype.kind == "f":
        return [f"{x:.17g}" for x in column]
    return [text_cell(x) if isinstance(x, str) else x for x in column.tolist()]


def _refuse_header(names: list[str]) -> None:
    """Raise ValueError for a first line that does not name columns."""
    marks = {";": "semicolons", "\t": "tabs"}
    mark = next((words for mark, words in marks.items() if len(names) == 1 and mark in names[0]), None)
    if mark is not None:
        raise ValueError(f"its columns are separated by {mark}; expected commas, and points in numbers")
    if all(NUMBER.fullmatch(name) for name in names):
        raise ValueError(
            "its first line has numbers; expected a line with the names of the columns, such as t,q[joint]"
        )
    if len(set(names)) != len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"two columns have the same name, {twice!r}")


def _bad_row(text: str, names: list[str]) -> str:
    """Return what is wrong with the first row that is not numbers, by its line of the file; empty if all are."""
    rows = [(k, row) for k, row in enumerate(text.splitlines(), 1) if row.strip() and not row.lstrip().startswith("#")]
    for line, row in rows[1:]:
        cells = row.split(",")
        if len(cells) != len(names):
            return f"line {line} has {len(cells)} cells under {len(names)} names"
        for name, cell in zip(names, cells, strict=True):
            try:
                float(cell)
            except ValueError:
                what = f"{cell.strip()!r}, not a number" if cell.strip() else "empty"
                return f"line {line}, column {name!r}: the cell is {what}; fill it in, or remove the line"
    return ""


def read_table(text: str) -> Columns:
    """Read columns by name, ignoring lines that begin with #; raises ValueError for invalid tables."""
    lines = [line for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    if not lines:
        raise ValueError("it is empty")
    names = [cell_text(name.strip()) for name in next(csv.reader([lines[0]], skipinitialspace=True))]
    _refuse_header(names)
    if len(lines) == 1:
        raise ValueError("it has names but no rows")
    try:
        values = np.loadtxt(lines[1:], delimiter=",", ndmin=2)
    except ValueError as error:
        raise ValueError(_bad_row(text, names) or str(error)) from None
    if values.shape[1] != len(names):
        raise ValueError(f"{values.shape[1]} columns under {len(names)} names")
    return {name: np.ascontiguousarray(column) for name, column in zip(names, values.T, strict=True)}
