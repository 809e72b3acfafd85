"""`lissom simulate`: a motion from a run file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lissom.cli.common import (
    AsJson,
    Figure,
    Film,
    Quiet,
    check_figure,
    check_film,
    check_kind,
    err,
    out,
    print_json,
    print_listing,
    save_pictures,
    wrote,
)
from lissom.cli.plot_kinds import RUN, RunKind
from lissom.cli.remedies import in_terminal
from lissom.cli.written import default_name, note_existing
from lissom.errors import SimulationError, Unfinished

if TYPE_CHECKING:
    from lissom.simulation.run import Run


def simulate(
    file: Annotated[Path, typer.Argument(metavar="RUN.toml", help="A run file: arm, start, torques, loads, outputs.")],
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Write the run to this file (.nc, .csv, .parquet). Default: output of the run file, or RUN.nc.",
        ),
    ] = None,
    figure: Figure = None,
    kind: RunKind = None,
    film: Film = None,
    save_every: Annotated[
        int | None, typer.Option(metavar="N", help="With an ensemble: save after every N finished runs.")
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Continue an interrupted simulation that was started with --save-every.")
    ] = False,
    threads: Annotated[int | None, typer.Option(help="Threads for an ensemble. Default: all cores.")] = None,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Simulate an arm from a run file, and check its energy balance.

    After Ctrl-C or a divergence, what was computed so far is written like a finished run.
    """
    from lissom.motion.run_file import read_run_file
    from lissom.simulation.overview import summary
    from lissom.simulation.records.written import check_target
    from lissom.simulation.simulate import simulate as make

    check_figure(figure)
    check_film(film)
    check_kind(kind, RUN)
    asked = read_run_file(file)
    targets = (output,) if output is not None else asked.outputs or (default_name(file.with_suffix(".nc")),)
    for target in targets:
        check_target(target)
        note_existing(target)
    options = dict(asked.arguments)
    if threads is not None:
        options["threads"] = threads
    if save_every is not None or resume:
        options |= {"save": targets[0], "save_every": save_every, "resume": resume}
    run, problem = _attempt(lambda: make(asked.arm, **options, progress=not quiet))
    if run is None:
        raise KeyboardInterrupt(f"{file} was interrupted before the first step; nothing was written.")
    run.report.provenance.update(command=f"lissom simulate {file}", run_file=file.read_text(encoding="utf-8"))
    in_parts = save_every is not None and run.interrupted
    for target in () if in_parts else targets:
        run.save(target)  # the first again, where parts were joined in it: the simulation knows no command
        wrote(target)
    if in_parts:
        err.print(f"The finished runs are in {targets[0]}.parts; continue with --resume.", markup=False)
    print_json(summary(run)) if as_json else show(run)
    save_pictures(run, figure, kind, film)
    problem = problem or ("" if run.ok else run.status)
    if problem:
        raise Unfinished(problem, run.interrupted)


def _attempt(make: Any) -> tuple[Run | None, str]:
    """The run, whole or not, and what went wrong."""
    try:
        return make(), ""
    except SimulationError as error:
        return error.run, str(error)
    except KeyboardInterrupt as interrupt:
        run = getattr(interrupt, "run", None)
        return run, "" if run is None else run.status


def show(run: Run) -> None:
    """Print a table of the motion, and the energy balance."""
    from lissom.simulation.overview import audit, listing

    print_listing(listing(run)._replace(title=f"{run.arm.name}: {run.status}"))
    for line in audit(run):
        out.print(in_terminal(line), markup=False)
