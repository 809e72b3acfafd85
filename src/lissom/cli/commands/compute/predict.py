"""`lissom predict`: the best motion for a task file."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lissom.cli.common import (
    AsJson,
    Figure,
    Film,
    Quiet,
    Scheduler,
    Speed,
    check_figure,
    check_film,
    check_kind,
    check_output,
    err,
    out,
    print_json,
    print_listing,
    save_pictures,
    wrote,
)
from lissom.cli.plot_kinds import MOTION, MotionKind
from lissom.cli.remedies import in_terminal
from lissom.errors import InputError, MotionError, Unfinished

if TYPE_CHECKING:
    from lissom.model.arm import Arm
    from lissom.motion.result.motion import Motion


Rate = Annotated[
    float | None,
    typer.Option(
        metavar="HZ", help="Samples per second for controllers. Default: 1000 for .csv, 100 for .yaml, 125 for .script."
    ),
]


def predict(
    file: Annotated[
        Path, typer.Argument(metavar="TASK.toml", help="A task file: arm, start, goal or path, limits, criterion.")
    ],
    output: Annotated[
        list[Path] | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Write the motion (.nc), or samples for a controller: .csv, a message JointTrajectory of ROS (.yaml), "
            "URScript (.script); can be repeated. Default: output of the task file.",
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
        bool, typer.Option("--compare", help="For flexible arms: compare with the rigid plan and input shapers.")
    ] = False,
    scheduler: Scheduler = None,
    guess: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Start from this earlier motion (.nc). Default: guess of the task file."),
    ] = None,
    verify: Annotated[bool, typer.Option("--verify", help="Replay the torques of the motion in a simulation.")] = False,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Find the best motion for a task file: fastest, least torque, along a path, and others.

    Ctrl-C ends the search and keeps the best motion so far. A motion that is not solved is printed and written to .nc
    files with its status, but not to .csv, .yaml and .script files, which are for controllers.
    """
    from lissom.motion.path_task import PathTask
    from lissom.motion.public import load_motion
    from lissom.motion.result.overview import summary
    from lissom.motion.task_file import read_task_file
    from lissom.views.plots.needs import check_needs

    asked = read_task_file(file)
    follows = isinstance(asked.task, PathTask)
    targets = [*(output or asked.outputs), *([] if csv is None else [csv])]
    wholes, tables = divided(targets, csv)
    refuse_unwritable(asked.arm, wholes, tables, rate, figure, film, speed)
    options = asked.options | ({"compare": True} if compare else {})
    check_kind(kind, MOTION)
    if figure is not None:
        check_needs(kind, asked.arm, bool(options.get("compare")), tracked=follows)
    for word, value in (("--guess", guess), ("--scheduler", scheduler)):
        if value is not None and follows:
            raise InputError(f"{word} has no use for a task with [path]; omit it.")
    if guess is not None:
        options["guess"] = load_motion(guess)
    if scheduler is not None:
        options |= {"scheduler": scheduler, "workers": None}
    motion, problem = attempt(lambda: asked.planned(**options, progress=not quiet), str(file))
    write(motion, wholes, tables, rate)
    found, problem = verification(motion, problem) if verify else (None, problem)
    result = summary(motion) | ({} if found is None else {"verification": verified(found)})
    print_json(result) if as_json else show(motion, found)
    save_pictures(motion, figure, kind, film, note=_note(motion), speed=speed)
    if problem:
        raise Unfinished(problem, motion.interrupted or (verify and found is None))


def attempt(make: Any, file: str) -> tuple[Motion, str]:
    """The motion, found or not, and what went wrong."""
    try:
        motion = make()
    except MotionError as error:
        return error.motion, str(error)
    except KeyboardInterrupt:
        raise KeyboardInterrupt(f"{file} was interrupted before a motion was found; nothing was written.") from None
    return motion, "" if motion.ok and not motion.interrupted else motion.status


def verification(motion: Motion, problem: str) -> tuple[Any, str]:
    """The verification of the motion, and what went wrong first; Ctrl-C ends the simulation alone."""
    try:
        found = motion.verify()
    except KeyboardInterrupt:
        return None, problem or "interrupted; the motion is solved, but not verified."
    return found, problem or ("" if found.ok else found.status)


def divided(targets: list[Path], csv: Path | None = None) -> tuple[list[Path], list[Path]]:
    """Files for whole motions, and files for controllers."""
    from lissom.motion.result.files.export import ENDINGS

    wholes = [path for path in targets if path.suffix.lower() not in ENDINGS and path != csv]
    return wholes, [path for path in targets if path not in wholes]


def refuse_unwritable(
    arm: Arm, wholes: list[Path], tables: list[Path], rate: float | None,
    figure: Path | None, film: Path | None, speed: float,
) -> None:  # fmt: skip
    """Refuse files that could not be written, before any work is done for them."""
    from lissom.motion.result.files.export import ENDINGS, check_export
    from lissom.motion.result.files.write import check_target

    check_figure(figure)
    check_film(film, speed)
    if rate is not None and not 0 < rate < math.inf:
        raise InputError(f"--rate is {rate:g}; expected samples per second above 0.")
    for path in wholes:
        check_output(path, (".nc", *ENDINGS), "a motion")
        check_target(path)
    for path in tables:
        check_output(path, ENDINGS, "a table of samples")
        check_export(arm, path, None, rate)


def write(motion: Motion, wholes: list[Path], tables: list[Path], rate: float | None) -> None:
    """Write the files; samples for a controller only of a motion that is solved."""
    for path in wholes:
        motion.save(path)
    for path in tables if motion.ok else []:
        motion.export(path, rate_hz=rate)
    for path in (*wholes, *tables):
        if motion.ok or path in wholes:
            wrote(path, _note(motion))
        else:
            err.print(f"did not write {path}: the motion is not solved", markup=False)


def _note(motion: Motion) -> str:
    """What files of a motion have that is not solved."""
    return "" if motion.ok else "the last iterate of the search, which is not solved"


def verified(found: Any) -> dict[str, Any]:
    """The numbers of a verification; of a motion with contacts it has a summary of its own."""
    if hasattr(found, "summary"):
        return dict(found.summary())
    return {
        "ok": found.ok, "status": found.status, "deviation": found.deviation,
        "joint_error": found.joint_error, "end_error": found.end_error,
        "growth": found.growth, "method": found.run.report.method, "peaks": [vars(peak) for peak in found.peaks],
        "residual": found.residual,
    }  # fmt: skip


def show(motion: Motion, found: Any) -> None:
    """Print a table of the joints, and how the motion was found; why it was not, the error says that follows."""
    from lissom.motion.result.overview import headline, listing

    title = headline(motion, motion.status if motion.ok else f"not solved: {motion.outcome.sentence}")
    print_listing(listing(motion)._replace(title=title))
    for note in motion.notes:
        out.print(f"note: {in_terminal(note, of_file=True)}", markup=False)
    if found is not None:
        out.print(in_terminal(found.describe()), markup=False)
    out.print(in_terminal(motion.report.describe(limits=found is None)), markup=False)
    if motion.compared is not None:
        out.print(str(motion.compared), markup=False)
