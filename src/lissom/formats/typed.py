"""Type checks of records read from files: the type hints of a record are the schema of its text in a file.

Tables with known keys are `TypedDict`, or `Annotated` with one; they may have further keys. Those, and values of type
`Any`, are plain values without control characters in their text.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from functools import cache
from types import NoneType, UnionType
from typing import Annotated, Any, NamedTuple, Union, get_args, get_origin, get_type_hints, is_typeddict

import numpy as np

from lissom.errors import CONTROL, ModelError, printable, shown

TEXT = "text without control characters"
WORDS: dict[Any, str] = {
    str: TEXT, int: "a whole number", float: "a number", bool: "true or false", None: "nothing", NoneType: "nothing",
    tuple: "a list", list: "a list", dict: "a table", np.ndarray: "an array of numbers",
    Any: f"numbers and {TEXT}",
}  # fmt: skip


class Misfit(NamedTuple):
    """A value that does not have its type: where it is, the value, and what was expected."""

    place: str
    value: Any
    expected: str

    def describe(self) -> str:
        """Return a sentence without its full stop."""
        found = "missing" if self.value is MISSING else shown(self.value)
        return f"its {printable(self.place)} is {found}; expected {self.expected}"


MISSING = object()
Parts = Iterable[tuple[str, Any, Any]]  # place, value and type


def refuse_unfit(kind: type, values: Mapping[str, Any]) -> None:
    """Raise an error unless values by name have the types of the fields of `kind`.

    Of a `TypedDict` all required keys must be there; of other records names without a type are not checked.
    """
    hints = _hints(kind)
    known = ((word, value, hints[word]) for word, value in values.items() if word in hints)
    found = misfit("", values, kind) if is_typeddict(kind) else _first(known)
    if found is not None:
        raise ModelError(f"{found.describe()}.")


def printable_parts(value: Any) -> Any:
    """Return a plain value with the control characters of its texts escaped, so that it fits `Any` when it is read."""
    if isinstance(value, str):
        return printable(value)
    if isinstance(value, dict):
        return {printable_parts(k): printable_parts(item) for k, item in value.items()}
    return [printable_parts(item) for item in value] if isinstance(value, list | tuple) else value


def fits(value: Any, hint: Any) -> bool:
    """Whether a value has a type, its contents included."""
    return misfit("value", value, hint) is None


@cache
def _hints(kind: type) -> dict[str, Any]:
    return get_type_hints(kind, include_extras=True)


def misfit(place: str, value: Any, hint: Any) -> Misfit | None:
    """Return the first part of a value that does not have its type; None where all have."""
    origin = get_origin(hint)
    if origin is Annotated:
        return misfit(place, value, hint.__metadata__[0])
    if origin in (Union, UnionType):
        return _of_union(place, value, get_args(hint))
    kind = dict if is_typeddict(hint) else origin or hint
    if not _is(value, kind):
        return Misfit(place, value, WORDS.get(kind, f"the record {getattr(kind, '__name__', kind)}"))
    return _first(_parts(place, value, hint))


def _first(parts: Parts) -> Misfit | None:
    return next((found for part in parts if (found := misfit(*part)) is not None), None)


def _of_union(place: str, value: Any, parts: tuple[Any, ...]) -> Misfit | None:
    found = [misfit(place, value, part) for part in parts]
    if None in found:
        return None
    inner = [one for one in found if one is not None and one.place != place]
    expected = " or ".join(dict.fromkeys(one.expected for one in found if one is not None))
    return inner[0] if len(inner) == 1 else Misfit(place, value, expected)


def _is(value: Any, kind: Any) -> bool:
    """Whether a value itself has a type; its parts are not looked at."""
    if kind is Any:
        kind = type(value) if isinstance(value, str | int) and not isinstance(value, bool) else object
    if kind is None:
        return value is None
    if kind is str:
        return isinstance(value, str) and not CONTROL.search(value)
    if kind in (int, float):
        whole = isinstance(value, int) and not isinstance(value, bool) and abs(value) < 2**63
        return whole or (kind is float and isinstance(value, float))
    if kind is np.ndarray:
        return isinstance(value, np.ndarray) and value.dtype.kind in "bfiu"
    return isinstance(value, kind)


def _parts(place: str, value: Any, hint: Any) -> Parts:
    """Entries of lists, tables and records, with their types."""
    origin, parts = get_origin(hint), get_args(hint)
    if is_typeddict(hint):
        return _of_table(place, value, hint)
    if dataclasses.is_dataclass(hint) or hasattr(hint, "_fields"):
        return ((_inside(place, word), getattr(value, word), _hints(hint)[word]) for word in _names(hint))
    if isinstance(value, dict) and (hint is Any or origin is dict):
        key, item = parts or (Any, Any)
        return (pair for k, v in value.items() for pair in ((_key(place), k, key), (_inside(place, k), v, item)))
    if isinstance(value, list | tuple) and (hint is Any or origin in (list, tuple)):
        kinds = parts or (Any, ...)
        if origin is tuple and kinds[-1] is not Ellipsis:
            return _of_pair(place, value, kinds)
        return ((f"{place}[{k}]", item, kinds[0]) for k, item in enumerate(value))
    return ()


def _of_table(place: str, value: dict[Any, Any], hint: Any) -> Parts:
    hints = _hints(hint)
    missing = [word for word in hint.__required_keys__ if word not in value]
    yield from ((_inside(place, word), MISSING, hints[word]) for word in sorted(missing))
    for word, item in value.items():
        yield _key(place), word, str
        yield _inside(place, word), item, hints.get(word, Any)


def _of_pair(place: str, value: Any, kinds: tuple[Any, ...]) -> Parts:
    """Entries of a tuple of known length."""
    for k in range(max(len(value), len(kinds))):
        given = value[k] if k < len(value) else MISSING
        yield f"{place}[{k}]", given, kinds[k] if k < len(kinds) else None


def _inside(place: str, word: Any) -> str:
    return f"{place}.{word}" if place else str(word)


def _key(place: str) -> str:
    return f"key of {place}" if place else "key"


def _names(hint: Any) -> list[str]:
    """Names of the fields of a record."""
    return [f.name for f in dataclasses.fields(hint)] if dataclasses.is_dataclass(hint) else list(hint._fields)
