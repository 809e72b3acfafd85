"""Reproduction of Nasser: recursive forward dynamics, its reactions, closed chains, and its cost."""

from __future__ import annotations

from collections.abc import Callable

from lissom.papers.claims import Reproduction
from lissom.papers.nasser import accelerations, counts

TITLE = "Recursive Newton-Euler Formulation of Manipulator Dynamics (Nasser)"


def reproduce(progress: Callable[[str], object] | None = None, timed: bool = True) -> Reproduction:
    """Check every claim of the paper; times are measured, for information, only when `timed`."""
    tell = progress or (lambda _words: None)
    tell("accelerations")
    claims = accelerations.claims()
    tell("counting")
    counted, drawings = counts.claims_and_drawings()
    claims += counted
    listings = (counts.times(progress),) if timed else ()
    return Reproduction("nasser", TITLE, tuple(claims), tuple(drawings), listings)
