"""The page of what papers claim: claim, ours, verdict, figure."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from lissom.formats.files import write_text
from lissom.listing import Listing
from lissom.markup import Markup, tag
from lissom.pages.page import Section, page, picture, verbatim
from lissom.papers.claims import FAILED, Claim, Reproduction, overview, summary
from lissom.versions import versions
from lissom.views.figures.panels import draw_panels

BREAK = Markup("<br>")
ABOUT = (
    "All errata: every equation or statement of the paper that is wrong as printed or as scanned, the rows of "
    "docs/errata.md. The other columns count the claims below; a row that needs a corrected equation says so."
)


def write_papers_page(found: Sequence[Reproduction], target: Path, command: str) -> None:
    """Write one file: a table of all verdicts, then each paper's claims, listings and figures."""
    verdicts = Markup(overview(found).html() + tag("p", ABOUT) + _again(command))
    sections = [Section("Verdicts", verdicts), *map(_paper, found)]
    write_text(target, page("What the papers claim, and what lissom finds", _lead(found), sections))


def _lead(found: Sequence[Reproduction]) -> str:
    papers = "1 paper" if len(found) == 1 else f"{len(found)} papers"
    timed = [paper.seconds for paper in found if paper.seconds is not None]
    took = f" Computing this took {sum(timed):.0f} s of CPU time." if timed else ""
    return f"{papers}, {summary([claim for paper in found for claim in paper.claims])}.{took}"


def _paper(found: Reproduction) -> Section:
    took = "" if found.seconds is None else f" {found.seconds:.0f} s of CPU time."
    claims = Listing.of(("where", "claim", "ours", "verdict", "why"), map(_row, found.claims)).telling()
    figures = [
        picture(draw_panels(drawing.panels, columns=drawing.columns), f"{drawing.caption} ({drawing.name}.png)")
        for drawing in found.drawings
    ]
    listings = [listing.html() for listing in found.listings]
    lead = tag("p", f"{summary(found.claims)}.{took}")
    return Section(found.title, Markup("".join([lead, claims.html(), *listings, *figures])))


def _row(claim: Claim) -> tuple[str, ...]:
    kind = "failed" if claim.verdict == FAILED else claim.verdict.split()[0]
    verdict = tag("span", tag("b", claim.verdict, kind=kind), *([BREAK, claim.detail] if claim.detail else []))
    ours = tag(
        "span", claim.ours, *([BREAK, f"{claim.tolerance[0].upper()}{claim.tolerance[1:]}."] if claim.tolerance else [])
    )
    return Markup(tag("span", claim.where)), claim.claim, ours, verdict, claim.why


def _again(command: str) -> Markup:
    return Markup(verbatim(command) + Listing.of(("made with", ""), versions().items()).html())
