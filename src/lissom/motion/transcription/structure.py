"""Patterns and constant matrices of programs.

They depend on the mesh, on which limits there are and on the tree of the arm, not on where a motion goes, its payload
or the limits themselves. The last ones are kept, so that the next program like one before is built quickly.
"""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import sparse

from lissom.motion.splines.curves import Curves
from lissom.motion.transcription.kernels.tape_sample import TapeSample
from lissom.motion.transcription.point_hessian import PointHessian
from lissom.motion.transcription.point_slopes import PointSlopes
from lissom.motion.transcription.rows import Block, Scaled
from lissom.motion.transcription.sparsity import Indices, Pattern, Sums, expanded
from lissom.spatial.rotations import Array

MOST = 8  # structures that are kept: two meshes and their exchange iterations of a search, and some more


class BlockMatrices:
    """Constant matrices of a block of samples."""

    def __init__(self, block: Block, curves: Curves) -> None:
        sample = block.sample
        self.N, self.m, self.width, self.size = len(block.s), sample.m, sample.orders * sample.n, curves.size
        self.free = curves.duration is None
        self.local, self.basis = curves.local_matrices(block.s, sample.orders, sample.n > curves.n)
        # the local coordinates of a sample, u and then T, as rows of one matrix over the variables
        one = sparse.csr_array(([1.0], ([0], [curves.size - 1])), shape=(1, curves.size))
        last = one if self.free else sparse.csr_array((1, curves.size))
        self.reach = sparse.csr_array(sparse.vstack([self.local, last]))
        self.back = sparse.csr_array(block.combine.T)
        by_points = isinstance(sample, TapeSample) and curves.shared
        self.points = PointHessian(block, curves) if by_points else None
        self.slopes = PointSlopes(block, curves) if by_points else None
        self._places = sample.jacobian, sample.hessian
        self.gradient = self._gradient_matrix(block.weights)

    def _row(self, k: Indices, local: Indices) -> Indices:
        """Row of `reach` of a local coordinate of sample k."""
        return np.where(local < self.width, k * self.width + local, self.N * self.width)

    def jacobian_terms(self, sums: Sums, first_row: int) -> int:
        """Add the terms of the program's Jacobian from first derivatives of samples; return how many those are."""
        if self.slopes is not None:
            return self.slopes.terms(sums, self.back, first_row)
        rows, columns = self._places[0]
        nnz = len(rows)
        k = np.repeat(np.arange(self.N), nnz)
        inner, local = k * self.m + np.tile(rows, self.N), np.tile(columns, self.N)
        which, outer, factor = expanded(self.back, inner)  # the rows of the program that hold a row of the sample
        again, column, value = expanded(self.reach, self._row(k[which], local[which]))
        sums.add(first_row + outer[again], column, which[again], factor[again] * value)
        return len(k)

    def hessian_terms(self, sums: Sums) -> int:
        """Add the upper triangle of the program's Hessian from second derivatives of samples; return how many."""
        first = self.points.terms(sums) if self.points is not None else 0
        a, b = self._places[1]
        if self.points is not None:
            a, b = np.full(self.width + 1, self.width), np.arange(self.width + 1)
            if not self.free:
                return first
        k = np.repeat(np.arange(self.N), len(a))
        rows, columns = self._row(k, np.tile(a, self.N)), self._row(k, np.tile(b, self.N))
        sums.add_symmetric(self.reach, rows, columns, first + np.arange(len(k)))
        return first + len(k)

    def _gradient_matrix(self, weights: Array) -> sparse.csr_array:
        """Matrix that maps the gradients of T c of all samples to the gradient of the cost."""
        k = np.repeat(np.arange(self.N), self.width + 1)
        local = np.tile(np.arange(self.width + 1), self.N)
        which, column, value = expanded(self.reach, self._row(k, local))
        entries = (value * weights[k[which]], (column, which))
        return sparse.csr_array(sparse.coo_array(entries, shape=(self.size, self.N * (self.width + 1))))


