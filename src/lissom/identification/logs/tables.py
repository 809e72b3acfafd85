"""Tables of any origin as columns by name: text with a header, NetCDF files, pandas, xarray, mappings."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from lissom.arrays import as_floats
from lissom.errors import InputError, LissomError, ModelError, shown
from lissom.formats.files import LARGEST_MATRIX, read_bytes
from lissom.formats.netcdf import opened
from lissom.formats.tables import Columns, cell_text
from lissom.simulation.files import load_run
from lissom.simulation.run import Run
from lissom.spatial.rotations import Array

TEXT = (".csv", ".txt", ".tsv", ".dat", ".log")
NUMBER = re.compile(r"\s*[-+]?(\d|\.\d|nan|inf)", re.IGNORECASE)


def columns_of(source: Any) -> tuple[Columns, str] | Run:
    """Columns by name and a name for the source; a saved run as a run."""
    if isinstance(source, str | os.PathLike):
        return _of_file(Path(source))
    if hasattr(source, "data_vars"):  # a dataset of xarray
        return _of_variables({str(name): values.values for name, values in source.variables.items()}), "dataset"
    if hasattr(source, "columns") and hasattr(source, "to_numpy"):  # a frame of pandas
        return _of_frame(source), "table"
    if isinstance(source, Mapping):
        return _of_variables(source), "table"
    raise InputError(
        f"load_log: got {shown(source)}; expected a file (.csv, .nc), a Run, a pandas DataFrame, an xarray Dataset or "
        "a mapping of arrays."
    )


def _of_file(path: Path) -> tuple[Columns, str] | Run:
    ending = path.suffix.lower()
    if ending in (".nc", ".h5", ".hdf5"):
        return _of_netcdf(path)
    if ending == ".parquet":
        return load_run(path)
    if ending not in TEXT:
        raise InputError(f"{path}: a log is a table (.csv, .txt), a NetCDF file (.nc) or a saved run (.nc, .parquet).")
    text = read_bytes(path, LARGEST_MATRIX).decode("utf-8-sig", errors="replace")
    try:
        return read_text(text), path.name
    except ValueError as error:
        raise ModelError(f"it is not a table of numbers with a header: {error}.", file=str(path)) from None


def _of_netcdf(path: Path) -> tuple[Columns, str] | Run:
    with opened(path, "log") as contents:
        if "record" in contents:
            return load_run(path)
        found = {}
        for name in contents.names():
            try:
                found[name] = contents.numbers(name)
            except LissomError:  # text and the like, which a log has no use for
                continue
        return _of_variables(found), path.name


def _of_frame(frame: Any) -> Columns:
    """Columns of numbers of a frame; the index where it has a name."""
    out = {}
    if frame.index.name is not None:
        out[str(frame.index.name)] = np.asarray(frame.index.to_numpy(), float)
    for name in frame.columns:
        values = frame[name].to_numpy()
        if values.dtype.kind in "iuf":
            out[str(name)] = as_floats(values)
    return out


def _of_variables(variables: Mapping[str, Any]) -> Columns:
    """Columns of arrays (nt,), or (nt, joints) as one column per joint with its number from 1."""
    out: Columns = {}
    for name, values in variables.items():
        try:
            numbers = as_floats(values)
        except TypeError:
            continue
        if numbers.ndim == 1:
            out[str(name)] = numbers
        elif numbers.ndim == 2:
            out |= {f"{name}_{k + 1}": column for k, column in enumerate(numbers.T)}
    longest = max((len(values) for values in out.values()), default=0)
    return {name: values for name, values in out.items() if len(values) == longest}


def read_text(text: str) -> Columns:
    """Columns of a table with a header; separated by commas, semicolons, tabs or spaces.

    Cells that are no numbers, and rows that are cut short, have NaN: the hygiene of logs removes them, or says why not.
    """
    lines = [line for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    if len(lines) < 2:
        raise ValueError("it has no rows")
    separator = next((mark for mark in (";", "\t", ",") if mark in lines[0]), None)
    names = [cell_text(name.strip().strip('"')) for name in lines[0].split(separator)]
    if sum(bool(NUMBER.match(name)) for name in names) > len(names) // 2:
        raise ValueError("its first line has numbers; expected names such as t, q_1, tau_1")
    if len(set(names)) != len(names):
        raise ValueError(f"two columns have the same name, {next(x for x in names if names.count(x) > 1)!r}")
    comma = separator == ";" and "." not in lines[1]
    rows = [line.replace(",", ".") if comma else line for line in lines[1:]]
    values = _parsed(rows, separator, len(names))
    return {name: np.ascontiguousarray(column) for name, column in zip(names, values.T, strict=True) if name}


def _parsed(rows: list[str], separator: str | None, count: int) -> Array:
    """Rows of numbers (rows, count)."""
    try:
        values = np.loadtxt(rows, delimiter=separator, ndmin=2)
        if values.shape[1] == count:
            return values
    except ValueError:
        pass
    return np.array([_row(row.split(separator), count) for row in rows])


def _row(cells: list[str], count: int) -> list[float]:
    return [_number(cells[k]) if k < len(cells) else np.nan for k in range(count)]


def _number(cell: str) -> float:
    try:
        return float(cell)
    except ValueError:
        return np.nan
