"""The best motion of all starts of a search."""

from __future__ import annotations

import functools
import pickle
from dataclasses import fields
from typing import Any

from lissom.errors import MotionError
from lissom.model.arm import Arm
from lissom.motion.result.motion import Motion
from lissom.motion.solve.assessment import reported
from lissom.motion.solve.exploration import Exploration
from lissom.motion.solve.multistart import Elsewhere, best_of
from lissom.motion.solve.search import VERB, Search
from lissom.motion.task.task import Task


def best_motion(
    search: Search, count: int | None, workers: int | None, scheduler: str | None = None, converge: bool = True
) -> Motion:
    """Return the best motion of `count` starts; None: as many as the criterion needs, compared on a coarse mesh."""
    if not search.compiled:
        return search.uncompiled()
    if count is None and search.guess is None and Exploration.suits(search.problem) and scheduler is None:
        return Exploration(search).best(converge)
    count = 1 if count is None else count
    elsewhere = Elsewhere(search.job, answer)
    motion, rows = best_of(search.start, int(count), elsewhere, workers, search.progress, scheduler, search.rescue)
    return reported(motion, starts=rows) if len(rows) > 1 else motion


def solved_motion(search: Search, arm: Arm, task: Task) -> Motion:
    """The best motion of another arm and task in the time that a search has left, or an error."""
    motion = best_motion(search.other(arm, task), 1, 1)
    if not motion.ok:
        raise MotionError(f"{VERB}: {motion.status}", motion)
    return motion


def answer(job: bytes, k: int) -> dict[str, Any]:
    """Return the fields of the motion of start k, computed in another process; arm and task are known there."""
    motion = _search(job).start(k)
    return {f.name: getattr(motion, f.name) for f in fields(motion) if f.init and f.name not in ("arm", "task")}


@functools.lru_cache(maxsize=1)
def _search(job: bytes) -> Search:
    """Made once for all its starts; the time that it may take begins then."""
    return Search(**pickle.loads(job))
