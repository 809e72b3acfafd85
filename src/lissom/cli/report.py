"""`lissom report`: everything about an arm, a run or a motion on one page."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from lissom.cli.common import complete_arm, err, failing_kindly


def report(
    what: Annotated[
        str,
        typer.Argument(
            metavar="TASK.toml|RUN.toml|RUN.nc|MOTION.nc|ARM",
            help="A task (predicted first), a run file (simulated first), a saved run or motion, or an arm.",
            autocompletion=complete_arm,
        ),
    ],
    into: Annotated[
        Path | None, typer.Option("--into", "-o", help="The file (.html). Default: named after WHAT.")
    ] = None,
    verify: Annotated[
        bool, typer.Option("--verify/--no-verify", help="Replay a motion's torques in a simulation.")
    ] = True,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress.")] = False,
) -> None:
    """Write one HTML page: the arm, its modes, the motion, the audit, figures, and how to make it again."""
    from lissom.pages.report import write_report

    with failing_kindly():
        path = write_report(what, into, verify=verify, progress=not quiet and sys.stderr.isatty())
    err.print(f"wrote {path}", markup=False)
