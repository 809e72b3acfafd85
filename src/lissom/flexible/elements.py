"""Modes of tapered beams by cubic (Hermite) elements; also an independent check for uniform ones.

The eigenproblem is solved for the largest 1/w^2 of M against K with slopes scaled by the element's length: low
modes keep their digits however many elements there are. Stiffness integrals of FE shapes must come from the
matrix K, since curvature converges two orders slower than the shape (`stiffness` gives them).
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from lissom.flexible.quadrature import Panels
from lissom.flexible.shapes import Shapes
from lissom.spatial.rotations import Array

Section = Callable[[Array], Array]
GAUSS = 6


class ElementModes(NamedTuple):
    """Modes of a mesh: circular frequencies (count,), shapes, and their stiffness (count, count)."""

    omega: Array
    shapes: Shapes
    stiffness: Array


def mesh(length: float, stations: Array | None, least: int) -> Array:
    """Edges of at least `least` elements of similar length, with one at every station."""
    ends = np.array([0.0, length]) if stations is None else np.asarray(stations, float)
    pieces = [np.linspace(a, b, max(2, int(np.ceil(least * (b - a) / length)) + 1))[:-1] for a, b in pairwise(ends)]
    return np.append(np.concatenate(pieces), length)


def bending(edges: Array, mu: Section, EI: Section, tip: Array, count: int) -> ElementModes:
    """Bending modes, clamped at the root; `tip` (2, 2) is the inertia of the tip in deflection and slope."""
    return _modes(edges, mu, EI, 2, tip, count)


def rods(edges: Array, rho: Section, stiffness: Section, tip: float, count: int) -> ElementModes:
    """Torsion or stretch modes, clamped at the root; `tip` is the inertia of the tip."""
    return _modes(edges, rho, stiffness, 1, np.diag([tip, 0.0]), count)


def _modes(edges: Array, rho: Section, stiffness: Section, bent: int, tip: Array, count: int) -> ElementModes:
    from scipy.linalg import eigh

    panels = Panels(edges, GAUSS)
    M, K = _energy(edges, panels, rho, 0), _energy(edges, panels, stiffness, bent)
    M[-2:, -2:] += tip
    held = 2 if bent == 2 else 1  # at the root: deflection, and slope of a bending beam
    scale = np.tile([1.0, 0.0], len(edges))
    scale[1::2] = 1 / np.gradient(edges)
    scale = scale[held:]
    n = len(scale)
    m, k = (scale[:, None] * A[held:, held:] * scale for A in (M, K))
    values, U = eigh(m, k, subset_by_index=(n - count, n - 1))
    values, U = values[::-1], scale[:, None] * U[:, ::-1]
    total = float(panels.w @ rho(panels.s)) or 1.0  # U K U = 1, U M U = 1/w^2: made total, as of the exact shapes
    nodes = np.vstack([np.zeros((held, count)), U * np.sqrt(total / values)])
    nodes *= np.where((_rows(edges, np.zeros(1), bent) @ nodes)[0] < 0, -1.0, 1.0)
    shapes = Shapes(float(edges[-1]), count, lambda s, d: _rows(edges, s, d) @ nodes, edges)
    return ElementModes(1 / np.sqrt(values), shapes, nodes.T @ K @ nodes)


def bent_by_moment(edges: Array, EI: Section) -> Shapes:
    """The static shape of a beam under a unit moment at its tip."""
    K = _energy(edges, Panels(edges, GAUSS), EI, 2)[2:, 2:]
    nodes = np.concatenate([[0.0, 0.0], np.linalg.solve(K, np.eye(len(K))[-1])])[:, None]
    return Shapes(float(edges[-1]), 1, lambda s, d: _rows(edges, s, d) @ nodes, edges)


def _energy(edges: Array, panels: Panels, weight: Section, d: int) -> Array:
    """(nodes x 2)^2 integral of a weight times derivatives d of two deflections."""
    N = _rows(edges, panels.s, d)
    return N.T @ ((panels.w * weight(panels.s))[:, None] * N)


def _rows(edges: Array, s: Array, d: int) -> Array:
    """(points, nodes x 2) derivative d, at positions s, of the shape functions of nodal deflections and slopes."""
    s = np.asarray(s, float)
    e = np.clip(np.searchsorted(edges, s, side="right") - 1, 0, len(edges) - 2)
    h = edges[e + 1] - edges[e]
    t = (s - edges[e]) / h
    if d == 0:
        parts = [1 - 3 * t**2 + 2 * t**3, h * (t - 2 * t**2 + t**3), 3 * t**2 - 2 * t**3, h * (t**3 - t**2)]
    elif d == 1:
        parts = [6 * (t**2 - t) / h, 1 - 4 * t + 3 * t**2, 6 * (t - t**2) / h, 3 * t**2 - 2 * t]
    elif d == 2:
        parts = [(12 * t - 6) / h**2, (6 * t - 4) / h, (6 - 12 * t) / h**2, (6 * t - 2) / h]
    else:
        parts = [12 / h**3, 6 / h**2, -12 / h**3, 6 / h**2]
    out = np.zeros((len(s), 2 * len(edges)))
    for j, part in enumerate(parts):
        out[np.arange(len(s)), 2 * e + j] = part
    return out
