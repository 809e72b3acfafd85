"""The matrix of an interior-point step over the variables alone: banded, with the duration as a border.

With the slacks of the rows eliminated, a step solves

    K dx = r,      K = H + D + J^T S J,      D and S diagonal

Control points in the order of time, and of joints within it, meet in a row or a sample only if they are at most
degree + 1 apart, so K has (degree + 1) n diagonals below the main one whatever rows there are. The duration meets all:
it is the last row. Rows of J with the same columns are taken together, so that J^T S J is a few dense products.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.linalg import lapack

from lissom.motion.transcription.program import Program
from lissom.motion.transcription.sparsity import Indices
from lissom.spatial.rotations import Array

FEW = 6  # columns up to which the products of a row are taken one by one


class _Group(NamedTuple):
    """Sets of rows of one shape: where their nonzeros begin and end, and (sets, rows, columns)."""

    begin: int
    end: int
    shape: tuple[int, int, int]


class Factors(NamedTuple):
    """Cholesky factors of the band, the border solved with them, and the Schur complement of the corner."""

    band: Array
    border: Array
    corner: float


class Layout:
    """Where the contributions to K go; it depends on patterns alone.

    Parameters
    ----------
    program : Program
    moving : (size,) bool     variables that are not fixed
    """

    def __init__(self, program: Program, moving: NDArray[np.bool_]) -> None:
        self.free = program.curves.duration is None
        self.inner = program.size - self.free
        places = program.curves.variable_places[:, 0]
        self.order = np.append(np.argsort(places, kind="stable"), np.arange(len(places), program.size))
        self.rank = np.argsort(self.order, kind="stable")
        self.moving = moving
        parts = [self._hessian_places(program), *self._jacobian_places(program)]
        self.map = self._summed(parts)
        self.diagonal = np.append(np.arange(self.inner) * self.depth, self.size - 1)[: program.size]
        self.still = self.diagonal[self.rank[~moving]]

    # ---- where everything goes ----------------------------------------------------------------------

    def _hessian_places(self, program: Program) -> tuple[Indices, Indices, int]:
        """Rows, columns and number of the nonzeros of H."""
        pattern = program.hessian_pattern
        return pattern.rows, pattern.columns, pattern.size

    def _jacobian_places(self, program: Program) -> list[tuple[Indices, Indices, int]]:
        """Rows, columns and number of products of nonzeros of J; sorted by sets of rows with equal columns."""
        pattern = program.jacobian_pattern
        by_row = np.argsort(pattern.rows, kind="stable")
        starts = np.searchsorted(pattern.rows[by_row], np.arange(program.count + 1))
        width = np.diff(starts)
        few = np.flatnonzero(width <= FEW)
        self.few, first = _pairs(by_row, starts, few, pattern.rows, pattern.columns)
        sets = _sets(pattern.columns[by_row], starts, np.flatnonzero(width > FEW))
        self.groups, at, rows, found, total = [], [], [], [(*first, len(first[0]))], 0
        for shape in sorted({(len(members), int(width[members[0]])) for members in sets}):
            some = np.array([members for members in sets if (len(members), width[members[0]]) == shape])
            nonzeros = by_row[starts[some][:, :, None] + np.arange(shape[1])]
            at.append(nonzeros.ravel())
            rows.append(np.repeat(some.ravel(), shape[1]))
            self.groups.append(_Group(total, total + nonzeros.size, (len(some), *shape)))
            total += nonzeros.size
            columns = pattern.columns[nonzeros[:, 0]]
            square = (len(some), shape[1], shape[1])
            i, j = np.broadcast_to(columns[:, :, None], square), np.broadcast_to(columns[:, None], square)
            found.append((np.where(i >= j, i, -1).ravel(), j.ravel(), i.size))
        self.at = np.concatenate(at) if at else np.zeros(0, np.intp)
        self.rows = np.concatenate(rows) if rows else np.zeros(0, np.intp)
        return found

    def _summed(self, parts: list[tuple[Indices, Indices, int]]) -> sparse.csr_array:
        """Map all contributions to entries of K; negative rows and fixed variables are left out."""
        rows, columns = (np.concatenate([part[k] for part in parts]) for k in (0, 1))
        source = np.flatnonzero((rows >= 0) & self.moving[rows] & self.moving[columns])
        a, b = self.rank[rows[source]], self.rank[columns[source]]
        a, b = np.maximum(a, b), np.minimum(a, b)
        inner = a < self.inner
        self.depth = int((a - b)[inner].max(initial=0)) + 1
        self.size = self.inner * self.depth + (self.inner + 1) * self.free
        to = np.where(inner, b * self.depth + a - b, self.inner * self.depth + b)
        shape = (self.size, sum(part[2] for part in parts))
        return sparse.csr_array(sparse.coo_array((np.ones(len(to)), (to, source)), shape=shape))


class Condensed:
    """Matrix K of a program, assembled and factored; see `Layout`."""

    def __init__(self, program: Program, moving: NDArray[np.bool_]) -> None:
        key = "condensed", moving.tobytes()
        self._layout = program.jacobian_pattern.kept(key, lambda: Layout(program, moving))
        self._parts = np.empty(self._layout.map.shape[1])  # new memory would cost more than the products in it

    @property
    def bandwidth(self) -> int:
        """Return the number of diagonals below the main one."""
        return self._layout.depth - 1

    def assemble(self, J: Array, H: Array, S: Array, D: Array) -> None:
        """Assemble K from the nonzeros of J and H and from diagonals."""
        layout = self._layout
        a, b, row = layout.few
        end, at = len(H) + len(a), len(H)
        self._parts[:at] = H
        np.multiply(J[a] * J[b], S[row], out=self._parts[at:end])
        scaled = J[layout.at] * np.sqrt(S)[layout.rows]
        for group in layout.groups:
            block = scaled[group.begin : group.end].reshape(group.shape)
            sets, _, width = group.shape
            at, end = end, end + sets * width**2
            np.matmul(block.transpose(0, 2, 1), block, out=self._parts[at:end].reshape(sets, width, width))
        K = layout.map @ self._parts
        K[layout.diagonal] += D[layout.order]
        K[layout.still] = 1.0
        self._K = K

    def factors(self, shift: float) -> Factors | None:
        """Return the factors of K + shift, or None if it is not positive definite."""
        layout = self._layout
        end = layout.inner * layout.depth
        band = self._K[:end].reshape(layout.inner, layout.depth).T.copy(order="F")
        band[0] += shift
        band, failed = lapack.dpbtrf(band, lower=1, overwrite_ab=1)
        if failed:
            return None
        if not layout.free:
            return Factors(band, np.zeros(0), 1.0)
        last = self._K[end:-1]
        border = lapack.dpbtrs(band, last, lower=1)[0]
        corner = float(self._K[-1] + shift - last @ border)
        return Factors(band, border, corner) if corner > 0 else None

    def solved(self, factors: Factors, r: Array) -> Array:
        """Solve K x = r for x, (size,) or (size, columns) each."""
        layout = self._layout
        r = np.where(layout.moving, r.T, 0.0).T[layout.order]
        x = lapack.dpbtrs(factors.band, r[: layout.inner], lower=1)[0]
        if layout.free:
            t = (r[-1:] - factors.border @ r[: layout.inner]) / factors.corner
            x = np.concatenate([x - np.multiply.outer(factors.border, t[0]), t])
        return x[layout.rank]


def _sets(columns: Indices, starts: Indices, rows: Indices) -> list[Indices]:
    """Group rows with the same columns."""
    found: dict[bytes, list[int]] = {}
    for row in rows.tolist():
        found.setdefault(columns[starts[row] : starts[row + 1]].tobytes(), []).append(row)
    return [np.array(members) for members in found.values()]


def _pairs(
    by_row: Indices, starts: Indices, few: Indices, rows: Indices, columns: Indices
) -> tuple[tuple[Indices, Indices, Indices], tuple[Indices, Indices]]:
    """Pairs of nonzeros of rows with few: both places and the row; their columns, the larger one first."""
    width = np.diff(starts)[few]
    a, b = [np.zeros(0, np.intp)], [np.zeros(0, np.intp)]
    for w in np.unique(width):
        at = by_row[starts[few[width == w]][:, None] + np.arange(w)]
        i, j = np.tril_indices(w)
        a.append(at[:, i].ravel())
        b.append(at[:, j].ravel())
    first, second = np.concatenate(a), np.concatenate(b)
    return (first, second, rows[first]), (columns[first], columns[second])
