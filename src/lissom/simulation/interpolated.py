"""A function of time that is smooth between breaks, as polynomials through Chebyshev points: exact to rounding.

Simulations ask for torques at one time after the other, where calls of inverse dynamics would take most of their time.
"""

from __future__ import annotations

import copy
from collections.abc import Callable

import numpy as np

from lissom.spatial.rotations import Array

POINTS = 16  # in a piece
SAME = 1e-12  # of the largest value of a column: how well polynomials must do between their points
FINER = (1, 4, 16)  # pieces of every stretch between breaks that are tried
NODES = np.cos(np.pi * (np.arange(POINTS) + 0.5) / POINTS)[::-1]
WEIGHTS = (-1.0) ** np.arange(POINTS) * np.sin(np.pi * (np.arange(POINTS) + 0.5) / POINTS)  # barycentric


def _slopes() -> Array:
    """(POINTS, POINTS) derivatives at the points by the values there, of a piece of length 2."""
    away = NODES[:, None] - NODES
    np.fill_diagonal(away, 1.0)
    found = WEIGHTS / WEIGHTS[:, None] / away
    np.fill_diagonal(found, 0.0)
    return np.asarray(found - np.diag(found.sum(axis=1)))


SLOPES = _slopes()


class Interpolated:
    """Polynomials on pieces between `ends` (k + 1,), through values (k, POINTS, n)."""

    def __init__(self, ends: Array, function: Callable[[Array], Array]) -> None:
        self.ends = ends
        self._values = self._at_nodes(NODES, function)

    @property
    def derivative(self) -> Interpolated:
        """The derivative of the polynomials."""
        made = copy.copy(self)
        made._values = 2 / np.diff(self.ends)[:, None, None] * (SLOPES @ self._values)
        return made

    def _at_nodes(self, nodes: Array, function: Callable[[Array], Array]) -> Array:
        """Return the function's values (k, len(nodes), n) at nodes of every piece."""
        begin, half = self.ends[:-1, None], np.diff(self.ends)[:, None] / 2
        t = begin + half * (1 + nodes)
        return function(t.ravel()).reshape(*t.shape, -1)

    def __call__(self, t: Array) -> Array:
        """Return values (nt, n) at times (nt,), to the last bit the same for one time and for many."""
        k = np.clip(np.searchsorted(self.ends, t, side="right") - 1, 0, len(self.ends) - 2)
        x = 2 * (t - self.ends[k]) / (self.ends[k + 1] - self.ends[k]) - 1
        away = x[:, None] - NODES
        share = WEIGHTS / np.where(away == 0.0, 1e-300, away)  # on a point its own value outweighs all others
        share /= share.sum(axis=1, keepdims=True)
        return np.asarray((share[:, None, :] @ self._values[k])[:, 0])

    def error(self, function: Callable[[Array], Array]) -> float:
        """Return the largest error between the points, relative to the largest value of each column."""
        between = (NODES[1:] + NODES[:-1]) / 2
        away = np.abs(self._at_nodes(between, self) - self._at_nodes(between, function)).max(axis=(0, 1))
        size = np.abs(self._values).max(axis=(0, 1))
        return float((away / np.where(size > 0, size, 1.0)).max(initial=0.0))


def interpolated(function: Callable[[Array], Array], breaks: Array) -> Callable[[Array], Array]:
    """Return a function as polynomials; itself where these are not exact, as where it has a break that is not given."""
    made, exact = polynomials(function, breaks)
    return made if exact else function


def polynomials(function: Callable[[Array], Array], breaks: Array) -> tuple[Interpolated, bool]:
    """Return a function as polynomials, on finer and finer pieces until they are exact, and whether they are."""
    for each in FINER:
        made = Interpolated(finer(breaks, each), function)
        if made.error(function) <= SAME:
            return made, True
    return made, False


def finer(breaks: Array, each: int) -> Array:
    """Return breaks, with every stretch between them divided equally."""
    inner = breaks[:-1, None] + np.diff(breaks)[:, None] * np.arange(each) / each
    return np.append(inner.ravel(), breaks[-1])
