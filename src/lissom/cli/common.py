"""What the verbs share: options, files that are written, tables and JSON; `arm_options` has those of an arm.

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
from rich.console import Console, ConsoleDimensions
from rich.markup import escape
from rich.table import Table
from rich.text import Text

import lissom
from lissom.cli.remedies import in_terminal
from lissom.cli.written import message_of, note_existing, written
from lissom.errors import CONTROL, InputError, LissomError, ModelError, printable
from lissom.formats.files import check_writable, write_whole

if TYPE_CHECKING:
    from lissom.listing import Listing

AUTHORS = {".png": "Software", ".svg": "Creator", ".pdf": "Creator"}  # where figures name the program that wrote them
SHORT = 1.0  # s, of a film in which little is seen
WIDEST = 10_000  # columns of a table that is not shown in a terminal


class Terminal(Console):
    """The one way to the terminal: control characters in any text are written out, whoever wrote it."""

    def render_str(self, text: str, **options: Any) -> Text:
        """Text with its styles."""
        return super().render_str(printable(text), **options)

    @property  # type: ignore[misc]  # nobody sets it here
    def size(self) -> ConsoleDimensions:
        """Width and height; a file or a pipe is as wide as its widest table, or as COLUMNS says."""
        size = super().size
        return size if self.is_terminal or "COLUMNS" in os.environ else ConsoleDimensions(WIDEST, size.height)


out = Terminal(highlight=False, soft_wrap=True)
err = Terminal(stderr=True, highlight=False, soft_wrap=True)


Figure = Annotated[Path | None, typer.Option(metavar="FILE", help="Write a figure to this file (.png, .svg, .pdf).")]
PICTURE = ("--output", "-o", "--figure")  # of commands whose result is a figure
PICTURE_HELP = "Write the figure to this file (.png, .svg, .pdf)."
Film = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Write a film to this file (.gif, .html; .mp4 needs ffmpeg).")
]
Speed = Annotated[float, typer.Option(help="Speed of the film: 1 is real time, 0.2 five times slower.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON instead of tables.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Show no progress.")]
Overwrite = Annotated[bool, typer.Option("--overwrite", help="Replace what exists already.")]
Scheduler = Annotated[
    str | None,
    typer.Option(metavar="ADDRESS", help="Compute on this dask.distributed cluster, e.g. tcp://host:8786."),
]


@contextmanager
def failing_kindly(*, of_file: bool = False) -> Iterator[None]:
    """Print lissom's errors as one sentence and exit with 1, or as `Unfinished` says; `of_file` as in `in_terminal`."""
    try:
        yield
    except LissomError as error:
        print_error(in_terminal(str(error), of_file=of_file))
        raise typer.Exit(getattr(error, "exit_code", 1)) from None


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
    err.print(f"[bold yellow]warning:[/] {escape(in_terminal(message))}")


def wrote(path: Path, note: str = "") -> None:
    """Name a file that is complete now, with a note on what is in it."""
    written.append(str(path))
    err.print(f"{message_of(path)}{note and f': {note}'}", markup=False)


def check_output(path: Path | None, endings: Sequence[str], what: str) -> None:
    """Refuse a file that could not be written: a folder, a wrong ending, or in a folder that does not exist."""
    if path is None:
        return
    if os.path.isdir(path):
        raise InputError(f"{path}: it is a folder; name a file that ends in {' or '.join(endings)}.")
    if path.suffix.lower() not in endings:
        raise InputError(f"{path}: {what} is written as {' or '.join(endings)}; choose such a name.")
    check_writable(path)
    note_existing(path)


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
    check_writable(path)
    note_existing(path)


def check_kind(kind: str | None, kinds: Sequence[str]) -> None:
    """Refuse a kind of figure that does not exist."""
    if kind is not None and kind not in kinds:
        raise InputError(f"--kind is {kind!r}; expected one of {', '.join(kinds)}.")


def save_figure(figure: Any, path: Path, note: str = "") -> None:
    """Write a figure, or say why not; the note is on what it shows."""
    author = AUTHORS.get(path.suffix.lower())
    metadata = None if author is None else {author: f"lissom {lissom.__version__}"}
    try:
        write_whole(path, lambda place: figure.savefig(place, dpi=150, metadata=metadata))
    except ModelError:
        raise
    except ValueError as error:
        raise ModelError(f"the figure cannot be written ({error}).", file=str(path)) from None
    wrote(path, note)


def check_film(path: Path | None, speed: float = 1.0) -> None:
    """Refuse a moving picture that could not be written, before any work is done for it."""
    if path is None:
        return
    if not 0 < speed < math.inf:
        raise InputError(f"--speed is {speed:g}; expected a number above 0.")
    from lissom.views.films.film import refuse_unwritable

    refuse_unwritable(path)
    check_writable(path)
    note_existing(path)


def save_pictures(
    result: Any, figure: Path | None, kind: str | None = None, film: Path | None = None, note: str = "", **options: Any
) -> None:
    """Write the requested figure and film of a result, with a note on it; options are those of the film."""
    if figure is not None:
        from lissom.views.plots.plot import plot

        save_figure(plot(result, kind), figure, note)
    if film is not None:
        from lissom.views.films.animate import animate

        made = animate(result, film, **options)
        wrote(film, note)
        lasts = len(made) / made.fps
        if options.get("speed") == 1.0 and lasts < SHORT:
            err.print(f"The film lasts {lasts:.2g} s; --speed 0.1 shows the motion ten times slower.", markup=False)


def numbers(text: str, what: str) -> list[float]:
    """Numbers separated by commas or spaces."""
    parts = [part for part in re.split(r"[,\s]+", text.strip("[]() \t\n")) if part]
    values = []
    for part in parts:
        try:
            values.append(float(part))
        except ValueError:
            raise InputError(f"{what} is {text!r}; expected numbers separated by commas, not {part!r}.") from None
    return values


def print_listing(listing: Listing) -> None:
    """A table; numbers stand to the right."""
    table = Table(title=escape(listing.title), title_justify="left", title_style="bold")
    for k, head in enumerate(listing.heads):
        table.add_column(escape(head), justify="right" if listing.numeric(k) else "left", overflow="fold")
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
