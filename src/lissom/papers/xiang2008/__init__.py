"""Reproduction of Xiang, Arora and Abdel-Malek 2008: motion prediction, its sensitivities, and what they cost."""

from __future__ import annotations

from collections.abc import Callable

from lissom.papers.claims import Reproduction
from lissom.papers.xiang2008 import cost, examples, figures, limits, sensitivities, shortest, structures, walking

TITLE = (
    "Optimization-based motion prediction of mechanical systems: sensitivity analysis "
    "(Xiang, Arora and Abdel-Malek 2008)"
)


def reproduce(progress: Callable[[str], object] | None = None, timed: bool = True, large: bool = False) -> Reproduction:
    """Check every claim of the paper; computing times are measured only when `timed`. Takes about 40 seconds.

    large : also predict walks of persons with 31 and 55 coordinates, which takes minutes
    """
    tell = progress or (lambda _words: None)
    tell("both examples")
    found = examples.solved()
    tell("shortest time")
    law, ladder = shortest.bang_bang(), shortest.finer_and_finer()
    tell("where limits hold")
    places = limits.where_limits_hold()
    tell("sensitivities")
    tell("a walk" if not large else "walks of 13, 31 and 55 coordinates")
    walked = walking.walks((*walking.PLANAR, *(walking.LARGE if large else ())))
    claims = [
        *cost.claims(), *structures.claims(), *sensitivities.claims(found.second), *examples.claims(found),
        limits.claim(places), *shortest.claims(law, ladder), *walking.claims(walked),
    ]  # fmt: skip
    if timed:
        tell("computing time")
        claims += examples.computing_times()
    drawings = (
        figures.motions(1, found.first), figures.motions(2, found.second), figures.history(found.first),
        figures.sensitivities(found.second), shortest.drawing(law, ladder), limits.drawing(places),
        walking.drawing(walked),
    )  # fmt: skip
    return Reproduction("xiang2008", TITLE, tuple(claims), drawings)
