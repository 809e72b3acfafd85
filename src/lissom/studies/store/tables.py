"""Tables of evaluated rows: the columns that all have, their order, and one below the other."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from lissom.studies.plan.description import AbstractStudy
from lissom.studies.plan.design import Columns, seeds
from lissom.studies.rows.block import FAILED, Block

WORDS = ("outcome", "status")  # the last columns


def as_table(study: AbstractStudy, block: Block) -> Columns:
    """Return a block as a table with parameters and seeds."""
    return {
        "row": block.rows, **study.values(block.rows), "seed": seeds(study.seed, block.rows), **block.columns,
        "outcome": np.array(block.outcomes, object), "status": np.array(block.statuses, object),
    }  # fmt: skip


def empty_table(parameters: Iterable[str]) -> Columns:
    """Return a table without rows."""
    numbers: Columns = {"row": np.zeros(0, np.int64), **{name: np.zeros(0) for name in parameters}}
    return numbers | {"seed": np.zeros(0, np.int64), **{word: np.zeros(0, object) for word in WORDS}}


def merged(tables: Sequence[Columns]) -> Columns:
    """Return tables one below the other; what a table does not have is not a number."""
    names = dict.fromkeys(name for table in tables for name in table)
    out: Columns = {}
    for name in names:
        columns = [t[name] if name in t else np.full(len(t["row"]), np.nan) for t in tables]
        out[name] = np.concatenate([x for x in columns if len(x)] or columns[:1])
    return out


def in_order(table: Columns) -> Columns:
    """Return a table with every row once, sorted; text columns last. Of repeated rows the one that did not fail."""
    order = np.lexsort((table["outcome"] == FAILED, table["row"]))
    _, place = np.unique(table["row"][order], return_index=True)
    first = order[place]
    names = [*(name for name in table if name not in WORDS), *WORDS]
    return {name: table[name][first] for name in names}
