"""Evaluation of a study's rows: one by one, or many at once in compiled code.

Which of the two is a property of the study, not of how many rows come together, and both compute a row from its
values alone: the numbers do not depend on chunks, workers or order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lissom.errors import InputError, LissomError, shown
from lissom.spatial.rotations import Array
from lissom.studies import verbs
from lissom.studies.block import DOUBTFUL, FAILED, Block, Told, gathered
from lissom.studies.design import Columns, seeds
from lissom.studies.output import NoSuchOutput, StudyOutput, columns_of
from lissom.studies.study import RESERVED, Study, StudyCase

LONGEST = 2000  # characters of an error that are kept


def evaluated(study: Study, case: StudyCase) -> Any:
    """Return the full record of one row."""
    if callable(study.evaluate):
        return study.evaluate(case)
    return called(study, case.given)


def called(study: Study, given: Mapping[str, Any]) -> Any:
    """Call the function of a study with an arm and arguments."""
    name, rest = str(study.evaluate), {word: value for word, value in given.items() if word != "arm"}
    return verbs.function_of(name)(given["arm"], **rest, **quietly(name))


def quietly(name: str) -> dict[str, Any]:
    """Return the arguments that a study sets itself: one thread, since rows are distributed to processes."""
    return {word: 1 for word in ("threads", "workers") if verbs.takes(name, word)}


def outcome(study: Study, record: Any) -> Told:
    """Return the outputs, status and error of a record."""
    if getattr(record, "interrupted", False):  # a verb that was stopped from outside; so is the study
        raise KeyboardInterrupt
    columns: dict[str, float] = {}
    for name, array in _outputs(study, record):
        found = columns_of(name, array)
        refuse_taken(found, (*RESERVED, *study.parameters, *columns))
        columns |= found
    lost = [name for name, value in columns.items() if np.isnan(value)]
    if not getattr(record, "ok", True):
        return Told(columns, DOUBTFUL, str(getattr(record, "status", "the record is not ok")))
    return Told(columns, DOUBTFUL, f"{lost[0]} is not a number.") if lost else Told(columns)


def refuse_taken(columns: Iterable[str], taken: Iterable[str]) -> None:
    """Raise an error where two columns have the same name."""
    shared = sorted(set(columns) & set(taken))
    if shared:
        raise NoSuchOutput(f"the output {shared[0]!r} has the name of another column; rename it.")


def _outputs(study: Study, record: Any) -> Iterator[tuple[str, Array]]:
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


def attempted(study: Study, make: Callable[[], Any]) -> Told:
    """Evaluate a row and return its result or failure; raise only for outputs that no row can have."""
    try:
        return outcome(study, make())
    except NoSuchOutput:
        raise
    except Exception as error:  # a function of the user's may raise anything
        return failed(error)


def failed(error: Exception) -> Told:
    """Return the result of a row that failed with an error."""
    name = "" if isinstance(error, LissomError) else f"{type(error).__name__}: "
    return Told({}, FAILED, f"{name}{error}"[:LONGEST])


class Evaluation:
    """The rows of a study, in this process."""

    def __init__(self, study: Study, settings: Mapping[str, Any]):
        """`settings` were found before any row, see `lanes.settings_of`."""
        from lissom.studies.lanes import lanes_of

        self.study = study
        self.lanes = lanes_of(study, settings)

    def __call__(self, rows: NDArray[np.int64], values: Columns) -> list[Block]:
        if self.lanes is not None:
            return self.lanes(rows, values)
        return [gathered(rows, [self._row(k, int(row), values) for k, row in enumerate(rows)])]

    def _row(self, k: int, row: int, values: Columns) -> Told:
        own = {name: column[k] for name, column in values.items()}
        seed = int(seeds(self.study.seed, np.array([row], np.int64))[0])
        return attempted(self.study, lambda: evaluated(self.study, StudyCase(row, seed, own, self.study.put(own))))
