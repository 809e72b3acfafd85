"""Reproduction of De Luca and Siciliano 1991: closed form of planar flexible arms, figures, and limits of validity."""

from __future__ import annotations

from collections.abc import Callable

from lissom.papers.claims import Claim, Drawing, Reproduction
from lissom.papers.deluca1991 import audit, boundary, coefficients, compared, modal, runs, symbolic

TITLE = "Closed-Form Dynamic Model of Planar Multilink Lightweight Robots (De Luca and Siciliano 1991)"


def reproduce(progress: Callable[[str], object] | None = None, timed: bool = True) -> Reproduction:
    """Check every claim of the paper and draw its figures.

    The audit of energy and the comparison with exact beams only when `timed`, which takes a quarter of a minute.
    """
    tell = progress or (lambda _words: None)
    claims: list[Claim] = []
    drawings: list[Drawing] = []

    def add(found: tuple[list[Claim], list[Drawing]]) -> None:
        claims.extend(found[0])
        drawings.extend(found[1])

    tell("modes of the links")
    add(modal.claims_and_drawings())
    tell("boundary conditions")
    claims += boundary.claims()
    tell("coefficients of the appendix")
    claims += [*coefficients.claims(), *symbolic.claims()]
    tell("simulations of figures 5 to 10")
    add(runs.claims_and_drawings())
    tell("where B is no longer positive definite")
    add(audit.definiteness())
    if timed:
        tell("energy with printed and with corrected coefficients")
        add(audit.energy())
        add(compared.claims_and_drawings(tell))
    return Reproduction("deluca1991", TITLE, tuple(claims), tuple(drawings), (modal.listing(),))
