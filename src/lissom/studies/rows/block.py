"""Some rows of a study, evaluated."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lissom.spatial.rotations import Array
from lissom.studies.outcome import StudyRowOutcome

OK, DOUBTFUL, FAILED = StudyRowOutcome  # in their order


class Row(NamedTuple):
    """One row: its outputs, how it ended, and why."""

    columns: Mapping[str, float]
    outcome: StudyRowOutcome = OK
    status: str = OK.value


class Block(NamedTuple):
    """The results of some rows of a study.

    rows : (n,)                 their numbers
    columns : {output: (n,)}    NaN where a row has none
    outcomes : n members        how they ended
    statuses : n sentences      "ok", or what is wrong with them
    """

    rows: NDArray[np.int64]
    columns: dict[str, Array]
    outcomes: list[StudyRowOutcome]
    statuses: list[str]

    @classmethod
    def of(cls, rows: NDArray[np.int64], found: Sequence[Row]) -> Block:
        """Join single rows into a block."""
        names = dict.fromkeys(name for one in found for name in one.columns)
        columns = {name: np.array([one.columns.get(name, np.nan) for one in found], float) for name in names}
        return cls(rows, columns, [one.outcome for one in found], [one.status for one in found])


def joined(blocks: Sequence[Block]) -> Block:
    """Join blocks into one."""
    names = dict.fromkeys(name for block in blocks for name in block.columns)
    missing = [np.full(len(block.rows), np.nan) for block in blocks]
    return Block(
        np.concatenate([np.zeros(0, np.int64), *(block.rows for block in blocks)]),
        {n: np.concatenate([b.columns.get(n, gap) for b, gap in zip(blocks, missing, strict=True)]) for n in names},
        [one for block in blocks for one in block.outcomes],
        [one for block in blocks for one in block.statuses],
    )
