"""Sparse matrices with a constant pattern, as sums of contributions."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from lissom.spatial.rotations import Array

Indices = NDArray[np.intp]
Made = TypeVar("Made")


class Pattern:
    """Where the nonzeros of a sparse matrix are, columns first, and sums of contributions to them."""

    def __init__(self, shape: tuple[int, int], rows: Indices, columns: Indices) -> None:
        keys = columns.astype(np.int64) * shape[0] + rows
        self.keys = np.unique(keys)
        self.shape = shape
        self._kept: dict[Hashable, Any] = {}
        self.rows, self.columns = self.keys % shape[0], self.keys // shape[0]

    @property
    def size(self) -> int:
        return len(self.keys)

    def at(self, rows: Indices, columns: Indices) -> Indices:
        """Return the places of nonzeros."""
        return np.searchsorted(self.keys, np.asarray(columns, np.int64) * self.shape[0] + rows)

    def kept(self, key: Hashable, make: Callable[[], Made]) -> Made:
        """What `make` returned the first time for a key: what solvers make from the patterns of a program."""
        if key not in self._kept:
            self._kept.setdefault(key, make())
        found: Made = self._kept[key]
        return found


class Sums:
    """Contributions to a pattern: entry, source and factor of every term."""

    def __init__(self) -> None:
        self.rows: list[Indices] = []
        self.columns: list[Indices] = []
        self.sources: list[Indices] = []
        self.factors: list[Array] = []

    def add(self, rows: Any, columns: Any, sources: Any, factors: Any) -> None:
        self.rows.append(np.asarray(rows, np.intp))
        self.columns.append(np.asarray(columns, np.intp))
        self.sources.append(np.asarray(sources, np.intp))
        self.factors.append(np.asarray(factors, float))

    def add_symmetric(self, reach: sparse.csr_array, rows: Indices, columns: Indices, sources: Indices) -> None:
        """Add reach^T S reach, upper triangle, to which each pair of rows and columns of a symmetric S contributes.

        rows, columns : of the sources in S, each pair once
        """
        which, first, value = expanded(reach, rows)
        again, second, other = expanded(reach, columns[which])
        at, i, j, factor = which[again], first[again], second, value[again] * other
        diagonal = (rows == columns)[at]
        keep = ~diagonal | (i <= j)  # of a square each pair once
        factor = np.where(~diagonal & (i == j), 2 * factor, factor)
        self.add(np.minimum(i, j)[keep], np.maximum(i, j)[keep], sources[at[keep]], factor[keep])

    def matrix(self, pattern: Pattern, total: int) -> sparse.csr_array:
        """Return the matrix from sources to the entries of a pattern."""
        if not self.rows:
            return sparse.csr_array((pattern.size, total))
        rows, columns = np.concatenate(self.rows), np.concatenate(self.columns)
        entries = (np.concatenate(self.factors), (pattern.at(rows, columns), np.concatenate(self.sources)))
        return sparse.csr_array(sparse.coo_array(entries, shape=(pattern.size, total)))

    @property
    def places(self) -> tuple[Indices, Indices]:
        if not self.rows:
            return np.zeros(0, np.intp), np.zeros(0, np.intp)
        return np.concatenate(self.rows), np.concatenate(self.columns)


def expanded(A: sparse.csr_array, rows: Indices) -> tuple[Indices, Indices, Array]:
    """Nonzeros of chosen rows of a matrix: which of the chosen, column, value."""
    starts, ends = A.indptr[rows], A.indptr[rows + 1]
    counts = ends - starts
    which = np.repeat(np.arange(len(rows)), counts)
    offset = np.arange(len(which)) - np.repeat(np.cumsum(counts) - counts, counts)
    at = np.repeat(starts, counts) + offset
    return which, A.indices[at], A.data[at]
