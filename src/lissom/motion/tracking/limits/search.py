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
from lissom.motion.tracking.limits.rows import ROOM, LimitRows
from lissom.motion.tracking.newton import LONGEST, Searched
from lissom.motion.tracking.program import TrackingProgram
from lissom.spatial.rotations import Array

BEGIN, TO_BOUNDARY = 0.05, 0.99  # distances at first, of the range; the part of the way to a bound that a step goes
SIZE = 1e-3  # m: distances from the path of this size count as one beside the barrier
FIRST, LAST = 1e-2, 1e-9  # barriers
FALLS, FULL = (0.5, 0.15), 0.8  # of the mean product, after a short step and after a full one
DONE = 1e-6  # of a step, rad or m
STEPS = 60


class _Barrier(NamedTuple):
    """Slacks, multipliers of lower and upper bounds (R,), and the barrier."""

    s: Array
    low: Array
    high: Array
    mu: float


def search_within(program: TrackingProgram, rows: LimitRows, x: Array, weight: float, show: Any) -> Searched:
    """Return where the search from variables x ends, within limits as far as the samples show."""
    log: list[Iteration] = []
    left, at = np.zeros_like(program.targets), _begun(rows, rows(x)[0])
    for number in range(STEPS):
        now = program.linearised(x, weight, left)
        g, G = rows(x)
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
        if at.mu <= LAST and size < DONE and over < ROOM:
            return Searched(x + change, tuple(log), True, within=True)
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
