"""What the verbs share: options, loading an arm, files that are written, tables and JSON.

Options are in this file for all verbs: the same thing has the same name everywhere. NumPy and all that needs it are
loaded when a verb works, not when the shell completes its options.
"""

from __future__ import annotations

import json
import math
import os
import re
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from lissom.cli.written import written
from lissom.errors import CONTROL, InputError, LissomError, ModelError, printable
from lissom.formats.shipped import shipped

if TYPE_CHECKING:
    from lissom.listing import Listing
    from lissom.model.arm import Arm
    from lissom.model.loads import Payload
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
    typer.Argument(
        metavar="ARM", help="A file (.urdf, .toml, .xml), or the name of a shipped arm.", autocompletion=complete_arm
    ),
]
Figure = Annotated[Path | None, typer.Option(metavar="FILE", help="Write a figure to this file (.png, .svg, .pdf).")]
Film = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Write a film to this file (.gif, .html; .mp4 needs ffmpeg).")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON instead of tables.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Show no progress.")]
Overwrite = Annotated[bool, typer.Option("--overwrite", help="Replace what exists already.")]
Scheduler = Annotated[
    str | None,
    typer.Option(metavar="ADDRESS", help="Compute on this dask.distributed cluster, e.g. tcp://host:8786."),
]
MergeFixed = Annotated[bool, typer.Option("--merge-fixed", help="Make links on fixed joints part of their parents.")]
KinematicsOnly = Annotated[bool, typer.Option("--kinematics-only", help="Accept links without mass.")]
Repair = Annotated[bool, typer.Option("--repair", help="Replace unphysical inertias of a URDF by close physical ones.")]
AsWritten = Annotated[bool, typer.Option("--as-written", help="Use unphysical inertias as they are, like other tools.")]
Flexible = Annotated[
    Path | None, typer.Option(metavar="SIDE.toml", help="A side file that makes links of the arm flexible.")
]
Carried = Annotated[
    str | None,
    typer.Option(
        "--payload",
        metavar="MASS[,X,Y,Z]",
        help="Payload of the last link: mass in kg, and its centre of mass in the link's frame in m (default 0,0,0).",
    ),
]
Mimic = Annotated[
    str, typer.Option(metavar="follow|free", help="Joints that mimic another one follow it, or move freely.")
]
Positions = Annotated[
    str | None,
    typer.Option(
        metavar="NUMBERS", help="Joint positions in rad or m, e.g. --q 0,0.5,-1. Default: zero, within the limits."
    ),
]
Degrees = Annotated[bool, typer.Option("--deg", help="Angles of --q are in degrees.")]


@contextmanager
def failing_kindly() -> Iterator[None]:
    """Print lissom's errors as one sentence and exit with 1."""
    try:
        yield
    except LissomError as error:
        print_error(str(error))
        raise typer.Exit(1) from None


@contextmanager
def plain_warnings() -> Iterator[None]:
    """Print Python's warnings as sentences, without the line of code that they come from."""
    before = warnings.showwarning
    warnings.showwarning = lambda message, *_more, **_options: print_warning(str(message))
    try:
        yield
    finally:
        warnings.showwarning = before


def print_error(message: str) -> None:
    """Print a message to standard error, after "error:"."""
    err.print(f"[bold red]error:[/] {escape(message)}")


def print_warning(message: str) -> None:
    """Print a message to standard error, after "warning:"."""
    err.print(f"[bold yellow]warning:[/] {escape(message)}")


def wrote(path: Path) -> None:
    """Name a file that is complete now."""
    written.append(str(path))
    err.print(f"wrote {path}", markup=False)


def load_arm(
    name: str,
    *,
    merge_fixed: bool = False,
    kinematics_only: bool = False,
    repair: bool = False,
    flexible: Path | None = None,
    as_written: bool = False,
    mimic: str = "follow",
    payload: str | None = None,
) -> Arm:
    """`lissom.load` with the options of the command line."""
    from lissom.formats.files import AS_WRITTEN
    from lissom.formats.load import load

    if repair and as_written:
        raise InputError("--repair and --as-written exclude each other; give one.")
    given = None if payload is None else parse_payload(payload)
    fixed = "merge" if merge_fixed else "keep"
    how = AS_WRITTEN if as_written else repair
    arm = load(name, fixed=fixed, kinematics_only=kinematics_only, repair=how, flexible=flexible, mimic=mimic)
    return arm if given is None else arm.with_payload(given)


