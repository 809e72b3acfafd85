"""The page about an identification: errors, parameters, torques, spectra, friction, and the arm."""

from __future__ import annotations

from collections.abc import Iterator

from lissom.formats.native_write import write
from lissom.identification.result.identification import Identification
from lissom.listing import Listing
from lissom.markup import Markup, folded, paragraphs, tag
from lissom.pages.page import Section, page, picture, verbatim
from lissom.versions import versions
from lissom.views.plots.plot import plot

CAPTIONS = {
    "torques": "Measured torques, those of the identified arm and of the arm before, all through the same filter.",
    "spectrum": "Spectra of the measured torques and of what the models leave.",
}


def identification_page(found: Identification) -> str:
    """Return the page as HTML text."""
    sections = [_errors(found), *_held_out(found), _parameters(found), *_torques(found), _arm(found)]
    return page(f"Identification of {found.arm.name}", repr(found).strip("<>"), sections)


def _errors(found: Identification) -> Section:
    """Errors of the torques, friction laws, payloads and gains."""
    parts = [found.listing().html(), paragraphs([f"Note: {note}" for note in found.notes])]
    if found.law_errors:
        rows = [(law, f"{error:.4g}") for law, error in sorted(found.law_errors.items(), key=lambda one: one[1])]
        parts.append(Listing.of(("friction law", "error on held-out parts, in standard deviations"), rows).html())
    for load, payload in found.payloads.items():
        com = ", ".join(f"{x:.4g}" for x in payload.com)
        name = "Payload" if load == "payload" else f"Payload {load}"
        parts.append(tag("p", f"{name}: {payload.mass:.4g} kg, centre of mass ({com}) m."))
    if found.gains is not None and found.gain_std is not None:
        gains = zip(found.joints, found.gains, found.gain_std, strict=True)
        cells = [(name, f"{value:.4g}", f"{std:.2g}") for name, value, std in gains]
        parts.append(Listing.of(("joint", "torque per current [N m/A or N/A]", "std"), cells).html())
    return Section("Errors", Markup("".join(parts)))


def _held_out(found: Identification) -> Iterator[Section]:
    """Logs that were not used, beside the arm before."""
    if not found.checks:
        return
    parts = [tag("p", "Logs that were not used in the fit, predicted by the identified arm and by the arm before.")]
    for check in found.checks:
        title = f"Log {check.source}." if check.source else "Another log."
        parts += [tag("p", title), check.listing().html(), picture(plot(check), CAPTIONS["torques"])]
    yield Section("Check", Markup("".join(parts)))


def _parameters(found: Identification) -> Section:
    words = (
        "Inertias act in combinations, each named by its terms. value and std: fitted without constraints; used: in "
        "the identified arm, whose links are physically consistent; prior: in the arm before."
    )
    return Section("Parameters", Markup(tag("p", words) + found.table.listing().html()))


def _torques(found: Identification) -> Iterator[Section]:
    figures = "".join(picture(plot(found, kind), caption) for kind, caption in CAPTIONS.items())
    yield Section("Torques", Markup(figures))


def _arm(found: Identification) -> Section:
    """The arm, and what made it."""
    parts = [folded("the identified arm, in the native format", verbatim(write(found.arm)))]
    rows = [*versions().items(), ("fingerprint of the arm before", found.given.digest)]
    parts.append(Listing.of(("made with", ""), rows).html())
    return Section("Arm", Markup("".join(parts)))
