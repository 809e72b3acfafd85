"""`lissom export-c`: an arm's functions as C."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from lissom.cli.common import (
    ArmName,
    AsJson,
    Flexible,
    MergeFixed,
    Mimic,
    failing_kindly,
    load_arm,
    numbers,
    out,
    print_json,
)


def complete_verb(incomplete: str) -> list[str]:
    """Shell completion: what can be exported."""
    from lissom.export.catalogue import CATALOGUE

    return [verb for verb in CATALOGUE if verb.startswith(incomplete)]


def export_c(
    arm: ArmName,
    verbs: Annotated[
        list[str],
        typer.Argument(metavar="VERB...", help="Such as inverse_dynamics, mass_matrix.", autocompletion=complete_verb),
    ],
    into: Annotated[Path, typer.Option(help="Folder to write into; made when it is not there.")] = Path(),
    frame: Annotated[
        str | None, typer.Option(help="Link or tool of pose, jacobian, velocity, acceleration. Default: where it ends.")
    ] = None,
    point: Annotated[str, typer.Option(help="A point on it, e.g. --point 0,0,0.1.")] = "0,0,0",
    load: Annotated[list[str] | None, typer.Option(help="A link whose load is an input; may be repeated.")] = None,
    base: Annotated[bool, typer.Option("--base", help="The motion of the base is an input.")] = False,
    precision: Annotated[str, typer.Option(help="double or float.")] = "double",
    form: Annotated[str | None, typer.Option(help="straight or tape. Default: by the size of the arm.")] = None,
    name: Annotated[str | None, typer.Option(help="Prefix of files and functions. Default: after the arm.")] = None,
    merge_fixed: MergeFixed = False,
    flexible: Flexible = None,
    mimic: Mimic = "follow",
    as_json: AsJson = False,
) -> None:
    """Write dependency-free C99 for one arm: header, source, test program."""
    from lissom.export.export_c import export_c as write

    with failing_kindly():
        loaded = load_arm(arm, merge_fixed=merge_fixed, flexible=flexible, mimic=mimic)
        made = write(
            loaded, verbs, into, frame=frame, point=numbers(point, "--point"), loads=load or (), base=base,
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
