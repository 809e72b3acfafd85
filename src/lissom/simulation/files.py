"""Runs as datasets and files: NetCDF, CSV, Parquet. The arm, the report and all events travel with the numbers.

One table of numbers (over runs, time and coordinates) and one text, the rest as JSON: that is all a run
is made of, and the same in every format.
"""

from __future__ import annotations

import dataclasses
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from lissom.errors import InputError, LissomError, ModelError, shown
from lissom.formats.files import Budget, refuse_unreadable, write_whole
from lissom.formats.kinds import read_instead, refuse_other_record
from lissom.formats.netcdf import Contents, opened, text_of, values_of
from lissom.formats.table_header import header_lines, header_of, loads_of_rows
from lissom.formats.tables import read_table, write_table
from lissom.formats.typed import printable_parts, refuse_unfit
from lissom.model.units import units
from lissom.simulation.events import EventHit
from lissom.simulation.outcome import RunOutcome
from lissom.simulation.own_arms import Kept, told as told_arms
from lissom.simulation.run import OVER_TIME, POWER, Run, RunReport
from lissom.spatial.rotations import Array

if TYPE_CHECKING:
    import xarray

FORMAT = "lissom run 2"
UNTOLD = 2**26  # bytes; texts of a Parquet file are not longer
LONG = {
    "q": "position", "qd": "rate", "qdd": "acceleration", "tau": "torque or force", "kinetic": "kinetic energy",
    "potential": "potential energy", "power": "power", "work": "work", "controller_state": "states of the controller",
}  # fmt: skip
UNITS = {
    "q": "rad or m", "qd": "rad/s or m/s", "qdd": "rad/s^2 or m/s^2", "tau": "N m or N", "kinetic": "J",
    "potential": "J", "power": "W", "work": "J", "controller_state": "as the controller defines",
}  # fmt: skip
WIDE = {
    "q": "coordinate",
    "qd": "coordinate",
    "qdd": "coordinate",
    "tau": "coordinate",
    "power": "flow",
    "work": "flow",
    "controller_state": "state",
}


# ---- the text ------------------------------------------------------------------------------------


def _text(run: Run) -> str:
    """Return everything in a run that is not an array, as JSON."""
    from lissom.formats import native_write

    return json.dumps(
        {
            "format": FORMAT,
            "arm": native_write.write(run.arm),
            **({} if run.arms is None else {"arms": told_arms(run.arm, run.arms)}),
            "status": run.status,
            "ok": run.ok,
            "interrupted": run.interrupted,
            "failures": {str(k): why for k, why in run.failures.items()},
            "outcomes": {str(k): x.name for k, x in enumerate(run.outcomes) if x is not RunOutcome.DONE},
            "report": printable_parts(dataclasses.asdict(run.report)),  # a run file may have any text in its comments
            "events": [{"t": e.t, "name": e.name, "q": list(e.q), "qd": list(e.qd), "run": e.run} for e in run.events],
        }
    )


def _from_text(text: str, t: Array, arrays: dict[str, Array], file: str) -> Run:
    from lissom.formats import native_read

    try:
        told = json.loads(text)
        if told["format"] != FORMAT:
            raise ModelError(f"its format is {told['format']!r}; expected {FORMAT!r}.", file=file)
        arm = native_read.read(Path(file), told["arm"].encode())
        report = RunReport(**{**told["report"], "notes": tuple(told["report"]["notes"])})
        events = tuple(
            EventHit(e["t"], e["name"], np.array(e["q"], float), np.array(e["qd"], float), e["run"])
            for e in told["events"]
        )
        arms = Kept(arm, told["arm"], told["arms"], file) if "arms" in told else None
        failures = {int(k): why for k, why in told["failures"].items()}
        said: dict[str, Any] = {word: told[word] for word in ("status", "ok", "interrupted")}
        said |= {"events": events, "failures": failures, "report": report}
        refuse_unfit(Run, said)
        said["outcomes"] = _outcomes(told.get("outcomes"), failures, 1 if arrays["q"].ndim == 2 else len(arrays["q"]))
        loads_of_rows(report.provenance.get("loads", ()))
        run = Run(arm, t, **(said | arrays), arms=arms)
    except LissomError as error:
        raise ModelError(str(error), file="" if str(error).startswith(file) else file) from None
    except (KeyError, TypeError, ValueError, AttributeError, RecursionError, OverflowError) as error:
        raise ModelError(f"its record is damaged ({type(error).__name__}: {error}).", file=file) from None
    _refuse_unlike(run, file)
    return run


def _outcomes(told: dict[str, str] | None, failures: dict[int, str], rows: int) -> tuple[RunOutcome, ...]:
    """Return how the runs of a file ended; files of earlier versions tell only which of them failed."""
    if told is None:
        return tuple(RunOutcome.FAILED if k in failures else RunOutcome.DONE for k in range(rows))
    return tuple(RunOutcome[told.get(str(k), "DONE")] for k in range(rows))


