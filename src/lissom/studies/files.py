"""Reading study results from stores, and writing them as CSV."""

from __future__ import annotations

import csv
import os
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lissom.errors import LissomError, ModelError
from lissom.formats.files import write_whole
from lissom.formats.kinds import read_instead
from lissom.formats.tables import text_cell
from lissom.motion.result.files.encode import revived
from lissom.studies.design import Columns
from lissom.studies.parameter import StudyParameter
from lissom.studies.result import StudyResult
from lissom.studies.store import ABOUT, read_about, read_table, refuse_beyond
from lissom.studies.study import RESERVED


def load_study(path: str | os.PathLike[str]) -> StudyResult:
    """Load the result of a study, complete or not, from the folder in which it was stored.

    Parameters
    ----------
    path : a folder        the `store` of `Study.run`, or the output of `lissom sweep`

    Returns
    -------
    StudyResult

    Examples
    --------
    >>> import lissom as ls, tempfile, pathlib
    >>> folder = pathlib.Path(tempfile.mkdtemp()) / "payloads"
    >>> study = ls.Study(
    ...     "modes", "two_link_flexible", {"count": 1},
    ...     parameters={"payload": ls.StudyParameter("arm.links.link2.payload.mass", grid=(0.0, 0.2, 3))},
    ... )
    >>> result = study.run(folder, workers=1)
    >>> again = ls.load_study(folder)
    >>> again.status, bool((again["frequency[0]"] == result["frequency[0]"]).all())
    ('done', True)
    """
    folder = Path(path)
    if not folder.is_dir():
        what = "is a file" if folder.exists() else "does not exist"
        raise ModelError(f"it {what}; expected the folder of a study.{read_instead(folder)}", file=str(folder))
    if not (folder / ABOUT).is_file():
        instead = read_instead(folder)
        raise ModelError(f"it is a folder, but not of a study: it has no {ABOUT}.{instead}", file=str(folder))
    about = read_about(folder)
    try:
        return _result(folder, about)
    except LissomError:
        raise
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError, RecursionError) as error:
        raise ModelError(f"it is damaged ({type(error).__name__}: {error}).", file=str(folder / ABOUT)) from None


def _result(folder: Path, about: dict[str, Any]) -> StudyResult:
    parameters = {name: revived(value, 0) for name, value in about["parameters"].items()}
    if not all(isinstance(parameter, StudyParameter) for parameter in parameters.values()):
        raise TypeError("parameters are something else")
    words: Columns = {word: np.zeros(0, object) for word in ("status", "error")}
    empty: Columns = {"row": np.zeros(0, np.int64), **{name: np.zeros(0) for name in parameters}}
    empty |= {"seed": np.zeros(0, np.int64), **words}
    table = read_table(folder, empty)
    rows = about["rows"]
    refuse_beyond(folder, table["row"], rows)
    for name in (name for name in table if name not in (*RESERVED, *parameters)):
        if table[name].dtype.kind not in "if":
            raise ModelError(f"its output {name!r} is text; expected numbers.", file=str(folder))
    done = len(table["row"])
    status = "done" if done == rows else f"incomplete: {done} of {rows} rows are evaluated"
    title, settings = about["title"] or about["evaluate"], dict(about["settings"])
    return StudyResult(
        None, table, tuple(parameters), about["units"], rows, about["sampling"], status, title, settings
    )  # fmt: skip


def write_csv(table: Columns, path: Path) -> None:
    """A line of names, then one line per row."""

    def write(place: Path) -> None:
        with place.open("w", encoding="utf-8", newline="") as stream:
            writer = csv.writer(stream, lineterminator="\n")
            writer.writerow(map(text_cell, table))
            columns = [_cells(column) for column in table.values()]
            writer.writerows(zip(*columns, strict=True))

    write_whole(path, write)


def _cells(column: NDArray[Any]) -> list[Any]:
    """Numbers with the digits that identify them, text that is no formula."""
    if column.dtype.kind == "f":
        return [f"{x:.17g}" for x in column]
    return [text_cell(x) if isinstance(x, str) else x for x in column.tolist()]
