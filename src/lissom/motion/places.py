"""Where a motion goes: start, via points and goal as positions of all coordinates."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from lissom.motion.bending import refuse_bent_ends
from lissom.motion.ends import refuse_unbalanced, sagged, spread
from lissom.motion.reach import Reach
from lissom.motion.reaching import Range, Reaching
from lissom.spatial.rotations import Array

if TYPE_CHECKING:
    from lissom.motion.build import Problem


class Place(NamedTuple):
    """Somewhere on the way: what it is called, when, positions (k, n) that fit, the nearest first; NaN where free."""

    word: str
    s: float
    q: Array
    reaching: Reaching | None


def places_of(problem: Problem) -> list[Place]:
    """Start, via points and goal, in the order of time, with positions that fit those given in space."""
    task = problem.task
    known = [] if task.periodic else [("start", 0.0, task.start), ("goal", 1.0, task.goal)]
    known += [(f"via point at {via.at:g}", via.at, via.q) for via in task.via if via.q is not None]
    known.sort(key=lambda place: place[1])
    allowed = Range(problem.bounds.lower["position"], problem.bounds.upper["position"])
    near = np.clip(0.0, *allowed)
    first = next((spread(problem.arm, q, np.nan) for _, _, q in known if isinstance(q, np.ndarray)), near)
    near = np.where(np.isfinite(first), first, near)
    out = []
    for word, s, q in known:
        if isinstance(q, Reach):
            reaching = Reaching(problem.arm, q, word, s, allowed, problem.verb, _rest(problem, word, s))
            out.append(Place(word, s, reaching.solutions(near), reaching))
        else:
            out.append(Place(word, s, _positions(problem, word, s, q, near)[None], None))
        near = np.where(np.isfinite(out[-1].q[0]), out[-1].q[0], near)
    return out


def _positions(problem: Problem, word: str, s: float, value: Array, near: Array) -> Array:
    """(n,) of what is given for joints; at an end, elastic coordinates are where they rest."""
    q = spread(problem.arm, value, np.nan)
    if problem.closing is not None:
        return problem.closing.completed(q, near, word)
    if s not in (0.0, 1.0) or not len(problem.loose):
        return q
    loads, what = problem.load_at(s), f"{problem.verb}: the {word}"
    q = sagged(problem.arm, q, loads, what) if len(value) < problem.n else q
    if not problem.rates(word)[problem.arm.joint_index].any():
        refuse_unbalanced(problem.arm, q, loads, what)
    refuse_bent_ends(problem.measures, word, q, problem.verb)
    return q


def _rest(problem: Problem, word: str, s: float) -> Callable[[Array], Array] | None:
    """At an end: positions with their elastic entries at rest; None where nothing bends, or on the way."""
    elastic = problem.arm.mode_index
    if s not in (0.0, 1.0) or not len(elastic):
        return None

    def rest(q: Array) -> Array:
        loose = q.copy()
        loose[elastic] = np.nan
        return sagged(problem.arm, loose, problem.load_at(s), f"{problem.verb}: the {word}")

    return rest
