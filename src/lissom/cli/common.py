"""What the verbs share: loading with readable failures, numbers from text, JSON."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from lissom.errors import CONTROL, InputError, LissomError, ModelError, printable
from lissom.formats.files import AS_WRITTEN
from lissom.formats.load import load, shipped
from lissom.listing import Listing
from lissom.model.arm import Arm
from lissom.spatial.rotations import Array

SAME = 1e-9  # rad or m


class Terminal(Console):
    """The one way to the terminal: control characters in any text are written out, whoever wrote it."""

    def render_str(self, text: str, **options: Any) -> Text:
        """Text with its styles."""
        return super().render_str(printable(text), **options)


out = Terminal(highlight=False, soft_wrap=True)
err = Terminal(stderr=True, highlight=False, soft_wrap=True)


def complete_arm(incomplete: str) -> list[str]:
    """Shell completion: shipped arms (files are completed by the shell)."""
    return [name for name in shipped() if name.startswith(incomplete)]


ArmName = Annotated[
    str,
    typer.Argument(metavar="ARM", help="A .toml, .urdf or .xml file, or a shipped arm.", autocompletion=complete_arm),
]
Figure = Annotated[Path | None, typer.Option(help="Draw into this file (png, svg, pdf).")]
Film = Annotated[Path | None, typer.Option(help="Write a moving picture (gif, html, mp4 with ffmpeg).")]
AsJson = Annotated[bool, typer.Option("--json", help="Machine-readable output.")]
MergeFixed = Annotated[bool, typer.Option("--merge-fixed", help="Make links on fixed joints part of their parents.")]
KinematicsOnly = Annotated[bool, typer.Option("--kinematics-only", help="Accept links without mass.")]
Repair = Annotated[bool, typer.Option("--repair", help="Repair unphysical inertias of a URDF instead of refusing it.")]
AsWritten = Annotated[bool, typer.Option("--as-written", help="Take unphysical inertias literally, as other tools do.")]
Flexible = Annotated[
    Path | None, typer.Option(metavar="SIDE.toml", help="A side file that makes links of the arm flexible.")
]

Mimic = Annotated[
    str, typer.Option(metavar="follow|free", help="Joints that mimic another one: they follow it, or move freely.")
]

Positions = Annotated[
    str | None, typer.Option(help="Joint positions, e.g. --q 0,0.5,-1. Default: zero, within the limits.")
]
Degrees = Annotated[bool, typer.Option("--deg", help="Angles of --q are in degrees.")]


@contextmanager
def failing_kindly() -> Iterator[None]:
    """Print lissom's errors as one sentence and exit with 1; after Ctrl-C with 130, as shells expect."""
    try:
        yield
    except LissomError as error:
        print_error(str(error))
        raise typer.Exit(1) from None
    except KeyboardInterrupt as interrupt:
        print_error(str(interrupt) or "interrupted; nothing more is shown or written.")
        raise typer.Exit(130) from None


def print_error(message: str) -> None:
    """What went wrong, after the word that says so."""
    err.print(f"[bold red]error:[/] {escape(message)}")


def load_arm(
    name: str,
    merge_fixed: bool = False,
    kinematics_only: bool = False,
    repair: bool = False,
    flexible: Path | None = None,
    as_written: bool = False,
    mimic: str = "follow",
) -> Arm:
    """`lissom.load` with the options of the command line."""
    if repair and as_written:
        raise InputError("--repair and --as-written exclude each other; give one.")
    fixed = "merge" if merge_fixed else "keep"
    how = AS_WRITTEN if as_written else repair
    return load(name, fixed=fixed, kinematics_only=kinematics_only, repair=how, flexible=flexible, mimic=mimic)


