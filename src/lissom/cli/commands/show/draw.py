"""`lissom draw`: a figure of an arm."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from lissom.cli.arm_options import ArmOptions, PicturedPositions, positions, takes_arm
from lissom.cli.common import PICTURE, PICTURE_HELP, check_figure, save_figure
from lissom.cli.written import default_name
from lissom.errors import UnsupportedError


@takes_arm()
def draw(
    arm: ArmOptions,
    q: PicturedPositions = None,
    output: Annotated[
        Path | None, typer.Option(*PICTURE, metavar="FILE", help=f"{PICTURE_HELP} Default: NAME.png.")
    ] = None,
    show: Annotated[bool, typer.Option("--show", help="Open a window instead of writing a file.")] = False,
    labels: Annotated[bool, typer.Option(help="Write the names of the links into the figure.")] = True,
) -> None:
    """Draw an arm: links, joint axes, centres of mass, frames."""
    import matplotlib

    if not show:
        matplotlib.use("Agg")
    from lissom.views.scene.draw import draw as picture

    check_figure(output)
    loaded = arm.load()
    state = positions(loaded, q, arm.deg, loaded.ready)
    if show:
        import matplotlib.pyplot as plt

        if plt.get_backend().lower() in ("agg", "svg", "pdf", "ps", "cairo", "template"):
            raise UnsupportedError("there is no display for a window; leave out --show to write a file.")
        from lissom.views.figures.notebook_figure import NotebookFigure

        window = plt.figure(figsize=(7.5, 7), layout="constrained", FigureClass=NotebookFigure)
        picture(loaded, state, labels=labels, ax=window.add_subplot(projection="3d"))
        plt.show()
        return
    target = output or default_name(Path(f"{loaded.name.replace('/', '_')}.png"))
    check_figure(target)
    save_figure(picture(loaded, state, labels=labels), target)
