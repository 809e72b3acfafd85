"""`lissom convert`: from one format to another."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from lissom.cli.arm_options import ArmOptions, takes_arm
from lissom.cli.common import Overwrite, out, wrote
from lissom.cli.written import note_existing
from lissom.errors import InputError, ModelError
from lissom.formats.files import check_writable


@takes_arm()
def convert(
    arm: ArmOptions,
    target: Annotated[
        Path, typer.Argument(metavar="TARGET", help="The file to write: .toml (keeps everything) or .urdf.")
    ],
    lossy: Annotated[bool, typer.Option("--lossy", help="Drop what URDF cannot express; not flexible links.")] = False,
    overwrite: Overwrite = False,
) -> None:
    """Convert an arm to another file format."""
    from lissom.formats.load import save

    if target.suffix.lower() not in (".toml", ".urdf"):
        raise InputError(f"{target}: arms are written as .toml or .urdf; choose one of these endings.")
    check_writable(target)
    if os.path.exists(target) and not overwrite:
        raise ModelError("it exists already; choose another name, or replace it with --overwrite.", file=str(target))
    note_existing(target)
    loaded = arm.load()
    for loss in save(loaded, target, lossy=lossy):
        out.print(f"dropped: {loss}", style="yellow", markup=False)
    for note in loaded.notes:
        out.print(f"note: {note}", markup=False)
    wrote(target)
    out.print(repr(loaded), markup=False)
