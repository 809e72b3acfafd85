"""How much of every limit a motion uses, on a fine grid: the report, and where the exchange has to look again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from lissom.model.limits import exceeded, nearest, used
from lissom.motion.bending import bending_peaks
from lissom.motion.bounds import Bounds
from lissom.motion.build import SAMPLED, Problem
from lissom.motion.clearance import Clearance, Positions
from lissom.motion.crossing import narrows
from lissom.motion.mesh import Mesh
from lissom.motion.program import Program
from lissom.motion.report import EXCESS, Peak
from lissom.spatial.rotations import Array

AGAIN = 0.9 * EXCESS  # from which it is sampled where it is exceeded: a closer look may find a little more
NEAR = 0.03  # of a limit: summits lower than that below it are not looked at again
CLOSER = 17  # places around a summit
BESIDE = 1e-6  # of the duration: how near a turn one looks
NEARBY = 1e-7  # of the duration: rates of torque are differences over it


class Excess(NamedTuple):
    """A sampled limit that is exceeded: where most, which quantity of which coordinate, by which part of the limit."""

    s: float
    quantity: str
    coordinate: str
    part: float


def look(problem: Problem, mesh: Mesh, program: Program, x: Array) -> tuple[tuple[Peak, ...], list[Excess]]:
    """Limits on a fine grid: the largest use of each, and where one is exceeded between samples."""
    curves = program.curves
    s = mesh.looks()
    if problem.bounds.limited("torque_rate").any():
        s = both_sides(s, mesh.finest.breaks)
    if len(problem.rubbing):
        s = np.union1d(s, _turns(problem, program, x, s))
    if problem.closing is not None:
        s = np.union1d(s, narrows(problem.closing, lambda s: curves.at(x, s, 1)[0], s))
    first = curves.at(x, s, 3)
    s = np.union1d(s, summits(problem.bounds, s, first[1], problem.required(curves, x, s, first)))
    z = curves.at(x, s, 4)
    T = curves.T(x)
    tau = problem.required(curves, x, s, z)
    rate = rates_of(lambda s: problem.required(curves, x, s, curves.at(x, s)), s, mesh.finest.breaks, T, problem.bounds)
    peaks, over = peaks_of(problem.bounds, problem.names, s, T, z, tau, rate)
    peaks = (*peaks, *bending_peaks(problem.measures, s, T, z[0]))
    if problem.closing is not None:
        peaks = (*peaks, problem.closing.widest(z[0], s, T))
    if problem.clearance is None:
        return peaks, over
    return (*peaks, closest(problem.clearance, lambda s: curves.at(x, s, 1)[0], mesh.looks(), T)), over


def peaks_of(
    bounds: Bounds,
    names: Sequence[str],
    s: Array,
    T: float,
    z: Sequence[Array] | Array,
    tau: Array,
    rate: Array | None = None,
) -> tuple[tuple[Peak, ...], list[Excess]]:
    """The largest use of every limit, and where one that is sampled is exceeded.

    s (N,) fractions; z: positions to jerks, tau and its rate (where that is limited), all (N, n).
    """
    values = {
        "position": z[0], "velocity": z[1], "acceleration": z[2], "jerk": z[3], "torque": tau,
        "power": tau * z[1],
    }  # fmt: skip
    if rate is not None:
        values["torque_rate"] = rate
    peaks: list[Peak] = []
    over: list[Excess] = []
    for quantity, table in values.items():
        lower, upper = bounds.lower[quantity], bounds.upper[quantity]
        if not bounds.limited(quantity).any():
            continue
        use = used(table, lower, upper)
        row, k = np.unravel_index(int(np.argmax(use)), use.shape)
        value, unit = float(table[row, k]), bounds.units[quantity][int(k)]
        limit = nearest(value, float(lower[k]), float(upper[k]))
        peaks.append(Peak(quantity, names[int(k)], float(s[row] * T), value, limit, float(use[row, k]), unit))
        if quantity in SAMPLED:
            for name, column in zip(names, use.T, strict=True):
                over += [
                    Excess(at, quantity, name, float(np.interp(at, s, column)) - 1)
                    for at in exceeded(column[:, None], s, AGAIN)
                ]
    return tuple(peaks), over


def summits(bounds: Bounds, s: Array, qd: Array, tau: Array) -> Array:
    """Fractions around the places of s (N,) where torque or power peaks near its limit: the grid may miss the top."""
    out = [np.zeros(0)]
    for quantity, table in (("torque", tau), ("power", tau * qd)):
        if not bounds.limited(quantity).any():
            continue
        use = used(table, bounds.lower[quantity], bounds.upper[quantity])
        tops = (use[1:-1] >= use[:-2]) & (use[1:-1] >= use[2:]) & (use[1:-1] > 1 - NEAR)
        rows = np.flatnonzero(tops.any(axis=1))
        out.append(np.linspace(s[rows], s[rows + 2], CLOSER).ravel())
    return np.concatenate(out)


def both_sides(s: Array, breaks: Array) -> Array:
    """s, and the left side of every break: rates of torque jump there."""
    return np.union1d(s, np.nextafter(breaks[1:-1], 0.0))


def rates_of(tau: Callable[[Array], Array], s: Array, breaks: Array, T: float, bounds: Bounds) -> Array | None:
    """(N, n) rates of torque at fractions s, by differences that do not reach over a break; where they are limited."""
    if not bounds.limited("torque_rate").any():
        return None
    ends = breaks[np.clip(np.searchsorted(breaks, s, side="right"), 1, len(breaks) - 1)]
    ahead = np.where(ends - s > 2 * NEARBY, NEARBY, -NEARBY)
    return np.asarray((tau(s + ahead) - tau(s)) / (ahead[:, None] * T))


def _turns(problem: Problem, program: Program, x: Array, s: Array) -> Array:
    """Fractions on both sides of where joints with friction turn around, and their torques jump."""
    k, curves = problem.rubbing, program.curves
    v = curves.at(x, s, 2)[1][:, k]
    row, joint = np.nonzero(v[:-1] * v[1:] < 0)
    if not len(row):
        return np.zeros(0)
    near = s[row] - v[row, joint] * (s[row + 1] - s[row]) / (v[row + 1, joint] - v[row, joint])
    at = curves.at(x, near, 3)
    pick = np.arange(len(near)), k[joint]
    exact = near - at[1][pick] / (at[2][pick] * curves.T(x))  # one step of Newton's: v is smooth there
    exact = np.clip(np.where(np.isfinite(exact), exact, near), s[row], s[row + 1])
    return np.clip(np.concatenate([exact - BESIDE, exact + BESIDE]), 0.0, 1.0)


def closest(clearance: Clearance, at: Positions, s: Array, T: float) -> Peak:
    """The smallest distance from an obstacle."""
    s, use = clearance.looks(at, s)
    row, k = np.unravel_index(int(np.argmax(use)), use.shape)
    gap = clearance.gaps(at(s[[row]]))[0, k]
    what, who = clearance.names(int(k))
    return Peak(what, who, float(s[row] * T), float(gap + clearance.margin), clearance.margin, float(use[row, k]))
