"""`lissom track`: a frame follows a path from a table."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from lissom.cli.arm_options import ArmOptions, positions, takes_arm
from lissom.cli.commands.compute.predict import (
    Rate,
    attempt,
    divided,
    refuse_unwritable,
    show,
    verification,
    verified,
    write,
)
from lissom.cli.common import AsJson, Figure, Film, Quiet, Speed, check_kind, numbers, print_json, save_pictures
from lissom.cli.plot_kinds import MOTION, MotionKind
from lissom.errors import Unfinished


@takes_arm(needs_mass=True)
def track(
    arm: ArmOptions,
    path: Annotated[
        Path,
        typer.Argument(
            metavar="PATH.csv",
            help="A table with a column t in s, and columns x, y, z in m, rx, ry, rz in rad for the axes that follow.",
        ),
    ],
    frame: Annotated[
        str | None,
        typer.Option(
            metavar="LINK",
            help="The link or tool that follows; link2.tip: the end of a flexible link. Default: the tip of the arm.",
        ),
    ] = None,
    point: Annotated[str | None, typer.Option(metavar="X,Y,Z", help="A point of it in m. Default: its origin.")] = None,
    start: Annotated[
        str | None,
        typer.Option(
            metavar="NUMBERS",
            help="Begin near these joint positions in rad or m (with --deg in degrees). Default: home.",
        ),
    ] = None,
    before: Annotated[
        float | None, typer.Option(metavar="SECONDS", help="Time before the path in which motors move.")
    ] = None,
    after: Annotated[
        float | None, typer.Option(metavar="SECONDS", help="Time after it. Default: what the arm needs.")
    ] = None,
    segments: Annotated[int, typer.Option(metavar="N", help="Segments of the splines.")] = 40,
    output: Annotated[
        list[Path] | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Write the motion (.nc), or samples for a controller: .csv, a message JointTrajectory of ROS (.yaml), "
            "URScript (.script); can be repeated.",
        ),
    ] = None,
    csv: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Also write samples for a controller to this file (.csv).")
    ] = None,
    rate: Rate = None,
    figure: Figure = None,
    kind: MotionKind = None,
    film: Film = None,
    speed: Speed = 1.0,
    compare: Annotated[
        bool, typer.Option("--compare", help="For flexible arms: compare with the plan for rigid links.")
    ] = False,
    verify: Annotated[bool, typer.Option("--verify", help="Replay the torques of the motion in a simulation.")] = False,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Make a frame follow a path: joint motions and torques, also of arms whose links bend.

    A smooth curve from rest to rest is laid through the rows of the table. The motors begin before the path does and
    end after it, as the tip of a flexible link needs it. A motion that does not follow is written to .nc files with its
    status, but not to .csv, .yaml and .script files, which are for controllers. Limits and loads, and poses in place of
    a table, go into a task file with [path] for lissom predict.
    """
    from lissom.motion.path_task import read_path_table
    from lissom.motion.public import track_motion
    from lissom.motion.result.overview import summary
    from lissom.views.plots.needs import check_needs

    targets = [*(output or []), *([] if csv is None else [csv])]
    wholes, tables = divided(targets, csv)
    loaded = arm.load()
    refuse_unwritable(loaded, wholes, tables, rate, figure, film, speed)
    check_kind(kind, MOTION)
    times, values, axes = read_path_table(path)
    if figure is not None:
        check_needs(kind, loaded, compare, tracked=True)
    options: dict[str, Any] = {"before": before, "after": after, "segments": segments, "compare": compare}
    options |= {"progress": False} if quiet else {}
    options |= {} if start is None else {"start": positions(loaded, start, arm.deg, option="--start")}
    options |= {} if point is None else {"point": numbers(point, "--point")}
    made = lambda: track_motion(loaded, (times, values), frame, axes, **options)  # noqa: E731
    motion, problem = attempt(made, str(path))
    write(motion, wholes, tables, rate)
    found, problem = verification(motion, problem) if verify else (None, problem)
    result = summary(motion) | ({} if found is None else {"verification": verified(found)})
    print_json(result) if as_json else show(motion, found)
    save_pictures(motion, figure, kind, film, speed=speed)
    if problem:
        raise Unfinished(problem, motion.interrupted or (verify and found is None))
