"""Explicit Runge-Kutta methods with fixed steps, as steps of a program.

k_i = f(t + c_i h, y + h sum_j a_ij k_j),   y(t + h) = y + h sum_i b_i k_i
"""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

import numpy as np

from lissom.engine.step import Step, sized
from lissom.spatial.rotations import Array


class Row(NamedTuple):
    """A weighted sum: which slopes, and the steps that add them to y."""

    slopes: tuple[int, ...]
    weights: tuple[float, ...]
    steps: tuple[Step, ...]

    def of(self, run: Any, y: Any, h: Any, slopes: list[Any]) -> Any:
        """Return y + h sum of weighted slopes in a program."""
        return run.each(self.steps, y, h, *(slopes[k] for k in self.slopes))

    def at(self, y: Array, h: float | Array, slopes: list[Array]) -> Array:
        """Return y + h sum of weighted slopes on plain arrays."""
        return y + h * sum(w * slopes[k] for k, w in zip(self.slopes, self.weights, strict=True))


class Tableau(NamedTuple):
    """An explicit Runge-Kutta method.

    reach : it is stable while a decay rate times the step is below this
    moments : the times within a step at which it asks, as fractions of it, increasing
    asks : by stage, which of the moments
    stages : of all stages but the first, how their state is made
    finish : how the end is made
    """

    order: int
    reach: float
    moments: tuple[float, ...]
    asks: tuple[int, ...]
    stages: tuple[Row, ...]
    finish: Row


def _row(name: str, weights: Array) -> Row:
    some = [(k, float(w)) for k, w in enumerate(weights) if w]

    def added(y: Any, h: Any, *slopes: Any) -> Any:
        total: Any = 0
        for (_, w), slope in zip(some, slopes, strict=True):
            total = total + w * slope
        return y + h * total

    return Row(tuple(k for k, _ in some), tuple(w for _, w in some), sized(name, added, "n1" + "n" * len(some)))


def _tableau(name: str, order: int, reach: float, A: Array, b: Array, c: Array) -> Tableau:
    moments = tuple(sorted({float(x) for x in c}))
    stages = tuple(_row(f"{name}_{i}", A[i, :i]) for i in range(1, len(b)))
    return Tableau(order, reach, moments, tuple(moments.index(float(x)) for x in c), stages, _row(f"{name}_end", b))


@functools.cache
def tableau(method: str) -> Tableau:
    """Return the classical method of order four ("rk4"), or the one of order eight of Dormand and Prince ("rk8")."""
    if method == "rk4":
        A = np.zeros((4, 4))
        A[1, 0], A[2, 1], A[3, 2] = 0.5, 0.5, 1.0
        return _tableau("rk4", 4, 2.785, A, np.array([1, 2, 2, 1]) / 6, np.array([0.0, 0.5, 0.5, 1.0]))
    from scipy.integrate import DOP853

    return _tableau("rk8", 8, 6.39, DOP853.A, DOP853.B, DOP853.C)
