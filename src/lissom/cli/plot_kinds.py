"""Kinds of figures that --kind selects: names only, so that help is printed without loading what draws them."""

from __future__ import annotations

from typing import Annotated

import typer

RUN = ("motion", "tip", "energy", "phase", "estimate")
MOTION = ("motion", "joints", "torques", "poses", "convergence", "deflection", "residual", "path", "information")
PLANT = ("response", "poles")
GAIT = ("curves", "stride")
STUDY = ("scatter", "distribution", "map", "sensitivity", "pareto")


def listed(kinds: tuple[str, ...], last: str = " or ") -> str:
    """Return the kinds for a sentence; the first is the default."""
    first, *middle, end = kinds
    return ", ".join([f"{first} (default)", *middle]) + last + end


RunKind = Annotated[str | None, typer.Option(metavar="KIND", help=f"What to plot: {listed(RUN)}.")]
MotionKind = Annotated[str | None, typer.Option(metavar="KIND", help=f"What to plot: {listed(MOTION)}.")]
PlantKind = Annotated[str | None, typer.Option(metavar="KIND", help=f"What to plot: {listed(PLANT)}.")]
GaitKind = Annotated[str | None, typer.Option(metavar="KIND", help=f"What to plot: {listed(GAIT)}.")]
StudyKind = Annotated[str | None, typer.Option(metavar="KIND", help=f"What to plot: {listed(STUDY)}.")]
AnyKind = Annotated[
    str | None,
    typer.Option(
        metavar="KIND",
        help=f"What to plot. A run: {listed(RUN, ', ')}. A motion: {listed(MOTION, ', ')}. A study: "
        f"{listed(STUDY, ', ')}.",
    ),
]
