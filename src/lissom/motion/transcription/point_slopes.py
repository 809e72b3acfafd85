"""First derivatives of samples by control points, for profiles that share one spline space.

A sample sees u_r = sum_a B_ra P_a, with the degree + 1 control points of its span, so its rows have the slopes
G_a = sum_r B_ra / T^r d row / dy_r. Jacobians take them as they are, Hessians of squared torques their products.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse

from lissom.motion.splines.curves import Curves
from lissom.motion.transcription.kernels.tape_sample import RowSlopes, TapeSample
from lissom.motion.transcription.rows import Block
from lissom.motion.transcription.sparsity import Indices, Sums, expanded
from lissom.spatial.rotations import Array


class PointSlopes:
    """Slopes of the rows of a block.

    Parameters
    ----------
    block : Block      its sample a `TapeSample`
    curves : Curves    of one space
    """

    def __init__(self, block: Block, curves: Curves) -> None:
        assert isinstance(block.sample, TapeSample)
        self._related, self._curves = block.sample.row_related, curves
        places, basis = curves.spaces[0].basis.local(block.s, 3)
        self._places = places.astype(np.intp)
        self._basis = np.ascontiguousarray(basis.transpose(0, 2, 1))  # (N, degree + 1, 3)

    def __call__(self, found: RowSlopes, T: float, out: Array) -> Array:
        """Derivatives of the rows with respect to the control points (N, degree + 1, m, n), then those by T, to `out`.

        Returns the first as a view.
        """
        N, count, _ = self._basis.shape
        shape = (N, count, *found.by_state.shape[2:])
        flat = found.by_state.reshape(*found.by_state.shape[:2], -1)
        G, along = np.split(out, [N * count * flat.shape[2]])
        np.matmul(self._basis * T ** -np.arange(3.0), flat, out=G.reshape(N, count, -1))
        along[:] = found.along.ravel()
        return G.reshape(shape)

    def terms(self, sums: Sums, back: sparse.csr_array, first_row: int) -> int:
        """Add the terms of these derivatives, and of those by T, to a Jacobian; return how many numbers they need.

        back : which rows of the program, after `first_row`, each row of a sample is part of
        """
        related, (N, count) = self._related, self._places.shape
        m, n = related.shape
        i, c = np.nonzero(related)
        k, a = np.nonzero(self._basis.any(axis=2))  # basis functions end at knots
        k, a, at = np.repeat(k, len(i)), np.repeat(a, len(i)), np.tile(np.arange(len(i)), len(k))
        sources = ((k * count + a) * m + i[at]) * n + c[at]
        which, outer, factor = expanded(back, k * m + i[at])
        points = self._places[k, a] * n + c[at]
        again, column, value = expanded(self._curves.points.A, points[which])
        sums.add(first_row + outer[again], column, sources[which[again]], factor[again] * value)
        first = N * count * m * n
        if self._curves.duration is None:
            self._last_terms(sums, back, first_row, first)
        return first + N * m

    def _last_terms(self, sums: Sums, back: sparse.csr_array, first_row: int, first: int) -> None:
        """Add the terms of the derivatives with respect to the duration T."""
        rows: Indices = np.arange(back.shape[0])
        which, outer, factor = expanded(back, rows)
        sums.add(first_row + outer, np.full(len(which), self._curves.size - 1), first + which, factor)
