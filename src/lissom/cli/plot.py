"""`lissom plot`: a saved run or motion as a figure."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from lissom.cli.common import Figure, Film, check_figure, check_film, failing_kindly
from lissom.cli.simulate import draw
from lissom.errors import ModelError

Kind = Annotated[
    str | None,
    typer.Option(
        help="What to draw: motion (default); of a run tip, energy or phase; of a predicted motion joints, torques, "
        "sticks or convergence."
    ),
]


def plot(
    file: Annotated[Path, typer.Argument(metavar="RUN", help="A saved run (.nc, .csv, .parquet) or motion (.nc).")],
    figure: Figure = None,
    kind: Kind = None,
    film: Film = None,
) -> None:
    """Draw a saved run or predicted motion; or as a moving picture."""
    with failing_kindly():
        check_figure(figure)
        check_film(film)
        if figure is None and film is None:
            figure = file.with_suffix(".png")
        draw(load_record(file), figure, kind, film)


def load_record(path: Path) -> Any:
    """A run or a motion, by what the file says it is."""
    from lissom.motion.files import FORMAT, read
    from lissom.simulation.files import load_run

    if path.suffix.lower() == ".nc" and path.is_file():
        import xarray

        try:
            with xarray.open_dataset(path, engine="h5netcdf") as data:
                source = data.attrs.get("source")
        except Exception as error:  # the libraries below raise all kinds of things on damaged files
            raise ModelError(f"it cannot be read ({type(error).__name__}: {error}).", file=str(path)) from None
        if source == FORMAT:
            return read(path)
    return load_run(path)
