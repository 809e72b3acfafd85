"""`lissom view`: an arm in the browser."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lissom.cli.arm_options import ArmOptions, ArmOrRecord, PicturedPositions, positions, takes_arm
from lissom.cli.common import check_output, err, wrote
from lissom.errors import InputError

if TYPE_CHECKING:
    from lissom.model.arm import Arm
    from lissom.motion.result.motion import Motion
    from lissom.simulation.run import Run


@takes_arm(arm=ArmOrRecord)
def view(
    arm: ArmOptions,
    record: Annotated[
        Path | None,
        typer.Argument(metavar="RECORD", help="A saved run (.nc, .csv, .parquet) or motion (.nc) to replay."),
    ] = None,
    q: PicturedPositions = None,
    member: Annotated[int, typer.Option(help="Which run of an ensemble to show first.")] = 0,
    mode: Annotated[int | None, typer.Option(help="Show this mode of vibration first; 1 is the lowest.")] = None,
    exaggerate: Annotated[float, typer.Option(help="Multiply the drawn deflections of flexible links.")] = 1.0,
    meshes: Annotated[
        list[Path] | None, typer.Option(metavar="FOLDER", help="Look for mesh files here; can be repeated.")
    ] = None,
    host: Annotated[
        str, typer.Option(metavar="ADDRESS", help="Address to listen at; 0.0.0.0 admits other machines.")
    ] = "127.0.0.1",
    port: Annotated[
        int | None, typer.Option(help="Port to listen at. Default: the first free one from 8080 on.")
    ] = None,
    open_: Annotated[bool, typer.Option("--open/--no-open", help="Open it in the browser of this machine.")] = True,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="PAGE.html", help="Write one page that works without a server instead."),
    ] = None,
) -> None:
    """Show an arm in the browser: move its joints, replay a run or a motion."""
    from lissom.views.viewer.viewer import view as show

    check_output(output, (".html",), "the page")
    loaded, recorded = _loaded(arm, record)
    shown = show(
        loaded,
        recorded,
        q=None if q is None else positions(loaded, q, arm.deg),
        member=member,
        mode=mode,
        exaggerate=exaggerate,
        meshes=meshes,
        host=host,
        port=port,
        open=open_,
        export=output,
    )
    if output is not None:
        wrote(output)
        return
    with shown:
        err.print(f"{shown.url}   (Ctrl-C ends it)", markup=False)
        try:
            shown.wait()
        except KeyboardInterrupt:
            err.print("ended")


def _loaded(options: ArmOptions, record: Path | None) -> tuple[Arm, Run | Motion | None]:
    """The arm and what it replays; a record alone contains its arm."""
    from lissom.cli.torque_source import other_joints
    from lissom.motion.result.files.read import load_record

    alone = Path(options.arm)
    if record is None and alone.suffix.lower() in (".nc", ".parquet"):
        if refused := options.given("deg"):
            raise InputError(f"{alone} contains its arm; omit {' and '.join(refused)}.")
        found = load_record(alone)
        return found.arm, found
    arm = options.load()
    if record is None:
        return arm, None
    found = load_record(record)
    if found.arm.coordinates != arm.coordinates:
        raise InputError(
            f"{record}: it has other joints than arm {arm.name!r}: {other_joints(arm, found.arm, 'record')}"
        )
    return arm, found
