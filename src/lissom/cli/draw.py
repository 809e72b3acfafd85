"""`lissom draw`: a figure of an arm."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from lissom.cli.common import (
    ArmName,
    AsWritten,
    Degrees,
    Flexible,
    KinematicsOnly,
    MergeFixed,
    Mimic,
    Positions,
    Repair,
    check_figure,
    load_arm,
    positions,
    save_figure,
)
from lissom.errors import UnsupportedError


def draw(
    arm: ArmName,
    q: Positions = None,
    deg: Degrees = False,
    figure: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write the figure to this file (.png, .svg, .pdf). Default: NAME.png."),
    ] = None,
    show: Annotated[bool, typer.Option("--show", help="Open a window instead of writing a file.")] = False,
    labels: Annotated[bool, typer.Option(help="Write the names of the links into the figure.")] = True,
    merge_fixed: MergeFixed = False,
    kinematics_only: KinematicsOnly = False,
    repair: Repair = False,
    as_written: AsWritten = False,
    flexible: Flexible = None,
    mimic: Mimic = "follow",
) -> None:
    """Draw an arm: links, joint axes, centres of mass, frames."""
    import matplotlib

    if not show:
        matplotlib.use("Agg")
    from lissom.views.draw import draw as picture

    check_figure(figure)
    loaded = load_arm(
        arm, merge_fixed=merge_fixed, kinematics_only=kinematics_only, repair=repair, flexible=flexible,
        as_written=as_written, mimic=mimic,
    )  # fmt: skip
    state = positions(loaded, q, deg)
    if show:
        import matplotlib.pyplot as plt

        if plt.get_backend().lower() in ("agg", "svg", "pdf", "ps", "cairo", "template"):
            raise UnsupportedError("there is no display for a window; leave out --show to write a file.")
        picture(loaded, state, labels=labels, ax=plt.figure(figsize=(7.5, 7)).add_subplot(projection="3d"))
        plt.show()
        return
    made = picture(loaded, state, labels=labels)
    target = figure or Path(f"{loaded.name.replace('/', '_')}.png")
    save_figure(made, target)
