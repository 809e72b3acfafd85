"""`lissom plot`: a saved run, motion or study as a figure."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from lissom.cli.common import PICTURE, PICTURE_HELP, Film, Speed, check_figure, check_film, save_pictures
from lissom.cli.plot_kinds import AnyKind
from lissom.cli.written import default_name


def plot(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="RECORD", help="A saved run (.nc, .csv, .parquet) or motion (.nc), or the folder of a study."
        ),
    ],
    output: Annotated[
        Path | None,
        typer.Option(*PICTURE, metavar="FILE", help=f"{PICTURE_HELP} Default: RECORD.png, or RECORD_KIND.png."),
    ] = None,
    kind: AnyKind = None,
    film: Film = None,
    speed: Speed = 1.0,
) -> None:
    """Plot a saved run, motion or study, or write it as a film."""
    from lissom.motion.result.files.read import load_record
    from lissom.studies.files import load_study
    from lissom.studies.store.about import ABOUT

    check_film(film, speed)
    if output is None and film is None:
        output = default_name(file.with_name(f"{file.stem}{f'_{kind}' if kind else ''}.png"))
    check_figure(output)
    record = load_study(file) if (file / ABOUT).is_file() else load_record(file)
    save_pictures(record, output, kind, film, speed=speed)
