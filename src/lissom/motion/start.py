"""Where the search begins: a straight line, as slow as the limits ask for."""

from __future__ import annotations

import numpy as np

from lissom.motion.basis import Basis
from lissom.motion.build import Problem
from lissom.motion.curves import Curves
from lissom.spatial.rotations import Array
from lissom.verbs.dynamics import inverse_dynamics

LOOKS = 41
FACTOR = 1.05  # the guess is a little slower than what just meets the limits


def waypoints(problem: Problem) -> tuple[Array, Array]:
    """Fractions and positions (k, n) from start to goal; a joint that is free stays near where it is known."""
    task, n = problem.task, problem.n
    known = [(0.0, task.start), *((via.at, via.q) for via in task.via if via.q is not None), (1.0, task.goal)]
    known = sorted(((at, q) for at, q in known if q is not None), key=lambda pair: pair[0])
    s = np.array([at for at, _ in known]) if known else np.array([0.0, 1.0])
    table = np.stack([q for _, q in known]) if known else np.full((2, n), np.nan)
    lower, upper = problem.bounds.lower["position"], problem.bounds.upper["position"]
    middle = np.clip(0.0, lower, upper)
    both = np.isfinite(lower) & np.isfinite(upper)
    middle[both] = (lower[both] + upper[both]) / 2
    for k in range(n):
        good = np.isfinite(table[:, k])
        table[:, k] = np.interp(s, s[good], table[good, k]) if good.any() else middle[k]
    return s, table


def control_points(problem: Problem, basis: Basis) -> Array:
    """(count, n) on the straight lines between the waypoints."""
    s, table = waypoints(problem)
    at = np.clip(basis.greville, 0.0, 1.0)
    if problem.task.periodic and len(s):
        s, table = np.concatenate([s - 1, s, s + 1]), np.concatenate([table, table, table])
    return np.stack([np.interp(at, s, table[:, k]) for k in range(problem.n)], axis=1)


def duration(problem: Problem) -> float:
    """The shortest in which a smooth motion along the straight line, from rest to rest, meets the limits; a guess."""
    if problem.task.fixed_duration is not None:
        return problem.task.fixed_duration
    s, table = waypoints(problem)
    x = np.linspace(0.0, 1.0, LOOKS)
    path = [x**3 * (10 - 15 * x + 6 * x**2), 30 * x**2 * (1 - x) ** 2, 60 * x * (1 - 3 * x + 2 * x**2)]
    q = np.stack([np.interp(path[0], s, table[:, k]) for k in range(problem.n)], axis=1)
    way = np.abs(np.diff(table, axis=0)).sum(axis=0)
    u1, u2 = path[1][:, None] * way, path[2][:, None] * way
    low, high = problem.task.duration or (1e-3, 1e3)
    if not (way > 0).any():
        return float(np.clip(1.0, low, high))
    tried = np.geomspace(low, high, 60)
    fits = next((T for T in tried if _meets(problem, x, q, u1 / T, u2 / T**2, way, T)), None)
    if fits is None:
        return float(np.clip(_plain(problem, way), low, high))
    return float(np.clip(FACTOR * fits, low, high))


def _meets(problem: Problem, x: Array, q: Array, qd: Array, qdd: Array, way: Array, T: float) -> bool:
    bounds = problem.bounds
    loads = problem.loads_at(x)
    tau = inverse_dynamics(problem.arm, q, qd, qdd, loads=loads)
    jerk = 60 * np.broadcast_to(way, q.shape) / T**3
    looked = {"velocity": qd, "acceleration": qdd, "jerk": jerk, "torque": tau, "power": tau * qd}
    return all(
        bool(((values >= bounds.lower[word]) & (values <= bounds.upper[word])).all()) for word, values in looked.items()
    )


def _plain(problem: Problem, way: Array) -> float:
    """Where no duration meets the limits along the line: that at a moderate speed."""
    speed = np.minimum(problem.bounds.upper["velocity"], 1.0)
    return float((2 * way / speed).max())


def start(problem: Problem, curves: Curves, rng: np.random.Generator | None = None, spread: float = 0.3) -> Array:
    """Variables to begin with; with a generator of random numbers, some way off the straight line."""
    basis = curves.spaces[0].basis
    P = control_points(problem, basis)
    T = duration(problem)
    if rng is not None:
        # few random shapes: neighbouring control points move together
        coarse = rng.normal(scale=spread, size=(6, problem.n))
        at = np.linspace(0.0, 1.0, 6)
        P = P + np.stack([np.interp(basis.greville, at, coarse[:, k]) for k in range(problem.n)], axis=1)
        T *= float(np.exp(rng.uniform(-0.7, 1.0)))
    return curves.fitted([P], T)
