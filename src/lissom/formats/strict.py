"""Strict TOML: unknown keys are rejected, and errors have their line."""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import MISSING, Field, fields
from typing import Any, TypeVar

from lissom.errors import ModelError, PlacedError, about, shown, suggest
from lissom.model.fields import array

Table = dict[str, Any]
T = TypeVar("T")
MEANT = {"robot": "arm", "urdf": "arm", "end": "goal", "target": "goal", "time": "duration", "cost": "minimise"}
MOST_PARTS = 16  # of a key with dots, for which tomllib takes memory and time with the square of their number
UNQUOTED = re.compile(r"\s*([\w.-]+)\s*=\s*([A-Za-z][\w./-]*)\s*(?:#.*)?")
_PART = r"""(?:[\w+-]++|"(?!"")(?:[^"\\\n]|\\[^\n])*+"?|'(?!'')[^'\n]*+'?)"""
# Every piece of a TOML text; each alternative takes what it begins with, closed or not, so this never goes back.
_TOKEN = re.compile(
    rf"""\#[^\n]*+ | \"{{3}}(?:[^"\\]|\\(?:.|\Z)|"(?!""))*+(?:"{{3,5}}|\Z) | '{{3}}(?:[^']|'(?!''))*+(?:'{{3,5}}|\Z)
    | (?P<long>{_PART}(?:[ \t]*+\.[ \t]*+{_PART}){{{MOST_PARTS}}}) | {_PART} | [^\w+"'\#-]++""",
    re.DOTALL | re.VERBOSE,
)


def parse(file: str, data: bytes) -> tuple[str, Table]:
    """Text and document of a file's bytes."""
    try:
        text = data.decode("utf-8-sig")  # some editors put a mark first
    except UnicodeDecodeError as error:
        raise ModelError(f"it is not UTF-8 text (byte {error.start}).", file=file) from None
    _refuse_long_keys(file, text)
    try:
        return text, tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        found = re.search(r"\(at line (\d+), column \d+\)", str(error))
        line = int(found.group(1)) if found else None
        raise ModelError(f"not TOML: {error}{_quotes(text, line)}", file=file, line=line) from None
    except RecursionError:
        raise ModelError("not a model: its values are nested too deeply.", file=file) from None
    except ValueError as error:  # e.g. an integer of thousands of digits
        raise ModelError(f"not TOML: {error}", file=file) from None


def _quotes(text: str, line: int | None) -> str:
    """Return a hint about a line whose value is a word without quotes; empty for other lines."""
    found = None if line is None else UNQUOTED.fullmatch(text.splitlines()[line - 1])
    return "" if found is None else f'; text needs quotes: {found[1]} = "{found[2]}"'


def _refuse_long_keys(file: str, text: str) -> None:
    """Raise an error for a key with more than `MOST_PARTS` parts; dots in text and comments do not count."""
    for found in _TOKEN.finditer(text):
        if found["long"]:
            line = text.count("\n", 0, found.start()) + 1
            raise ModelError(f"a key has more than {MOST_PARTS} parts joined by dots.", file=file, line=line)


@contextmanager
def inside(*path: str | int) -> Iterator[None]:
    """Prefix the place of any error raised inside."""
    try:
        yield
    except ModelError as error:
        placed = error if isinstance(error, PlacedError) else PlacedError(*error.args)
        placed.path = (*path, *placed.path)
        raise placed from None


def record(kind: type, value: Any, what: str) -> Any:
    """A record from a table whose keys are its fields."""
    row = as_table(value, what)
    known = fields(kind)
    refuse_unknown(row, tuple(f.name for f in known), what)
    missing = [f.name for f in known if f.name not in row and _required(f)]
    if missing:
        raise ModelError(f"{missing[0]} is missing from {what}.")
    return kind(**row)


def _required(field: Field[Any]) -> bool:
    return field.default is MISSING and field.default_factory is MISSING


def refuse_unknown(row: Table, known: tuple[str, ...], what: str) -> None:
    """Raise an error for keys that are not known."""
    for word in row:
        if word not in known:
            if MEANT.get(word) in known:
                raise ModelError(f"{word} is not a key of {what}; did you mean {MEANT[word]!r}?")
            raise ModelError(f"{word[:60]} is not a key of {what}; {suggest(word[:60], known, len(known))}")


def as_table(value: Any, what: str) -> Table:
    """Return a table; raises ModelError for other values."""
    if not isinstance(value, dict):
        raise ModelError(f"{what} is {shown(value)}; expected a table.")
    return value


def as_rows(document: Table, word: str) -> list[Table]:
    """The tables of a list, empty if it is missing."""
    found = document.get(word, [])
    if not isinstance(found, list) or not all(isinstance(row, dict) for row in found):
        raise ModelError(f"{word} is not a list of tables; expected [[{word}]].")
    return found


def made_rows(document: Table, word: str, what: str, make: Callable[[Table], T]) -> list[T]:
    """What a function makes of each table of a list; errors have its place and its number, after `what`."""
    out = []
    for i, row in enumerate(as_rows(document, word)):
        with inside(word, i), about(f"{what} {i + 1}"):
            out.append(make(row))
    return out


def degrees(row: Table, words: tuple[str, ...]) -> Table:
    """A copy with ``x_deg`` turned into x in radians."""
    row = dict(row)
    for word in words:
        if f"{word}_deg" in row:
            if word in row:
                raise ModelError(f"{word} is given twice, in rad and in deg.")
            value = row.pop(f"{word}_deg")
            plain = [value] if not isinstance(value, list) else value
            finite = [v for v in plain if not (isinstance(v, float) and math.isinf(v))]
            array(finite, f"{word}_deg", (None,)) if finite else None
            row[word] = [math.radians(v) for v in value] if isinstance(value, list) else math.radians(value)
    return row
