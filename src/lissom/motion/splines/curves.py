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

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
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


class _Fixed(NamedTuple):
    """Control points that the conditions at an end fix, of k coordinates: P[points] = rate T + one + ties P[others].

    points, others : rows of control points, the outermost first
    rate, one : (points, k)
    ties : (points, others)
    """

    points: list[int]
    others: list[int]
    rate: Array
    one: Array
    ties: Array


def _fixed(w: Array, given: Array, duration: float | None) -> _Fixed:
    """Return what position, rate and acceleration (3, k) at an end fix, NaN where free: w[r] . P = given[r] T^r.

    w : (orders, 3) rows of the differences of every order that belong to the end, see `Basis.outermost`
    """
    points = [r for r in range(len(w)) if not np.isnan(given[r, 0])]
    points = points if 1 in points else [r for r in points if r == 0]  # an acceleration goes with a rate
    others = [r for r in range(max(points, default=0)) if r not in points]
    own, inverse = w[np.ix_(points, points)], np.eye(len(points))
    for i in range(len(points)):  # forward substitution, in which a position stays exact
        inverse[i] = (inverse[i] - own[i, :i] @ inverse[:i]) / own[i, i]
    in_T, in_one = np.array([[0.0, 1.0, 0.0], [1.0, 0.0, (duration or 0.0) ** 2]])[:, points, None]
    assert duration is not None or not given[points][2:].any()
    return _Fixed(points, others, inverse @ (in_T * given[points]), inverse @ (in_one * given[points]),
                  -inverse @ w[np.ix_(points, others)])  # fmt: skip


class Curves:
    """The profiles of n coordinates.

    Parameters
    ----------
    spaces : sequence of Space     every coordinate in one of them
    start, end : End               of clamped spaces
    duration : float or None       None: T is the last variable
    nodes : (N,)                   fractions of the samples that have forces
    forces : int                   how many each

    Attributes
    ----------
    free : int                     number of control points that are variables, the first ones
    variable_places : (free, 2)    their places among all control points, and coordinates
    points : Affine                all control points, by the variables
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
        sizes = [space.basis.count * len(space.coordinates) for space in self.spaces]
        self.offsets = [sum(sizes[:k]) for k in range(len(sizes))]
        self.points = self._control_points(sum(sizes), len(self.nodes) * forces)

    # ---- control points ----------------------------------------------------------------------------

    def _control_points(self, total: int, forces: int) -> Affine:
        """Control points as functions of the variables: those that the ends leave free, forces, and T."""
        rate, one, free = np.zeros(total), np.zeros(total), np.ones(total, bool)
        ties = [np.zeros((3, 0))]  # a fixed control point, a free one that it depends on, its part
        for places, fixed in self._fixed():
            at = places[fixed.points]
            free[at], rate[at], one[at] = False, fixed.rate, fixed.one
            row = np.broadcast_arrays(at[:, None], places[fixed.others], fixed.ties[..., None])
            ties.append(np.stack(row).reshape(3, -1))
        flat = np.concatenate([places.ravel("F") for places in self._places()])
        owner = np.concatenate([np.repeat(space.coordinates, space.basis.count) for space in self.spaces])
        self.variable_places = np.stack([flat, owner], axis=1)[free[flat]]
        self.free = len(self.variable_places)
        self.size = self.free + forces + (self.duration is None)
        number = np.full(total, self.size - 1)  # of the variable that a control point is, or that moves it
        number[self.variable_places[:, 0]] = np.arange(self.free)
        row, source, value = np.concatenate(ties, axis=1)
        moving = np.flatnonzero(free | ((rate != 0) & (self.duration is None)))
        rows, columns = np.append(row, moving).astype(int), number[np.append(source, moving).astype(int)]
        values = np.append(value, np.where(free, 1.0, rate)[moving])
        A = sparse.csr_array(sparse.coo_array((values, (rows, columns)), shape=(total, self.size)))
        return Affine(A, one + rate * (self.duration or 0.0))

    def _places(self) -> Iterator[NDArray[np.intp]]:
        """(count, coordinates) places of the control points of every space among all."""
        for space, at in zip(self.spaces, self.offsets, strict=True):
            shape = space.basis.count, len(space.coordinates)
            yield at + np.arange(math.prod(shape)).reshape(shape)

    def _fixed(self) -> Iterator[tuple[NDArray[np.intp], _Fixed]]:
        """Control points that the ends fix, and the places (count, k) of all from there on; k: the same is given."""
        for space, places in zip(self.spaces, self._places(), strict=True):
            ends = () if space.basis.periodic else ((self.start, places), (self.end, places[::-1]))
            for (end, own), w in zip(ends, space.basis.outermost, strict=False):
                given = np.stack(end)[:, list(space.coordinates)]
                for pattern in np.unique(np.isnan(given), axis=1).T:
                    same = (pattern == np.isnan(given).T).all(axis=1)
                    yield own[:, same], _fixed(w, given[:, same], self.duration)

    # ---- what follows ------------------------------------------------------------------------------

    @property
    def shared(self) -> bool:
        """All coordinates share one spline space."""
        return len(self.spaces) == 1

    def T(self, x: Array) -> float:
        """Return the duration."""
        return float(x[-1]) if self.duration is None else self.duration

    def control_points(self, x: Array) -> list[Array]:
        """(count, coordinates) of every space."""
        flat, out = self.points(x), []
        for space, at in zip(self.spaces, self.offsets, strict=True):
            size = space.basis.count * len(space.coordinates)
            out.append(flat[at : at + size].reshape(space.basis.count, -1))
        return out

    def forces(self, x: Array) -> Array:
        """Return the forces (N, forces) of every sample."""
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
        return Affine(A, B @ self.points.c)

    def hull(self, order: int) -> tuple[Affine, Array]:
        """Control points of a derivative by s, and their coordinates: bounds on them hold at all times."""
        parts, owners = [], []
        for space, at in zip(self.spaces, self.offsets, strict=True):
            D = space.basis.differences(order)
            width = len(space.coordinates)
            size = space.basis.count * width
            wide = sparse.csr_array(sparse.kron(D, sparse.eye(width)))
            before, after = sparse.csr_array((wide.shape[0], at)), self.points.A.shape[0] - at - size
            parts.append(sparse.csr_array(sparse.hstack([before, wide, sparse.csr_array((wide.shape[0], after))])))
            owners.append(np.tile(np.array(space.coordinates), D.shape[0]))
        D = sparse.csr_array(sparse.vstack(parts))
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
