"""The Parquet files of a store: what is in them, and what is refused."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lissom.errors import ModelError
from lissom.formats.records.parquet import columns_of, opened_parquet, pyarrow_for
from lissom.studies.outcome import StudyRowOutcome
from lissom.studies.plan.design import Columns
from lissom.studies.store.tables import in_order, merged

PART = re.compile(r"rows-(\d+)-(\d+)\.parquet")
KINDS = {"row": "i", "seed": "i", "outcome": "O", "status": "O"}  # columns that every file has


def pyarrow() -> Any:
    """Return the package that reads and writes these files."""
    return pyarrow_for(
        "a study store needs",
        "studies",
        " (`make install` brings it). In Python, a study without store= stays in memory",
    )


def parts(folder: Path) -> dict[Path, tuple[int, int]]:
    """Return the files of rows, with their size class and number."""
    found = {path: PART.fullmatch(path.name) for path in sorted(folder.iterdir())}
    return {path: (int(m[1]), int(m[2])) for path, m in found.items() if m and path.is_file()}


def read_part(path: Path, names: list[str] | None = None) -> Columns:
    """Return the columns of one file."""
    arrow = pyarrow()
    try:
        with opened_parquet(arrow, path) as file:
            rows = file.metadata.num_rows
            if 8 * rows > path.stat().st_size:  # every row has a seed, eight bytes that cannot be packed
                raise ValueError(f"{rows} rows are too many for its size")
            table = columns_of(arrow, file.read(columns=names))
        if table["row"].dtype.kind != "i" or (table["row"] < 0).any() or any(len(x) != rows for x in table.values()):
            raise ValueError("rows are not numbered")
        return table if names else _with_outcomes(table)
    except Exception as error:  # the library raises all kinds of things on damaged files
        raise ModelError(
            f"its rows cannot be read ({type(error).__name__}: {error}). Remove this file and resume: its rows are "
            "evaluated again.",
            file=str(path),
        ) from None


def _with_outcomes(table: Columns) -> Columns:
    """Return the columns of whole rows, outcomes as members; format 1 has their words as status, and errors."""
    if "outcome" not in table and "error" in table:
        table = table | {"outcome": table["status"], "status": table.pop("error")}
        table["status"] = np.where(table["status"] == "", "ok", table["status"])
    if any(word not in table or table[word].dtype.kind != kind for word, kind in KINDS.items()):
        raise ValueError("they do not have the columns of a study")
    known = {str(one): one for one in StudyRowOutcome}
    return table | {"outcome": np.array([known[word] for word in table["outcome"]], object)}


def rows_in(folder: Path) -> NDArray[np.int64]:
    """Return the numbers of the rows that are there."""
    found = [read_part(path, ["row"])["row"] for path in parts(folder)]
    rows = np.sort(np.concatenate([np.zeros(0, np.int64), *found]))
    return rows[np.diff(rows, prepend=-1) > 0]  # `np.unique` takes ten times as long


def read_table(folder: Path, empty: Columns) -> Columns:
    """Return all rows of a store, in their order; `empty` has the columns that there are at least."""
    return in_order(merged([empty, *(read_part(path) for path in parts(folder))]))


def refuse_beyond(folder: Path, rows: NDArray[np.int64], count: int) -> None:
    """Raise an error for rows that a study does not have."""
    if len(rows) and int(rows[-1]) >= count:
        raise ModelError(f"it has row {int(rows[-1])} of a study of {count} rows.", file=str(folder))
