"""The search within limits: an interior-point method on the same problem.

Limited values g(x), each relative to its limit, get slacks s = g strictly inside their bounds, with a barrier:

    minimise   f(x) - mu sum log(s - low) - mu sum log(high - s),      g(x) = s

With multipliers z of the bounds, S = z_low / (s - low) + z_high / (high - s) and G the derivatives of g, the step is

    [ H + G^T S G   A^T ] [ d ]      [ f' + G^T (mu / (high - s) - mu / (s - low) + S (g - s)) ]
    [ A              0  ] [ . ]  = - [ c                                                       ]

and ds = G d + g - s. The barrier mu falls with the products of multipliers and distances. Where limits leave no motion
on the path, the frame stays as near to it as they let it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from lissom.motion.result.report import Iteration
from lissom.motion.task.bounds import Bounds
from lissom.motion.tracking.newton import LONGEST, Searched
from lissom.motion.tracking.program import TrackingProgram
from lissom.motion.transcription.constraints.bending import Measure
from lissom.spatial.rotations import Array

LINEAR = {"position": 0, "velocity": 1, "acceleration": 2}
INSIDE = 2e-3  # of a limit: what is kept free, for what happens between samples
BEGIN, TO_BOUNDARY = 0.05, 0.99  # distances at first, of the range; the part of the way to a bound that a step goes
SIZE = 1e-3  # m: distances from the path of this size count as one beside the barrier
FIRST, LAST = 1e-2, 1e-9  # barriers
FALLS, FULL = (0.5, 0.15), 0.8  # of the mean product, after a short step and after a full one
DONE = 1e-6  # of a step, rad or m
STEPS = 40


class LimitRows:
    """Values that are limited at the samples, relative to their limits.

    lower, upper : (R,)     infinite where there is none
    """

    def __init__(self, program: TrackingProgram, bounds: Bounds, measures: list[Measure]) -> None:
        self._program, self._linear = program, []
        low, high = [], []
        for word, order in LINEAR.items():
            some = np.flatnonzero(bounds.limited(word))
            if len(some):
                self._linear.append(program.combination(order, some, np.eye(len(some))))
                low.append(np.tile(bounds.lower[word][some], len(program.s)))
                high.append(np.tile(bounds.upper[word][some], len(program.s)))
        for one in measures:
            self._linear.append(program.combination(0, one.columns, one.rows))
            high.append(np.full(len(one.rows) * len(program.s), one.limit))
            low.append(-high[-1])
        self._driven = np.flatnonzero(bounds.limited("torque"))
        if len(self._driven):
            low.append(np.tile(bounds.lower["torque"][self._driven], len(program.s)))
            high.append(np.tile(bounds.upper["torque"][self._driven], len(program.s)))
        lower, upper = np.concatenate(low), np.concatenate(high)
        self._size = np.maximum(np.where(np.isfinite(lower), np.abs(lower), 0), np.where(np.isfinite(upper), upper, 0))
        self._size = np.maximum(self._size, 1e-9)
        self.lower, self.upper = lower / self._size + INSIDE, upper / self._size - INSIDE

    def exceeded(self, x: Array) -> bool:
        """Whether variables x exceed a limit at some sample."""
        g, _ = self(self._program.states(x), x)
        return bool(((g < self.lower) | (g > self.upper)).any())

    def __call__(self, z: list[Array], x: Array) -> tuple[Array, Any]:
        """Values (R,) and derivatives, at variables x with states z."""
        parts = [(c + A @ x, A) for c, A in self._linear]
        if len(self._driven):
            parts.append(self._program.forces(z, self._driven))
        values = np.concatenate([value for value, _ in parts])
        return values / self._size, sparse.diags_array(1 / self._size) @ sparse.vstack([A for _, A in parts], "csr")


def limited(bounds: Bounds, measures: list[Measure]) -> bool:
    """Whether there is any limit to keep."""
    return bool(measures) or any(bounds.limited(word).any() for word in (*LINEAR, "torque"))


class _Barrier(NamedTuple):
    """Slacks, multipliers of lower and upper bounds (R,), and the barrier."""

    s: Array
    low: Array
    high: Array
    mu: float


def search_within(program: TrackingProgram, rows: LimitRows, x: Array, weight: float, show: Any) -> Searched:
    """Return where the search from variables x ends, within limits as far as the samples show."""
    log: list[Iteration] = []
    left, at = np.zeros_like(program.targets), _begun(rows, rows(program.states(x), x)[0])
    for number in range(STEPS):
        now = program.linearised(x, weight, left)
        g, G = rows(now.z, x)
        below, above = at.s - rows.lower, rows.upper - at.s
        stiff = at.low / below + at.high / above
        push = G.T @ (at.mu / above - at.mu / below + stiff * (g - at.s))
        H = now.hessian / SIZE**2 + G.T @ sparse.diags_array(stiff) @ G
        change = now.step(H, now.gradient / SIZE**2 + push)
        size, off = float(np.abs(change).max()), float(np.abs(now.errors).max())
        over = float(np.abs(g - at.s).max())
        log.append(Iteration(number, off, over, size, program.duration))
        show(f"step {number + 1} within limits, {off:.1e} m off")
        if not np.isfinite(size):
            return Searched(x, tuple(log), False)
        if at.mu <= LAST and size < DONE and over < INSIDE:
            return Searched(x + change, tuple(log), True)
        x, at, left = _moved(rows, x, at, change, G @ change + g - at.s, now.left(change))
    return Searched(x, tuple(log), False)


def _begun(rows: LimitRows, g: Array) -> _Barrier:
    """Slacks inside their bounds, near the values."""
    both = np.isfinite(rows.lower) & np.isfinite(rows.upper)
    room = np.where(both, BEGIN * (rows.upper - rows.lower), BEGIN)
    s = np.clip(g, rows.lower + room, rows.upper - room)
    return _Barrier(s, FIRST / (s - rows.lower), FIRST / (rows.upper - s), FIRST)


def _moved(
    rows: LimitRows, x: Array, at: _Barrier, change: Array, ds: Array, left: Array
) -> tuple[Array, _Barrier, Array]:
    """Variables and barrier after a step that stays inside the bounds."""
    below, above = at.s - rows.lower, rows.upper - at.s
    dlow, dhigh = at.mu / below - at.low - at.low / below * ds, at.mu / above - at.high + at.high / above * ds
    part = min(_allowed(below, ds), _allowed(above, -ds), LONGEST / max(float(np.abs(change).max()), LONGEST))
    s = at.s + part * ds
    own = min(_allowed(at.low, dlow), _allowed(at.high, dhigh))
    low, high = at.low + own * dlow, at.high + own * dhigh
    pairs = [(z, d, np.isfinite(d)) for z, d in ((low, s - rows.lower), (high, rows.upper - s))]
    mean = float(np.concatenate([z[some] * d[some] for z, d, some in pairs]).mean())
    mu = min(at.mu, max(LAST, FALLS[part > FULL] * mean))
    return x + part * change, _Barrier(s, low, high, mu), left


def _allowed(distance: Array, change: Array) -> float:
    """The part of a step that leaves something of all distances."""
    falling = change < 0
    return min(1.0, TO_BOUNDARY * float((-distance[falling] / change[falling]).min(initial=np.inf)))
