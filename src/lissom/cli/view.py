"""`lissom view`: an arm in the browser."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from lissom.cli.common import (
    ArmName,
    AsWritten,
    Degrees,
    Flexible,
    KinematicsOnly,
    MergeFixed,
    Mimic,
    Positions,
    Repair,
    err,
    failing_kindly,
    load_arm,
    positions,
)
from lissom.motion.files import load_record


def view(
    arm: ArmName,
    record: Annotated[
        Path | None,
        typer.Argument(metavar="RUN", help="A saved run (.nc, .csv, .parquet) or motion (.nc) to play."),
    ] = None,
    q: Positions = None,
    deg: Degrees = False,
    member: Annotated[int, typer.Option(help="Which run of an ensemble; the panel offers the others.")] = 0,
    mode: Annotated[int | None, typer.Option(help="Begin with this mode of vibration, 1 is the lowest.")] = None,
    exaggerate: Annotated[float, typer.Option(help="Multiply the drawn deflections of flexible links.")] = 1.0,
    meshes: Annotated[
        list[Path] | None, typer.Option(help="A folder of mesh files or packages; can be repeated.")
    ] = None,
    host: Annotated[str, typer.Option(help="Address to listen at; 0.0.0.0 lets other machines in.")] = "127.0.0.1",
    port: Annotated[
        int | None, typer.Option(help="Port to listen at. Default: the first free one from 8080 on.")
    ] = None,
    open_: Annotated[bool, typer.Option("--open/--no-open", help="Open it in the browser of this machine.")] = True,
    export: Annotated[
        Path | None, typer.Option(metavar="PAGE.html", help="Write one page that plays without a server instead.")
    ] = None,
    merge_fixed: MergeFixed = False,
    kinematics_only: KinematicsOnly = False,
    repair: Repair = False,
    as_written: AsWritten = False,
    flexible: Flexible = None,
    mimic: Mimic = "follow",
) -> None:
    """Show an arm in the browser: move its joints, play a run or a motion, watch its modes."""
    from lissom.views.viewer import view as show

    with failing_kindly():
        loaded = load_arm(arm, merge_fixed, kinematics_only, repair, flexible, as_written, mimic)
        shown = show(
            loaded,
            None if record is None else load_record(record),
            q=None if q is None else positions(loaded, q, deg),
            member=member,
            mode=mode,
            exaggerate=exaggerate,
            meshes=meshes,
            host=host,
            port=port,
            open=open_,
            export=export,
        )
    if export is not None:
        err.print(f"wrote {export}", markup=False)
        return
    with shown:
        err.print(f"{shown.url}   (Ctrl-C ends it)", markup=False)
        try:
            shown.wait()
        except KeyboardInterrupt:
            err.print("ended")
