"""Claims of a paper beside what lissom finds."""

from __future__ import annotations

from typing import NamedTuple

from lissom.listing import Listing
from lissom.views.panels import Panel

REPRODUCED, DIFFERS, OPEN = "reproduced", "differs", "not reproducible from the text"


class Claim(NamedTuple):
    """One claim: where it stands, what it says, what was found, the verdict, and why."""

    where: str
    claim: str
    ours: str
    verdict: str
    why: str = ""


class Drawing(NamedTuple):
    """A figure: the name of its file, what it shows, its panels and how many of them stand in a row."""

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
