"""`lissom predict`: the best motion for a task file."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from lissom.cli.common import (
    AsJson,
    Figure,
    Film,
    check_figure,
    check_film,
    err,
    failing_kindly,
    out,
    print_error,
    print_json,
    print_listing,
    save_figure,
    save_film,
)
from lissom.errors import InputError, MotionError
from lissom.motion.overview import headline, listing, summary
from lissom.motion.record import Motion


def predict(
    file: Annotated[
        Path, typer.Argument(metavar="TASK.toml", help="A task file: arm, start, goal, limits, criterion.")
    ],
    save: Annotated[
        list[Path] | None, typer.Option("--save", "-o", help="Write the motion here (.nc). Default: the file's output.")
    ] = None,
    csv: Annotated[Path | None, typer.Option(help="Write samples for a controller here (.csv).")] = None,
    rate: Annotated[float, typer.Option(help="Samples per second of the CSV.")] = 1000.0,
    figure: Figure = None,
    kind: Annotated[
        str | None,
        typer.Option(
            help="What to draw: motion (default), joints, torques, sticks, convergence, deflection or ringing."
        ),
    ] = None,
    film: Film = None,
    speed: Annotated[float, typer.Option(help="Of the film: 1 as fast as it is, 0.2 five times slower.")] = 1.0,
    compare: Annotated[
        bool, typer.Option("--compare", help="Of flexible arms: try the rigid plan and input shapers too.")
    ] = False,
    scheduler: Annotated[
        str | None, typer.Option(help="Address of a dask scheduler, whose workers do the file's starts.")
    ] = None,
    guess: Annotated[
        Path | None,
        typer.Option(help="An earlier motion (.nc) with which the search begins. Default: the file's guess."),
    ] = None,
    verify: Annotated[bool, typer.Option("--verify", help="Replay the motion by a simulation.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress.")] = False,
    as_json: AsJson = False,
) -> None:
    """Find the motion that is best for a task.

    Ctrl-C ends the search and keeps the motion so far. What is not solved is shown, and written to .nc files with its
    status, but not as samples for a controller.
    """
    from lissom.motion.public import load_motion, predict_motion
    from lissom.motion.task_file import read_task_file

    with failing_kindly():
        asked = read_task_file(file)
        wholes = list(save) if save else [path for path in asked.outputs if path.suffix == ".nc"]
        tables = [csv] if csv is not None else [path for path in asked.outputs if path.suffix == ".csv"]
        _refuse_unwritable(wholes, tables, rate, figure, kind, film)
        bar = not quiet and sys.stderr.isatty()
        options = asked.options | ({"compare": True} if compare else {})
        if guess is not None:
            options["guess"] = load_motion(guess)
        if scheduler is not None:
            options |= {"scheduler": scheduler, "workers": None}
        motion, problem = _attempt(lambda: predict_motion(asked.arm, asked.task, **options, progress=bar), str(file))
        _write(motion, wholes, tables, rate)
        found, problem = _verification(motion, problem) if verify else (None, problem)
        result = summary(motion) | ({} if found is None else {"verification": _verified(found)})
        print_json(result) if as_json else show(motion, found)
        if figure is not None:
            from lissom.views.plots import plot

            save_figure(plot(motion, kind), figure)
        if film is not None:
            save_film(motion, film, speed=speed)
        if problem:
            print_error(problem)
            raise typer.Exit(1)


def _attempt(make: Any, file: str) -> tuple[Motion, str]:
    """The motion, found or not, and what went wrong."""
    try:
        motion = make()
    except MotionError as error:
        return error.motion, str(error)
    except KeyboardInterrupt:
        raise KeyboardInterrupt(f"{file}: interrupted before a motion was found; nothing is kept.") from None
    return motion, "" if motion.ok and not motion.interrupted else motion.status


def _verification(motion: Motion, problem: str) -> tuple[Any, str]:
    """What a simulation says about the motion, and what went wrong first; Ctrl-C ends the simulation alone."""
    try:
        found = motion.verify()
    except KeyboardInterrupt:
        return None, problem or "interrupted; the motion is found, but not verified."
    return found, problem or ("" if found.ok else found.status)


def _refuse_unwritable(
    wholes: list[Path], tables: list[Path], rate: float, figure: Path | None, kind: str | None, film: Path | None
) -> None:
    """Before any work is done for them."""
    from lissom.motion.files import check_target
    from lissom.views.motions import KINDS

    check_figure(figure)
    check_film(film)
    if kind is not None and kind not in KINDS:
        raise InputError(f"--kind is {kind!r}; expected one of {', '.join(KINDS)}.")
    if not 0 < rate < np.inf:
        raise InputError(f"--rate is {rate:g}; expected samples per second above 0.")
    for path in wholes:
        check_target(path)
    for path in tables:
        if path.suffix.lower() != ".csv":
            raise InputError(f"{path}: a table of samples is written as .csv.")
        if not os.path.isdir(path.absolute().parent):
            raise InputError(f"{path}: there is no folder {path.parent}; make it first.")


def _write(motion: Motion, wholes: list[Path], tables: list[Path], rate: float) -> None:
    """Samples for a controller only of a motion that is in order."""
    for path in wholes:
        motion.save(path)
    for path in tables if motion.ok else []:
        motion.to_csv(path, rate)
    for path in (*wholes, *tables):
        done = motion.ok or path in wholes
        err.print(f"wrote {path}" if done else f"did not write {path}: the motion is not solved", markup=False)


def _verified(found: Any) -> dict[str, Any]:
    return {
        "ok": found.ok, "status": found.status, "deviation": found.deviation,
        "joint_error": found.joint_error, "end_error": found.end_error,
        "growth": found.growth, "method": found.run.report.method, "peaks": [vars(peak) for peak in found.peaks],
        "residual": found.residual,
    }  # fmt: skip


def show(motion: Motion, found: Any) -> None:
    """A table of the joints, and how the motion was found."""
    print_listing(listing(motion)._replace(title=headline(motion)))
    out.print(motion.report.describe(), markup=False)
    if motion.compared is not None:
        out.print(str(motion.compared), markup=False)
    if found is not None:
        out.print(found.describe(), markup=False)