def check_figure(path: Path | None) -> None:
    """Refuse a figure that could not be written, before any work is done for it."""
    if path is None:
        return
    from matplotlib.backend_bases import FigureCanvasBase

    if os.path.isdir(path):
        raise InputError(f"{path}: it is a folder; name a file, for example figure.png.")
    kinds = FigureCanvasBase.get_supported_filetypes()
    if path.suffix.lstrip(".").lower() not in kinds:
        raise InputError(
            f"{path}: a figure cannot be written as {path.suffix or 'a file without ending'}; use .png, .svg or .pdf."
        )
    if not os.path.isdir(path.absolute().parent):
        raise InputError(f"{path}: there is no folder {path.parent}; make it first.")


def save_figure(figure: Any, path: Path) -> None:
    """Write a figure, or say why not."""
    from lissom.formats.files import write_whole

    try:
        write_whole(path, lambda place: figure.savefig(place, dpi=150))
    except ModelError:
        raise
    except ValueError as error:
        raise ModelError(f"the figure cannot be written ({error}).", file=str(path)) from None
    err.print(f"wrote {path}", markup=False)


def check_film(path: Path | None) -> None:
    """Refuse a moving picture that could not be written."""
    if path is None:
        return
    from lissom.views.film import refuse_unwritable

    refuse_unwritable(path)
    if not os.path.isdir(path.absolute().parent):
        raise InputError(f"{path}: there is no folder {path.parent}; make it first.")


def save_film(result: Any, path: Path, **options: Any) -> None:
    """Write a moving picture."""
    from lissom.views.animate import animate

    animate(result, path, **options)
    err.print(f"wrote {path}", markup=False)


def numbers(text: str, what: str) -> list[float]:
    """Numbers separated by commas or spaces."""
    parts = [part for part in re.split(r"[,\s]+", text.strip("[]() \t\n")) if part]
    try:
        return [float(part) for part in parts]
    except ValueError as error:
        raise InputError(f"{what} is {text!r}; expected numbers separated by commas ({error}).") from None


def positions(arm: Arm, q: str | None, deg: bool) -> Array:
    """The state that --q and --deg ask for, loops closed; degrees are of the revolute joints only."""
    return _closed(arm, _asked(arm, q, deg))


def _closed(arm: Arm, state: Array) -> Array:
    """Typed numbers have few digits: the nearest position that closes all loops, said where it is another."""
    if not arm.loops:
        return state
    from lissom.verbs.assembly import assemble

    found = assemble(arm, state).q
    if np.abs(found - arm.expanded(state)).max() > SAME:
        err.print(f"loops closed nearby, at --q {','.join(f'{x:.9g}' for x in found)}", markup=False)
    return found


def _asked(arm: Arm, q: str | None, deg: bool) -> Array:
    if q is None:
        return arm.home
    state = np.array(numbers(q, "--q"))
    if not deg or state.shape[-1] not in (len(arm.joints), arm.dof):
        return state  # the verb explains a wrong length
    turning = np.zeros(arm.dof, bool)
    turning[arm.joint_index] = [joint.kind == "revolute" for joint in arm.joints]
    if state.shape[-1] != arm.dof:
        turning = turning[arm.joint_index]
    return np.where(turning, np.radians(state), state)


def print_listing(listing: Listing) -> None:
    """A table; numbers stand to the right."""
    table = Table(title=escape(listing.title), title_justify="left", title_style="bold")
    for k, head in enumerate(listing.heads):
        table.add_column(escape(head), justify="right" if listing.numeric(k) else "left")
    for row in listing.rows:
        table.add_row(*map(escape, row))
    out.print(table)


def print_json(value: Any) -> None:
    """JSON with arrays as lists and infinities as null."""
    text = json.dumps(_jsonable(value), indent=2, ensure_ascii=False)
    typer.echo(CONTROL.sub(lambda found: f"\\u{ord(found[0]):04x}", text))


def _jsonable(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return _jsonable(value.tolist())
    if isinstance(value, np.generic):
        return _jsonable(value.item())
    if isinstance(value, dict):
        return {key: _jsonable(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_jsonable(item) for item in value]
    if isinstance(value, float) and not np.isfinite(value):
        return None
    return value
