"""Splines from rest to rest and back to where they began, as functions of their free control points."""

from __future__ import annotations

import numpy as np

from lissom.identification.excitation.torque_model import States
from lissom.later import cached_property
from lissom.motion.splines.basis import Basis, grid
from lissom.spatial.rotations import Array

DEGREE = 5  # accelerations are smooth, and zero at both ends
FIXED = 3  # control points at each end: position, rate and acceleration
PER_SEGMENT = 12  # samples
NEARBY = 1e-6  # of the duration: rates of torque are differences over twice that


class Sampled:
    """The profiles at some fractions of the duration: linear functions of the free control points.

    Parameters
    ----------
    basis : Basis
    start : (dof,)       where the motion begins and ends
    duration : float     [s]
    s : (N,)             fractions
    """

    def __init__(self, basis: Basis, start: Array, duration: float, s: Array) -> None:
        self.basis, self.start, self.duration, self.s = basis, start, duration, s
        inner = slice(FIXED, basis.count - FIXED)
        self.rows = [basis.rows(s, r).toarray()[:, inner] / duration**r for r in range(4)]

    @cached_property
    def beside(self) -> tuple[Sampled, Sampled]:
        """The profiles just before and just after."""
        before, after = (np.clip(self.s + step, 0.0, 1.0) for step in (-NEARBY, NEARBY))
        return tuple(Sampled(self.basis, self.start, self.duration, s) for s in (before, after))  # type: ignore[return-value]

    @cached_property
    def apart(self) -> Array:
        """(N,) time between these two [s]."""
        before, after = self.beside
        return np.asarray((after.s - before.s) * self.duration)

    def states(self, points: Array) -> States:
        """States for free control points (m, dof), given as distances from the start."""
        return States(self.start + self.rows[0] @ points, self.rows[1] @ points, self.rows[2] @ points)

    def position(self, points: Array) -> Array:
        """(N, dof)."""
        return np.asarray(self.start + self.rows[0] @ points)

    def derivative(self, order: int, points: Array) -> Array:
        """(N, dof) derivative of some order, 1 or more."""
        return np.asarray(self.rows[order] @ points)

    def back(self, slope: States) -> Array:
        """Derivatives by control points (m, dof) of what has a slope (N, dof) by positions, rates and accelerations."""
        return np.asarray(sum(self.rows[order].T @ part for order, part in enumerate(slope)))


class Profile:
    """The family of motions that is searched.

    Attributes
    ----------
    free : int            control points that can be chosen
    samples : Sampled     where torques and limits are evaluated
    """

    def __init__(self, start: Array, duration: float, segments: int) -> None:
        self.start, self.duration = start, duration
        self.basis = Basis(segments, DEGREE)
        self.free = self.basis.count - 2 * FIXED
        self.samples = self.at(grid(self.basis.breaks, PER_SEGMENT))

    def at(self, s: Array) -> Sampled:
        """The profiles at other fractions."""
        return Sampled(self.basis, self.start, self.duration, s)

    def control_points(self, points: Array) -> Array:
        """All control points (count, dof)."""
        inner = np.pad(points, ((FIXED, FIXED), (0, 0)))
        return np.asarray(self.start + inner)
