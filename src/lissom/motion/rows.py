"""Rows of a program that are linear in the variables: limits on control points, via points, ends."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lissom.motion.curves import Curves
from lissom.motion.ends import spread
from lissom.motion.program import Scaled
from lissom.motion.reach import Reach

if TYPE_CHECKING:
    from lissom.motion.build import Problem
    from lissom.motion.places import Place

DERIVATIVES = {"velocity": 1, "acceleration": 2, "jerk": 3}


def linear_rows(problem: Problem, curves: Curves) -> list[Scaled]:
    """All of them."""
    rows = [
        part for word in DERIVATIVES if problem.bounds.limited(word).any() for part in _hull_rows(problem, curves, word)
    ]
    rows += [_tied_positions(problem, curves), *_via_rows(problem, curves), *_end_accelerations(problem, curves)]
    rows += [_held_row(problem, curves, place) for place in problem.held]
    return [part for part in rows if len(part.c)]


def _hull_rows(problem: Problem, curves: Curves, quantity: str) -> list[Scaled]:
    """Limits of a derivative on its control points: rows for upper ones, and rows for lower ones."""
    order = DERIVATIVES[quantity]
    hull, owner = curves.hull(order)
    moves = np.diff(hull.A.indptr) > 0  # some are given by the ends
    lower, upper = problem.bounds.lower[quantity][owner], problem.bounds.upper[quantity][owner]
    out = []
    for limit, above in ((upper, True), (lower, False)):
        some = np.flatnonzero(moves & np.isfinite(limit))
        names = [(quantity, problem.names[owner[k]], k / max(len(owner) - 1, 1)) for k in some]
        zero, far = np.zeros(len(some)), np.full(len(some), np.inf)
        low, high = (-far, zero) if above else (zero, far)
        out.append(Scaled(hull.A[some], hull.c[some], limit[some], order, low, high, names))
    return out


def _tied_positions(problem: Problem, curves: Curves) -> Scaled:
    """Position limits of control points that follow from others or from T (moving ends); others are variables."""
    hull, owner = curves.hull(0)
    A = hull.A
    count = np.diff(A.indptr)
    plain = (count == 1) & (hull.c == 0.0) & (A @ np.ones(A.shape[1]) == 1.0)
    if curves.duration is None:
        plain &= A[:, [curves.size - 1]].toarray()[:, 0] == 0.0
    lower, upper = problem.bounds.lower["position"][owner], problem.bounds.upper["position"][owner]
    some = np.flatnonzero((count > 0) & ~plain & (np.isfinite(lower) | np.isfinite(upper)))
    names = [("position", problem.names[owner[k]], 0.0) for k in some]
    nothing = np.zeros(len(some))
    return Scaled(A[some], hull.c[some], nothing, 0, lower[some], upper[some], names)


def _via_rows(problem: Problem, curves: Curves) -> list[Scaled]:
    out = []
    for via in problem.task.via:
        for word, order in (("q", 0), ("velocity", 1)):
            value = getattr(via, word)
            if value is None or isinstance(value, Reach):
                continue
            value = spread(problem.arm, value, np.nan)
            local = curves.local(np.array([via.at]), order + 1)
            some = np.flatnonzero(np.isfinite(value))
            rows = order * problem.n + some
            c = local.c[rows] - (value[some] if order == 0 else 0.0)
            limit = value[some] if order else np.zeros(len(some))
            zero = np.zeros(len(some))
            names = [(f"via {word}", problem.names[k], via.at) for k in some]
            out.append(Scaled(local.A[rows], c, limit, order, zero, zero, names))
    return out


def _held_row(problem: Problem, curves: Curves, place: Place) -> Scaled:
    """Joints at the solution of a place in space."""
    assert place.reaching is not None
    some = place.reaching.moving(place.q[0])
    local, zero = curves.local(np.array([place.s]), 1), np.zeros(len(some))
    names = [(f"position at the {place.word}", problem.names[k], place.s) for k in some]
    return Scaled(local.A[some], local.c[some] - place.q[0, some], zero, 0, zero, zero, names)


def _end_accelerations(problem: Problem, curves: Curves) -> list[Scaled]:
    """Accelerations at the ends that the curves do not have by themselves: beside a free rate or a free duration."""
    out: list[Scaled] = []
    for s, word, end in ((0.0, "start_acceleration", curves.start), (1.0, "goal_acceleration", curves.end)):
        value = problem.accelerations(word.removesuffix("_acceleration"))
        local = curves.local(np.array([s]), 3)
        some = np.flatnonzero(np.isfinite(value) & np.isnan(end.acceleration))
        rows, zero = 2 * problem.n + some, np.zeros(len(some))
        names = [(word.replace("_", " "), problem.names[k], s) for k in some]
        out.append(Scaled(local.A[rows], local.c[rows], value[some], 2, zero, zero, names))
    return out
