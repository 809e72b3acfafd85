"""Mass, centre of mass and inertia tensors under changes of frame."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from lissom.spatial.rotations import Array, skew


class Inertia(NamedTuple):
    """A rigid body: mass [kg], centre of mass (3,) [m], inertia about it (3, 3) [kg m^2]."""

    mass: float
    com: Array
    moment: Array

    def in_frame(self, X: ArrayLike) -> Inertia:
        """The same body seen from the frame in which this one's frame has pose `X`."""
        X = np.asarray(X, float)
        R, p = X[:3, :3], X[:3, 3]
        return Inertia(self.mass, R @ self.com + p, _symmetric(R @ self.moment @ R.T))

    def spatial(self) -> Array:
        """6x6 inertia about the frame's origin, rows (moment, force), columns (angular, linear)."""
        C = self.mass * skew(self.com)
        about_origin = self.moment + skew(self.com) @ C.T
        return np.block([[about_origin, C], [C.T, self.mass * np.eye(3)]])


def combine(a: Inertia, b: Inertia) -> Inertia:
    """One body made of two, both given in the same frame."""
    mass = a.mass + b.mass
    if mass == 0.0:
        return Inertia(0.0, a.com, a.moment + b.moment)
    com = (a.mass * a.com + b.mass * b.com) / mass
    moment = sum(body.moment + body.mass * (skew(body.com - com) @ skew(body.com - com).T) for body in (a, b))
    return Inertia(mass, com, _symmetric(np.asarray(moment)))


def principal_moments(moment: ArrayLike) -> Array:
    """Eigenvalues (3,) of an inertia tensor, ascending."""
    return np.linalg.eigvalsh(np.asarray(moment, float))


def nearest_physical(moment: ArrayLike) -> Array:
    """A physical tensor close to an unphysical one.

    A body's second moments of mass along its principal axes, ``(J2 + J3 - J1) / 2`` and so on,
    cannot be negative; those that are become zero.
    """
    J, axes = np.linalg.eigh(_symmetric(np.asarray(moment, float)))
    second = np.maximum(J.sum() / 2 - J, 0.0)
    return _symmetric(axes @ np.diag(second.sum() - second) @ axes.T)


def _symmetric(A: Array) -> Array:
    return 0.5 * (A + A.T)
