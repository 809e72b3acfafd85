"""`lissom convert`: from one format to another."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from lissom.cli.common import (
    ArmName,
    AsWritten,
    Flexible,
    KinematicsOnly,
    MergeFixed,
    Mimic,
    Repair,
    failing_kindly,
    load_arm,
    out,
)
from lissom.errors import ModelError
from lissom.formats.load import save


def convert(
    arm: ArmName,
    target: Annotated[Path, typer.Argument(help="The file to write: .toml (keeps everything) or .urdf.")],
    merge_fixed: MergeFixed = False,
    lossy: Annotated[bool, typer.Option("--lossy", help="Drop what the target format cannot say.")] = False,
    force: Annotated[bool, typer.Option("--force", help="Replace an existing file.")] = False,
    kinematics_only: KinematicsOnly = False,
    repair: Repair = False,
    as_written: AsWritten = False,
    flexible: Flexible = None,
    mimic: Mimic = "follow",
) -> None:
    """Convert an arm to another format."""
    with failing_kindly():
        if os.path.exists(target) and not force:
            raise ModelError("it exists already; choose another name or pass --force.", file=str(target))
        loaded = load_arm(arm, merge_fixed, kinematics_only, repair, flexible, as_written, mimic)
        for loss in save(loaded, target, lossy=lossy):
            out.print(f"dropped: {loss}", style="yellow", markup=False)
        for note in loaded.notes:
            out.print(f"note: {note}", markup=False)
        out.print(f"wrote {target}: {loaded!r}", markup=False)
