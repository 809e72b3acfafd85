"""`lissom plot`: a saved run as a figure."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from lissom.cli.common import check_figure, check_film, failing_kindly
from lissom.cli.simulate import Figure, Film, Kind, draw


def plot(
    file: Annotated[Path, typer.Argument(metavar="RUN", help="A saved run (.nc, .csv, .parquet).")],
    figure: Figure = None,
    kind: Kind = None,
    film: Film = None,
) -> None:
    """Draw a saved run: its motion, tip, energy audit or phase portraits; or as a moving picture."""
    from lissom.simulation.files import load_run

    with failing_kindly():
        check_figure(figure)
        check_film(film)
        if figure is None and film is None:
            figure = file.with_suffix(".png")
        draw(load_run(file), figure, kind, film)
