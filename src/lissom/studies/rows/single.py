"""Evaluation of a single row of a study."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from lissom.errors import InputError, LissomError, NoSuchOutput, shown
from lissom.spatial.rotations import Array
from lissom.studies.plan import verbs
from lissom.studies.plan.description import RESERVED, AbstractStudy, StudyCase
from lissom.studies.plan.output import StudyOutput, columns_of
from lissom.studies.rows.block import DOUBTFUL, FAILED, Row

LONGEST = 2000  # characters of an error that are kept


def evaluated(study: AbstractStudy, case: StudyCase) -> Any:
    """Return the full record of one row."""
    if callable(study.evaluate):
        return study.evaluate(case)
    return called(study, case.given)


def called(study: AbstractStudy, given: Mapping[str, Any]) -> Any:
    """Call the function of a study with an arm and arguments."""
    name, rest = str(study.evaluate), {word: value for word, value in given.items() if word != "arm"}
    return verbs.function_of(name)(given["arm"], **rest, **quietly(name))


def quietly(name: str) -> dict[str, Any]:
    """Return the arguments that a study sets itself: one thread, since rows are distributed to processes."""
    return {word: 1 for word in ("threads", "workers") if verbs.takes(name, word)}


def outcome(study: AbstractStudy, record: Any) -> Row:
    """Return the outputs of a record, and how it ended."""
    if getattr(record, "interrupted", False):  # a verb that was stopped from outside; so is the study
        raise KeyboardInterrupt
    columns: dict[str, float] = {}
    for name, array in _outputs(study, record):
        found = columns_of(name, array)
        refuse_taken(found, (*RESERVED, *study.parameters, *columns))
        columns |= found
    lost = [name for name, value in columns.items() if np.isnan(value)]
    if not getattr(record, "ok", True):
        return Row(columns, DOUBTFUL, str(getattr(record, "status", "the record is not ok")))
    return Row(columns, DOUBTFUL, f"{lost[0]} is not a number.") if lost else Row(columns)


def refuse_taken(columns: Iterable[str], taken: Iterable[str]) -> None:
    """Raise an error where two columns have the same name."""
    shared = sorted(set(columns) & set(taken))
    if shared:
        raise NoSuchOutput(f"the output {shared[0]!r} has the name of another column; rename it.")


def _outputs(study: AbstractStudy, record: Any) -> Iterator[tuple[str, Array]]:
    if study.outputs:
        for name, output in study.outputs.items():
            yield name, _output(name, output, record)
        return
    if not isinstance(record, Mapping):
        raise NoSuchOutput(
            f"{study.verb} returned {shown(record)}; expected {{name: number}}, or give the study outputs= to extract."
        )
    for name, value in record.items():
        yield str(name), _output(str(name), StudyOutput(), value)


def _output(name: str, output: StudyOutput, record: Any) -> Array:
    try:
        return output.of_record(record)
    except InputError as error:
        raise type(error)(f"output {name!r}: {error}") from None


def attempted(study: AbstractStudy, make: Callable[[], Any]) -> Row:
    """Evaluate a row and return its result or failure; raise only for outputs that no row can have."""
    try:
        return outcome(study, make())
    except NoSuchOutput:
        raise
    except Exception as error:  # a function of the user's may raise anything
        return failed(error)


def failed(error: Exception) -> Row:
    """Return the result of a row that failed with an error."""
    name = "" if isinstance(error, LissomError) else f"{type(error).__name__}: "
    return Row({}, FAILED, f"{name}{error}"[:LONGEST])
