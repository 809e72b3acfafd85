"""Claims of a paper compared with lissom's results: verdicts, tolerances, and their counts.

Every verdict is the result of a check made in the same run. A check that fails gives "not reproduced", whatever verdict
its author expected.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from lissom.listing import Listing
from lissom.views.figures.panels import Panel

REPRODUCED, CORRECTED, SLIP = "reproduced", "reproduced as corrected", "slip in print"
REFUTED, LIMIT = "statement refuted", "approximation with a limit"
BETTER, OPEN, FAILED = "ours is cheaper or better", "not decidable from the text", "not reproduced"
VERDICTS = {  # verdict, and its plural as the head of a column
    REPRODUCED: "reproduced", CORRECTED: "reproduced as corrected", SLIP: "slips in print",
    REFUTED: "statements refuted", LIMIT: "approximations with a limit", BETTER: "ours is cheaper or better",
    OPEN: "not decidable from the text", FAILED: "not reproduced",
}  # fmt: skip
ERRATA = {"hollerbach1980": 21, "nasser": 15, "book1983": 21, "deluca1991": 11, "xiang2008": 14}  # rows of errata.md


class Tolerance(NamedTuple):
    """The largest difference that counts as agreement, its unit, and the reason for its size."""

    size: float
    why: str
    unit: str = "relative"

    def __str__(self) -> str:
        return f"{self.size:g} {self.unit}: {self.why}"


ROUNDING = Tolerance(1e-10, "rounding errors, amplified by the condition of the arms")


class Claim(NamedTuple):
    """One claim: its place in the paper, its text, lissom's result, the verdict, and the reason.

    detail : the corrected value of a slip in print, what was corrected to reproduce a claim, what is true instead of a
        refuted statement, the limit of an approximation
    tolerance : what agreement means, and why: a tolerance, or the bar that the number must reach
    """

    where: str
    claim: str
    ours: str
    verdict: str
    why: str = ""
    detail: str = ""
    tolerance: str = ""


class Drawing(NamedTuple):
    """A figure: file name, caption, panels, and number of panels per row."""

    name: str
    caption: str
    panels: tuple[Panel, ...]
    columns: int = 2


class Reproduction(NamedTuple):
    """All claims of one paper, its figures drawn again, and the CPU time that this took [s]."""

    paper: str
    title: str
    claims: tuple[Claim, ...]
    drawings: tuple[Drawing, ...] = ()
    listings: tuple[Listing, ...] = ()
    seconds: float | None = None


def judged(where: str, claim: str, ours: str, holds: bool, why: str = "", bar: str = "") -> Claim:
    """A claim that is reproduced where it holds; `why` explains the number, `bar` says, after "holds if", when."""
    return Claim(where, claim, ours, REPRODUCED if holds else FAILED, why, tolerance=f"holds if {bar}" if bar else "")


def near(where: str, claim: str, ours: str, off: float, tolerance: Tolerance, why: str = "") -> Claim:
    """A claim that is reproduced where our number is off by no more than the tolerance."""
    return judged(where, claim, ours, bool(off <= tolerance.size), why)._replace(tolerance=f"tolerance {tolerance}")


def as_corrected(
    where: str, claim: str, ours: str, off: float, tolerance: Tolerance, correction: str, why: str = ""
) -> Claim:
    """A claim that is reproduced only with an equation corrected; `correction` says which, and how."""
    found = near(where, claim, ours, off, tolerance, why)
    return found._replace(verdict=CORRECTED if found.verdict == REPRODUCED else FAILED, detail=correction)


def slip(where: str, claim: str, ours: str, holds: bool, corrected: str, why: str = "") -> Claim:
    """A slip in print; `holds`: the printed value is refuted and the corrected one confirmed in this run."""
    return _found(SLIP, where, claim, ours, holds, corrected, why)


def refuted(where: str, claim: str, ours: str, holds: bool, instead: str, why: str = "") -> Claim:
    """A statement that is false, and no misprint; `holds`: this run finds it false and what is true `instead`."""
    return _found(REFUTED, where, claim, ours, holds, instead, why)


def limited(where: str, claim: str, ours: str, holds: bool, limit: str, why: str = "") -> Claim:
    """An approximation that holds within a limit; `holds`: this run finds it to hold inside and to fail outside."""
    return _found(LIMIT, where, claim, ours, holds, limit, why)


def better(where: str, claim: str, ours: str, holds: bool, why: str) -> Claim:
    """A number that lissom improves on; `holds`: ours is cheaper, faster or more accurate in this run."""
    return Claim(where, claim, ours, BETTER if holds else FAILED, why)


def undecidable(where: str, claim: str, ours: str, why: str) -> Claim:
    """A claim that the text does not determine; `ours`: what follows from it, `why`: what the paper leaves open."""
    return Claim(where, claim, ours, OPEN, why)


def _found(verdict: str, where: str, claim: str, ours: str, holds: bool, detail: str, why: str) -> Claim:
    return Claim(where, claim, ours, verdict if holds else FAILED, why, detail)


def counted(claims: Iterable[Claim]) -> dict[str, int]:
    """How many claims there are of each verdict that occurs, in the order of `VERDICTS`."""
    counts = Counter(claim.verdict for claim in claims)
    return {verdict: counts[verdict] for verdict in VERDICTS if counts[verdict]}


def summary(claims: Sequence[Claim]) -> str:
    """The counts as a line: "12 claims: 9 reproduced, 2 slips in print, 1 not decidable from the text"."""
    parts = (f"{count} {verdict if count == 1 else VERDICTS[verdict]}" for verdict, count in counted(claims).items())
    return f"{len(claims)} claim{'' if len(claims) == 1 else 's'}: {', '.join(parts)}"


def overview(found: Sequence[Reproduction]) -> Listing:
    """A row per paper: its claims by verdict, all its errata, its figures, and the time it took."""
    verdicts = counted(claim for paper in found for claim in paper.claims)
    rows = []
    for paper in found:
        counts = counted(paper.claims)
        seconds = "-" if paper.seconds is None else f"{paper.seconds:.0f} s"
        numbers: list[object] = [len(paper.claims), *(counts.get(verdict, 0) for verdict in verdicts)]
        numbers += [ERRATA.get(paper.paper, "-"), len(paper.drawings)]
        rows.append([paper.paper, *map(str, numbers), seconds])
    heads = ("paper", "claims", *(VERDICTS[v] for v in verdicts), "all errata", "figures", "CPU time")
    return Listing.of(heads, rows)
