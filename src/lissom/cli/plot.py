"""`lissom plot`: a saved run, motion or study as a figure."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from lissom.cli.common import Figure, Film, check_figure, check_film, failing_kindly
from lissom.cli.simulate import draw

Kind = Annotated[
    str | None,
    typer.Option(
        help="What to draw: motion (default); of a run tip, energy or phase; of a predicted motion joints, torques, "
        "sticks, convergence, deflection or ringing; of a study scatter, distribution, map, sensitivity or pareto."
    ),
]


def plot(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="RUN", help="A saved run (.nc, .csv, .parquet), motion (.nc), or the folder of a study."
        ),
    ],
    figure: Figure = None,
    kind: Kind = None,
    film: Film = None,
) -> None:
    """Draw a saved run, predicted motion or study, into RUN.png (RUN_KIND.png) unless said; or as a moving picture."""
    from lissom.motion.files import load_record
    from lissom.studies.files import load_study
    from lissom.studies.store import ABOUT

    with failing_kindly():
        check_figure(figure)
        check_film(film)
        if figure is None and film is None:
            figure = file.with_name(f"{file.stem}{f'_{kind}' if kind else ''}.png")
        if (file / ABOUT).is_file():
            draw(load_study(file), figure, kind, film)
        else:
            draw(load_record(file), figure, kind, film)
