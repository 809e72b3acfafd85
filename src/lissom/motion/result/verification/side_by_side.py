"""Many short pieces of a motion replayed side by side: fixed steps of order 8, halved until they agree.

A simulation for each piece would take most of its time to begin. This one knows nothing of the search either: it
integrates the accelerations that the planned torques produce. Pieces that do not agree are left to `simulate`, and so
are pieces in which a joint with Coulomb friction rests or turns around, arms with closed loops or with friction and
elastic joints, and loads that change.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

import numpy as np

from lissom.errors import SolveError
from lissom.model.arm import Arm
from lissom.simulation.integrators.tableau import tableau
from lissom.spatial.rotations import Array
from lissom.verbs.dynamics import forward_dynamics

MOST_STEPS = 64  # between two jumps of the torques
RESOLVED = 16  # times the fewest stable steps, so that steps of fast vibrations agree too
LARGEST = 256  # stable steps, from which pieces are left to simulations of their own
INSIDE = 1e-13  # of the last time: torques at the ends of a stretch are those inside it

Torques = Callable[[Array], Array]


def available(arm: Arm, loads: Any) -> bool:
    """Whether motions of an arm under loads can be replayed here."""
    springs = any(joint.elastic is not None for joint in arm.joints)
    return not arm.loops and not callable(loads) and not (springs and arm.sticks.any())


def final_states(
    arm: Arm, stops: Sequence[Array], y: Array, tau: Torques, loads: Any, fewest: Array, rtol: float
) -> Array:
    """Return the states (N, 2 dof) at the ends of pieces, NaN where steps do not agree.

    stops : of every piece its begin, the times in it at which torques jump, and its end
    y : (N, 2 dof)      states at the beginnings
    fewest : (N,)       steps between two stops that are stable
    """
    out = np.full_like(y, np.nan)
    # by powers of two: pieces of nearly equal steps then share one loop in Python
    kinds = np.array([[len(at), 1 << int(steps - 1).bit_length()] for at, steps in zip(stops, fewest, strict=True)])
    for count, steps in np.unique(kinds, axis=0):
        rows = np.flatnonzero((kinds == [count, steps]).all(axis=1))
        if steps > LARGEST:
            continue
        most = max(MOST_STEPS, RESOLVED * steps)
        times = np.stack([stops[k] for k in rows.tolist()])
        last = _integrated(arm, times, y[rows], tau, loads, steps)
        while len(rows) and steps < most:
            steps = 2 * steps
            found = _integrated(arm, times, y[rows], tau, loads, steps)
            agree = (np.abs(found - last) <= rtol * (np.abs(found) + 1e-2)).all(axis=1)
            out[rows[agree]] = found[agree]
            # what turns around, and has no states twice, does so with any number of steps
            again = ~agree & ~(np.isnan(found) & np.isnan(last)).any(axis=1)
            rows, times, last = rows[again], times[again], found[again]
    return out


def _integrated(arm: Arm, times: Array, y: Array, tau: Torques, loads: Any, steps: int) -> Array:
    """Return the states (N, 2 dof) after equal steps between the times (N, k)."""
    method, n = tableau("rk8"), arm.dof
    hair, directions = INSIDE * float(times.max()), _directions(arm, y)
    for a, b in zip(times[:, :-1].T, times[:, 1:].T, strict=True):
        h = (b - a) / steps
        for k in range(steps):
            asked = [np.clip(a + (k + c) * h, a + hair, b - hair) for c in method.moments]
            torques = tau(np.concatenate(asked)).reshape(len(asked), len(y), n)
            slopes: list[Array] = []
            for row, moment in zip((None, *method.stages), method.asks, strict=True):
                state = y if row is None else row.at(y, h[:, None], slopes)
                slopes.append(_slope(arm, state, torques[moment], loads, directions))
            y = method.finish.at(y, h[:, None], slopes)
    return np.where((_directions(arm, y) == directions).all(axis=1)[:, None], y, np.nan)


def _directions(arm: Arm, y: Array) -> Array:
    """Return signs (N, joints with friction) of the rates of states (N, 2 dof); NaN at rest, which is equal to none."""
    rates = y[:, arm.dof + arm.joint_index[arm.sticks]]
    return np.where(rates == 0, np.nan, np.sign(rates))


def _slope(arm: Arm, y: Array, tau: Array, loads: Any, directions: Array) -> Array:
    """Return rates of states (N, 2 dof); NaN of those that have run away or turned around, or are undetermined."""
    known = np.isfinite(y).all(axis=1) & (np.abs(y).max(axis=1) < 1e6)
    known &= (_directions(arm, y) == directions).all(axis=1)
    out = np.full_like(y, np.nan)
    if not known.any():
        return out
    try:
        out[known] = _rates(arm, y[known], tau[known], loads)
    except SolveError:  # of one of them
        for k in np.flatnonzero(known).tolist():
            with suppress(SolveError):
                out[k] = _rates(arm, y[k : k + 1], tau[k : k + 1], loads)[0]
    return out


def _rates(arm: Arm, y: Array, tau: Array, loads: Any) -> Array:
    q, qd = (np.ascontiguousarray(part) for part in np.split(y, 2, axis=1))
    return np.concatenate([qd, forward_dynamics(arm, q, qd, tau, loads=loads)], axis=1)
