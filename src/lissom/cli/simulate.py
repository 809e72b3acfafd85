"""`lissom simulate`: a motion from a run file."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from rich.markup import escape
from rich.table import Table

from lissom.cli.common import (
    AsJson,
    Figure,
    Film,
    check_figure,
    check_film,
    err,
    failing_kindly,
    out,
    print_json,
    save_figure,
    save_film,
)
from lissom.errors import InputError, SimulationError
from lissom.model.units import units
from lissom.simulation.files import check_target
from lissom.simulation.run import Run

COLUMNS = {"end": "q", "fastest": "qd", "largest_torque": "tau"}
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
            err.print(f"[bold red]error:[/] {escape(problem)}")
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


def summary(run: Run) -> dict[str, Any]:
    """The main numbers of a run."""
    report = run.report
    return {
        "arm": run.arm.name, "status": run.status, "ok": run.ok, "runs": run.count, "samples": len(run.t),
        "until": float(run.t[-1]), "method": report.method, "why": report.why, "dt": report.dt, "steps": report.steps,
        "evaluations": report.evaluations, "cpu_seconds": report.cpu, "balance_error": np.max(run.balance_error),
        "notes": list(report.notes),
        "events": [{"t": e.t, "name": e.name, "run": e.run} for e in run.events],
        "coordinates": {
            name: {
                "end": _spread(run.q[..., -1, k]), "fastest": float(np.nanmax(np.abs(run.qd[..., k]))),
                "largest_torque": float(np.nanmax(np.abs(run.tau[..., k]))),
                "units": {word: units(run.arm, of)[k] for word, of in COLUMNS.items()},
            }
            for k, name in enumerate(run.arm.coordinates)
        },
        "largest_deflection": {
            link.name: float(np.nanmax(np.linalg.norm(run.deflection(link.name), axis=-1)))
            for link in run.arm.links
            if link.mode_labels
        },
    }  # fmt: skip


def _spread(x: Any) -> Any:
    return float(x) if np.ndim(x) == 0 else [float(np.nanmin(x)), float(np.nanmedian(x)), float(np.nanmax(x))]


def show(run: Run) -> None:
    """A table of the motion, and the audit."""
    table = Table(title=f"{run.arm.name}: {run.status}", title_justify="left", title_style="bold")
    end = "at the end" if run.count is None else "at the end: least, median, most"
    for word in ("coordinate", end, "fastest", "largest torque"):
        table.add_column(word, justify="left" if word == "coordinate" else "right")
    told = summary(run)
    joints = {run.arm.coordinates[k] for k in range(run.arm.dof) if k not in run.arm.mode_index}
    for name, row in told["coordinates"].items():
        if name not in joints:
            continue  # amplitudes of modes mean little; what they do to tips is below
        last, unit = row["end"], {word: "" if x == "1" else f" {x}" for word, x in row["units"].items()}
        text = f"{last:.5g}" if isinstance(last, float) else ", ".join(f"{x:.4g}" for x in last)
        rest = [f"{row[word]:.4g}{unit[word]}" for word in ("fastest", "largest_torque")]
        table.add_row(escape(name), text + unit["end"], *rest)
    out.print(table)
    for event in run.events[:8]:
        out.print(f"t = {event.t:.6g} s: {escape(event.name)}" + ("" if run.count is None else f" (run {event.run})"))
    if len(run.events) > 8:
        out.print(f"... and {len(run.events) - 8} more events")
    for link, size in told["largest_deflection"].items():
        out.print(f"the tip of {escape(link)} is deflected by up to {1e3 * size:.4g} mm")
    out.print(f"energy is balanced to {np.max(run.balance_error):.2g} of what moved")
    out.print(str(run.report), markup=False)
