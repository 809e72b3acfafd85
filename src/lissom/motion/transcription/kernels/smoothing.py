"""Widths within which jumps are rounded off, so that a solver sees smooth functions: |power|, and Coulomb friction.

They are data of a sample, not constants of its code: one compiled sample serves all tasks of an arm, and the search can
sharpen |power| step by step (see `SOFT`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import casadi as ca
import numpy as np

from lissom.motion.task.criteria.criterion import Course
from lissom.motion.transcription.kernels.friction import SLOW, slow_rates, width
from lissom.spatial.rotations import Array

ROUND = 0.0125  # of the largest power that is expected: |tau qd| is rounded off within it in the end
SOFT = (16.0, 4.0, 1.0)  # times that, one after the other: the sharper the kink, the better the start must be


class Widths(NamedTuple):
    """Numbers, casadi expressions or columns (N, .) of them.

    power : [W]             |p| is sqrt(p^2 + power^2) - power
    limit : [rad/s or m/s]  friction in limits of torque turns around within it, on the safe side
    torque : (n,)           the same of friction in torques, for each coordinate
    """

    power: Any
    limit: Any
    torque: Any


class Layout(NamedTuple):
    """Which widths a sample of n coordinates has among its data."""

    n: int
    energy: bool
    friction: bool

    @property
    def size(self) -> int:
        """How many numbers they are."""
        return int(self.energy) + (self.n + 1) * int(self.friction)

    def pack(self, widths: Widths) -> Array:
        """(size,)."""
        parts = [[widths.power] if self.energy else [], [widths.limit, *widths.torque] if self.friction else []]
        return np.concatenate([np.asarray(part, float) for part in parts])

    def columns(self, data: Array) -> Widths:
        """Return the columns of data (N, size)."""
        power, rest = (data[:, :1], data[:, 1:]) if self.energy else (np.ones((len(data), 1)), data)
        if not self.friction:
            return Widths(power, power, np.full((len(data), self.n), SLOW))
        return Widths(power, rest[:, :1], rest[:, 1:])

    def expressions(self, data: Sequence[Any]) -> Widths:
        """Return the widths among casadi numbers (size,)."""
        power, first = (data[0], 1) if self.energy else (1.0, 0)
        if not self.friction:
            return Widths(power, 1.0, np.full(self.n, SLOW))
        return Widths(power, data[first], ca.vertcat(*data[first + 1 :]))


def expected_widths(guess: Course) -> Widths:
    """Fractions of the rates and powers of the first guess."""
    largest = float(np.abs(guess.tau * guess.qd).max())
    fastest = np.abs(guess.qd).max(axis=0)
    return Widths(
        ROUND * largest if np.isfinite(largest) and largest > 1e-9 else ROUND,
        width(float(fastest.max())),
        slow_rates(fastest),
    )
