"""Where the search begins: straight lines, around obstacles, as slow as the limits ask for."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lissom.motion.basis import Basis
from lissom.motion.criteria import Course, rate_of_cost
from lissom.motion.curves import Curves
from lissom.spatial.rotations import Array
from lissom.verbs.call import tree_call

if TYPE_CHECKING:
    from lissom.motion.build import Problem

LOOKS = 41
FACTOR = 1.05  # the guess is a little slower than what just meets the limits
TRIES, FURTHER = 48, (0.15, 0.3, 0.6, 1.0, 1.5)  # detours, and how far they go [rad or m]

Line = tuple[Array, Array]


def waypoints(problem: Problem, rng: np.random.Generator | None = None) -> Line:
    """Fractions and positions (k, n) from start to goal; a joint that is free stays near where it is known.

    Of positions that reach the same place the nearest count; with a generator of random numbers, any.
    """
    n, places = problem.n, problem.places
    pick = [0 if rng is None else int(rng.integers(len(place.q))) for place in places]
    s = np.array([place.s for place in places]) if places else np.array([0.0, 1.0])
    table = np.stack([place.q[k] for place, k in zip(places, pick, strict=True)]) if places else np.full((2, n), np.nan)
    lower, upper = problem.bounds.lower["position"], problem.bounds.upper["position"]
    middle = np.clip(0.0, lower, upper)
    both = np.isfinite(lower) & np.isfinite(upper)
    middle[both] = (lower[both] + upper[both]) / 2
    for k in range(n):
        good = np.isfinite(table[:, k])
        table[:, k] = np.interp(s, s[good], table[good, k]) if good.any() else middle[k]
    if problem.task.periodic:  # on through the start to the first via point again
        s, table = np.append(s, s[0] + 1.0), np.append(table, table[:1], axis=0)
    line = _around(problem, s, table, rng)
    return line if problem.closing is None else problem.closing.closed(line, LOOKS)


def along(line: Line, s: Array) -> Array:
    """(N, n) positions on the line; one that closes goes on."""
    at, table = line
    period = s if at[-1] <= 1.0 else at[0] + (s - at[0]) % 1.0
    return np.stack([np.interp(period, at, table[:, k]) for k in range(table.shape[1])], axis=-1)


def _around(problem: Problem, s: Array, table: Array, rng: np.random.Generator | None) -> Line:
    """The line with a detour where it passes through an obstacle: the shortest of some random ones that are clear."""
    if problem.clearance is None:
        return s, table
    x = np.linspace(s[0], s[-1], LOOKS)
    gaps = problem.clearance.gaps(along((s, table), x)).min(axis=1)
    if gaps.min() >= 0:
        return s, table
    at = float(x[int(np.argmin(gaps))])
    if np.abs(s - at).min() < 1e-6:  # an end is inside; nothing goes around that
        return s, table
    rng = np.random.default_rng(0) if rng is None else rng
    here, place = along((s, table), np.array([at]))[0], int(np.searchsorted(s, at))
    lower, upper = problem.bounds.lower["position"], problem.bounds.upper["position"]
    best, found = -np.inf, (s, table)
    for size in FURTHER:
        corners = np.clip(here + size * rng.uniform(-1, 1, (TRIES, problem.n)), lower, upper)
        lines = [(np.insert(s, place, at), np.insert(table, place, corner, axis=0)) for corner in corners]
        q = np.concatenate([along(line, x) for line in lines])
        left = problem.clearance.gaps(q).min(axis=1).reshape(TRIES, LOOKS).min(axis=1)
        if left.max() > 0:
            lengths = np.where(left > 0, np.linalg.norm(corners - here, axis=1), np.inf)
            return lines[int(np.argmin(lengths))]
        if left.max() > best:
            best, found = float(left.max()), lines[int(np.argmax(left))]
    return found


def control_points(basis: Basis, line: Line) -> Array:
    """(count, n) on the line."""
    return along(line, basis.greville if basis.periodic else np.clip(basis.greville, 0.0, 1.0))


def _course(problem: Problem, line: Line, T: float) -> Course:
    """A smooth motion along the line, from rest to rest; corners are ignored."""
    x = np.linspace(0.0, 1.0, LOOKS)
    path = [x**3 * (10 - 15 * x + 6 * x**2), 30 * x**2 * (1 - x) ** 2, 60 * x * (1 - 3 * x + 2 * x**2),
            60 - 360 * x + 360 * x**2]  # fmt: skip
    s, table = line
    way = np.abs(np.diff(table, axis=0)).sum(axis=0)
    q = along(line, s[0] + path[0] * (s[-1] - s[0]))
    qd, qdd, jerk = (path[r][:, None] * way / T**r for r in (1, 2, 3))
    tau = np.asarray(tree_call(problem.arm, "inverse_dynamics", (q, qd, qdd), loads=problem.loads_at(x)))
    if problem.closing is not None:
        tau = problem.closing.least(q, tau).u
    return Course(q, qd, qdd, jerk, tau, np.gradient(tau, x * T, axis=0))


def duration(problem: Problem, line: Line | None = None) -> float:
    """Of the smooth motions along the line that meet the limits, the one of least cost; a guess."""
    if problem.task.fixed_duration is not None:
        return problem.task.fixed_duration
    line = problem.line if line is None else line
    way = np.abs(np.diff(line[1], axis=0)).sum(axis=0)
    low, high = problem.task.duration or (1e-3, 1e3)
    if not (way > 0).any():
        return float(np.clip(1.0, low, high))
    guesses = {T: _course(problem, line, T) for T in np.geomspace(low, high, 60)}
    fits = {T: at for T, at in guesses.items() if _meets(problem, at)}
    if not fits:
        return float(np.clip(_plain(problem, way), low, high))
    costs = [T * float(rate_of_cost(problem.task, at).mean()) for T, at in fits.items()]
    return float(np.clip(FACTOR * list(fits)[int(np.argmin(costs))], low, high))


def course(problem: Problem) -> Course:
    """A smooth motion along the path of the guess, as fast as the guess is."""
    return _course(problem, problem.line, problem.line_duration)


def _meets(problem: Problem, at: Course) -> bool:
    bounds = problem.bounds
    looked = {"velocity": at.qd, "acceleration": at.qdd, "jerk": at.jerk, "torque": at.tau, "power": at.tau * at.qd}
    return all(
        bool(((values >= bounds.lower[word]) & (values <= bounds.upper[word])).all()) for word, values in looked.items()
    )


def _plain(problem: Problem, way: Array) -> float:
    """Where no duration meets the limits along the line: that at a moderate speed."""
    fastest = np.maximum(problem.bounds.upper["velocity"], -problem.bounds.lower["velocity"])
    moving = way > 0
    return float((2 * way[moving] / np.minimum(fastest[moving], 1.0)).max())


def start(problem: Problem, curves: Curves, rng: np.random.Generator | None = None, spread: float = 0.3) -> Array:
    """Variables to begin with; with a generator of random numbers, some way off the straight line."""
    line = problem.line if rng is None else waypoints(problem, rng)
    points = [control_points(space.basis, line) for space in curves.spaces]
    T = problem.line_duration if rng is None else duration(problem, line)
    if rng is not None:
        # few random shapes: neighbouring control points move together
        coarse = rng.normal(scale=spread, size=(6, problem.n))
        coarse[:, problem.arm.mode_index] = 0.0  # links bend as the motion makes them
        at = np.linspace(0.0, 1.0, 6)
        for P, space in zip(points, curves.spaces, strict=True):
            P += np.stack([np.interp(space.basis.greville, at, coarse[:, k]) for k in range(problem.n)], axis=1)
        T *= float(np.exp(rng.uniform(-0.7, 1.0)))
    return curves.fitted([P[:, list(s.coordinates)] for P, s in zip(points, curves.spaces, strict=True)], T)
