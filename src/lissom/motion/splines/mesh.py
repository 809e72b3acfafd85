"""Where the splines of a motion are joined, where its equations hold, and where it is looked at.

Of actuated coordinates any smooth profile will do, and the torques follow. For unactuated ones (amplitudes of flexible
links, springs of elastic joints, passive joints) the rows of the equations of motion vanish. They have splines of their
own, rougher and on a finer mesh, whose rows vanish at Gauss's points of every segment.

Count rule: control points of an unactuated coordinate, less its two initial conditions, equal its rows. Degree d with
one continuous derivative has (d - 1) K + 2 control points on K segments, so d - 1 points in each. With fewer rows,
shapes between the points that no row sees absorb any vibration, and the optimum is false; what is asked at the end then
constrains the motors, as in physics.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lissom.motion.splines.basis import Basis, grid
from lissom.spatial.rotations import Array

UNACTUATED_DEGREE, UNACTUATED_CONTINUITY = 5, 1
FINE = 20  # points per segment that limits are looked at
FINE_UNACTUATED = 8  # the same, of finer segments at least


class Mesh(NamedTuple):
    """The bases of actuated and unactuated coordinates; None without unactuated ones."""

    actuated: Basis
    unactuated: Basis | None = None

    @property
    def finest(self) -> Basis:
        """The basis on whose segments all profiles are polynomials."""
        return self.actuated if self.unactuated is None else self.unactuated

    @property
    def finer(self) -> int:
        """Segments of unactuated coordinates per segment of actuated ones."""
        return self.finest.segments // self.actuated.segments

    def samples(self, orders: int, kinks: bool = False) -> tuple[Array, Array]:
        """Fractions and weights of the rate of cost; with unactuated coordinates, where their rows vanish."""
        return (
            quadrature(self.actuated, orders, kinks)
            if self.unactuated is None
            else _gauss(self.unactuated, self.unactuated.degree - 1)
        )

    @property
    def edges(self) -> Array:
        """Both sides of all breaks."""
        inner = self.finest.breaks[1:-1]
        return np.concatenate([[0.0], np.stack([np.nextafter(inner, 0.0), inner], axis=1).ravel(), [1.0]])

    @property
    def corners(self) -> Array:
        """Where limits are looked at beside the samples, as torques are largest there: both ends; with accelerations
        of actuated coordinates that jump, both sides of all breaks. Those of unactuated ones jump by little."""
        return self.edges if self.actuated.continuity < 2 else np.array([0.0, 1.0])

    def looks(self) -> Array:
        """A fine grid: breaks, their left sides where something jumps there, and points between them."""
        each = max(FINE // self.finer, FINE_UNACTUATED)
        s = grid(self.finest.breaks, each)
        return s if self.finest.continuity >= 2 else np.union1d(s, self.edges)

    def refined(self, points: Sequence[Array]) -> tuple[Mesh, list[Array]]:
        """Return the mesh with twice as many segments, and the control points there of profiles with `points`."""
        made = [basis.refined(_halved(basis.breaks), P) for basis, P in zip(self, points, strict=False) if basis]
        return Mesh(*(basis for basis, _ in made)), [P for _, P in made]

    def refined_where(self, coarse: NDArray[np.bool_], points: Sequence[Array]) -> tuple[Mesh, list[Array]]:
        """Return the mesh with only some segments (count,) halved; without unactuated coordinates."""
        middles = (self.actuated.breaks[1:] + self.actuated.breaks[:-1]) / 2
        actuated, P = self.actuated.refined(np.sort(np.append(self.actuated.breaks, middles[coarse])), points[0])
        return Mesh(actuated), [P]

    def with_finer_unactuated(self, points: Sequence[Array]) -> tuple[Mesh, list[Array]]:
        """Return the mesh with twice as many segments of unactuated coordinates alone."""
        assert self.unactuated is not None
        unactuated, P = self.unactuated.refined(_halved(self.unactuated.breaks), points[1])
        return Mesh(self.actuated, unactuated), [points[0], P]


def _halved(breaks: Array) -> Array:
    return np.sort(np.append(breaks, (breaks[1:] + breaks[:-1]) / 2))


def unactuated_basis(actuated: Basis, finer: int) -> Basis:
    """Return the basis of unactuated coordinates, on so many segments in each of the actuated ones."""
    return Basis(grid(actuated.breaks, finer), UNACTUATED_DEGREE, UNACTUATED_CONTINUITY, actuated.periodic)


def quadrature(basis: Basis, orders: int, kinks: bool = False) -> tuple[Array, Array]:
    """Samples and weights: Lobatto's points of every segment, ends shared; Gauss's where a derivative in use jumps.

    kinks : the rate of cost has kinks, such as |power|: with few points of a segment a motion would do its work
            between them, where no sample sees it
    """
    if orders - 1 > basis.continuity:
        return _gauss(basis, basis.degree + 2 * kinks)
    h = np.diff(basis.breaks)
    x, w = _LOBATTO[3 if basis.degree == 3 and not kinks else 5]
    inner = basis.breaks[:-1, None] + h[:, None] * x[:-1]
    weights = h[:, None] * w
    s = np.append(inner.ravel(), 1.0)
    total = np.append(weights[:, :-1].ravel(), 0.0)
    total[len(x) - 1 :: len(x) - 1] += weights[:, -1]
    return s, total


def _gauss(basis: Basis, count: int) -> tuple[Array, Array]:
    x, w = np.polynomial.legendre.leggauss(count)
    h = np.diff(basis.breaks)[:, None]
    return (basis.breaks[:-1, None] + h * (x + 1) / 2).ravel(), (h * w / 2).ravel()


_LOBATTO = {
    3: (np.array([0.0, 0.5, 1.0]), np.array([1.0, 4.0, 1.0]) / 6),
    5: (
        np.array([0.0, 0.5 - np.sqrt(21) / 14, 0.5, 0.5 + np.sqrt(21) / 14, 1.0]),
        np.array([9.0, 49.0, 64.0, 49.0, 9.0]) / 180,
    ),
}
