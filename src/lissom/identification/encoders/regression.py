"""Compliance, damping and disturbances of one joint by least squares, and whether they explain data not used."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from lissom.identification.correlation import memory
from lissom.identification.encoders.deflection import COLUMNS, Deflections
from lissom.spatial.rotations import Array

PASSES = 3  # in which the delay of the second encoder is found
BLOCKS = 5  # of a single log, each of which is held out once
LEAST_GAIN = 0.1  # part of the held-out error by which a spring must lower it
CERTAIN = 2.0  # standard deviations


class Spring(NamedTuple):
    """What was found of a joint.

    values, std : (5,)        of `COLUMNS`; the delay of the second encoder [s] in place of its increment
    stiffness, damping : value and standard deviation
    gain : part of the held-out error of the deflection by which the spring lowers it
    known, damped : whether stiffness and damping are identifiable
    lag : damping over stiffness that the torques went through [s]
    middle : the position at which the scale has no effect
    data, fitted : signals of every log, and deflections that are explained
    """

    values: Array
    std: Array
    stiffness: tuple[float, float]
    damping: tuple[float, float]
    gain: float
    known: bool
    damped: bool
    lag: float
    middle: float
    data: list[Deflections]
    fitted: list[Array]


def spring_of(signals: Callable[[float, float], list[Deflections]]) -> Spring:
    """Fit a joint; `signals` has its deflections in every log for a delay of the second encoder and a lag."""
    late = lag = 0.0
    for _ in range(PASSES):
        data = signals(late, lag)
        x, C = least_squares(data)
        late += float(x[2])
        resistance = _spring(x, C, lag)[1]
        lag = resistance[0] * float(x[0]) if resistance[0] > CERTAIN * resistance[1] else 0.0
    data = signals(late, lag)
    x, C = least_squares(data)
    C, gain = _widened(C, data), held_out_gain(data)
    values = np.array(x[: len(COLUMNS)])
    values[2] += late
    spread = np.sqrt(np.diag(C))[: len(COLUMNS)]
    stiffness, damping = _spring(x, C, lag)
    known = bool(x[0] > CERTAIN * spread[0] and gain > LEAST_GAIN)
    damped = known and damping[0] > CERTAIN * damping[1]
    return Spring(
        values, spread, stiffness, damping, gain, known, damped, lag, _middle(data), data, _explained(data, x)
    )


def _spring(x: Array, C: Array, lag: float) -> tuple[tuple[float, float], tuple[float, float]]:
    """Stiffness 1/a and damping with standard deviations; infinite where the compliance a is not positive."""
    a, b = float(x[0]), float(x[1])  # b is a times what the lag lacks
    if a <= 0.0:
        return (np.inf, np.inf), (np.nan, np.inf)
    by = np.array([-lag / a**2 - 2 * b / a**3, 1 / a**2])
    return (1 / a, float(np.sqrt(C[0, 0])) / a**2), (lag / a + b / a**2, float(np.sqrt(by @ C[:2, :2] @ by)))


def _middle(data: Sequence[Deflections]) -> float:
    return float(np.concatenate([one.q for one in data]).mean())


def _stacked(data: Sequence[Deflections], columns: Sequence[int]) -> tuple[Array, Array]:
    """Columns with an offset of each log, and deflections, of all logs in a row."""
    middle = _middle(data)
    A = np.vstack([one.columns(middle)[:, columns] for one in data])
    offsets = np.repeat(np.eye(len(data)), [len(one.t) for one in data], axis=0)
    return np.hstack([A, offsets]), np.concatenate([one.deflection for one in data])


def least_squares(data: Sequence[Deflections], columns: Sequence[int] = range(len(COLUMNS))) -> tuple[Array, Array]:
    """Coefficients and their covariance, which allows for residuals that are correlated in time."""
    A, y = _stacked(data, columns)
    size = np.linalg.norm(A, axis=0)
    size[size == 0.0] = 1.0
    x = np.linalg.lstsq(A / size, y, rcond=1e-12)[0]
    r = y - A / size @ x
    inverse = np.linalg.pinv((A / size).T @ (A / size), rcond=1e-14, hermitian=True)
    variance = (r @ r) / max(len(r) - len(x), 1) * float(memory(r[:, None, None])[0])
    return x / size, variance * inverse / np.outer(size, size)


def _widened(C: Array, data: Sequence[Deflections]) -> Array:
    """A covariance that is no smaller than what parts of the data say when they are left out (jackknife)."""
    parts = [part for one in data for part in _blocks(one)]
    count = len(COLUMNS)
    left = np.array([least_squares([p for k, p in enumerate(parts) if k != i])[0][:count] for i in range(len(parts))])
    spread = np.sqrt((len(left) - 1) * left.var(axis=0))
    wider = np.ones(len(C))
    wider[:count] = np.maximum(spread / np.maximum(np.sqrt(np.diag(C)[:count]), 1e-300), 1.0)
    return C * np.outer(wider, wider)


def held_out_gain(data: Sequence[Deflections]) -> float:
    """Part by which the spring lowers the error of deflections that were not used, its offset free.

    Each log is held out once, of a single log each of `BLOCKS` parts.
    """
    groups = list(data) if len(data) > 1 else _blocks(data[0])
    errors = np.zeros(2)
    for i, left in enumerate(groups):
        others = [one for k, one in enumerate(groups) if k != i]
        middle = _middle(others)
        for which, columns in enumerate((range(len(COLUMNS)), range(2, len(COLUMNS)))):
            x, _ = least_squares(others, columns)
            e = left.deflection - left.columns(middle)[:, columns] @ x[: len(columns)]
            errors[which] += ((e - e.mean()) ** 2).sum()
    return float(1 - np.sqrt(errors[0] / max(errors[1], 1e-300)))


def _blocks(one: Deflections) -> list[Deflections]:
    ends = np.linspace(0, len(one.t), BLOCKS + 1).astype(int)
    return [one.part(slice(a, b)) for a, b in pairwise(ends)]


def _explained(data: Sequence[Deflections], x: Array) -> list[Array]:
    A, _ = _stacked(data, range(len(COLUMNS)))
    return np.split(A @ x, np.cumsum([len(one.t) for one in data])[:-1])
