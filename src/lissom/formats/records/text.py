"""The text of a record in a file: JSON of everything that is not a table of numbers, with the version of its format."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NamedTuple

from lissom.errors import LissomError, ModelError, shown

DAMAGE = (KeyError, TypeError, ValueError, AttributeError, IndexError, OverflowError, RecursionError)


class RecordFormat(NamedTuple):
    """The format of a kind of record.

    kind : "run", "motion" or "study"
    version : of texts that are written
    earlier : versions that are read too

    Examples
    --------
    >>> run = RecordFormat("run", 2)
    >>> run.parsed(run.text({"status": "done"}))
    {'format': 'lissom run 2', 'status': 'done'}
    """

    kind: str
    version: int
    earlier: tuple[int, ...] = ()

    @property
    def name(self) -> str:
        """What its texts call it."""
        return f"lissom {self.kind} {self.version}"

    def text(self, content: Mapping[str, Any], indent: int | None = None) -> str:
        """Return plain values as text."""
        return json.dumps({"format": self.name, **content}, indent=indent)

    def parsed(self, text: str | bytes) -> dict[str, Any]:
        """Return the values of a text; raise an error where it has another format."""
        stored = dict(json.loads(text))
        if stored["format"] not in [f"lissom {self.kind} {version}" for version in (self.version, *self.earlier)]:
            raise ModelError(f"its format is {shown(stored['format'])}; expected {self.name!r}.")
        return stored


@contextmanager
def refuse_damage(file: str) -> Iterator[None]:
    """Turn what damaged values raise into a `ModelError` that names the file."""
    try:
        yield
    except LissomError as error:
        raise ModelError(str(error), file="" if str(error).startswith(file) else file) from None
    except DAMAGE as error:
        raise ModelError(f"it is damaged ({type(error).__name__}: {error}).", file=file) from None