def _refuse_unlike(run: Run, file: str) -> None:
    """Raise an error where array shapes do not fit each other or the arm."""
    if run.arms is not None and len(run.arms) != (run.count or 0):
        raise ModelError(f"it has {len(run.arms)} arms for {run.count or 1} runs.", file=file)
    shape = (*run.q.shape[:-1],)
    if len(shape) not in (1, 2) or run.t.ndim != 1 or not run.q.size:
        raise ModelError(
            f"its arrays do not fit: q has shape {run.q.shape}, and there are times {run.t.shape}.", file=file
        )
    _refuse_no_run(run, file)
    sizes = {"coordinate": run.arm.dof, "flow": len(POWER), "state": len(_state_names(run))}
    for word in run.over_time:
        want = (*shape, sizes[WIDE[word]]) if word in WIDE else shape
        if getattr(run, word).shape != want or len(run.t) != shape[-1]:
            raise ModelError(
                f"its arrays do not fit: {word} has shape {getattr(run, word).shape}, not {want}.", file=file
            )


def _refuse_no_run(run: Run, file: str) -> None:
    """Raise an error for events and failures of runs that are not there, or of another arm."""
    named = [(f"events[{i}].run", event.run) for i, event in enumerate(run.events)]
    for place, k in (*named, *(("failures", k) for k in run.failures)):
        if not 0 <= k < (run.count or 1):
            raise ModelError(f"its {place} names run {k}; there are {run.count or 1} runs.", file=file)
    for i, event in enumerate(run.events):
        if not event.q.shape == event.qd.shape == (run.arm.dof,):
            raise ModelError(f"its events[{i}] has states of another size than the arm's {run.arm.dof}.", file=file)


# ---- datasets ------------------------------------------------------------------------------------


def to_dataset(run: Run) -> xarray.Dataset:
    """See `Run.to_xarray`."""
    import xarray

    lead = ("run", "time") if run.count is not None else ("time",)
    variables = {}
    for word in run.over_time:
        dims = (*lead, WIDE[word]) if word in WIDE else lead
        variables[word] = (dims, getattr(run, word), {"units": UNITS[word], "long_name": LONG[word]})
    coords: dict[str, Any] = {
        "time": ("time", run.t, {"units": "s"}),
        "coordinate": ("coordinate", list(run.arm.coordinates)),
        "unit": ("coordinate", units(run.arm)),
        "flow": ("flow", list(POWER)),
        **({"state": ("state", _state_names(run))} if run.controller_state is not None else {}),
    }
    if run.count is not None:
        coords["run"] = ("run", np.arange(run.count))
    data = xarray.Dataset(variables, coords)
    data["record"] = ((), _text(run))
    data.attrs = {"title": f"simulated motion of {run.arm.name}", "status": run.status, "source": FORMAT}
    return data


def from_dataset(data: xarray.Dataset | Contents, file: str = "dataset") -> Run:
    """Return a run from a dataset that `Run.to_xarray` made."""
    refuse_other_record(data, "run", file)
    missing = [word for word in (*OVER_TIME, "time", "record") if word not in data]
    if missing:
        raise ModelError(f"it is not a run: it has no {', '.join(missing)}.", file=file)
    more = ["controller_state"] if "controller_state" in data else []
    arrays = {word: values_of(data, word) for word in (*OVER_TIME, *more)}
    return _from_text(text_of(data, "record"), values_of(data, "time"), arrays, file)


# ---- tables --------------------------------------------------------------------------------------


def _state_names(run: Run) -> list[str]:
    """Return the names of the controller's states."""
    return list(run.report.provenance.get("controller_states", ()))


def _table(run: Run) -> dict[str, Array]:
    """Return a run as a table with one row per run and time, one column per number."""
    rows = run.count if run.count is not None else 1
    columns: dict[str, Array] = {}
    if run.count is not None:
        columns["run"] = np.repeat(np.arange(rows), len(run.t))
    columns["t"] = np.tile(run.t, rows)
    for word in run.over_time:
        array = getattr(run, word)
        if word not in WIDE:
            columns[word] = array.reshape(-1)
            continue
        names = {"coordinate": run.arm.coordinates, "flow": POWER, "state": _state_names(run)}[WIDE[word]]
        flat = array.reshape(-1, len(names))
        columns |= {f"{word}[{name}]": flat[:, k] for k, name in enumerate(names)}
    return columns


