"""`lissom sweep`: a study from a study file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lissom.cli.common import (
    AsJson,
    Figure,
    Quiet,
    Scheduler,
    check_figure,
    check_kind,
    check_output,
    check_output_folder,
    err,
    out,
    print_json,
    save_pictures,
    wrote,
)
from lissom.cli.plot_kinds import STUDY, StudyKind
from lissom.errors import InputError, Unfinished

if TYPE_CHECKING:
    from lissom.studies.result import StudyResult


def sweep(
    file: Annotated[
        Path, typer.Argument(metavar="STUDY.toml", help="A study file: what is computed, what varies, what is stored.")
    ],
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FOLDER",
            help="Folder for the rows. Default: store of the study file, or its name without .toml.",
        ),
    ] = None,
    workers: Annotated[
        int | None,
        typer.Option(
            "--workers",
            "-w",
            metavar="N",
            help="Number of processes. Default: one per core, for studies that are long enough.",
        ),
    ] = None,
    scheduler: Scheduler = None,
    resume: Annotated[bool, typer.Option("--resume", help="Continue: evaluate the rows that are missing.")] = False,
    retry: Annotated[bool, typer.Option("--retry", help="Like --resume, and evaluate failed rows again.")] = False,
    overwrite: Annotated[
        bool,
        typer.Option("--overwrite", help="Evaluate all rows; the first of them replace the rows that the folder has."),
    ] = False,
    csv: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Also write all rows as one table to this file (.csv).")
    ] = None,
    figure: Figure = None,
    kind: StudyKind = None,
    allow_code: Annotated[
        bool, typer.Option("--allow-code", help="Allow the Python function that the study file names to run.")
    ] = False,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Evaluate a study file: one computation for many values of its parameters.

    Rows are written as they are finished: after Ctrl-C, a crash or a lost cluster, --resume evaluates exactly the rows
    that are missing. A failing row is recorded with its error; the sweep continues.
    """
    from lissom.errors import StudyError
    from lissom.studies.study_file import read_study_file
    from lissom.views.plots.needs import check_study_needs

    check_figure(figure)
    check_kind(kind, STUDY)
    check_output(csv, (".csv",), "the table")
    if overwrite and (resume or retry):
        raise InputError("--overwrite and --resume (or --retry) exclude each other; give one.")
    asked = read_study_file(file, allow_code)
    place = asked.store if output is None else output
    check_output_folder(place)
    if figure is not None:
        check_study_needs(kind, asked.study)
    try:
        where: dict[str, Any] = {"workers": workers, "scheduler": scheduler}
        result = asked.study.run(
            place, **where, resume=resume or retry, retry=retry, overwrite=overwrite, progress=not quiet
        )
        problem = "" if result.complete else result.status
    except StudyError as error:
        result, problem = error.result, str(error)
    if len(result):
        err.print(f"the rows are in {place}", markup=False)
    if csv is not None:
        result.to_csv(csv)
        wrote(csv)
    print_json(summary(result)) if as_json else out.print(result.describe(), markup=False)
    save_pictures(result, figure, kind)
    if problem:
        raise Unfinished(problem, result.interrupted)


def summary(result: StudyResult) -> dict[str, Any]:
    """The result as plain data, for --json."""
    from lissom.studies.statistics import summed_up

    rows = [{"name": n, "unit": result.unit(n)} | summed_up(result[n]) for n in result.outputs]
    return {
        "outcome": result.outcome, "status": result.status, "rows": result.rows, "done": len(result),
        "failed": result.failures.tolist(), "settings": result.settings, "outputs": rows,
    }  # fmt: skip
