"""Runs as datasets and files: NetCDF, CSV, Parquet. The arm, the report and all events travel with the numbers.

One table of numbers (over runs, time and coordinates) and one text, the rest as JSON: that is all a run
is made of, and the same in every format. `lissom.simulation.files` reads them.
"""

from __future__ import annotations

import dataclasses
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from lissom.errors import InputError
from lissom.formats import native_write
from lissom.formats.files import check_writable, write_whole
from lissom.formats.kinds import read_instead
from lissom.formats.records.parquet import pyarrow_for, write_parquet
from lissom.formats.records.text import RecordFormat
from lissom.formats.table_header import header_lines, header_of
from lissom.formats.tables import write_table
from lissom.formats.typed import printable_parts
from lissom.model.units import units
from lissom.simulation.outcome import RunOutcome
from lissom.simulation.records.own_arms import differences
from lissom.simulation.records.record import QUANTITIES, AbstractRun
from lissom.spatial.rotations import Array

if TYPE_CHECKING:
    import pandas
    import xarray

POWER = ("in", "lost", "outer")
FORMAT = RecordFormat("run", 2)


def _text(run: AbstractRun) -> str:
    """Return everything in a run that is not an array, as JSON."""
    return FORMAT.text(
        {
            "arm": native_write.write(run.arm),
            **({} if run.arms is None else {"arms": differences(run.arm, run.arms)}),
            "status": run.status,
            "ok": run.ok,
            "interrupted": run.interrupted,
            "failures": {str(k): why for k, why in run.failures.items()},
            "outcomes": {str(k): x.name for k, x in enumerate(run.outcomes) if x is not RunOutcome.DONE},
            "report": printable_parts(dataclasses.asdict(run.report)),  # a run file may have any text in its comments
            "events": [{"t": e.t, "name": e.name, "q": list(e.q), "qd": list(e.qd), "run": e.run} for e in run.events],
        }
    )


def axes(run: AbstractRun) -> dict[str, list[str]]:
    """Return the names along the last axes of arrays: coordinates, flows of power, states of the controller."""
    states = run.report.provenance.get("controller_states", ())
    return {"coordinate": list(run.arm.coordinates), "flow": list(POWER), "state": list(states)}


def _table(run: AbstractRun) -> dict[str, Array]:
    """Return a run as a table with one row per run and time, one column per number."""
    rows = run.count if run.count is not None else 1
    columns: dict[str, Array] = {}
    if run.count is not None:
        columns["run"] = np.repeat(np.arange(rows), len(run.t))
    columns["t"] = np.tile(run.t, rows)
    names = axes(run)
    for word in run.over_time:
        array, axis = getattr(run, word), QUANTITIES[word].axis
        if axis is None:
            columns[word] = array.reshape(-1)
        else:
            flat = array.reshape(-1, len(names[axis]))
            columns |= {f"{word}[{name}]": flat[:, k] for k, name in enumerate(names[axis])}
    return columns


def to_dataframe(run: AbstractRun) -> pandas.DataFrame:
    """See `Run.to_dataframe`."""
    import pandas

    return pandas.DataFrame(_table(run)).set_index(["t"] if run.count is None else ["run", "t"])


def to_dataset(run: AbstractRun) -> xarray.Dataset:
    """See `Run.to_xarray`."""
    import xarray

    lead = ("run", "time") if run.count is not None else ("time",)
    variables = {}
    for word in run.over_time:
        name, unit, axis = QUANTITIES[word]
        variables[word] = ((*lead, axis) if axis else lead, getattr(run, word), {"units": unit, "long_name": name})
    named = {axis: (axis, names) for axis, names in axes(run).items() if axis != "state" or names}
    coords: dict[str, Any] = {"time": ("time", run.t, {"units": "s"}), "unit": ("coordinate", units(run.arm)), **named}
    if run.count is not None:
        coords["run"] = ("run", np.arange(run.count))
    data = xarray.Dataset(variables, coords)
    data["record"] = ((), _text(run))
    data.attrs = {"title": f"simulated motion of {run.arm.name}", "status": run.status, "source": FORMAT.name}
    return data


# ---- files ---------------------------------------------------------------------------------------


def check_target(path: str | os.PathLike[str]) -> None:
    """Refuse a file that could not be written, before any work is done for it."""
    place = Path(path)
    if ending_of(place, "save") == ".parquet":
        pyarrow_or_error()
    check_writable(place)


def save(run: AbstractRun, path: str | os.PathLike[str]) -> None:
    """See `Run.save`."""
    place = Path(path)
    write = WRITERS[ending_of(place, "save")]
    write_whole(place, lambda temporary: write(run, temporary))


def ending_of(path: Path, verb: str) -> str:
    """Return the ending of a file of a run; errors name those that are known."""
    found = path.suffix.lower()
    if found not in WRITERS:
        known = ", ".join(WRITERS)
        raise InputError(f"{verb}: {path.name} has an unknown ending; expected {known}.{read_instead(path)}")
    return found


def _write_nc(run: AbstractRun, path: Path) -> None:
    to_dataset(run).to_netcdf(path, engine="h5netcdf")


def _write_csv(run: AbstractRun, path: Path) -> None:
    table = _table(run)
    with path.open("w", encoding="utf-8", newline="\n") as stream:
        stream.write(f"# {_text(run)}\n")
        lines = header_lines(header_of(run.arm, run.report.provenance.get("loads", ())))
        stream.writelines(f"# {line}\n" for line in lines)
        stream.write(f"# numpy.loadtxt(file, delimiter=',', skiprows={len(lines) + 3})\n")
        write_table(stream, table)


def pyarrow_or_error() -> Any:
    """Return the package that reads and writes Parquet files."""
    return pyarrow_for("Parquet files need", "parquet", ", or use .nc or .csv")


def _write_parquet(run: AbstractRun, path: Path) -> None:
    write_parquet(pyarrow_or_error(), path, _table(run), _text(run))


WRITERS = {".nc": _write_nc, ".csv": _write_csv, ".parquet": _write_parquet}
