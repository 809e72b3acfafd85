"""`lissom sweep`: a study from a study file."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from lissom.cli.common import (
    AsJson,
    Figure,
    check_figure,
    err,
    failing_kindly,
    out,
    print_error,
    print_json,
    save_figure,
)
from lissom.errors import InputError, shown
from lissom.studies.result import StudyResult
from lissom.studies.statistics import summed_up


def sweep(
    file: Annotated[
        Path, typer.Argument(metavar="STUDY.toml", help="A study file: what is evaluated, what varies, what is kept.")
    ],
    store: Annotated[
        Path | None, typer.Option("--store", "-o", help="The folder that rows go to. Default: the file's.")
    ] = None,
    workers: Annotated[
        int | None, typer.Option("--workers", "-w", help="Processes. Default: one for each core, if it is worth it.")
    ] = None,
    scheduler: Annotated[
        str | None, typer.Option(metavar="ADDRESS", help="A dask.distributed cluster instead, tcp://host:8786.")
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Evaluate the rows that are missing.")] = False,
    retry: Annotated[bool, typer.Option("--retry", help="Like --resume, and rows that failed once more.")] = False,
    csv: Annotated[Path | None, typer.Option(help="Write the table here too (.csv).")] = None,
    figure: Figure = None,
    kind: Annotated[
        str | None,
        typer.Option(help="What to draw: scatter (default), distribution, map, sensitivity or pareto."),
    ] = None,
    allow_code: Annotated[
        bool, typer.Option("--allow-code", help="Run the Python function that the study file names.")
    ] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress bar.")] = False,
    as_json: AsJson = False,
) -> None:
    """Evaluate a study: one question for many values of parameters.

    Rows are written as they come: Ctrl-C, a killed process or a lost cluster keep what is done, and --resume goes on
    with exactly the rows that are missing. Rows that fail are counted and say why; they do not fail the whole.
    """
    from lissom.errors import StudyError
    from lissom.studies.study_file import read_study_file

    with failing_kindly():
        check_figure(figure)
        _check_kind(kind)
        asked = read_study_file(file, allow_code)
        place = asked.store if store is None else store
        bar = not quiet and sys.stderr.isatty()
        try:
            where: dict[str, Any] = {"workers": workers, "scheduler": scheduler}
            result = asked.study.run(place, **where, resume=resume or retry, retry=retry, progress=bar)
            problem = "" if result.complete else result.status
        except StudyError as error:
            result, problem = error.result, str(error)
        err.print(f"rows are in {place}", markup=False)
        if csv is not None:
            result.to_csv(csv)
            err.print(f"wrote {csv}", markup=False)
        print_json(summary(result)) if as_json else out.print(result.describe(), markup=False)
        if figure is not None:
            from lissom.views.plots import plot

            save_figure(plot(result, kind), figure)
        if problem:
            print_error(problem)
            raise typer.Exit(1)


def _check_kind(kind: str | None) -> None:
    """Refuse a figure that there is not, before any work is done for it."""
    if kind is None:
        return
    from lissom.views.studies import KINDS

    if kind not in KINDS:
        raise InputError(f"--kind is {shown(kind)}; expected one of {', '.join(KINDS)}.")


def summary(result: StudyResult) -> dict[str, Any]:
    """For machines."""
    rows = [{"name": n, "unit": result.unit(n)} | summed_up(result[n]) for n in result.outputs]
    return {
        "status": result.status, "rows": result.rows, "done": len(result), "failed": result.failures.tolist(),
        "settings": result.settings, "outputs": rows,
    }  # fmt: skip
