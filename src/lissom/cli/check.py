"""`lissom check`: is this model plausible?"""

from __future__ import annotations

from typing import Annotated

import typer

from lissom.cli.arm_options import ArmOptions, takes_arm
from lissom.cli.common import AsJson, out, print_json


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
        for finding in findings:
            out.print(str(finding), style="yellow" if finding.level == "warning" else None, markup=False)
        notes = len(findings) - len(warnings)
        count = f"{len(warnings)} warning{'s' * (len(warnings) != 1)}, {notes} note{'s' * (notes != 1)}"
        found = "not physical, used as written" if any(link.as_written for link in loaded.links) else "physical"
        out.print(f"{loaded.name}: {found}, {count}.", markup=False)
    if strict and warnings:
        raise typer.Exit(1)
