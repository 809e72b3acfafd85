"""The page of what papers claim: claim, ours, verdict, figure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from lissom.formats.files import write_text
from lissom.listing import Listing
from lissom.markup import Markup, tag
from lissom.pages.page import Section, page, picture, verbatim
from lissom.papers.claims import Claim, Reproduction
from lissom.versions import versions
from lissom.views.figures.panels import draw_panels


def write_papers_page(found: Sequence[Reproduction], target: Path, command: str) -> None:
    """Write one file: a table of all verdicts, then each paper's claims, listings and figures."""
    sections = [Section("Verdicts", Markup(_verdicts(found).html() + _again(command))), *map(_paper, found)]
    write_text(target, page("What the papers claim, and what lissom finds", _lead(found), sections))


def _lead(found: Sequence[Reproduction]) -> str:
    counts = Counter(claim.verdict for paper in found for claim in paper.claims)
    listed = ", ".join(f"{count} {_plural(verdict, count)}" for verdict, count in counts.most_common())
    papers = "1 paper" if len(found) == 1 else f"{len(found)} papers"
    return f"{papers}, {counts.total()} claims: {listed}."


def _plural(verdict: str, count: int) -> str:
    return "differ" if verdict == "differs" and count != 1 else verdict


def _verdicts(found: Sequence[Reproduction]) -> Listing:
    kinds = sorted({claim.verdict for paper in found for claim in paper.claims}, reverse=True)
    rows = []
    for paper in found:
        counts = Counter(claim.verdict for claim in paper.claims)
        rows.append([paper.title, *(str(counts[kind]) for kind in kinds), str(len(paper.drawings))])
    return Listing.of(("paper", *kinds, "figures"), rows)


def _paper(found: Reproduction) -> Section:
    claims = Listing.of(("where", "claim", "ours", "verdict", "why"), map(_row, found.claims)).telling()
    figures = [
        picture(draw_panels(drawing.panels, columns=drawing.columns), f"{drawing.caption} ({drawing.name}.png)")
        for drawing in found.drawings
    ]
    listings = [listing.html() for listing in found.listings]
    return Section(found.title, Markup("".join([claims.html(), *listings, *figures])))


def _row(claim: Claim) -> tuple[str, ...]:
    verdict = tag("b", claim.verdict, kind=claim.verdict.split()[0])
    return Markup(tag("span", claim.where)), claim.claim, claim.ours, verdict, claim.why


def _again(command: str) -> Markup:
    return Markup(verbatim(command) + Listing.of(("made with", ""), versions().items()).html())
