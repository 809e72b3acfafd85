"""The `lissom` command."""

from __future__ import annotations

from typing import Annotated

import typer

import lissom
from lissom.cli.check import check
from lissom.cli.convert import convert
from lissom.cli.count import count
from lissom.cli.doctor import doctor
from lissom.cli.draw import draw
from lissom.cli.export_c import export_c
from lissom.cli.info import info
from lissom.cli.linearise import linearise
from lissom.cli.modes import modes
from lissom.cli.plot import plot
from lissom.cli.predict import predict
from lissom.cli.report import report
from lissom.cli.reproduce import reproduce
from lissom.cli.robots import robots
from lissom.cli.simulate import simulate
from lissom.cli.sweep import sweep
from lissom.cli.torques import torques
from lissom.cli.view import view

app = typer.Typer(
    name="lissom",
    help="Dynamics of manipulator arms, rigid and flexible.",
    epilog="Exit codes: 0 done, 1 refused or failed, 2 wrong usage. Try: lissom info puma560",
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
)
VERBS = (
    info, check, convert, draw, view, robots, simulate, predict, sweep, plot, torques, linearise, modes, count,
    export_c, report, reproduce, doctor,
)  # fmt: skip
for verb in VERBS:
    app.command()(verb)


def _version(asked: bool) -> None:
    if asked:
        typer.echo(f"lissom {lissom.__version__}")
        raise typer.Exit


@app.callback()
def main(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Dynamics of manipulator arms, rigid and flexible."""
