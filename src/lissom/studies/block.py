"""Some rows of a study, evaluated."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lissom.spatial.rotations import Array

OK, DOUBTFUL, FAILED = "ok", "doubtful", "failed"


class Block(NamedTuple):
    """The results of some rows of a study.

    rows : (n,)          their numbers
    columns : {output: (n,)}    NaN where a row has none
    status : n words     "ok", "doubtful" (there are numbers, but the record's status is not ok), "failed"
    errors : n texts     empty where the status is "ok"
    """

    rows: NDArray[np.int64]
    columns: dict[str, Array]
    status: list[str]
    errors: list[str]


class Told(NamedTuple):
    """One row: its outputs, status and error."""

    columns: Mapping[str, float]
    status: str = OK
    error: str = ""


def gathered(rows: NDArray[np.int64], told: Sequence[Told]) -> Block:
    """Join single rows into a block."""
    names = dict.fromkeys(name for one in told for name in one.columns)
    columns = {name: np.array([one.columns.get(name, np.nan) for one in told], float) for name in names}
    return Block(rows, columns, [one.status for one in told], [one.error for one in told])


def joined(blocks: Sequence[Block]) -> Block:
    """Join blocks into one."""
    names = dict.fromkeys(name for block in blocks for name in block.columns)
    missing = [np.full(len(block.rows), np.nan) for block in blocks]
    return Block(
        np.concatenate([block.rows for block in blocks]),
        {n: np.concatenate([b.columns.get(n, gap) for b, gap in zip(blocks, missing, strict=True)]) for n in names},
        [word for block in blocks for word in block.status],
        [text for block in blocks for text in block.errors],
    )
