"""`lissom convert`: from one format to another."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from lissom.cli.common import (
    ArmName,
    AsWritten,
    Carried,
    Flexible,
    KinematicsOnly,
    MergeFixed,
    Mimic,
    Overwrite,
    Repair,
    check_folder,
    load_arm,
    out,
    wrote,
)
from lissom.errors import InputError, ModelError


def convert(
    arm: ArmName,
    target: Annotated[
        Path, typer.Argument(metavar="TARGET", help="The file to write: .toml (keeps everything) or .urdf.")
    ],
    merge_fixed: MergeFixed = False,
    lossy: Annotated[bool, typer.Option("--lossy", help="Drop what the target format cannot express.")] = False,
    overwrite: Overwrite = False,
    kinematics_only: KinematicsOnly = False,
    repair: Repair = False,
    as_written: AsWritten = False,
    flexible: Flexible = None,
    payload: Carried = None,
    mimic: Mimic = "follow",
) -> None:
    """Convert an arm to another file format."""
    from lissom.formats.load import save

    if target.suffix.lower() not in (".toml", ".urdf"):
        raise InputError(f"{target}: arms are written as .toml or .urdf; choose one of these endings.")
    check_folder(target)
    if os.path.exists(target) and not overwrite:
        raise ModelError("it exists already; choose another name, or replace it with --overwrite.", file=str(target))
    loaded = load_arm(
        arm, merge_fixed=merge_fixed, kinematics_only=kinematics_only, repair=repair, flexible=flexible,
        as_written=as_written, mimic=mimic, payload=payload,
    )  # fmt: skip
    for loss in save(loaded, target, lossy=lossy):
        out.print(f"dropped: {loss}", style="yellow", markup=False)
    for note in loaded.notes:
        out.print(f"note: {note}", markup=False)
    wrote(target)
    out.print(repr(loaded), markup=False)
