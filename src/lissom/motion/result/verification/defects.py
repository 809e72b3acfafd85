"""Defects of a motion: every piece of it replayed by a simulation from its planned state, under the planned torques."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from lissom.motion.result.commands import without_lag
from lissom.motion.result.record import AbstractMotion
from lissom.motion.result.replay import loads_of
from lissom.motion.result.verification import side_by_side
from lissom.motion.result.verification.growth import Growth
from lissom.simulation.controllers.planned import Exact, planned_torques
from lissom.simulation.run import Run
from lissom.simulation.simulate import simulate
from lissom.spatial.rotations import Array

STIFF = 100.0  # decay rate times length of a segment, beyond which implicit steps are the cheaper
STABLE = 4.0  # pole times step, up to which explicit steps of order 8 are stable


class Defects(NamedTuple):
    """Replayed minus planned states at the ends of pieces.

    t : (k + 1,)            ends of the pieces [s]
    q, qd : (k, dof)        positions and rates; NaN where a simulation did not get there
    failure : str           why one did not
    """

    t: Array
    q: Array
    qd: Array
    failure: str


def defects(
    motion: AbstractMotion, growth: Growth, rtol: float, progress: Callable[[int], object] = int
) -> list[Defects]:
    """Return the defects of every segment of the splines; `progress` is called with the number of each."""
    tau, loads = planned_torques(motion), loads_of(motion)
    pieces = growth.pieces()
    known = _side_by_side(motion, growth, pieces, tau, loads, rtol)
    counts = np.cumsum([len(t) for t in pieces])[:-1]
    planned = [np.split(part, counts) for part in motion.at(np.concatenate(pieces))[:2]]
    out, arm = [], without_lag(motion.arm)
    rows = zip(pieces, known, *planned, growth.fastest, growth.decay, strict=True)
    for number, (t, states, q, qd, fastest, decay) in enumerate(rows):
        progress(number)
        apart, failure = states - np.concatenate([q, qd], axis=1)[1:], ""
        for k in np.flatnonzero(np.isnan(states).any(axis=1)):
            begin, end = float(t[k]), float(t[k + 1])
            acting, pushes = _from(tau, begin, end), (lambda t, a=begin: loads(t + a)) if callable(loads) else loads
            # joints with friction that come to rest may stop one kind of steps where the other goes on
            stiff = bool(decay * (end - begin) > STIFF)
            for implicit in (stiff, not stiff):
                how = stepping(acting, float(fastest), implicit, rtol)
                run = heard(simulate(arm, q[k], qd[k], loads=pushes, every=end - begin, **how))
                if not run.failures:
                    break
            if run.failures:
                failure = failure or f"between {begin:.4g} and {end:.4g} s: {run.status}"
                apart[k] = np.nan
                continue
            apart[k] = np.concatenate([run.q[-1] - q[k + 1], run.qd[-1] - qd[k + 1]])
        n = motion.arm.dof
        out.append(Defects(t, apart[:, :n], apart[:, n:], failure))
    return out


def deviation(found: list[Defects], growth: Growth) -> Array:
    """(dof,) what all defects add up to: those of positions, and those of rates times how long they last [rad or m]."""
    parts = [np.abs(part.q).sum(axis=0) + growth.lasting * np.abs(part.qd).sum(axis=0) for part in found]
    return np.asarray(np.sum(parts, axis=0))


def _side_by_side(
    motion: AbstractMotion, growth: Growth, pieces: list[Array], tau: Exact, loads: Any, rtol: float
) -> list[Array]:
    """States (k, 2 dof) at the ends of the pieces of every segment; NaN where only a simulation of its own will do."""
    counts = [len(t) - 1 for t in pieces]
    begin, end = np.concatenate([t[:-1] for t in pieces]), np.concatenate([t[1:] for t in pieces])
    ends = np.full((len(begin), 2 * motion.arm.dof), np.nan)
    stable = np.repeat(growth.decay, counts) * (end - begin) <= STIFF
    if side_by_side.available(motion.arm, loads) and stable.any():
        q, qd, _ = motion.at(begin[stable])
        stops = [np.concatenate([[a], tau.leaps[(tau.leaps > a) & (tau.leaps < b)], [b]])
                 for a, b in zip(begin[stable], end[stable], strict=True)]  # fmt: skip
        longest = np.array([np.diff(at).max() for at in stops])
        fewest = np.maximum(np.ceil(longest * np.repeat(growth.fastest, counts)[stable] / STABLE), 1).astype(int)
        y = np.concatenate([q, qd], axis=1)
        ends[stable] = side_by_side.final_states(motion.arm, stops, y, tau.function, loads, fewest, rtol)
    return np.split(ends, np.cumsum(counts)[:-1])


def heard(run: Run) -> Run:
    """The run, unless Ctrl-C ended it: a verdict from half a replay would be none."""
    if run.interrupted:
        raise KeyboardInterrupt
    return run


def stepping(tau: Exact, fastest: float, stiff: bool, rtol: float) -> dict[str, Any]:
    """Torques, and how to step: implicitly where explicit steps would be many, else by none that is not stable."""
    T = float(tau.t[-1])
    how: dict[str, Any] = {"until": T, "rtol": rtol, "atol": 1e-2 * rtol, "on_failure": "return"}
    if stiff:
        return how | {"tau": tau, "method": "radau"}
    even = np.linspace(0.0, T, 1 + max(int(np.ceil(T * fastest / STABLE)), 1))
    # at breaks torques have kinks, which error estimates of high order may miss: no step reaches over one
    return how | {"tau": Exact(even, tau.function, np.union1d(tau.leaps, tau.t[1:-1])), "method": "dop853"}


def _from(tau: Exact, begin: float, end: float) -> Exact:
    """Torques from one time to another, time counted from the first."""
    leaps = tau.leaps[(tau.leaps > begin) & (tau.leaps < end)] - begin
    return Exact(np.array([0.0, end - begin]), lambda t: tau.function(t + begin), leaps)
