"""Reproduction of Xiang, Arora and Abdel-Malek 2008: motion prediction, its sensitivities, and what they cost."""

from __future__ import annotations

from collections.abc import Callable

from lissom.papers.claims import Reproduction
from lissom.papers.xiang2008 import cost, examples, figures, limits, sensitivities, shortest, structures

TITLE = (
    "Optimization-based motion prediction of mechanical systems: sensitivity analysis "
    "(Xiang, Arora and Abdel-Malek 2008)"
)


def reproduce(progress: Callable[[str], object] | None = None, timed: bool = True) -> Reproduction:
    """Check every claim of the paper; computing times are measured only when `timed`. Takes about 30 seconds."""
    tell = progress or (lambda _words: None)
    tell("both examples")
    found = examples.solved()
    tell("shortest time")
    law, ladder = shortest.bang_bang(), shortest.finer_and_finer()
    tell("where limits hold")
    places = limits.where_limits_hold()
    tell("sensitivities")
    claims = [
        *cost.claims(), *structures.claims(), *sensitivities.claims(found.second), *examples.claims(found),
        limits.claim(places), *shortest.claims(law, ladder),
    ]  # fmt: skip
    if timed:
        tell("computing time")
        claims += examples.computing_times()
    drawings = (
        figures.motions(1, found.first), figures.motions(2, found.second), figures.history(found.first),
        figures.sensitivities(found.second), shortest.drawing(law, ladder), limits.drawing(places),
    )  # fmt: skip
    return Reproduction("xiang2008", TITLE, tuple(claims), drawings)
