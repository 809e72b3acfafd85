"""Rows kept in memory, and what every store of rows can do."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lissom.studies.plan.description import AbstractStudy
from lissom.studies.plan.design import Columns
from lissom.studies.rows.block import Block, joined
from lissom.studies.store.tables import as_table, in_order


class Memory:
    """Rows kept in memory only; `Folder` stores them on disk.

    settings : what was chosen once for all rows, see `rows.evaluation.settings_of`; None: not chosen yet
    advice : what can be done when rows are missing, to end a sentence
    """

    advice = ""

    def __init__(self, study: AbstractStudy):
        self.study = study
        self.settings: dict[str, Any] | None = None
        self._blocks: list[Block] = []

    @contextmanager
    def opened(self, _resume: bool, _overwrite: bool = False) -> Iterator[None]:
        """Open the store for writing; nobody else can write to it."""
        yield

    def missing(self, _failed: bool = False) -> NDArray[np.int64]:
        """Return the rows that are not evaluated yet, in order; with `failed` also those that failed."""
        return np.arange(self.study.rows, dtype=np.int64)

    def add(self, blocks: Sequence[Block]) -> None:
        """Add evaluated rows."""
        self._blocks += blocks

    def table(self) -> Columns:
        """Return the columns of all rows that are there, in their order."""
        return in_order(as_table(self.study, joined(self._blocks)))
