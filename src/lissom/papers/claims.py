"""Claims of a paper compared with lissom's results."""

from __future__ import annotations

from typing import NamedTuple

from lissom.listing import Listing
from lissom.views.figures.panels import Panel

REPRODUCED, DIFFERS, OPEN = "reproduced", "differs", "not reproducible from the text"


class Claim(NamedTuple):
    """One claim: its place in the paper, its text, lissom's result, the verdict, and the reason."""

    where: str
    claim: str
    ours: str
    verdict: str
    why: str = ""


class Drawing(NamedTuple):
    """A figure: file name, caption, panels, and number of panels per row."""

    name: str
    caption: str
    panels: tuple[Panel, ...]
    columns: int = 2


class Reproduction(NamedTuple):
    """All claims of one paper, and its figures drawn again."""

    paper: str
    title: str
    claims: tuple[Claim, ...]
    drawings: tuple[Drawing, ...] = ()
    listings: tuple[Listing, ...] = ()


def judged(where: str, claim: str, ours: str, holds: bool, why: str = "") -> Claim:
    """A claim that is either reproduced or differs."""
    return Claim(where, claim, ours, REPRODUCED if holds else DIFFERS, why)
