"""Evaluation of a study's rows: one by one, or many at once in compiled code.

Which of the two is a property of the study, not of how many rows come together, and both compute a row from its
values alone: the numbers do not depend on chunks, workers or order.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lissom.studies.plan import verbs
from lissom.studies.plan.description import AbstractStudy, StudyCase
from lissom.studies.plan.design import Columns, seeds
from lissom.studies.rows.batch import Batch
from lissom.studies.rows.block import Block, Row
from lissom.studies.rows.ensemble import TRIED, Ensemble
from lissom.studies.rows.lanes import Lanes
from lissom.studies.rows.single import attempted, evaluated


def lanes_of(study: AbstractStudy, settings: Mapping[str, Any]) -> Lanes | None:
    """Return how the rows of a study are evaluated together, None where they cannot be."""
    if not study.lanes or callable(study.evaluate):
        return None
    made = (Batch if study.evaluate in verbs.STATES else Ensemble)(study, settings)
    return made if made.suits() and made.settled() else None


def settings_of(study: AbstractStudy) -> dict[str, Any]:
    """Return the settings chosen once for all rows: method and step of an ensemble."""
    made = Ensemble(study, {})
    if not study.lanes or study.arguments.get("dt") is not None or not made.suits():
        return {}
    some = np.unique(np.linspace(0, study.rows - 1, min(TRIED, study.rows)).astype(np.int64))
    report = made.report(some)
    if report is None:  # by those that can be simulated
        report = made.report(np.array([row for row in some if made.report(np.array([row])) is not None], np.int64))
    if report is None or made.slow(report.method):
        return {}
    return {"dt": report.dt, "method": report.method}


class Evaluation:
    """The rows of a study, in this process."""

    def __init__(self, study: AbstractStudy, settings: Mapping[str, Any]):
        """`settings` were found before any row, see `settings_of`."""
        self.study = study
        self.lanes = lanes_of(study, settings)

    def __call__(self, rows: NDArray[np.int64], values: Columns) -> list[Block]:
        if self.lanes is not None:
            return self.lanes(rows, values)
        return [Block.of(rows, [self._row(k, int(row), values) for k, row in enumerate(rows)])]

    def _row(self, k: int, row: int, values: Columns) -> Row:
        own = {name: column[k] for name, column in values.items()}
        seed = int(seeds(self.study.seed, np.array([row], np.int64))[0])
        return attempted(self.study, lambda: evaluated(self.study, StudyCase(row, seed, own, self.study.put(own))))