def parse_payload(text: str) -> Payload:
    """The payload that --payload describes."""
    from lissom.model.loads import Payload

    values = numbers(text, "--payload")
    if len(values) not in (1, 4):
        raise InputError(f"--payload is {text!r}; expected a mass, or a mass and three coordinates: 2.5,0,0,0.1.")
    return Payload(values[0], tuple(values[1:]) or (0.0, 0.0, 0.0))


def check_folder(path: Path) -> None:
    """Refuse a file whose folder does not exist, before any work is done for it."""
    if not os.path.isdir(path.absolute().parent):
        raise InputError(f"{path}: there is no folder {path.parent}; make it first.")


def check_output(path: Path | None, endings: Sequence[str], what: str) -> None:
    """Refuse a file that could not be written: a folder, a wrong ending, or in a folder that does not exist."""
    if path is None:
        return
    if os.path.isdir(path):
        raise InputError(f"{path}: it is a folder; name a file that ends in {' or '.join(endings)}.")
    if path.suffix.lower() not in endings:
        raise InputError(f"{path}: {what} is written as {' or '.join(endings)}; choose such a name.")
    check_folder(path)


def check_output_folder(path: Path) -> None:
    """Refuse a folder to write into that is a file, or that cannot be made where it is."""
    if os.path.exists(path) and not os.path.isdir(path):
        raise InputError(f"{path}: it is a file; name a folder with --output.")
    top = next(place for place in (path.absolute(), *path.absolute().parents) if os.path.exists(place))
    if not os.access(top, os.W_OK):
        raise InputError(f"{path}: nothing can be written in {top}; name another folder with --output.")


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
    check_folder(path)


def check_kind(kind: str | None, kinds: Sequence[str]) -> None:
    """Refuse a kind of figure that does not exist."""
    if kind is not None and kind not in kinds:
        raise InputError(f"--kind is {kind!r}; expected one of {', '.join(kinds)}.")


def save_figure(figure: Any, path: Path) -> None:
    """Write a figure, or say why not."""
    from lissom.formats.files import write_whole

    try:
        write_whole(path, lambda place: figure.savefig(place, dpi=150))
    except ModelError:
        raise
    except ValueError as error:
        raise ModelError(f"the figure cannot be written ({error}).", file=str(path)) from None
    wrote(path)


def check_film(path: Path | None) -> None:
    """Refuse a moving picture that could not be written."""
    if path is None:
        return
    from lissom.views.film import refuse_unwritable

    refuse_unwritable(path)
    check_folder(path)


def save_film(result: Any, path: Path, **options: Any) -> None:
    """Write a moving picture."""
    from lissom.views.animate import animate

    animate(result, path, **options)
    wrote(path)


def numbers(text: str, what: str) -> list[float]:
    """Numbers separated by commas or spaces."""
    parts = [part for part in re.split(r"[,\s]+", text.strip("[]() \t\n")) if part]
    try:
        return [float(part) for part in parts]
    except ValueError as error:
        raise InputError(f"{what} is {text!r}; expected numbers separated by commas ({error}).") from None


def positions(arm: Arm, q: str | None, deg: bool) -> Array:
    """The state that --q and --deg describe, loops closed; degrees are of the revolute joints only."""
    return _closed(arm, _requested(arm, q, deg))


def _closed(arm: Arm, state: Array) -> Array:
    """Typed numbers have few digits: the nearest position that closes all loops, printed where it is another."""
    if not arm.loops:
        return state
    import numpy as np

    from lissom.verbs.assembly import assemble

    found = assemble(arm, state).q
    if np.abs(found - arm.expanded(state)).max() > SAME:
        err.print(
            f"closed loops: the nearest position that closes them is --q {','.join(f'{x:.9g}' for x in found)}",
            markup=False,
        )
    return found


def _requested(arm: Arm, q: str | None, deg: bool) -> Array:
    import numpy as np

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
    if hasattr(value, "tolist"):  # arrays and numbers of NumPy
        return _jsonable(value.tolist())
    if isinstance(value, dict):
        return {key: _jsonable(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_jsonable(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
