"""Type checks of records read from files."""

from __future__ import annotations

import dataclasses
from functools import cache
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

import numpy as np

from lissom.errors import CONTROL, ModelError, shown


def refuse_unfit(kind: type, values: dict[str, Any]) -> None:
    """Raise an error unless values by name have the types of the fields of `kind`."""
    hints = _hints(kind)
    for word, value in values.items():
        if word in hints and not fits(value, hints[word]):
            raise ModelError(
                f"its {word} is {shown(value)}, which is not a valid value of this field of {kind.__name__}."
            )


@cache
def _hints(kind: type) -> dict[str, Any]:
    return get_type_hints(kind)


def fits(value: Any, hint: Any) -> bool:
    """Whether a value has a type, its contents included."""
    origin, parts = get_origin(hint), get_args(hint)
    if hint is Any:
        return True
    if origin in (Union, UnionType):
        return any(fits(value, part) for part in parts)
    if hint is str:
        return isinstance(value, str) and not CONTROL.search(value)
    if hint in (None, NoneType):
        return value is None
    if hint in (int, float):
        whole = isinstance(value, int) and not isinstance(value, bool) and abs(value) < 2**63
        return whole or (hint is float and isinstance(value, float))
    if origin is tuple:
        return isinstance(value, tuple) and _all_fit(value, parts)
    if origin is list:
        return isinstance(value, list) and all(fits(item, parts[0]) for item in value)
    if origin is dict:
        return isinstance(value, dict) and all(fits(k, parts[0]) and fits(v, parts[1]) for k, v in value.items())
    if origin is np.ndarray:
        return isinstance(value, np.ndarray)
    if origin is not None:
        return isinstance(value, origin)
    return isinstance(value, hint) and all(fits(item, kind) for item, kind in _inside(value, hint))


def _all_fit(items: tuple[Any, ...], parts: tuple[Any, ...]) -> bool:
    if len(parts) == 2 and parts[1] is Ellipsis:
        return all(fits(item, parts[0]) for item in items)
    return len(items) == len(parts) and all(map(fits, items, parts))


def _inside(value: Any, hint: type) -> list[tuple[Any, Any]]:
    """Fields of a record with their types."""
    if dataclasses.is_dataclass(hint):
        names = [f.name for f in dataclasses.fields(hint)]
    else:
        names = list(getattr(hint, "_fields", ()))
    return [(getattr(value, word), _hints(hint)[word]) for word in names]
