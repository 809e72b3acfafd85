"""Splines of a motion that follows a path: its segments, and the points at which its equations hold."""

from __future__ import annotations

import numpy as np

from lissom.motion.splines.basis import Basis
from lissom.motion.splines.mesh import Mesh, unactuated_basis
from lissom.motion.tracking.window import Window
from lissom.spatial.rotations import Array

DEGREE, CONTINUITY = 7, 6  # of actuated coordinates
FINER = 2  # segments of unactuated coordinates in one of these


def mesh_over(window: Window, segments: int, flexible: bool) -> Mesh:
    """Return the mesh over a window, as fractions of it, with breaks where the path begins and ends."""
    outside = [max(round(segments * part / window.total), 1) if part > 0 else 0 for part in (window[0], window[2])]
    counts = (outside[0], max(segments - sum(outside), 2), outside[1])
    ends = np.cumsum([0.0, *window]) / window.total
    pieces = [np.linspace(a, b, count + 1)[:-1] for a, b, count in zip(ends[:-1], ends[1:], counts, strict=True)]
    basis = Basis(np.append(np.concatenate(pieces), 1.0), DEGREE, CONTINUITY)
    return Mesh(basis, unactuated_basis(basis, FINER) if flexible else None)


def samples_of(mesh: Mesh) -> tuple[Array, Array]:
    """Gauss's points of the finest segments as fractions of the window, and their weights."""
    x, w = np.polynomial.legendre.leggauss(4)
    breaks = mesh.actuated.breaks
    breaks = (
        np.sort(np.append(breaks, (breaks[1:] + breaks[:-1]) / 2)) if mesh.unactuated is None else mesh.finest.breaks
    )
    h = np.diff(breaks)[:, None]
    return (breaks[:-1, None] + h * (x + 1) / 2).ravel(), (h * w / 2).ravel()
