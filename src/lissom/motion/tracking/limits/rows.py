"""Values that are limited at the samples of a motion, relative to their limits, and how they change.

A part of each range is kept free for what happens between samples. What the arm needs at rest at its ends is allowed
all the same: a motion may begin with a joint at its limit.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from lissom.motion.task.bounds import Bounds
from lissom.motion.tracking.limits.rates import RateRows
from lissom.motion.tracking.limits.torques import TorqueRows
from lissom.motion.tracking.program import TrackingProgram
from lissom.motion.tracking.samples import Samples
from lissom.motion.transcription.constraints.bending import Measure
from lissom.spatial.rotations import Array

LINEAR = {"position": 0, "velocity": 1, "acceleration": 2}
INSIDE = 2e-3  # of half the range: what is kept free at first
ROOM = 2e-4  # of half the range, beside values at rest


class Group(NamedTuple):
    """One limited quantity of some coordinates: limits (k,), and what it is at rest at the ends (2, k).

    at : where it is looked at
    looks : how often; None: at every sample
    affine : order, columns and rows (k, len(columns)) of combinations of a derivative; None: torques of motors
    """

    at: Samples
    lower: Array
    upper: Array
    resting: Array
    affine: tuple[int, NDArray[np.intp], Array] | None = None
    looks: int | None = None


class LimitRows:
    """Values that are limited at the samples, each relative to half its range.

    inside : the part of half a range that is kept free
    x : variables of a motion; its poses at rest at both ends are allowed, and joints with friction keep its directions

    Attributes
    ----------
    lower, upper : (R,)     infinite where there is none
    """

    def __init__(
        self, program: TrackingProgram, bounds: Bounds, measures: list[Measure], x: Array, inside: float = INSIDE
    ) -> None:
        driven, changing = (np.flatnonzero(bounds.limited(word)) for word in ("torque", "torque_rate"))
        looks = [program.samples, program.ends] if len(driven) else []
        self._torques: list[TorqueRows | RateRows] = [TorqueRows(at, driven, x) for at in looks]
        groups = _affine_groups(program, bounds, measures, program.ends.states(x)[0])
        self._affine = [group.at.combination(*group.affine) for group in groups if group.affine is not None]
        groups += [_of_torques(program, bounds, at, driven, x) for at in looks]
        if len(changing):
            self._torques.append(rates := RateRows(program.samples, program.ends, program.duration, changing, x))
            limits = bounds.lower["torque_rate"][changing], bounds.upper["torque_rate"][changing]
            groups.append(Group(program.samples, *limits, np.zeros((2, len(changing))), looks=rates.count))
        sizes, lower, upper = zip(*(_relative(group, inside) for group in groups), strict=True)
        self._size, self.lower, self.upper = (np.concatenate(parts) for parts in (sizes, lower, upper))

    def exceeded(self, x: Array) -> bool:
        """Whether variables x exceed a limit at some sample."""
        g, _ = self(x)
        return bool(((g < self.lower - ROOM) | (g > self.upper + ROOM)).any())

    def __call__(self, x: Array) -> tuple[Array, Any]:
        """Values (R,) and derivatives at variables x."""
        parts = [(c + A @ x, A) for c, A in self._affine]
        parts += [torques(x) for torques in self._torques]
        values = np.concatenate([value for value, _ in parts])
        return values / self._size, sparse.diags_array(1 / self._size) @ sparse.vstack([A for _, A in parts], "csr")


def limited(bounds: Bounds, measures: list[Measure]) -> bool:
    """Whether there is any limit to keep."""
    return bool(measures) or any(bounds.limited(word).any() for word in (*LINEAR, "torque", "torque_rate"))


def _affine_groups(program: TrackingProgram, bounds: Bounds, measures: list[Measure], q: Array) -> list[Group]:
    """Limits of positions, rates, accelerations and bending; ends at rest (2, n) at q have no rates to look at."""
    at, groups = program.samples, []
    for word, order in LINEAR.items():
        some = np.flatnonzero(bounds.limited(word))
        resting = q[:, some] if order == 0 else np.zeros((2, len(some)))
        for place in (at, program.ends) if order == 2 else (at,):
            limits = bounds.lower[word][some], bounds.upper[word][some], resting
            groups.append(Group(place, *limits, (order, some, np.eye(len(some)))))
    for one in measures:
        limit = np.full(len(one.rows), one.limit)
        groups.append(Group(at, -limit, limit, q[:, one.columns] @ one.rows.T, (0, one.columns, one.rows)))
    return [group for group in groups if len(group.lower)]


def _of_torques(program: TrackingProgram, bounds: Bounds, at: Samples, some: NDArray[np.intp], x: Array) -> Group:
    """Limits of torques."""
    q = program.ends.states(x)[0]
    held, _ = program.ends.forces([q, np.zeros_like(q), np.zeros_like(q)], some)
    return Group(at, bounds.lower["torque"][some], bounds.upper["torque"][some], held.reshape(2, -1))


def _relative(group: Group, inside: float) -> tuple[Array, Array, Array]:
    """Sizes, and lower and upper limits relative to them, of a group at all its samples."""
    size = _half_ranges(group.lower, group.upper)
    low, high, resting = group.lower / size, group.upper / size, group.resting / size
    lower = np.minimum(low + inside, np.maximum(resting.min(axis=0), low) - ROOM)
    upper = np.maximum(high - inside, np.minimum(resting.max(axis=0), high) + ROOM)
    count = len(group.at.s) if group.looks is None else group.looks
    return np.tile(size, count), np.tile(lower, count), np.tile(upper, count)


def _half_ranges(low: Array, high: Array) -> Array:
    """Half of every range; where it has one end only, the size of that, or one where this is zero."""
    both = np.isfinite(low) & np.isfinite(high)
    ends = np.where(np.isfinite(low), np.abs(low), np.abs(high))
    sizes = np.where(both, (np.where(both, high, 0.0) - np.where(both, low, 0.0)) / 2, ends)
    return np.where(sizes > 0, sizes, 1.0)
