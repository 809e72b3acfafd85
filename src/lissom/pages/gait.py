"""The page about a walk: the body in motion, numbers, curves over the cycle, and how like they are to references."""

from __future__ import annotations

from collections.abc import Iterator

from lissom.formats.native_write import write
from lissom.gait.report import GaitReport
from lissom.listing import Listing
from lissom.markup import Markup, folded, paragraphs, tag
from lissom.pages.page import Section, page, picture, verbatim
from lissom.versions import versions
from lissom.views.plots.plot import plot
from lissom.views.viewer.viewer import embedded

CAPTIONS = {
    "stride": "Poses over one stride, moved apart, with the forces of the ground on each contact.",
    "curves": "Angles, forces, moments and powers over the cycle. The dotted line is where the foot leaves the ground; "
    "bands are one standard deviation of the cycles of a reference to both sides.",
}
CONVENTIONS = (
    "A cycle begins with the heel strike of a foot and ends with its next; curves are those of the right leg.",
    "Angles count from standing upright, in the plane of the walk: the hip is the thigh against the vertical, positive "
    "forward; the knee is positive in flexion, the ankle in dorsiflexion.",
    "Forces are those of the ground on the foot over the weight of the body (BW). Moments are those of motors, springs "
    "and dampers of a joint together over the mass of the body, positive in extension and plantar flexion; powers are "
    "positive where the joint gives work.",
)
LIKENESS = (
    "RMSE is the root mean square of the difference over the cycle, r is Pearson's correlation: 1 where the shapes are "
    "the same, whatever the size. Both are of the right leg against the mean curve of the reference."
)


def gait_page(found: GaitReport) -> str:
    """Return the page as HTML text."""
    sections = [_walk(found), _numbers(found), *_curves(found), _arm(found)]
    return page(f"Walk of {found.name}", repr(found).strip("<>"), sections)


def _walk(found: GaitReport) -> Section:
    """The player, and the poses of a stride."""
    shown = embedded(found.samples.arm, found.samples)
    return Section("Walk", Markup(shown + picture(plot(found, "stride"), CAPTIONS["stride"]) + paragraphs(found.notes)))


def _numbers(found: GaitReport) -> Section:
    return Section("Numbers", found.listing().html())


def _curves(found: GaitReport) -> Iterator[Section]:
    yield Section("Curves", Markup(paragraphs(CONVENTIONS) + picture(plot(found), CAPTIONS["curves"])))
    if found.references:
        parts = [tag("p", LIKENESS), found.comparison().html(), _references(found)]
        if len(found.references) > 1:
            parts.append(found.beside_others().html())
        yield Section("Comparison", Markup("".join(parts)))


def _references(found: GaitReport) -> Markup:
    """A table of the references, with what was done to them."""
    heads = ("reference", "cycles", "cycle s", "stance %", "double support %", "mass kg", "notes")
    rows = (
        (one.name, str(one.cycles), f"{one.duration:.3g}", f"{one.stance:.3g}", f"{one.double_support:.3g}",
         f"{one.mass:.4g}", "; ".join(one.notes))
        for one in found.references
    )  # fmt: skip
    return Listing.of(heads, rows).html()


def _arm(found: GaitReport) -> Section:
    """The arm, and what made the page."""
    arm = found.samples.arm
    rows = [*versions().items(), ("fingerprint of the arm", arm.digest)]
    body = folded("the arm, in the native format", verbatim(write(arm)))
    return Section("Arm", Markup(body + Listing.of(("made with", ""), rows).html()))
