"""`lissom report`: everything about an arm, a run or a motion on one page."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from lissom.cli.arm_options import complete_arm
from lissom.cli.common import Quiet, check_output, wrote


def report(
    what: Annotated[
        str,
        typer.Argument(
            metavar="WHAT",
            help="A task file (solved first), a run file (simulated first), a saved run or motion, or an arm.",
            autocompletion=complete_arm,
        ),
    ],
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

    It has the arm, its modes, the motion, the checks, figures, and the command that makes it again.
    """
    from lissom.pages.report import write_report

    check_output(output, (".html", ".htm"), "the page")
    path = write_report(what, output, verify=verify, progress=not quiet and sys.stderr.isatty())
    wrote(path)
