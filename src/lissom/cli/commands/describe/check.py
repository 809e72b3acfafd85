"""`lissom check`: is this model plausible?"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from lissom.cli.arm_options import ArmOptions, takes_arm
from lissom.cli.common import AsJson, out, print_json
from lissom.cli.remedies import in_terminal
from lissom.errors import listed

if TYPE_CHECKING:
    from lissom.model.plausibility import ModelFinding


QUOTED = re.compile(r"'[^']*'")
ALIKE, NAMED = 3, 4  # from how many notes of one wording on they become one; how many names it then has


@takes_arm()
def check(
    arm: ArmOptions,
    as_json: AsJson = False,
    strict: Annotated[bool, typer.Option("--strict", help="Exit with 1 when there are warnings.")] = False,
) -> None:
    """Check whether an arm is physically plausible.

    An impossible model is refused with the file, the line and what to change (exit code 1). A possible but unlikely
    one gives warnings; notes tell what the reader ignored or changed.
    """
    from lissom.verbs.assembly import loop_findings
    from lissom.verbs.inertia_findings import inertia_findings

    loaded = arm.load()
    findings = [*loaded.check(), *loop_findings(loaded), *inertia_findings(loaded)]
    warnings = [finding for finding in findings if finding.level == "warning"]
    if as_json:
        print_json({"name": loaded.name, "findings": [finding._asdict() for finding in findings]})
    else:
        for finding in warnings:
            out.print(in_terminal(str(finding)), style="yellow", markup=False)
        notes = list(_notes([finding for finding in findings if finding.level != "warning"], loaded.name))
        for note in notes:
            out.print(f"note: {note}", markup=False)
        count = f"{len(warnings)} warning{'s' * (len(warnings) != 1)}, {len(notes)} note{'s' * (len(notes) != 1)}"
        found = "not physical, used as written" if any(link.as_written for link in loaded.links) else "physical"
        out.print(f"{loaded.name}: {found}, {count}.", markup=False)
    if strict and warnings:
        raise typer.Exit(1)


def _notes(findings: Sequence[ModelFinding], arm: str) -> Iterator[str]:
    """The notes, those of one wording together; the name of the arm is in the last line of the command."""
    alike: dict[str, list[str]] = {}
    for found in findings:
        text = found.message if found.subject == f"arm {arm!r}" else f"{found.subject}: {found.message}"
        alike.setdefault(QUOTED.sub("''", text), []).append(text)
    for texts in alike.values():
        if len(texts) < ALIKE or not QUOTED.search(texts[0]):
            yield from texts
        else:
            yield f"{texts[0]} The same of {listed([QUOTED.findall(text)[0] for text in texts[1:]], NAMED)}."
