"""Where a motion goes: start, via points and goal as positions of all coordinates."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from lissom.model.arm import Arm
from lissom.motion.task.bounds import Bounds
from lissom.motion.task.ends import sagged, spread
from lissom.motion.task.loads import load_at
from lissom.motion.task.reach import Reach
from lissom.motion.task.task import Task
from lissom.motion.transcription.loops.closing import Closing
from lissom.motion.transcription.reaching import Range, Reaching
from lissom.spatial.rotations import Array


class Place(NamedTuple):
    """Somewhere on the way: what it is called, when, positions (k, n) that fit, the nearest first; NaN where free."""

    word: str
    s: float
    q: Array
    reaching: Reaching | None


def places_of(arm: Arm, task: Task, bounds: Bounds, closing: Closing | None, verb: str) -> list[Place]:
    """Start, via points and goal, in the order of time, with positions that fit those given in space."""
    known = [] if task.periodic else [("start", 0.0, task.start), ("goal", 1.0, task.goal)]
    known += [(f"via point at {via.at:g}", via.at, via.q) for via in task.via if via.q is not None]
    known.sort(key=lambda place: place[1])
    allowed = Range(bounds.lower["position"], bounds.upper["position"])
    near = np.clip(0.0, *allowed)
    first = next((spread(arm, q, np.nan) for _, _, q in known if isinstance(q, np.ndarray)), near)
    near = np.where(np.isfinite(first), first, near)
    out = []
    for word, s, q in known:
        sag = _sag(arm, task, f"{verb}: the {word}", s)
        if isinstance(q, Reach):
            reaching = Reaching(arm, q, word, s, allowed, verb, sag)
            out.append(Place(word, s, reaching.solutions(near), reaching))
        else:
            at = spread(arm, q, np.nan)
            if closing is not None:
                at = closing.completed(at, near, word)
            elif sag is not None and len(q) < arm.dof:
                at = sag(at)
            out.append(Place(word, s, at[None], None))
        near = np.where(np.isfinite(out[-1].q[0]), out[-1].q[0], near)
    return out


def _sag(arm: Arm, task: Task, what: str, s: float) -> Callable[[Array], Array] | None:
    """Return, for positions (n,), those with elastic entries at rest; None where nothing bends, or on the way."""
    if s not in (0.0, 1.0) or not len(arm.mode_index):
        return None

    def sag(q: Array) -> Array:
        free = q.copy()
        free[arm.mode_index] = np.nan
        return sagged(arm, free, load_at(task.loads, s), what)

    return sag
