"""The `lissom` command: its verbs, in the groups and the order in which the help lists them."""

from __future__ import annotations

from typing import Annotated

import typer

import lissom
from lissom.cli.group import Verbs

app = typer.Typer(
    name="lissom",
    cls=Verbs,
    help="Dynamics of manipulator arms, rigid and flexible.",
    epilog="lissom help COMMAND shows the options of one command. Try: lissom info puma560. "
    "Exit codes: 0 done, 1 refused or failed, 2 wrong usage, 130 interrupted (Ctrl-C).",
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
)


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
