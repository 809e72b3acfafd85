"""`lissom simulate`: a motion from a run file."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

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
from lissom.errors import InputError, SimulationError
from lissom.simulation.files import check_target
from lissom.simulation.overview import audit, listing, summary
from lissom.simulation.run import Run

Kind = Annotated[str | None, typer.Option(help="What to draw: motion (default), tip, energy or phase.")]


def simulate(
    file: Annotated[Path, typer.Argument(metavar="RUN.toml", help="A run file: arm, start, torques, loads, outputs.")],
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Write the run here (.nc, .csv, .parquet). Default: the file's."),
    ] = None,
    figure: Figure = None,
    kind: Kind = None,
    film: Film = None,
    save_every: Annotated[
        int | None, typer.Option(help="Of many runs, keep each so many on disk as they are finished.")
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on where an interrupted simulation ended.")] = False,
    threads: Annotated[int | None, typer.Option(help="Threads for many runs. Default: all cores.")] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress bar.")] = False,
    as_json: AsJson = False,
) -> None:
    """Simulate a motion and audit its energy.

    Ctrl-C, divergence and other early ends keep what was computed: it is written like a finished run.
    """
    from lissom.simulation.run_file import read_run_file
    from lissom.simulation.simulate import simulate as make

    with failing_kindly():
        check_figure(figure)
        check_film(film)
        asked = read_run_file(file)
        targets = (output,) if output is not None else asked.outputs or (file.with_suffix(".nc"),)
        for target in targets:
            check_target(target)
        options = dict(asked.arguments)
        if threads is not None:
            options["threads"] = threads
        if save_every is not None or resume:
            options |= {"save": targets[0], "save_every": save_every, "resume": resume}
        bar = not quiet and sys.stderr.isatty()
        run, problem = _attempt(lambda: make(asked.arm, **options, progress=bar))
        if run is None:
            raise InputError(problem)
        run.report.provenance.update(command=f"lissom simulate {file}", run_file=file.read_text(encoding="utf-8"))
        in_parts = save_every is not None and run.interrupted
        for k, target in enumerate(() if in_parts else targets):
            if k or save_every is None:  # in parts, the first was written
                run.save(target)
            err.print(f"wrote {target}", markup=False)
        if in_parts:
            err.print(f"finished runs are in {targets[0]}.parts; --resume goes on", markup=False)
        print_json(summary(run)) if as_json else show(run)
        draw(run, figure, kind, film)
        problem = problem or ("" if run.ok else run.status)
        if problem:
            print_error(problem)
            raise typer.Exit(1)


def _attempt(make: Any) -> tuple[Run | None, str]:
    """The run, whole or not, and what went wrong."""
    try:
        return make(), ""
    except SimulationError as error:
        return error.run, str(error)
    except KeyboardInterrupt as interrupt:
        run = getattr(interrupt, "run", None)
        return run, "interrupted" if run is None else run.status


def draw(run: Any, figure: Path | None, kind: str | None, film: Path | None) -> None:
    """Pictures that were asked for."""
    if figure is not None:
        from lissom.views.plots import plot

        save_figure(plot(run, kind), figure)
    if film is not None:
        save_film(run, film)


def show(run: Run) -> None:
    """A table of the motion, and the audit."""
    print_listing(listing(run)._replace(title=f"{run.arm.name}: {run.status}"))
    for line in audit(run):
        out.print(line, markup=False)
