"""Reproduction of Hollerbach 1980: six formulations of inverse dynamics, operation counts, cost of tables."""

from __future__ import annotations

from collections.abc import Callable

from lissom.papers.claims import Reproduction
from lissom.papers.hollerbach1980 import counted, dynamics, tabulated, timed as timing

TITLE = "A Recursive Lagrangian Formulation of Manipulator Dynamics (Hollerbach 1980)"


def reproduce(progress: Callable[[str], object] | None = None, timed: bool = True) -> Reproduction:
    """Check every claim of the paper; times are measured, for information, only when `timed`."""
    tell = progress or (lambda _words: None)
    tell("counting")
    claims, drawings = counted.claims_and_drawings()
    tell("torques, energies, and parts of torques")
    more, figures = dynamics.claims_and_drawings()
    tables, listing = tabulated.claims_and_listing(tell)
    claims, drawings, listings = [*claims, *more, *tables], [*drawings, *figures], [listing]
    if timed:
        claim, times, figure = timing.measured(progress)
        claims, drawings, listings = [*claims, claim], [*drawings, figure], [*listings, times]
    return Reproduction("hollerbach1980", TITLE, tuple(claims), tuple(drawings), tuple(listings))
