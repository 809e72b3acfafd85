"""Tasks of files whose frame follows a path: the table [path], and the table of numbers that it may name."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from lissom.errors import ModelError
from lissom.formats.columns.headers import time_factor, time_unit
from lissom.formats.files import read_bytes
from lissom.formats.scenario import ARM_KEYS
from lissom.formats.strict import Table, made_rows, record, refuse_unknown
from lissom.formats.tables import read_table
from lissom.model.fields import array
from lissom.motion.task.frame_output import AXES
from lissom.motion.task.reach import Reach

OPTIONS = ("segments", "tolerance", "iterations", "compare")
KEYS = ("lissom_task", "title", *ARM_KEYS, "gravity", "path", "start", "start_deg", "limits", "loads", "bending",
        *OPTIONS, "output")  # fmt: skip
OF_PATH = ("frame", "point", "before", "after")
SOURCES = "file, poses, or t with columns for its axes"


@dataclass(frozen=True, eq=False)
class PathTask:
    """A path that a frame follows, in place of a `Task`.

    path : (times, values) or (times, poses)     as `track_motion` takes it
    """

    path: Any


def read_path(row: Table, folder: Path) -> tuple[Any, dict[str, Any]]:
    """Return the path of a table [path], and what it says besides, as arguments of `track_motion`."""
    refuse_unknown(row, ("file", "poses", "t", *AXES, *OF_PATH), "[path]")
    options = {word: row[word] for word in OF_PATH if word in row}
    columns = [word for word in ("t", *AXES) if word in row]
    given = [word for word in ("file", "poses") if word in row] + columns[:1]
    if len(given) != 1:
        found = f"[path] has {' and '.join(given)}" if given else "[path] has no path"
        raise ModelError(f"{found}; expected one of {SOURCES}.")
    if "poses" in row:
        return _poses(row), options
    if "file" in row:
        t, values, axes = read_path_table(folder / str(row["file"]))
        return (t, values), options | {"axes": axes}
    t, values, axes = _columns({word: array(row[word], word, (None,)) for word in columns})
    return (t, values), options | {"axes": axes}


def read_path_table(path: Path) -> tuple[Any, Any, list[str]]:
    """Return times (nt,), values (nt, m) and axes of a table of numbers (.csv)."""
    if path.suffix.lower() != ".csv":
        raise ModelError(f"it is no table; expected a .csv file with columns t and some of {', '.join(AXES)}.",
                         file=str(path))  # fmt: skip
    text = read_bytes(path)
    try:
        columns = read_table(text.decode("utf-8-sig"))
    except (ValueError, UnicodeDecodeError) as error:
        raise ModelError(f"it is no table of numbers: {error}.", file=str(path)) from None
    try:
        return _columns(columns)
    except ModelError as error:
        raise ModelError(str(error), file=str(path)) from None


def _columns(columns: Any) -> tuple[Any, Any, list[str]]:
    """Return times, values and axes of columns with names, all of the same length."""
    clock = next((name for name in ("t", *columns) if name in columns and time_factor(name) is not None), None)
    axes = [name for name in columns if name != clock]
    if clock is None or not axes or not set(axes) <= set(AXES):
        raise ModelError(f"its columns are {', '.join(columns)}; expected t and some of {', '.join(AXES)}.")
    for name in axes:
        if len(columns[name]) != len(columns[clock]):
            raise ModelError(
                f"{name} has {len(columns[name])} numbers, and {clock} has {len(columns[clock])}; expected as many."
            )
    return np.asarray(columns[clock]) * time_unit(clock), np.column_stack([columns[name] for name in axes]), axes


def _poses(row: Table) -> tuple[list[float], list[Reach]]:
    """Return times and poses to reach."""

    def made(one: Table) -> tuple[float, Reach]:
        t = one.get("t")
        if not isinstance(t, int | float) or isinstance(t, bool):
            raise ModelError("t is missing or no number; expected the time of the pose in s.")
        return float(t), record(Reach, {word: value for word, value in one.items() if word != "t"}, "[[path.poses]]")

    rows = made_rows(row, "poses", "pose", made)
    return [t for t, _ in rows], [pose for _, pose in rows]
