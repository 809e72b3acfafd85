"""Blocks of equal samples: what each sees of the variables, its rows or its cost, and their derivatives.

Sample k of a block sees w_k = W_k x. Jacobian and Hessian of a program are constant sparse matrices times the nonzeros
that the samples give, as for other motions (`lissom.motion.transcription.program`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from lissom.spatial.rotations import Array

Indices = NDArray[np.intp]
Places = tuple[Indices, Indices]


class AbstractSamples(ABC):
    """Samples of one kind.

    Attributes
    ----------
    W : (N width, size)      what the samples see, by the variables
    N, width : int           samples; numbers that each sees
    hessian : (rows, columns)     places of the nonzeros of a sample's second derivatives, every pair once
    """

    W: sparse.csr_array
    N: int
    width: int
    hessian: Places


class AbstractBlock(AbstractSamples):
    """Samples that have rows.

    Attributes
    ----------
    m : int                  rows of each
    jacobian : (rows, columns)    places of the nonzeros of a sample's first derivatives
    lower, upper : (N m,)    bounds of the rows
    names : list             of the rows, for messages: what, of which, time as phase + fraction; NaN: at no time
    """

    m: int
    jacobian: Places
    lower: Array
    upper: Array
    names: list[tuple[str, str, float]]

    @abstractmethod
    def value(self, w: Array) -> Array:
        """Return the rows (N, m)."""

    @abstractmethod
    def first(self, w: Array) -> Array:
        """Return the nonzeros of first derivatives (N, .)."""

    @abstractmethod
    def second(self, w: Array, lam: Array) -> Array:
        """Return the nonzeros of the second derivatives of lam . rows (N, .); lam (N, m)."""


class AbstractCostBlock(AbstractSamples):
    """Samples whose costs are added up."""

    @abstractmethod
    def value(self, w: Array) -> Array:
        """Return the costs (N,)."""

    @abstractmethod
    def first(self, w: Array) -> Array:
        """Return the gradients (N, width)."""

    @abstractmethod
    def second(self, w: Array) -> Array:
        """Return the nonzeros of second derivatives (N, .)."""


class LinearRows(NamedTuple):
    """Rows A x between bounds."""

    A: sparse.csr_array
    lower: Array
    upper: Array
    names: list[tuple[str, str, float]]


def pairs(*places: tuple[Indices, ...]) -> Places:
    """Places one after the other."""
    rows, columns = zip(*places, strict=True)
    return np.concatenate(rows).astype(np.intp), np.concatenate(columns).astype(np.intp)
