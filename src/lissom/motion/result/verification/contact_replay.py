"""Segments of a motion with contacts replayed from their planned states, under torques and contact forces.

Steps of order 8 between the samples, where forces have kinks; they are halved until both results agree. A segment in
which errors grow too much for that is cut into pieces, each replayed from its planned state.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from lissom.errors import SolveError
from lissom.model.loads import Load
from lissom.motion.result.contact_path import ContactPath, balanced, contact_loads, contacts_named
from lissom.motion.result.record import AbstractMotion
from lissom.simulation.integrators.tableau import tableau
from lissom.spatial.rotations import Array
from lissom.verbs.dynamics import forward_dynamics, inverse_dynamics, mass_matrix

FEWEST, HALVED = 2, 6  # steps between two samples, and how often they are halved
STABLE = 4.0  # of a step times the fastest rate of the arm's springs and dampers
MOST_STEPS = 500
AGREE, ACCURATE = 0.1, 1e-10  # of the tolerance; rad or m
PIECES = (1, 8, 64)  # between two samples, of segments in which errors grow
FAR = 1e6  # rad or m: replays that have run away
BESIDE = 1e-9  # of a stretch: phases meet at its ends, and it belongs to one


def replayed_defects(motion: AbstractMotion, tolerance: float) -> Array:
    """(segments, dof) replayed minus planned positions at the ends of segments, all of them integrated at once.

    Of segments that were cut into pieces it is the sum of absolute values.
    """
    stops = _stops(motion)
    found, known = _apart(motion, stops, tolerance)
    for count in PIECES:
        some = np.flatnonzero(np.logical_not(known))
        if not len(some):
            break
        fractions = np.linspace(0.0, 1.0, count + 1)
        begin, length = stops[some, :-1, None], np.diff(stops[some], axis=1)[:, :, None]
        times = begin + fractions * length
        pieces = np.stack([times[..., :-1], times[..., 1:]], axis=-1)
        apart, sure = _apart(motion, pieces.reshape(-1, 2), tolerance)
        shape = (len(some), -1)
        found[some] = np.abs(apart.reshape(*shape, motion.arm.dof)).sum(axis=1)
        known[some] = sure.reshape(shape).all(axis=1)
    return found


def _stops(motion: AbstractMotion) -> Array:
    """(segments, k) times at which segments begin, have their samples, and end."""
    path, breaks = motion.contact_path, motion.breaks
    assert path is not None
    ends = list(pairwise(breaks.tolist()))
    inside = [path.s[(path.s > a) & (path.s < b)] for a, b in ends]
    most = max(len(s) for s in inside)
    # a segment with fewer samples gets stops between its last one and its end
    rows = [np.concatenate([[a], s, np.linspace(s[-1] if len(s) else a, b, most - len(s) + 2)[1:]])
            for (a, b), s in zip(ends, inside, strict=True)]  # fmt: skip
    return np.stack(rows) * motion.duration


def _apart(motion: AbstractMotion, stops: Array, tolerance: float) -> tuple[Array, Array]:
    """Replayed minus planned positions (N, dof) at the ends of stretches, and whether steps agree (N,)."""
    n, steps = motion.arm.dof, _steps(motion, stops)
    end = motion.profiles(stops[:, -1], 1)[0]
    found, known = np.full((len(stops), n), np.inf), np.zeros(len(stops), bool)
    rows, last = np.arange(len(stops)), _integrated(motion, stops, steps)[:, :n]
    for _ in range(HALVED):
        steps *= 2
        now = _integrated(motion, stops[rows], steps)[:, :n]
        found[rows] = np.where(np.isfinite(now), now - end[rows], np.inf)
        with np.errstate(invalid="ignore"):
            agree = (np.abs(now - last) <= max(AGREE * tolerance, ACCURATE)).all(axis=1)
        known[rows[agree]] = True
        rows, last = rows[~agree], now[~agree]
        if not len(rows) or 2 * steps > MOST_STEPS:
            break
    return found, known


def _integrated(motion: AbstractMotion, stops: Array, steps: int) -> Array:
    """Return the states (N, 2 dof) after equal steps between the stops (N, k); NaN where they have run away."""
    method, path = tableau("rk8"), motion.contact_path
    assert path is not None
    y = np.concatenate(motion.profiles(stops[:, 0], 2), axis=1)
    for a, b in zip(stops[:, :-1].T, stops[:, 1:].T, strict=True):
        h = (b - a) / steps
        for k in range(steps):
            asked = [np.clip(a + (k + c) * h, a + BESIDE * (b - a), b - BESIDE * (b - a)) for c in method.moments]
            tau, loads = acting(motion, path, np.concatenate(asked))
            slopes: list[Array] = []
            for row, moment in zip((None, *method.stages), method.asks, strict=True):
                state = y if row is None else row.at(y, h[:, None], slopes)
                here = slice(moment * len(y), (moment + 1) * len(y))
                slopes.append(_slope(motion, state, tau[here], [_rows(load, here) for load in loads]))
            y = method.finish.at(y, h[:, None], slopes)
    return np.asarray(y)


def _rows(load: Load, some: slice) -> Load:
    """Return a load at some of its times."""
    parts = {word: getattr(load, word) for word in ("force", "moment", "point")}
    return load.replace(**{word: part[some] for word, part in parts.items() if np.ndim(part) > 1})


def _slope(motion: AbstractMotion, y: Array, tau: Array, loads: list[Load]) -> Array:
    """Return rates of states (N, 2 dof); NaN of those that have run away."""
    known = np.isfinite(y).all(axis=1) & (np.abs(y).max(axis=1) < FAR)
    q, qd = (np.ascontiguousarray(part) for part in np.split(np.where(known[:, None], y, 0.0), 2, axis=1))
    try:
        qdd = forward_dynamics(motion.arm, q, qd, tau, loads=loads)
    except SolveError:
        return np.full_like(y, np.nan)
    return np.where(known[:, None], np.concatenate([qd, qdd], axis=1), np.nan)


def _steps(motion: AbstractMotion, stops: Array) -> int:
    """Steps between two stops that resolve the arm's springs and dampers."""
    arm, n = motion.arm, motion.arm.dof
    K, D = np.zeros((2, n, n))
    at = arm.joint_index
    K[at, at], D[at, at] = [joint.stiffness for joint in arm.joints], [joint.viscous for joint in arm.joints]
    fastest = 0.0
    for M in mass_matrix(arm, motion.profiles(motion.breaks[[0, len(motion.breaks) // 2]] * motion.duration, 1)[0]):
        A = np.block([[np.zeros((n, n)), np.eye(n)], [-np.linalg.solve(M, K), -np.linalg.solve(M, D)]])
        fastest = max(fastest, float(np.abs(np.linalg.eigvals(A)).max()))
    longest = float(np.diff(stops, axis=1).max())
    return int(np.clip(np.ceil(longest * fastest / STABLE), FEWEST, MOST_STEPS // 2))


def acting(motion: AbstractMotion, path: ContactPath, t: Array) -> tuple[Array, list[Load]]:
    """Torques (N, dof) and all loads at times (N,)."""
    (q, qd, qdd), loads = motion.profiles(t), list(motion.loads_at(t))
    forces = balanced(motion.arm, path, t / motion.duration, (q, qd, qdd), loads)
    every = [*loads, *contact_loads(contacts_named(motion.arm, path.contacts), forces)]
    tau = np.where(motion.arm.actuated, inverse_dynamics(motion.arm, q, qd, qdd, loads=every), 0.0)
    return tau, every
