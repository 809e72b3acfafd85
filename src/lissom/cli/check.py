"""`lissom check`: is this model plausible?"""

from __future__ import annotations

from typing import Annotated

import typer

from lissom.cli.common import (
    ArmName,
    AsJson,
    AsWritten,
    Flexible,
    KinematicsOnly,
    Mimic,
    Repair,
    failing_kindly,
    load_arm,
    out,
    print_json,
)
from lissom.verbs.assembly import loop_findings
from lissom.verbs.singular_inertia import inertia_findings


def check(
    arm: ArmName,
    as_json: AsJson = False,
    strict: Annotated[bool, typer.Option("--strict", help="Exit with 1 when there are warnings.")] = False,
    kinematics_only: KinematicsOnly = False,
    repair: Repair = False,
    as_written: AsWritten = False,
    flexible: Flexible = None,
    mimic: Mimic = "follow",
) -> None:
    """Check an arm for physical plausibility.

    Impossible models are refused with the place and the fix (exit code 1). What is possible but
    unlikely is listed as a warning, what is worth knowing as a note.
    """
    with failing_kindly():
        loaded = load_arm(arm, False, kinematics_only, repair, flexible, as_written, mimic)
        findings = [*loaded.check(), *loop_findings(loaded), *inertia_findings(loaded)]
    warnings = [finding for finding in findings if finding.level == "warning"]
    if as_json:
        print_json({"name": loaded.name, "findings": [finding._asdict() for finding in findings]})
    else:
        for finding in findings:
            out.print(str(finding), style="yellow" if finding.level == "warning" else None, markup=False)
        count = f"{len(warnings)} warning{'s' if len(warnings) != 1 else ''}"
        found = "not physical, taken as written" if any(link.as_written for link in loaded.links) else "physical"
        out.print(f"{loaded.name}: {found}, {count}, {len(findings) - len(warnings)} notes.", markup=False)
    if strict and warnings:
        raise typer.Exit(1)
