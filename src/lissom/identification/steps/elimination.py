"""Linear algebra of normal equations whose windows have unknowns of their own."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from lissom.spatial.rotations import Array

SILENT = 1e-10  # eigenvalues relative to the largest: directions that change nothing
SHARE = 1e-3  # of a number in such a direction


def weighted(H: Array, weights: Array, lean: float) -> Array:
    """Sum over channels of H (windows, channels, m, m), with a larger diagonal that is nowhere zero."""
    total = np.einsum("c,wcij->wij", weights, H)
    diagonal = np.einsum("wii->wi", total)
    diagonal[...] = np.where(diagonal > 0.0, lean * diagonal, 1.0)
    return np.asarray(total)


def inverse(A: Array) -> tuple[Array, NDArray[np.bool_]]:
    """The inverse of a symmetric matrix without the directions that it takes to zero, and who has a part in these."""
    root = np.sqrt(np.maximum(np.diag(A), 1e-300))
    values, V = np.linalg.eigh(A / np.outer(root, root))
    good = values > SILENT * max(float(values.max(initial=0.0)), 1e-300)
    back = (V[:, good] / values[good]) @ V[:, good].T / np.outer(root, root)
    return np.asarray(back), np.asarray((np.abs(V[:, ~good]) > SHARE).any(axis=1) | (root <= 1e-150))


def projected(T: Array, H: Array) -> Array:
    """Sum of T' H T over the windows."""
    return np.asarray((T.transpose(0, 2, 1) @ H @ T).sum(0))
