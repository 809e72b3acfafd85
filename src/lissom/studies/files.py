"""Study results read from stores."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from lissom.errors import ModelError
from lissom.formats.kinds import read_instead
from lissom.formats.records.targets import as_path
from lissom.formats.records.text import refuse_damage
from lissom.studies.plan.described import ENCODING
from lissom.studies.plan.description import RESERVED
from lissom.studies.plan.parameter import StudyParameter
from lissom.studies.result import StudyResult, ended
from lissom.studies.store.about import ABOUT, read_about
from lissom.studies.store.parts import read_table, refuse_beyond
from lissom.studies.store.tables import empty_table


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
    folder = as_path(path, "load_study", "folder that Study.run stored rows in")
    if not folder.is_dir():
        what = "is a file" if folder.exists() else "does not exist"
        raise ModelError(f"it {what}; expected the folder of a study.{read_instead(folder)}", file=str(folder))
    if not (folder / ABOUT).is_file():
        instead = read_instead(folder)
        raise ModelError(f"it is a folder, but not of a study: it has no {ABOUT}.{instead}", file=str(folder))
    about = read_about(folder)
    with refuse_damage(str(folder / ABOUT)):
        parameters = {name: ENCODING.revived(value) for name, value in about["parameters"].items()}
        if not all(isinstance(parameter, StudyParameter) for parameter in parameters.values()):
            raise TypeError("parameters are something else")
    return _result(folder, about, tuple(parameters))


def _result(folder: Path, about: dict[str, Any], parameters: tuple[str, ...]) -> StudyResult:
    table, rows = read_table(folder, empty_table(parameters)), about["rows"]
    refuse_beyond(folder, table["row"], rows)
    for name in (name for name in table if name not in (*RESERVED, *parameters)):
        if table[name].dtype.kind not in "if":
            raise ModelError(f"its output {name!r} is text; expected numbers.", file=str(folder))
    how, title = ended(len(table["row"]), rows), about["title"] or about["evaluate"]
    made = (None, table, parameters, about["units"], rows, about["sampling"], *how, title, dict(about["settings"]))
    return StudyResult(*made)
