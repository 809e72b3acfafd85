"""Rows evaluated together, which a study of `Batch` or `Ensemble` has.

Where only states, gains, loads or numbers of the arm vary, the rows of a chunk go to the compiled code together. A row
gives the same bits alone and in any company.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lissom.dynamics.alike import refuse_unlike
from lissom.dynamics.varied import Varied
from lissom.errors import LissomError
from lissom.later import cached_property
from lissom.model.arm import Arm
from lissom.studies.plan.description import AbstractStudy
from lissom.studies.plan.design import Columns
from lissom.studies.rows.block import Block, joined
from lissom.studies.rows.single import attempted, called
from lissom.studies.rows.stacking import NotStackable, stacked

# places in the spreads of parameters; generic ones, no two the same distance from the middle
SPREAD = (0.13, 0.41, 0.87)


class Lanes(ABC):
    """Rows that are evaluated together, some at a time."""

    most: int

    def __init__(self, study: AbstractStudy, settings: Mapping[str, Any]):
        self.study, self.settings = study, dict(settings)

    @abstractmethod
    def suits(self) -> bool:
        """Whether the study's rows can be evaluated together."""

    def settled(self) -> bool:
        """Whether all settings are fixed, so that a row's result does not depend on the others."""
        return True

    @abstractmethod
    def together(self, values: Columns) -> Any:
        """Return the record of rows with these values."""

    @abstractmethod
    def parted(self, record: Any, rows: NDArray[np.int64]) -> Block:
        """Split that record into rows."""

    def __call__(self, rows: NDArray[np.int64], values: Columns) -> list[Block]:
        """Evaluate all rows, some at a time."""
        blocks = []
        for start in range(0, len(rows), self.most):
            some = slice(start, start + self.most)
            blocks.append(self._some(rows[some], {name: column[some] for name, column in values.items()}))
        return blocks

    def _some(self, rows: NDArray[np.int64], values: Columns) -> Block:
        try:
            record = self.together(values)
        except LissomError:
            if len(rows) == 1:
                return Block.of(rows, [attempted(self.study, lambda: self._alone(values))])
            # one of them is at fault; the others are what they would have been
            half = len(rows) // 2
            parts = (slice(0, half), slice(half, None))
            return joined([self._some(rows[part], {n: x[part] for n, x in values.items()}) for part in parts])
        return self.parted(record, rows)

    def _alone(self, values: Columns) -> Any:
        """Return the record of a row that cannot go with others: its arm differs in more than the samples do."""
        (subject,) = self.subjects(values)
        return called(self.study, subject | self.settings)

    def subjects(self, values: Columns) -> list[dict[str, Any]]:
        """Return arm and arguments of every row."""
        count = len(next(iter(values.values())))
        return [self.study.put({name: column[k] for name, column in values.items()}) for k in range(count)]

    def arguments(self, subjects: Sequence[dict[str, Any]]) -> dict[str, Any]:
        """Return the arguments of all rows, those that vary stacked; without the arm."""
        given = {word: value for word, value in self.study.subject.items() if word != "arm"}
        return given | {word: stacked([s[word] for s in subjects]) for word in self.study.roots - {"arm"}}

    @cached_property
    def samples(self) -> list[Arm]:
        """Arms that differ from the study's in all that its rows differ in; none where the arm does not vary.

        What differs between arms is an input of compiled code, the rest is not. The samples decide what differs, so
        that it is the same whatever rows come together.
        """
        return [self.study.sample(u)["arm"] for u in SPREAD] if "arm" in self.study.roots else []

    @cached_property
    def varied(self) -> Varied:
        """What may differ between the arms of rows that go together."""
        return Varied(self.study.arm, self.samples)

    def stacks(self) -> bool:
        """Whether varying values can be stacked (judged by the first and last row) and arms have the same structure."""
        try:
            self.arguments(self.subjects(self.study.values(np.array([0, self.study.rows - 1], np.int64))))
            for k, arm in enumerate(self.samples):
                refuse_unlike(self.study.arm, arm, k)
        except (NotStackable, LissomError):
            return False
        return True
