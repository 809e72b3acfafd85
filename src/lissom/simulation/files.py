"""Runs read from datasets and files, which `records.written` writes."""

from __future__ import annotations

import dataclasses
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from lissom.errors import LissomError, ModelError
from lissom.formats import native_read
from lissom.formats.files import Budget, refuse_unreadable
from lissom.formats.kinds import read_instead, refuse_other_record
from lissom.formats.netcdf import Contents, opened, text_of, values_of
from lissom.formats.records.parquet import TEXT, columns_of, opened_parquet
from lissom.formats.records.targets import as_path
from lissom.formats.records.text import refuse_damage
from lissom.formats.table_header import loads_of_rows
from lissom.formats.tables import read_table
from lissom.formats.typed import refuse_unfit
from lissom.simulation.events import EventHit
from lissom.simulation.outcome import RunOutcome
from lissom.simulation.records.joined import joined
from lissom.simulation.records.own_arms import StoredArms
from lissom.simulation.records.record import OVER_TIME, QUANTITIES, RunReport
from lissom.simulation.records.written import (
    FORMAT,
    axes,
    ending_of,
    pyarrow_or_error,
)
from lissom.simulation.run import Run
from lissom.spatial.rotations import Array

if TYPE_CHECKING:
    import xarray

# ---- the text ------------------------------------------------------------------------------------


def _from_text(text: str, t: Array, arrays: dict[str, Array], file: str) -> Run:
    with refuse_damage(file):
        stored = FORMAT.parsed(text)
        arm = native_read.read(Path(file), stored["arm"].encode())
        report = RunReport(**{**stored["report"], "notes": tuple(stored["report"]["notes"])})
        states = ({word: np.array(event[word], float) for word in ("q", "qd")} for event in stored["events"])
        events = tuple(EventHit(**event | state) for event, state in zip(stored["events"], states, strict=True))
        arms = StoredArms(arm, stored["arm"], stored["arms"], file) if "arms" in stored else None
        failures = {int(k): why for k, why in stored["failures"].items()}
        fields: dict[str, Any] = {word: stored[word] for word in ("status", "ok", "interrupted")}
        fields |= {"events": events, "failures": failures, "report": report}
        refuse_unfit(Run, fields)
        fields["outcomes"] = _outcomes(
            stored.get("outcomes"), failures, 1 if arrays["q"].ndim == 2 else len(arrays["q"])
        )
        loads_of_rows(report.provenance.get("loads", ()))
        run = Run(arm, t, **(fields | arrays), arms=arms)
    _refuse_unlike(run, file)
    return run


def _outcomes(stored: dict[str, str] | None, failures: dict[int, str], rows: int) -> tuple[RunOutcome, ...]:
    """Return how the runs of a file ended; files of earlier versions tell only which of them failed."""
    if stored is None:
        return tuple(RunOutcome.FAILED if k in failures else RunOutcome.DONE for k in range(rows))
    return tuple(RunOutcome[stored.get(str(k), "DONE")] for k in range(rows))


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
    names = axes(run)
    for word in run.over_time:
        axis = QUANTITIES[word].axis
        want = shape if axis is None else (*shape, len(names[axis]))
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


def _from_table(table: dict[str, Array], text: str, file: str) -> Run:
    arrays: dict[str, Array] = {}
    try:
        length = len(table["t"])
        rows = int(table["run"].max()) + 1 if "run" in table else 1
        lead = (rows, length // rows) if "run" in table else (length,)
        t = np.array(table["t"][: lead[-1]])
        for word, quantity in QUANTITIES.items():
            columns = [column for name, column in table.items() if name.startswith(f"{word}[")]
            if quantity.axis is None:
                arrays[word] = table[word].reshape(lead)
            elif columns or word in OVER_TIME:
                arrays[word] = np.stack(columns, axis=-1).reshape(*lead, len(columns))
    except (KeyError, ValueError, TypeError, OverflowError) as error:
        raise ModelError(f"it is not a run: {error}.", file=file) from None
    return _from_text(text, t, {word: np.ascontiguousarray(x) for word, x in arrays.items()}, file)


# ---- files ---------------------------------------------------------------------------------------


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
    place = as_path(path, "load_run", "file that Run.save wrote")
    if os.path.isdir(place):
        return _load_parts(place)
    refuse_unreadable(place)
    read = READERS[ending_of(place, "load_run")]
    try:
        return read(place)
    except LissomError:
        raise
    except ImportError:
        raise
    except Exception as error:  # the libraries below raise all kinds of things on damaged files
        raise ModelError(f"it cannot be read as a run ({type(error).__name__}: {error}).", file=str(place)) from None


def _load_parts(folder: Path) -> Run:
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
    return dataclasses.replace(run, status=status, ok=False, interrupted=True)


def _read_nc(path: Path) -> Run:
    with opened(path, "run") as data:
        return from_dataset(data, str(path))


def _read_csv(path: Path) -> Run:
    head, _, rest = path.read_text(encoding="utf-8").partition("\n")
    if not head.startswith("# {"):
        raise ModelError(
            f"it is a table, but not a run: the first line is not the header of a run.{read_instead(path)}",
            file=str(path),
        )
    return _from_table(read_table(rest), head[2:], str(path))


def _read_parquet(path: Path) -> Run:
    arrow = pyarrow_or_error()
    with opened_parquet(arrow, path) as file:
        text = (file.schema_arrow.metadata or {}).get(TEXT)
        if text is None:
            raise ModelError("it is a table, but not a run: the header of a run is missing.", file=str(path))
        Budget(path).spend(8 * file.metadata.num_rows * file.metadata.num_columns, "table")
        columns = columns_of(arrow, file.read())
    for name, column in columns.items():
        if column.dtype.kind == "O":
            raise ModelError(f"its column {name[:60]!r} does not contain numbers.", file=str(path))
    return _from_table(columns, text.decode(), str(path))


READERS = {".nc": _read_nc, ".csv": _read_csv, ".parquet": _read_parquet}
