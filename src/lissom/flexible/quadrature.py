"""Integrals along a beam: Gauss panels, and the matrix that integrates from the root to every node."""

from __future__ import annotations

import functools
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.polynomial import legendre

from lissom.later import cached_property
from lissom.spatial.rotations import Array

POINTS = 10


class Panels:
    """Gauss points on panels between given edges; functions should be smooth inside each.

    s, w : (nodes,)     positions and weights
    """

    def __init__(self, edges: Any, points: int = POINTS):
        self.edges, self.points = np.asarray(edges, float), points
        x, w, _ = _rule(points)
        half = np.diff(self.edges)[:, None] / 2
        self.s: Array = (self.edges[:-1, None] + half * (x + 1)).ravel()
        self.w: Array = (half * w).ravel()

    @cached_property
    def upto(self) -> Array:
        """(nodes, nodes): integral from the root to each node of a function given at the nodes."""
        inside = _rule(self.points)[2]
        n, half = len(self.s), np.diff(self.edges) / 2
        matrix = np.zeros((n, n))
        for k, h in enumerate(half):
            own = slice(k * self.points, (k + 1) * self.points)
            matrix[own, own] = h * inside
            matrix[own, : own.start] = self.w[: own.start]
        return matrix


@functools.cache
def _rule(points: int) -> tuple[Array, Array, Array]:
    """Gauss points and weights on (-1, 1), and the matrix that integrates from -1 to every point."""
    x, w = legendre.leggauss(points)
    basis = [legendre.legval(x, legendre.legint(c, lbnd=-1)) for c in np.eye(points)]
    return x, w, np.array(basis).T @ np.linalg.inv(legendre.legvander(x, points - 1))


def refined(edges: Array, least: int) -> Array:
    """Edges of panels that refine the given edges, at least a number in all."""
    length = edges[-1]
    parts = [np.linspace(a, b, max(1, int(np.ceil(least * (b - a) / length))) + 1)[:-1] for a, b in pairwise(edges)]
    return np.append(np.concatenate(parts), length)
