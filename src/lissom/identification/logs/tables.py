"""Tables of any origin as columns by name: text with a header, NetCDF files, pandas, xarray, mappings."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from lissom.arrays import as_floats
from lissom.errors import InputError, LissomError, ModelError, shown
from lissom.formats.files import LARGEST_MATRIX, read_bytes
from lissom.formats.netcdf import opened
from lissom.formats.tables import Columns
from lissom.identification.logs.cells import fields, first_row, header, named, parsed, separator_of, spread_lists
from lissom.simulation.files import load_run
from lissom.simulation.run import Run

TEXT = (".csv", ".txt", ".tsv", ".dat", ".log")


def columns_of(source: Any) -> tuple[Columns, str] | Run:
    """Columns by name and a name for the source; a saved run as a run."""
    if isinstance(source, str | os.PathLike):
        return _of_file(Path(source))
    if hasattr(source, "data_vars"):  # a dataset of xarray
        return _of_dataset(source), "dataset"
    if hasattr(source, "columns") and hasattr(source, "to_numpy"):  # a frame of pandas
        return _of_frame(source), "table"
    if isinstance(source, Mapping):
        return _of_variables(source), "table"
    if isinstance(source, np.ndarray) and source.ndim == 2:
        return {str(k): column for k, column in enumerate(as_floats(source).T)}, "array"
    raise InputError(
        f"load_log: got {shown(source)}; expected a file (.csv, .nc), a Run, a pandas DataFrame, an xarray Dataset, "
        "a mapping of arrays, or an array (rows, columns)."
    )


def _of_file(path: Path) -> tuple[Columns, str] | Run:
    ending = path.suffix.lower()
    if ending in (".nc", ".h5", ".hdf5"):
        return _of_netcdf(path)
    if ending == ".parquet":
        return load_run(path)
    if ending not in TEXT:
        raise InputError(f"{path}: a log is a table (.csv, .txt), a NetCDF file (.nc) or a saved run (.nc, .parquet).")
    text = _decoded(read_bytes(path, LARGEST_MATRIX))
    try:
        return read_text(text), path.name
    except ValueError as error:
        raise ModelError(f"it is not a table of numbers: {error}.", file=str(path)) from None


def _decoded(data: bytes) -> str:
    """Text of a file in UTF-8, in UTF-16 with its mark, or in the code of western Windows, which has degree signs."""
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return data.decode("utf-16", errors="replace")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("cp1252", errors="replace")


def _of_netcdf(path: Path) -> tuple[Columns, str] | Run:
    with opened(path, "log") as contents:
        if "record" in contents:
            return load_run(path)
        numbers, words = {}, []
        for name in contents.names():
            try:
                words.append(contents.words(name))
                numbers[name] = contents.numbers(name)
            except LissomError:  # text and the like
                continue
        out: Columns = {}
        for name, values in numbers.items():
            labels = [some for some in words if some and values.shape[1:] == (len(some),)]
            out |= _channels(name, values, labels[0] if len(labels) == 1 else None)
        return _longest(out), path.name


def _of_frame(frame: Any) -> Columns:
    """Columns of numbers, times, and lists of numbers of a frame; the index where it has a name."""
    values = {str(name): frame[name].to_numpy() for name in frame.columns}
    if frame.index.name is not None:
        values = {str(frame.index.name): frame.index.to_numpy()} | values
    return _of_variables({name: _as_numbers(column) for name, column in values.items()})


def _as_numbers(values: Any) -> Any:
    """Times as seconds, words as numbers, lists as rows of an array; other things as they are."""
    values = np.asarray(values)
    if values.dtype.kind == "M":
        values = values - values[~np.isnat(values)].min()
    if values.dtype.kind == "m":
        return np.where(np.isnat(values), np.nan, values / np.timedelta64(1, "s"))
    if values.dtype.kind != "O" or not len(values):
        return values
    try:
        return np.array([np.asarray(value, float) for value in values])
    except (TypeError, ValueError):
        return values


def _of_dataset(data: Any) -> Columns:
    """Columns of the variables of a dataset, with the joints that a coordinate of words names."""
    out: Columns = {}
    for name, values in data.variables.items():
        words = data.variables.get(values.dims[1]) if values.ndim == 2 else None
        labels = None if words is None or words.dtype.kind not in "OUST" else [str(word) for word in words.values]
        out |= _channels(str(name), _as_numbers(values.values), labels)
    return _longest(out)


def _of_variables(variables: Mapping[str, Any]) -> Columns:
    """Columns of arrays (nt,), or (nt, joints) as one column per joint with its number from 1."""
    out: Columns = {}
    for name, values in variables.items():
        out |= _channels(str(name), _as_numbers(values), None)
    return _longest(out)


def _channels(name: str, values: Any, labels: list[str] | None) -> Columns:
    """The columns of a variable by name and joint; those of an array (joints, nt) too. None of what has no numbers."""
    try:
        numbers = as_floats(values)
    except TypeError:
        return {}
    if numbers.ndim == 2 and 1 in numbers.shape:
        numbers = numbers.ravel()
    if numbers.ndim == 1:
        return {name: numbers}
    if numbers.ndim != 2:
        return {}
    numbers = numbers if labels is not None or len(numbers) >= numbers.shape[1] else numbers.T
    words = labels or [str(k + 1) for k in range(numbers.shape[1])]
    return {f"{name}[{word}]": column for word, column in zip(words, numbers.T, strict=True)}


def _longest(columns: Columns) -> Columns:
    """The columns that have a value for every sample."""
    longest = max((len(values) for values in columns.values()), default=0)
    return {name: values for name, values in columns.items() if len(values) == longest}


def read_text(text: str) -> Columns:
    """Columns of a table; separated by commas, semicolons, tabs or spaces.

    Lines above the names are passed over, a line of units below them is added to them; a table without names has its
    columns by number, from 0. Cells that are no numbers, and rows that are cut short, have NaN: the hygiene of logs
    removes them, or says why not.
    """
    lines = [line for line in text.splitlines() if line.strip()]
    start = first_row(lines)
    if start is None:
        raise ValueError("it has no rows of numbers")
    separator = separator_of(lines[start])
    rows = [line for line in lines[start:] if not line.lstrip().startswith("#")]
    count = len(fields(rows[0], separator))
    names = header(lines[:start], separator, count) or [str(k) for k in range(count)]
    if len(set(names)) != len(names):
        raise ValueError(f"two columns have the same name, {next(x for x in names if names.count(x) > 1)!r}")
    comma = separator in (";", "\t") and "." not in rows[0]
    return _columns(names, [row.replace(",", ".") if comma else row for row in rows], separator)


def _columns(names: list[str], rows: list[str], separator: str | None) -> Columns:
    """Columns by name of lines of text."""
    try:
        values = np.loadtxt(rows, delimiter=separator, ndmin=2)
    except ValueError:
        values = np.zeros((0, 0))
    if values.shape[1] != len(names):
        names, cells = spread_lists(names, [fields(row, separator) for row in rows])
        names, values = named(names, cells), parsed(cells, len(names))
    return {name: np.ascontiguousarray(column) for name, column in zip(names, values.T, strict=True) if name}
