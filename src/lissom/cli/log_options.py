"""Options that say what the columns of logs are, for commands that read logs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lissom.cli.common import numbers
from lissom.errors import InputError

if TYPE_CHECKING:
    from lissom.identification.logs.log import Log
    from lissom.model.arm import Arm

PANEL = "Options for the logs"
Columns = Annotated[
    list[str] | None,
    typer.Option(
        "--column",
        metavar="WORD=NAMES",
        rich_help_panel=PANEL,
        help="Columns of t, q, qd, tau, current or second, one name per joint: q=a1,a2,a3, or with braces for the "
        "joint's number: q=pos_{}; by number from 0 where they have no names: q=1,2,3. Can be repeated.",
    ),
]
Scales = Annotated[
    list[str] | None,
    typer.Option(
        "--scale",
        metavar="WORD=NUMBERS",
        rich_help_panel=PANEL,
        help="Factors of these columns, or a unit: q=deg, t=ms, tau=100,100,50. Can be repeated.",
    ),
]
Shifts = Annotated[
    list[str] | None,
    typer.Option(
        "--shift",
        metavar="WORD=NUMBERS",
        rich_help_panel=PANEL,
        help="Added to these columns after scaling, such as zeros of encoders: q=0,1.5708,0. Can be repeated.",
    ),
]
Rate = Annotated[
    float | None,
    typer.Option("--rate", metavar="HZ", rich_help_panel=PANEL, help="Samples per second, of logs without times."),
]

Between = Annotated[
    str | None,
    typer.Option(
        "--between", metavar="START,END", rich_help_panel=PANEL, help="The part of the logs that is taken, in s."
    ),
]


def log_arguments(
    columns: list[str] | None,
    scales: list[str] | None,
    shifts: list[str] | None,
    rate: float | None,
    between: str | None,
) -> dict[str, Any]:
    """Arguments of `load_log` that these options give."""
    return {
        "columns": {word: _names(text) for word, text in _pairs(columns, "--column")},
        "scale": {word: _factors(text) for word, text in _pairs(scales, "--scale")},
        "shift": {word: _number_or_several(text, "--shift") for word, text in _pairs(shifts, "--shift")},
        "rate_hz": rate,
        "between": None if between is None else numbers(between, "--between"),
    }


def read_logs(arm: Arm, paths: Sequence[Path], load: str, arguments: dict[str, Any]) -> list[Log]:
    """The logs of files; each one with a load has a word of its own."""
    from lissom.identification.logs.read import load_log

    words = [load if len(paths) == 1 else f"{load} {k + 1}" for k in range(len(paths))] if load else [""] * len(paths)
    return [load_log(path, arm, load=word, **arguments) for path, word in zip(paths, words, strict=True)]


def _pairs(texts: list[str] | None, option: str) -> list[tuple[str, str]]:
    """Words and what they are given."""
    out = []
    for text in texts or ():
        word, _, value = text.partition("=")
        if not word or not value:
            raise InputError(f"{option} is {text!r}; expected a quantity and what it is: {option} q=...")
        out.append((word.strip(), value))
    return out


def _names(text: str) -> Any:
    """One name, for times and patterns, or several."""
    names = [name.strip() for name in text.split(",")]
    return names[0] if len(names) == 1 else names


def _factors(text: str) -> Any:
    """Factors, or that of a unit."""
    from lissom.formats.columns.words import TIME_UNITS, UNITS

    unit = {**UNITS, **TIME_UNITS}.get(text.strip().lower().replace(" ", ""))
    return _number_or_several(text, "--scale") if unit is None else unit


def _number_or_several(text: str, option: str) -> Any:
    values = numbers(text, option)
    return values[0] if len(values) == 1 else values
