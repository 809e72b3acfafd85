"""Profiles of all coordinates as functions of the variables of a program.

Control points are P = Z x + p1 T + p0: free ones are variables themselves, those that an end condition fixes are not.
With a clamped basis, at the start (and alike at the end), w1 and the second differences being those of the basis,

    position q0        P_0 = q0
    rate v0            P_1 = P_0 + T v0 / w1
    acceleration 0     P_2 on the line that P_0 and P_1 give

so rest at both ends costs no constraint. T is a variable, the last, where the duration is free. Before it come forces,
where each of N samples has some of its own (those in closed loops): a sample sees them like positions.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy import sparse

from lissom.motion.splines.basis import Basis
from lissom.spatial.rotations import Array


class End(NamedTuple):
    """What is given at an end: position, rate and acceleration (n,), NaN where it is free.

    An acceleration goes with a rate; one other than zero, with a given duration.
    """

    position: Array
    rate: Array
    acceleration: Array


class Space(NamedTuple):
    """Coordinates that share a basis."""

    basis: Basis
    coordinates: tuple[int, ...]


class Affine(NamedTuple):
    """y = A x + c, x with T in its last place where the duration is free."""

    A: sparse.csr_array
    c: Array

    def __call__(self, x: Array) -> Array:
        return self.A @ x + self.c


class _Expression:
    """A control point as variables, T and a constant."""

    def __init__(self) -> None:
        self.terms: dict[int, float] = {}
        self.T = self.one = 0.0

    def plus(self, other: _Expression, factor: float) -> _Expression:
        for k, value in other.terms.items():
            self.terms[k] = self.terms.get(k, 0.0) + factor * value
        self.T += factor * other.T
        self.one += factor * other.one
        return self


class Curves:
    """The profiles of n coordinates.

    Parameters
    ----------
    spaces : sequence of Space     every coordinate in one of them
    start, end : End               of clamped spaces
    duration : float or None       None: T is the last variable
    nodes : (N,)                   fractions of the samples that have forces
    forces : int                   how many each
    """

    def __init__(
        self,
        spaces: Sequence[Space],
        start: End,
        end: End,
        duration: float | None,
        nodes: Array | None = None,
        forces: int = 0,
    ) -> None:
        self.spaces, self.duration = tuple(spaces), duration
        self.nodes, self.each = np.zeros(0) if nodes is None else nodes, forces
        self.n = sum(len(space.coordinates) for space in spaces)
        self.start, self.end = start, end
        self._names: list[tuple[int, int]] = []  # (place among all control points, coordinate) of every variable
        self._ends: dict[tuple[int, int, bool], Array] = {}
        points: list[_Expression] = []
        self.offsets: list[int] = []
        for space in self.spaces:
            self.offsets.append(len(points))
            columns = [self._column(space.basis, c, len(points), i) for i, c in enumerate(space.coordinates)]
            points += [column[j] for j in range(space.basis.count) for column in columns]
        self.free = len(self._names)
        self.size = self.free + len(self.nodes) * forces + (duration is None)
        self.points = self._affine(points)

    # ---- control points ----------------------------------------------------------------------------

    def _column(self, basis: Basis, c: int, offset: int, i: int) -> list[_Expression]:
        """The control points of one coordinate."""
        made: dict[int, _Expression] = {}
        if not basis.periodic:
            self._begin(basis, made, [self.start[r][c] for r in range(3)], forwards=True)
            self._begin(basis, made, [self.end[r][c] for r in range(3)], forwards=False)
        width = next(len(s.coordinates) for s in self.spaces if s.basis is basis)
        out = []
        for j in range(basis.count):
            at = made.get(j)
            if at is None or (not at.terms and np.isnan(at.one)):
                at = self._variable(offset + j * width + i, c)
            out.append(at)
        # those that follow from a free neighbour were made before it was
        for at in out:
            for k in [k for k in at.terms if k < 0]:
                at.plus(out[-k - 1], at.terms.pop(k))
        return out

    def _begin(self, basis: Basis, made: dict[int, _Expression], given: list[float], forwards: bool) -> None:
        """Fix up to three control points at an end; what refers to control point j is a term of place -j - 1."""
        last = basis.count - 1
        places = [k if forwards else last - k for k in range(3)]
        if not np.isnan(given[0]):
            first = _Expression()
            first.one = given[0]
            made[places[0]] = first
        if np.isnan(given[1]):
            return
        row = self._outermost(basis, 1, forwards)
        second = self._solved(row, places[1], places[:1], made)
        second.T += given[1] / row[places[1]]
        made[places[1]] = second
        if np.isnan(given[2]) or basis.degree < 2:
            return
        row = self._outermost(basis, 2, forwards)
        third = self._solved(row, places[2], places[:2], made)
        if given[2] != 0.0:  # only with a given duration
            assert self.duration is not None
            third.one += given[2] * self.duration**2 / row[places[2]]
        made[places[2]] = third

    def _outermost(self, basis: Basis, order: int, forwards: bool) -> Array:
        """From control points to the first or the last one of a derivative."""
        key = (id(basis), order, forwards)
        if key not in self._ends:
            self._ends[key] = basis.differences(order)[[0 if forwards else -1]].toarray()[0]
        return self._ends[key]

    @staticmethod
    def _solved(row: Array, place: int, known: list[int], made: dict[int, _Expression]) -> _Expression:
        """Control point `place` from row . P = 0."""
        out = _Expression()
        for k in known:
            factor = -row[k] / row[place]
            if k in made:
                out.plus(made[k], factor)
            else:
                out.terms[-k - 1] = out.terms.get(-k - 1, 0.0) + factor
        return out

    def _variable(self, place: int, c: int) -> _Expression:
        out = _Expression()
        out.terms[len(self._names)] = 1.0
        self._names.append((place, c))
        return out

    def _affine(self, points: list[_Expression]) -> Affine:
        rows, columns, values = [], [], []
        c = np.zeros(len(points))
        for k, at in enumerate(points):
            for column, value in at.terms.items():
                rows.append(k)
                columns.append(column)
                values.append(value)
            c[k] = at.one
            if self.duration is not None:
                c[k] += at.T * self.duration
            elif at.T:
                rows.append(k)
                columns.append(self.size - 1)
                values.append(at.T)
        A = sparse.coo_array((values, (rows, columns)), shape=(len(points), self.size))
        return Affine(sparse.csr_array(A), c)

    # ---- what follows ------------------------------------------------------------------------------

    @property
    def shared(self) -> bool:
        """All coordinates share one spline space."""
        return len(self.spaces) == 1

    @property
    def variable_places(self) -> Array:
        """(free, 2) place among all control points and coordinate of every variable but T."""
        return np.array(self._names, int).reshape(-1, 2)

    def T(self, x: Array) -> float:
        """The duration."""
        return float(x[-1]) if self.duration is None else self.duration

    def control_points(self, x: Array) -> list[Array]:
        """(count, coordinates) of every space."""
        flat, out = self.points(x), []
        for space, at in zip(self.spaces, self.offsets, strict=True):
            size = space.basis.count * len(space.coordinates)
            out.append(flat[at : at + size].reshape(space.basis.count, -1))
        return out

    def forces(self, x: Array) -> Array:
        """(N, forces)."""
        return x[self.free : self.free + len(self.nodes) * self.each].reshape(-1, self.each)

    def forces_at(self, x: Array, s: Array) -> Array:
        """(.., forces) at fractions s (..), between nodes on straight lines."""
        nodes, at = np.unique(self.nodes, return_index=True)
        return np.stack([np.interp(s, nodes, column) for column in self.forces(x)[at].T], axis=-1)

    def with_forces(self, x: Array, forces: Array) -> Array:
        """Variables with the control points and the duration of x, of this or of a program with other samples."""
        return np.concatenate([x[: self.free], forces.ravel(), x[len(x) - (self.duration is None) :]])

    def local(self, s: Array, orders: int = 3, forced: bool = False) -> Affine:
        """u (N, orders, n), flat: derivatives by s at every s; q^(r) = u_r / T^r.

        `forced`: s are all the nodes; u (N, orders, n + forces), of which the last are those of each, and no rates.
        """
        A, B = self.local_matrices(s, orders, forced)
        return Affine(A, B @ self.points.c)

    def local_matrices(
        self, s: Array, orders: int = 3, forced: bool = False
    ) -> tuple[sparse.csr_array, sparse.csr_array]:
        """Matrices from variables and from control points to u of `local`, without constants."""
        s = np.asarray(s, float)
        N, total = len(s), self.points.A.shape[0]
        n = self.n + (self.each if forced else 0)
        rows, columns, values = [], [], []
        for space, at in zip(self.spaces, self.offsets, strict=True):
            places, basis = space.basis.local(s, orders)
            width = len(space.coordinates)
            shape = (N, orders, width, places.shape[1])
            to = (np.arange(N)[:, None] * orders + np.arange(orders))[:, :, None] * n + np.array(space.coordinates)
            source = at + places[:, None, None] * width + np.arange(width)[:, None]
            rows.append(np.broadcast_to(to[..., None], shape).ravel())
            columns.append(np.broadcast_to(source, shape).ravel())
            values.append(np.broadcast_to(basis[:, :, None], shape).ravel())
        entries = (np.concatenate(values), (np.concatenate(rows), np.concatenate(columns)))
        B = sparse.csr_array(sparse.coo_array(entries, shape=(N * orders * n, total)))
        A = sparse.csr_array(B @ self.points.A)
        if forced:
            row = np.arange(N)[:, None] * orders * n + self.n + np.arange(self.each)
            column = self.free + np.arange(N * self.each)
            own = (np.ones(column.size), (row.ravel(), column))
            A = sparse.csr_array(A + sparse.coo_array(own, shape=A.shape).tocsr())
        return A, B

    def hull(self, order: int) -> tuple[Affine, Array]:
        """Control points of a derivative by s, and their coordinates: bounds on them hold at all times."""
        parts = [space.basis.differences(order, len(space.coordinates)) for space in self.spaces]
        owners = [np.tile(np.array(space.coordinates), D.shape[0] // len(space.coordinates))
                  for space, D in zip(self.spaces, parts, strict=True)]  # fmt: skip
        if order == 0:
            return self.points, np.concatenate(owners)
        D = parts[0] if self.shared else sparse.csr_array(sparse.block_diag(parts))
        return Affine(sparse.csr_array(D @ self.points.A), D @ self.points.c), np.concatenate(owners)

    def at(self, x: Array, s: Array, orders: int = 3) -> Array:
        """(orders, N, n) position, rate, acceleration ... at s."""
        s, T = np.asarray(s, float), self.T(x)
        out = np.empty((orders, len(s), self.n))
        for space, P in zip(self.spaces, self.control_points(x), strict=True):
            places, basis = space.basis.local(s, orders)
            out[:, :, list(space.coordinates)] = np.matmul(basis, P[places.astype(np.intp)]).transpose(1, 0, 2)
        return out / T ** np.arange(orders)[:, None, None]

    def fitted(self, targets: Sequence[Array], T: float) -> Array:
        """Variables whose control points are nearest to given ones (count, coordinates) of every space; no forces."""
        flat = np.concatenate([target.ravel() for target in targets])
        x = np.append(flat[self.variable_places[:, 0]], np.zeros(len(self.nodes) * self.each))
        return np.append(x, T) if self.duration is None else x
