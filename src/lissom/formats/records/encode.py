"""Records as plain values that JSON knows, and back: arrays, tuples, and records of lissom."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from lissom.errors import InputError, ModelError, shown
from lissom.model.record import Record


def _no_function(value: Any) -> Any:
    raise InputError(f"save: {shown(value)} cannot be written to a file.")


def _no_record() -> tuple[type, ...]:
    return ()


class Encoding(NamedTuple):
    """How values of a kind of file are written.

    kinds : function that returns further classes of records, beside those derived from `Record`
    write, read : a function of the user as plain values, and back
    """

    kinds: Callable[[], tuple[Any, ...]] = _no_record
    write: Callable[[Any], Any] = _no_function
    read: Callable[[Any], Any] = _no_function

    def plain(self, value: Any) -> Any:
        """Return numbers, text, lists and tables; what is more is a table with one key that names it."""
        return _plain(value, self._known(), self.write)

    def revived(self, value: Any) -> Any:
        """Return what `plain` was given."""
        return _revived(value, self._known(), self.read)

    def _known(self) -> dict[str, type]:
        found = (*_below(Record), *self.kinds())
        return {
            kind.__name__: kind
            for kind in found
            if isinstance(kind, type) and (dataclasses.is_dataclass(kind) or hasattr(kind, "_fields"))
        }


def _plain(value: Any, known: dict[str, type], write: Callable[[Any], Any]) -> Any:
    inner = partial(_plain, known=known, write=write)
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, np.ndarray | np.generic):
        return {"array": value.tolist()} if np.ndim(value) else value.item()
    if isinstance(value, list):
        return [inner(item) for item in value]
    if isinstance(value, dict):
        return {"table": [[inner(k), inner(v)] for k, v in value.items()]}
    if type(value).__name__ in known:
        return {"record": type(value).__name__, "fields": {k: inner(getattr(value, k)) for k in _fields(value)}}
    if isinstance(value, tuple):
        return {"tuple": [inner(item) for item in value]}
    return {"criterion": write(value)} if callable(value) else _no_function(value)


def _fields(record: Any) -> list[str]:
    if isinstance(record, tuple):
        return list(record._fields)  # type: ignore[attr-defined]
    return [f.name for f in dataclasses.fields(record) if f.init]


def _revived(value: Any, known: dict[str, type], read: Callable[[Any], Any]) -> Any:
    inner = partial(_revived, known=known, read=read)
    if isinstance(value, list):
        return [inner(item) for item in value]
    if not isinstance(value, dict):
        return value
    if "array" in value:
        return np.array(value["array"], float)
    if "tuple" in value:
        return tuple(inner(item) for item in value["tuple"])
    if "table" in value:
        return {inner(k): inner(v) for k, v in value["table"]}
    if "criterion" in value:
        return read(value["criterion"])
    kind = known.get(value["record"])
    if kind is None:
        raise ModelError(f"it has a record {shown(value['record'])}, which this version of lissom does not know.")
    return kind(**{word: inner(item) for word, item in value["fields"].items()})


def _below(kind: Any) -> Iterator[type]:
    for part in kind.__subclasses__():
        yield part
        yield from _below(part)
