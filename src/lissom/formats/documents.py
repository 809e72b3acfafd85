"""TOML documents of a known kind: read from a file, with file and line in their errors."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from lissom.errors import LissomError, ModelError, PlacedError
from lissom.formats.files import read_bytes
from lissom.formats.kinds import KINDS, refuse_other_ending, refuse_other_kind
from lissom.formats.strict import Table, parse, refuse_unknown
from lissom.formats.toml_text import find_line

T = TypeVar("T")
VERSION = 1  # of every kind


def read_document(path: Path, kind: str, read: Callable[[Table], T]) -> T:
    """Read a file of a kind (see `kinds.KINDS`) by a function; errors have its line."""
    refuse_other_ending(path, kind)
    text, document = parse(str(path), read_bytes(path))
    try:
        refuse_other_kind(document, kind)
        return read(document)
    except ModelError as error:
        error.subject = "" if error.subject == kind else error.subject  # the file says what it is
        raise located(error, str(path), text) from None
    except LissomError as error:
        raise ModelError(str(error), file=str(path)) from None
    except (TypeError, ValueError, OverflowError) as error:  # numbers for words, tables with rows of unlike length
        raise ModelError(f"a value does not fit its key ({error}).", file=str(path)) from None


def located(error: ModelError, file: str, text: str, where: tuple[str | int, ...] = ()) -> ModelError:
    """The error with file and line: of its own place in the document, otherwise of `where`."""
    if error.file:  # of a file that this one names
        return error
    where = error.path if isinstance(error, PlacedError) else where
    key = re.sub(r"\W.*", "", error.problem.split()[0].rstrip(":"))
    return ModelError(error.problem, error.subject, file, find_line(text, where, key=key))


def refuse_unfit_document(document: Table, kind: str, keys: tuple[str, ...]) -> None:
    """Raise an error for keys that the kind does not have, and for a format version that is not known."""
    refuse_unknown(document, keys, "the file")
    word = KINDS[kind].marker
    given = document.get(word, VERSION)
    if given != VERSION or isinstance(given, bool):
        raise ModelError(f"{word} is {given!r}; this version of lissom reads format {VERSION}.")


def notes_of(document: Table) -> list[str]:
    """The ``notes`` of a document."""
    given = document.get("notes", [])
    if not isinstance(given, list):
        raise ModelError("notes is not a list of text.")
    return given
