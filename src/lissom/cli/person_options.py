"""Options of commands that are about a person."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Height = Annotated[float, typer.Option(metavar="M", help="Body height.")]
Mass = Annotated[float, typer.Option(metavar="KG", help="Body mass.")]
Sex = Annotated[str, typer.Option(metavar="SEX", help="male or female.")]
Joints = Annotated[
    int,
    typer.Option(metavar="N", help="Coordinates: 13 in the sagittal plane; 31 or 55 in space, which takes longer."),
]
FilmSpeed = Annotated[float, typer.Option(help="Speed of the film: 1 is real time, 0.2 five times slower.")]
Output = Annotated[Path | None, typer.Option("--output", "-o", metavar="FILE", help="Write the motion (.nc).")]
Seconds = Annotated[float | None, typer.Option(metavar="S", help="End the search after this time.")]
Verify = Annotated[bool, typer.Option("--verify", help="Replay the torques of the motion in a simulation.")]