class Structure:
    """Patterns of a program, and the matrices that fill them.

    blocks : list of BlockMatrices
    jacobian_pattern, hessian_pattern : Pattern    of the latter the upper triangle
    jacobians, hessians : list of sparse matrices  from derivatives of the samples of each block to nonzeros
    constant : nonzeros of the Jacobian that nothing changes
    by_duration : where in the Jacobian the slopes by T of each of the scaled rows are; None where they have none
    """

    def __init__(self, curves: Curves, blocks: Sequence[Block], scaled: Sequence[Scaled]) -> None:
        self.size, self._free = curves.size, curves.duration is None
        self.blocks = [BlockMatrices(block, curves) for block in blocks]
        self._prepare_jacobian(np.cumsum([0, *(len(block.lower) for block in blocks)]).tolist(), scaled)
        self._prepare_hessian()

    def _prepare_jacobian(self, firsts: list[int], scaled: Sequence[Scaled]) -> None:
        sums = [Sums() for _ in self.blocks]
        totals = [
            made.jacobian_terms(terms, at) for made, terms, at in zip(self.blocks, sums, firsts[:-1], strict=True)
        ]
        rows, columns = [terms.places[0] for terms in sums], [terms.places[1] for terms in sums]
        last, at, entries = self.size - 1, firsts[-1], []
        for part in scaled:
            A = sparse.coo_array(part.A)
            by_T = at + np.arange(len(part.c)) if self._free and part.power else np.zeros(0, np.intp)
            entries.append((at + A.row, A.col, A.data, by_T))
            rows += [at + A.row, by_T]
            columns += [A.col, np.full(len(by_T), last)]
            at += len(part.c)
        self.jacobian_pattern = pattern = Pattern((at, self.size), np.concatenate(rows), np.concatenate(columns))
        self.jacobians = [terms.matrix(pattern, total) for terms, total in zip(sums, totals, strict=True)]
        self.constant = np.zeros(pattern.size)
        self.by_duration: list[Indices | None] = []
        for row, column, data, by_T in entries:
            np.add.at(self.constant, pattern.at(row, column), data)
            self.by_duration.append(pattern.at(by_T, np.full(len(by_T), last)) if len(by_T) else None)

    def _prepare_hessian(self) -> None:
        sums = [Sums() for _ in self.blocks]
        totals = [made.hessian_terms(terms) for made, terms in zip(self.blocks, sums, strict=True)]
        rows, columns = [terms.places[0] for terms in sums], [terms.places[1] for terms in sums]
        corner = np.full(int(self._free), self.size - 1)
        shape = (self.size, self.size)
        self.hessian_pattern = Pattern(shape, np.concatenate([*rows, corner]), np.concatenate([*columns, corner]))
        self.hessians = [terms.matrix(self.hessian_pattern, total) for terms, total in zip(sums, totals, strict=True)]


_structures: OrderedDict[bytes, Structure] = OrderedDict()


def structure_of(curves: Curves, blocks: Sequence[Block], scaled: Sequence[Scaled]) -> Structure:
    """Return the structure of a program: one that was made before, or a new one.

    Threads may make the same one at once; each is right, and the last is kept.
    """
    key = _key(curves, blocks, scaled)
    found = _structures.pop(key, None) or Structure(curves, blocks, scaled)
    _structures[key] = found
    while len(_structures) > MOST:
        try:
            _structures.popitem(last=False)
        except KeyError:  # another thread did
            break
    return found


def _key(curves: Curves, blocks: Sequence[Block], scaled: Sequence[Scaled]) -> bytes:
    """Digest of all that a structure is made from."""
    digest = hashlib.blake2b(digest_size=32)

    def add(*parts: Any) -> None:
        for part in parts:
            if isinstance(part, np.ndarray):
                digest.update(f"{part.dtype.str} {part.shape}".encode())
                digest.update(np.ascontiguousarray(part).data)
            elif isinstance(part, sparse.csr_array):
                add(part.shape, part.indptr, part.indices, part.data)
            else:
                digest.update(repr(part).encode() + b"\n")

    add(
        curves.size,
        curves.free,
        curves.each,
        curves.shared,
        curves.duration is None,
        curves.variable_places,
        curves.points.A,
    )
    for space in curves.spaces:
        add(space.coordinates, space.basis.knots, space.basis.degree, space.basis.periodic)
    for block in blocks:
        add(block.sample.structure, block.s, block.weights, block.combine, len(block.lower))
    for part in scaled:
        add(part.A, len(part.c), part.power)
    return digest.digest()
