"""What the code of `sparse_solve` reads: the order of an elimination, as data.

A symmetric matrix M has entries for pairs of unknowns on one branch of a tree only. It is factorised as L^T D L
(Featherstone 2008, section 6.5), which adds no entry. Row k of L has entries for all ancestors of k and is stored from
the root to k; the row of an ancestor thus has the same columns as the beginning of row k.

`M x = b` is then solved for many columns at a time, one *panel* after the other: from the leaves to the roots (L^T),
then back (L). Rows of a panel that are zero or not wanted are left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

WIDE, NARROW = 32, 16  # columns of a panel
HEADER = 12  # words of 64 bits before the lists
(N, ROW_BYTES, FOURS, WHOLE_FOURS, ZERO_FOURS, PACKED, PACKED_AT, ELIMINATED_AT, PANELS, PANELS_AT, COLUMNS_AT,
 TAU_AT) = range(HEADER)  # fmt: skip
MOST_ENTRIES = 2**20  # of lists of rows, if every panel has its own


class Tables(NamedTuple):
    """Data of a solution.

    words : read only
    workspace : as it must be before each solution
    """

    words: NDArray[np.int64]
    workspace: NDArray[np.float64]


class Branches:
    """Unknowns on a tree; the ancestors of an unknown come before it."""

    def __init__(self, parents: Sequence[int]):
        self.n = len(parents)
        self.paths: list[list[int]] = []  # of every unknown, from the root to itself
        for k, parent in enumerate(parents):
            self.paths.append([*(self.paths[parent] if parent >= 0 else []), k])
        self.below: list[list[int]] = [[] for _ in parents]  # its descendants
        for k, path in enumerate(self.paths):
            for i in path[:-1]:
                self.below[i].append(k)
        lengths = np.array([-(-len(path) // 4) * 4 for path in self.paths], np.int64)  # filled up to fours
        self.starts = np.concatenate([[0], np.cumsum(lengths)])  # of rows of L

    def place(self, k: int, i: int) -> int:
        """Byte offset of entry (k, i) of L."""
        return 8 * (int(self.starts[k]) + len(self.paths[i]) - 1)


def tables(parents: Sequence[int]) -> Tables:
    """The data for a tree, given by the parent of every unknown, -1 for roots."""
    tree, n = Branches(parents), len(parents)
    panels = _panels(3 * n)
    total = panels[-1][0] + panels[-1][1]
    packed = int(tree.starts[-1])
    unit, columns = 8 * packed, -(-(packed + 1) // 8) * 64
    lists = [_packed(tree), _eliminated(tree)]
    schedules, places = _schedules(tree, panels, unit, 8 * total)
    starts = np.cumsum([8 * HEADER, *(4 * len(x) for x in lists), 4 * 4 * len(panels)])
    shown = [[width == WIDE, 8 * first, int(starts[3]) + at, count]
             for (first, width), (at, count) in zip(panels, places, strict=True)]  # fmt: skip
    head = [n, 8 * total, -(-n // 4), n // 4, -(-(total - 2 * n) // 4), packed, starts[0], starts[1], len(panels),
            starts[2], columns, 16 * n]  # fmt: skip
    small = np.concatenate([np.array(x, np.int32).ravel() for x in (*lists, shown, schedules)])
    small = np.append(small, np.zeros(len(small) % 2, np.int32))
    workspace = np.zeros(columns // 8 + n * total + 8)
    workspace[packed] = 1.0
    return Tables(np.concatenate([np.array(head, np.int64), small.view(np.int64)]), workspace)


def _panels(columns: int) -> list[tuple[int, int]]:
    """First columns and widths of panels that cover a number of columns."""
    whole, left = divmod(columns, WIDE)
    widths = [WIDE] * whole + ([NARROW if left <= NARROW else WIDE] if left else [])
    return [(WIDE * k, width) for k, width in enumerate(widths)]


def _packed(tree: Branches) -> list[int]:
    """Byte offsets in M of the entries of L, row by row; what fills rows up is never used."""
    out: list[int] = []
    for k, path in enumerate(tree.paths):
        out += [8 * (tree.n * k + i) for i in path] + [0] * (-len(path) % 4)
    return out


def _eliminated(tree: Branches) -> list[int]:
    """Table of every unknown, leaves first: offset of its row, number of fours in it, number of ancestors; then of each
    ancestor, nearest first: offset of its row, number of fours in it."""
    out: list[int] = []
    for k in reversed(range(tree.n)):
        path = tree.paths[k]
        out += [8 * int(tree.starts[k]), -(-len(path) // 4), len(path) - 1]
        for depth in reversed(range(len(path) - 1)):
            out += [8 * int(tree.starts[path[depth]]), depth // 4 + 1]
    return out


# ---- panels --------------------------------------------------------------------------------------


def _schedules(
    tree: Branches, panels: list[tuple[int, int]], unit: int, row_bytes: int
) -> tuple[list[int], list[tuple[int, int]]]:
    """Lists of rows of the panels, and of each panel the byte offset of its list and the number of rows in it."""
    n, whole = tree.n, set(range(tree.n))
    pairs = sum(len(path) for path in tree.paths)
    out: list[int] = []
    places: list[tuple[int, int]] = []
    shared = 2 * pairs * len(panels) > MOST_ENTRIES
    for first, width in panels:
        if shared and places:
            places.append(places[0])
            continue
        columns = range(first, min(first + width, 3 * n))
        filled = whole if shared else {i for c in columns for i in _nonzero(tree, c)}
        last = n if shared or columns[0] < 2 * n else columns[-1] - 2 * n + 1  # the rest of a symmetric result
        rows = [*_leaves_first(tree, filled, unit), *_roots_first(tree, filled, last)]
        places.append((4 * len(out), len(rows)))
        for row, scale, terms in rows:
            out += [row * row_bytes, scale, len(terms)]
            out += [x for entry, other in terms for x in (entry, other * row_bytes)]
    return out, places


def _nonzero(tree: Branches, column: int) -> list[int]:
    """Rows of a column that are not zero when the leaves are done: derivatives exist on one branch only, and columns of
    the identity have the rows from the root to their unknown."""
    kind, c = divmod(column, tree.n)
    return tree.paths[c] if kind == 2 else [*tree.paths[c], *tree.below[c]]


Item = tuple[int, int, list[tuple[int, int]]]  # row, offset of its factor, (offset of an entry of L, row)


def _leaves_first(tree: Branches, filled: set[int], unit: int) -> list[Item]:
    """x_i -= L_ki x_k for all descendants k of i."""
    items = [(i, unit, [(tree.place(k, i), k) for k in tree.below[i] if k in filled]) for i in reversed(range(tree.n))]
    return [item for item in items if item[0] in filled and item[2]]


def _roots_first(tree: Branches, filled: set[int], last: int) -> list[Item]:
    """x_i = x_i / D_i - L_ij x_j for all ancestors j of i."""
    found, out = set(filled), []
    for i in range(last):
        terms = [(tree.place(i, j), j) for j in tree.paths[i][:-1] if j in found]
        if i in filled or terms:
            found.add(i)
            out.append((i, tree.place(i, i), terms))
    return out