def _from_table(table: dict[str, Array], text: str, file: str) -> Run:
    arrays: dict[str, Array] = {}
    try:
        length = len(table["t"])
        rows = int(table["run"].max()) + 1 if "run" in table else 1
        lead = (rows, length // rows) if "run" in table else (length,)
        t = np.array(table["t"][: lead[-1]])
        for word in (*OVER_TIME, "controller_state"):
            columns = [column for name, column in table.items() if name.startswith(f"{word}[")]
            if word not in WIDE:
                arrays[word] = table[word].reshape(lead)
            elif columns or word in OVER_TIME:
                arrays[word] = np.stack(columns, axis=-1).reshape(*lead, len(columns))
    except (KeyError, ValueError, TypeError, OverflowError) as error:
        raise ModelError(f"it is not a run: {error}.", file=file) from None
    return _from_text(text, t, {word: np.ascontiguousarray(x) for word, x in arrays.items()}, file)


# ---- files ---------------------------------------------------------------------------------------


def check_target(path: str | os.PathLike[str]) -> None:
    """Refuse a file that could not be written, before any work is done for it."""
    place = Path(path)
    _kind(place, "save")
    if place.suffix.lower() == ".parquet":
        _arrow()
    if not os.path.isdir(place.absolute().parent):
        raise InputError(f"{place}: there is no folder {place.parent}; make it first.")


def save(run: Run, path: str | os.PathLike[str]) -> None:
    """See `Run.save`."""
    place = Path(path)
    write, _ = _kind(place, "save")
    write_whole(place, lambda temporary: write(run, temporary))


def load_run(path: str | os.PathLike[str]) -> Run:
    """Load a run from a file that `Run.save` wrote.

    Parameters
    ----------
    path : .nc, .csv or .parquet
        or the folder of parts that an interrupted simulation with `save_every` leaves: the finished runs are
        loaded

    Returns
    -------
    Run

    Examples
    --------
    >>> import lissom as ls, tempfile, pathlib
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "run.nc"
    >>> run = ls.simulate(ls.load("two_link"), [0.1, 0.2], until=0.1)
    >>> run.save(file)
    >>> again = ls.load_run(file)
    >>> bool((again.q == run.q).all()), again.arm == run.arm, again.status
    (True, True, 'done')
    """
    if not isinstance(path, str | os.PathLike):
        raise InputError(f"load_run: path is {shown(path)}; expected the name of a file that Run.save wrote.")
    place = Path(path)
    if os.path.isdir(place):
        from lissom.simulation.parts import load_parts

        return load_parts(place)
    refuse_unreadable(place)
    read = _kind(place, "load_run")[1]
    try:
        return read(place)
    except LissomError:
        raise
    except ImportError:
        raise
    except Exception as error:  # the libraries below raise all kinds of things on damaged files
        raise ModelError(f"it cannot be read as a run ({type(error).__name__}: {error}).", file=str(place)) from None


def _kind(path: Path, verb: str) -> tuple[Callable[[Run, Path], None], Callable[[Path], Run]]:
    kinds = {".nc": (_write_nc, _read_nc), ".csv": (_write_csv, _read_csv), ".parquet": (_write_parquet, _read_parquet)}
    found = kinds.get(path.suffix.lower())
    if found is None:
        raise InputError(f"{verb}: {path.name} has an unknown ending; expected {', '.join(kinds)}.{read_instead(path)}")
    return found


def _write_nc(run: Run, path: Path) -> None:
    to_dataset(run).to_netcdf(path, engine="h5netcdf")


def _read_nc(path: Path) -> Run:
    with opened(path, "run") as data:
        return from_dataset(data, str(path))


def _write_csv(run: Run, path: Path) -> None:
    table = _table(run)
    with path.open("w", encoding="utf-8", newline="\n") as stream:
        stream.write(f"# {_text(run)}\n")
        lines = header_lines(header_of(run.arm, run.report.provenance.get("loads", ())))
        stream.writelines(f"# {line}\n" for line in lines)
        stream.write(f"# numpy.loadtxt(file, delimiter=',', skiprows={len(lines) + 3})\n")
        write_table(stream, table)


def _read_csv(path: Path) -> Run:
    head, _, rest = path.read_text(encoding="utf-8").partition("\n")
    if not head.startswith("# {"):
        raise ModelError(
            f"it is a table, but not a run: the first line is not the header of a run.{read_instead(path)}",
            file=str(path),
        )
    return _from_table(read_table(rest), head[2:], str(path))


def _arrow() -> Any:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise InputError("Parquet files need pyarrow: pip install 'lissom[parquet]', or use .nc or .csv.") from None
    return pyarrow


def _write_parquet(run: Run, path: Path) -> None:
    arrow = _arrow()
    table = arrow.table(_table(run))
    arrow.parquet.write_table(table.replace_schema_metadata({b"lissom": _text(run).encode()}), path)


def _read_parquet(path: Path) -> Run:
    arrow = _arrow()
    with arrow.parquet.ParquetFile(path, thrift_string_size_limit=UNTOLD, memory_map=False) as file:
        text = (file.schema_arrow.metadata or {}).get(b"lissom")
        if text is None:
            raise ModelError("it is a table, but not a run: the header of a run is missing.", file=str(path))
        for field in file.schema_arrow:
            if not (arrow.types.is_floating(field.type) or arrow.types.is_integer(field.type)):
                raise ModelError(f"its column {field.name[:60]!r} does not contain numbers.", file=str(path))
        _refuse_large(file.metadata, Budget(path))
        table = file.read()
    columns = {name: table[name].to_numpy() for name in table.column_names}
    return _from_table(columns, text.decode(), str(path))


def _refuse_large(told: Any, budget: Budget) -> None:
    """Raise an error where the sizes stated in a file exceed the memory budget."""
    budget.spend(8 * told.num_rows * told.num_columns, "table")
    for k in range(told.num_row_groups):
        budget.allow(
            told.row_group(k).total_byte_size, "table"
        )  # of single columns it ends the process where it is damaged
