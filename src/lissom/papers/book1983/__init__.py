"""Reproduction of Book 1983: his equations, what they cost, how accurate they are, and what they truncate."""

from __future__ import annotations

from collections.abc import Callable

from lissom.papers.book1983 import accuracy, consistency, counts, definiteness, motion
from lissom.papers.claims import Reproduction

TITLE = "Recursive Lagrangian Dynamics of Flexible Manipulator Arms via Transformation Matrices (Book 1983)"


def reproduce(progress: Callable[[str], object] | None = None, timed: bool = True) -> Reproduction:
    """Check every claim of the paper; slow ones only when `timed`, half a minute in all."""
    tell = progress or (lambda _words: None)
    tell("equations")
    claims = [*consistency.claims(), motion.interaction()]
    tell("operations")
    claims += counts.claims()
    tell("imaginary joints, orthogonal shapes, appendages")
    claims += accuracy.claims()
    tell("definiteness")
    claim, drawing = definiteness.claim_and_drawing()
    claims, drawings = [*claims, claim], [drawing]
    listings = []
    if timed:
        listings.append(counts.computing_time(tell))
        for part in (motion.energy, motion.spin_up):
            more, drawing = part(tell)
            claims += more
            drawings.append(drawing)
    return Reproduction("book1983", TITLE, tuple(claims), tuple(drawings), tuple(listings))
