"""`lissom report`: everything about an arm, a run or a motion on one page."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from lissom.cli.arm_options import ArmOptions, complete_arm, takes_arm
from lissom.cli.common import Quiet, check_output, failing_kindly, wrote
from lissom.cli.remedies import in_terminal
from lissom.errors import InputError

What = Annotated[
    str,
    typer.Argument(
        metavar="WHAT",
        help="A task file (solved first), a run file (simulated first), a saved run or motion, or an arm.",
        autocompletion=complete_arm,
    ),
]


@takes_arm(arm=What)
def report(
    arm: ArmOptions,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="The page to write (.html). Default: named after WHAT."),
    ] = None,
    verify: Annotated[
        bool, typer.Option("--verify/--no-verify", help="Replay the torques of a motion in a simulation.")
    ] = True,
    quiet: Quiet = False,
) -> None:
    """Write one HTML page about an arm, a run, a motion or a task.

    It has the arm, its modes, the motion, the checks, figures, and the command that makes it again. The options for the
    arm are for reports about an arm; task files and run files have keys for the same.
    """
    from lissom.pages.report import contains_arm, written_report

    check_output(output, (".html", ".htm"), "the page")
    options = arm.given()
    of_file = contains_arm(arm.arm)
    if options and of_file:
        raise InputError(f"{arm.arm} names its arm itself; omit {' and '.join(options)}, or change the file.")
    what = arm.load() if options else arm.arm
    words = partial(in_terminal, of_file=of_file)
    with failing_kindly(of_file=of_file):
        wrote(written_report(what, output, verify=verify, progress=not quiet, words=words))
