"""Limits of joints and tasks."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from lissom.arrays import as_floats, refuse_names
from lissom.errors import ModelError, about
from lissom.model.fields import array, choice, frozen, number, rank
from lissom.model.record import Record
from lissom.spatial.rotations import Array

QUANTITIES = ("position", "velocity", "acceleration", "jerk", "torque", "torque_rate", "power")
Bound = Any  # float, or a frozen array with one entry per joint


@dataclass(frozen=True, eq=False)
class Limits(Record):
    """Bounds on motion and torque, in SI units.

    Each field is None (unlimited), a scalar (symmetric, for all joints), a list or
    array (symmetric, one entry per joint), or a tuple ``(lower, upper)`` whose two
    entries are scalars, arrays or None. It is stored as a pair.

    Parameters
    ----------
    position : [rad or m]
    velocity, acceleration, jerk : per s, s^2, s^3
    torque, torque_rate : [N m or N], per s
    power : [W]

    Examples
    --------
    >>> Limits(position=(-1.0, 2.0), torque=10).torque
    (-10.0, 10.0)
    """

    position: Any = None
    velocity: Any = None
    acceleration: Any = None
    jerk: Any = None
    torque: Any = None
    torque_rate: Any = None
    power: Any = None

    def __post_init__(self) -> None:
        with about("limits"):
            for field in fields(self):
                value = getattr(self, field.name)
                self._set(**{field.name: _pair(value, field.name)})

    @property
    def per_joint(self) -> bool:
        """Whether any bound is an array with one entry per joint."""
        pairs = (getattr(self, f.name) for f in fields(self))
        return any(isinstance(side, np.ndarray) for pair in pairs if pair for side in pair)

    def bounds(self, quantity: str, count: int) -> tuple[Array, Array]:
        """Lower and upper bound (count,) of one quantity; infinite where unlimited."""
        pair = getattr(self, choice(quantity, "quantity", QUANTITIES))
        if pair is None:
            return np.full(count, -math.inf), np.full(count, math.inf)
        for side in pair:
            if np.ndim(side) and np.size(side) not in (1, count):
                raise ModelError(f"{quantity} has {np.size(side)} entries; expected {count}, one per joint.", "limits")
        lower, upper = (np.broadcast_to(np.asarray(side, float), (count,)).copy() for side in pair)
        return lower, upper


def _pair(value: Any, what: str) -> tuple[Bound, Bound] | None:
    """Normalise one limit to (lower, upper), or None when nothing is limited."""
    if value is None:
        return None
    if isinstance(value, tuple):
        if len(value) != 2:
            raise ModelError(
                f"{what} is a tuple of {len(value)}; expected (lower, upper), "
                "or a list with one symmetric bound per joint."
            )
        lower, upper = _side(value[0], what, -math.inf), _side(value[1], what, math.inf)
    else:
        upper = _side(value, what, math.inf)
        if np.any(np.asarray(upper) < 0):
            raise ModelError(
                f"{what} is {value!r}; a symmetric bound cannot be negative. Give a tuple (lower, upper) for a pair."
            )
        lower = frozen(-upper) if isinstance(upper, np.ndarray) else -upper + 0.0
    if isinstance(lower, np.ndarray) and isinstance(upper, np.ndarray) and lower.shape != upper.shape:
        raise ModelError(f"{what} has {lower.size} lower and {upper.size} upper bounds.")
    if np.any(np.asarray(lower) > np.asarray(upper)):
        raise ModelError(f"{what} is reversed: lower {lower} is above upper {upper}. Swap them.")
    unlimited = np.all(np.isneginf(lower)) and np.all(np.isposinf(upper))
    return None if unlimited else (lower, upper)


def _side(value: Any, what: str, unlimited: float) -> Bound:
    """One side of a bound; None and the matching infinity mean unlimited."""
    if value is None or (isinstance(value, float) and value == unlimited):
        return unlimited
    refuse_names(value, what, ModelError)
    if rank(value) == 0:
        return number(value, what)
    if rank(value) != 1:
        return array(value, what, (None,))
    try:
        raw = as_floats(value)
    except TypeError:
        return array(value, what, (None,))  # it explains
    array(np.where(raw == unlimited, 0.0, raw), what, (None,))  # infinite entries are allowed on their own side
    return frozen(raw)


def used(table: Array, lower: Array, upper: Array) -> Array:
    """Limit utilisation, 1 at the limit. For limits not around zero, the excess relative to their width."""
    with np.errstate(divide="ignore", invalid="ignore"):
        around = (lower < 0) & (upper > 0)
        ratio = np.where(table > 0, table / upper, table / lower)
        width = np.where(np.isfinite(upper - lower), upper - lower, np.maximum(np.abs(lower), np.abs(upper)))
        off = 1 + np.maximum(table - upper, lower - table) / np.where(width > 0, width, 1.0)
    return np.nan_to_num(np.where(around, ratio, off), nan=0.0, posinf=0.0, neginf=0.0)


def used_range(table: Array, lower: Array, upper: Array) -> Array:
    """Utilisation of ranges of positions: 0 in the middle, 1 at both limits; with one limit as `used`.

    Examples
    --------
    >>> import numpy as np
    >>> used_range(np.array([[-2.0, 0.5]]), np.array([-3.0, -1.0]), np.array([-1.0, 1.0]))
    array([[0. , 0.5]])
    """
    half = (upper - lower) / 2
    whole = np.isfinite(half) & (half > 0)
    with np.errstate(invalid="ignore"):
        from_middle = np.abs(table - (upper + lower) / 2) / np.where(whole, half, 1.0)
    return np.where(whole, from_middle, used(table, lower, upper))


def nearest_in_range(value: float, lower: float, upper: float) -> float:
    """The limit that a position is nearest to.

    Examples
    --------
    >>> nearest_in_range(-0.1, -1.0, 2.0), nearest_in_range(0.6, -1.0, 2.0), nearest_in_range(0.6, -1.0, float("inf"))
    (-1.0, 2.0, -1.0)
    """
    return upper if upper - value <= value - lower else lower


def nearest(value: float, lower: float, upper: float) -> float:
    """The limit whose utilisation `used` is about.

    Examples
    --------
    >>> nearest(0.5, -1.0, 2.0), nearest(0.5, 0.0, 2.0), nearest(-5.0, float("-inf"), 2.0)
    (2.0, 0.0, 2.0)
    """
    if lower < 0 < upper:
        return upper if value > 0 or np.isinf(lower) else lower
    return upper if value - upper >= lower - value else lower


def exceeded(use: Array, s: Array, excess: float) -> list[float]:
    """Places s where utilisation (N, k) peaks, one for every interval in which it is above 1 + excess."""
    out: list[float] = []
    for column in use.T:
        over = column > 1 + excess
        if not over.any():
            continue
        edges = np.flatnonzero(np.diff(np.concatenate([[0], over.astype(int), [0]])))
        out += [float(s[a + int(np.argmax(column[a:b]))]) for a, b in zip(edges[::2], edges[1::2], strict=True)]
    return out
