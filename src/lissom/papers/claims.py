"""Claims of a paper beside what lissom finds."""

from __future__ import annotations

from typing import NamedTuple

REPRODUCED, DIFFERS, OPEN = "reproduced", "differs", "not reproducible from the text"


class Claim(NamedTuple):
    """One claim: where it stands, what it says, what was found, the verdict, and why."""

    where: str
    claim: str
    ours: str
    verdict: str
    why: str = ""


class Reproduction(NamedTuple):
    """All claims of one paper."""

    paper: str
    title: str
    claims: tuple[Claim, ...]


def judged(where: str, claim: str, ours: str, holds: bool, why: str = "") -> Claim:
    """A claim that is either reproduced or differs."""
    return Claim(where, claim, ours, REPRODUCED if holds else DIFFERS, why)
