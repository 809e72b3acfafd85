"""Second derivatives of samples in terms of control points, for profiles that share one spline space.

A sample sees u_r = sum_a B_ra P_a, with the degree + 1 control points of its span. To a Hessian by P it adds

    sum over r, s of  B_ra B_sb  d^2 L / du_r du_s,     and for squares of torques  G^T F G,  G = sum_r B_r d tau / du_r

Both are small dense products, one for all samples of a span. A sparse matrix from the second derivatives of all samples
to the Hessian has ten times as many terms, and more with every sample.
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np
from scipy import sparse

from lissom.motion.splines.curves import Curves
from lissom.motion.transcription.kernels.tape_sample import Curvature, TapeSample
from lissom.motion.transcription.rows import Block
from lissom.motion.transcription.sparsity import Indices, Sums
from lissom.spatial.rotations import Array


class _Spans(NamedTuple):
    """Samples in the order of the spans they are in.

    order (N,)     which they are; a slice where it is that of the samples themselves
    places         control points of each span (spans, degree + 1)
    runs           spans one after the other with equally many samples: where these begin and end, and the spans do
    """

    order: Indices | slice
    places: Indices
    runs: list[tuple[slice, slice]]


class _Group(NamedTuple):
    """Torques that depend on the same coordinates."""

    rows: Indices
    columns: Indices


class PointHessian:
    """What the samples of a block add to a Hessian.

    Parameters
    ----------
    block : Block      its sample a `TapeSample`
    curves : Curves    of one space
    """

    def __init__(self, block: Block, curves: Curves) -> None:
        assert isinstance(block.sample, TapeSample)
        sample = block.sample
        self._n, self._curves, self._free = sample.n, curves, curves.duration is None
        found, self._basis = curves.spaces[0].basis.local(block.s, sample.orders)
        places = found.astype(np.intp)
        self._all = _by_span(places, np.arange(len(places)))
        self._costly = _by_span(places, np.flatnonzero(block.weights))  # others have no squares
        self._pairs = np.nonzero(np.tril(sample.related))
        self._prepare_mixed(sample)
        self._groups = [
            _Group(np.flatnonzero((pattern == sample.related).all(axis=1)), np.flatnonzero(pattern))
            for pattern in np.unique(sample.related, axis=0)
            if sample.curved
        ]

    def _prepare_mixed(self, sample: TapeSample) -> None:
        """Products of basis functions of two orders, and where the second derivatives by these are found."""
        i, j = self._pairs
        straight = [(key, key, i * self._n + j) for key in sample.blocks]
        turned = [((s, r), (r, s), j * self._n + i) for r, s in sample.blocks if r != s]
        self._sources = [(key, at) for _, key, at in straight + turned]
        orders = [pair for pair, _, _ in straight + turned]
        B = self._basis[self._all.order]
        mixed = [(B[:, r, :, None] * B[:, s, None, :]).reshape(len(B), -1) for r, s in orders]
        whole = np.stack(mixed, axis=2)  # (N, pairs of control points, pairs of orders)
        self._mixed = []
        for samples, spans in self._all.runs:
            part = whole[samples].reshape(spans.stop - spans.start, -1, *whole.shape[1:]).transpose(0, 2, 1, 3)
            self._mixed.append(np.ascontiguousarray(part).reshape(*part.shape[:2], -1))
        self._powers = -np.sum(orders, axis=1).astype(float)[:, None]

    # ---- where it goes ------------------------------------------------------------------------------

    def terms(self, sums: Sums) -> int:
        """Add to the terms of a Hessian what `values` gives; how many numbers that is."""
        self._reach = self._by_variables()
        count = self._plain_terms(sums)
        for group in self._groups:
            count += self._square_terms(sums, group, count)
        self.count = count
        return count

    def _by_variables(self) -> sparse.csr_array:
        """Control points, and T as the last row."""
        size = self._curves.size
        T = sparse.csr_array(([1.0] * self._free, ([0] * self._free, [size - 1] * self._free)), shape=(1, size))
        return sparse.csr_array(sparse.vstack([self._curves.points.A, T]))

    def _plain_terms(self, sums: Sums) -> int:
        i, j = self._pairs
        places = self._all.places * self._n
        a, b = (x.ravel() for x in np.indices(2 * places.shape[1:]))
        rows, columns = places[:, a, None] + i, places[:, b, None] + j
        once = np.broadcast_to((i != j) | (a >= b)[:, None], rows.shape)  # of a coordinate with itself
        at = np.flatnonzero(once)
        sums.add_symmetric(self._reach, rows.ravel()[at], columns.ravel()[at], at)
        return rows.size

    def _square_terms(self, sums: Sums, group: _Group, first: int) -> int:
        points = (self._costly.places * self._n)[:, :, None] + group.columns
        points = points.reshape(len(points), -1)
        if self._free:
            points = np.append(points, np.full((len(points), 1), self._reach.shape[0] - 1), axis=1)
        spans, size = points.shape
        a, b = np.tril_indices(size)
        source = first + np.arange(spans)[:, None] * size**2 + a * size + b
        sums.add_symmetric(self._reach, points[:, a].ravel(), points[:, b].ravel(), source.ravel())
        return spans * size**2

    # ---- values -------------------------------------------------------------------------------------

    def values(self, found: Curvature, G: Array, along: Array, T: float, out: Array) -> None:
        """Second derivatives by control points and T of span after span, but for those by T of which `last` is part.

        G, along : slopes of the rows by control points (N, degree + 1, m, n) and by T (N, m)
        out : (count,)
        """
        at = self._plain(found, T, out)
        for group in self._groups:
            at += self._squares(group, found.weights, G, along, out[at:])

    def _plain(self, found: Curvature, T: float, out: Array) -> int:
        """Return the Hessian without the squares."""
        order, places, runs = self._all
        parts = np.empty((self._basis.shape[0], len(self._sources), len(self._pairs[0])))
        for k, (key, at) in enumerate(self._sources):
            np.take(found.blocks[key].reshape(len(parts), -1)[order], at, axis=1, out=parts[:, k])
        parts *= T**self._powers
        shape = (len(places), self._mixed[0].shape[1], parts.shape[2])
        whole = out[: int(np.prod(shape))].reshape(shape)
        for mixed, (samples, spans) in zip(self._mixed, runs, strict=True):
            np.matmul(mixed, parts[samples].reshape(len(mixed), -1, shape[2]), out=whole[spans])
        return whole.size

    def _squares(self, group: _Group, weights: Array, G: Array, along: Array, out: Array) -> int:
        """G^T F G of the torques of a group, F never being negative."""
        order, places, runs = self._costly
        root = np.sqrt(weights[order][:, group.rows])
        some = G[order][:, :, group.rows]
        if len(group.columns) < self._n:
            some = some[:, :, :, group.columns]
        some = (some * root[:, None, :, None]).transpose(0, 2, 1, 3).reshape(*root.shape, -1)
        if self._free:
            some = np.append(some, (root * along[order][:, group.rows])[:, :, None], axis=2)
        size = some.shape[2]
        whole = out[: len(places) * size**2].reshape(-1, size, size)
        for samples, spans in runs:
            part = some[samples].reshape(spans.stop - spans.start, -1, size)
            np.matmul(part.transpose(0, 2, 1), part, out=whole[spans])
        return whole.size


def _by_span(places: Indices, some: Indices) -> _Spans:
    order = some[np.argsort(places[some, 0], kind="stable")]
    starts = np.append(np.flatnonzero(np.diff(places[order, 0], prepend=-1)), len(order))
    counts = np.diff(starts)
    ends = [0, *(np.flatnonzero(np.diff(counts)) + 1).tolist(), len(counts)]
    runs = [(slice(int(starts[a]), int(starts[b])), slice(a, b)) for a, b in pairwise(ends)]
    plain = np.array_equal(order, np.arange(len(places)))
    return _Spans(slice(None) if plain else order, places[order[starts[:-1]]], runs)
