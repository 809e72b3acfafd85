"""`lissom export-c`: an arm's functions as C."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from lissom.cli.arm_options import ArmOptions, takes_arm
from lissom.cli.common import AsJson, check_output_folder, numbers, out, print_json


def complete_verb(incomplete: str) -> list[str]:
    """Shell completion: what can be exported."""
    from lissom.export.export_c import EXPORTED

    return [verb for verb in EXPORTED if verb.startswith(incomplete)]


@takes_arm()
def export_c(
    arm: ArmOptions,
    verbs: Annotated[
        list[str],
        typer.Argument(
            metavar="FUNCTION...",
            help="Functions, such as inverse_dynamics or mass_matrix.",
            autocompletion=complete_verb,
        ),
    ],
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FOLDER", help="Folder to write to; made if it does not exist.")
    ] = Path(),
    frame: Annotated[
        str | None,
        typer.Option(metavar="LINK", help="Link or tool of pose, jacobian, velocity, acceleration. Default: the last."),
    ] = None,
    point: Annotated[str, typer.Option(metavar="X,Y,Z", help="A point in that frame in m, e.g. 0,0,0.1.")] = "0,0,0",
    load: Annotated[
        list[str] | None, typer.Option(metavar="LINK", help="A link whose external load is an input; can be repeated.")
    ] = None,
    base: Annotated[bool, typer.Option("--base", help="The motion of the base is an input.")] = False,
    precision: Annotated[str, typer.Option(metavar="double|float", help="Type of all numbers.")] = "double",
    form: Annotated[
        str | None,
        typer.Option(
            metavar="straight|tape",
            help="straight: straight-line code, fastest; tape: a list of calls, smallest. Default: by size.",
        ),
    ] = None,
    name: Annotated[str | None, typer.Option(help="Prefix of files and functions. Default: the arm's name.")] = None,
    as_json: AsJson = False,
) -> None:
    """Write C99 source code for one arm, without dependencies.

    Header, source and a test program with expected results.
    """
    from lissom.export.export_c import export_c as write

    check_output_folder(output)
    loaded = arm.load()
    made = write(
        loaded, verbs, output, frame=frame, point=numbers(point, "--point"), loads=load or (), base=base,
        precision=precision, form=form, name=name,
    )  # fmt: skip
    if as_json:
        functions = [
            f._asdict() | {way: [x._asdict() for x in getattr(f, way)] for way in ("inputs", "outputs")}
            for f in made.functions
        ]
        files = [str(path) for path in made.files]
        print_json(made._asdict() | {"files": files, "functions": functions, "compile": made.compile})
    else:
        out.print(str(made), markup=False)
