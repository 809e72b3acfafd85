"""What a value is, in words that JSON knows: two studies are the same where these are.

Functions are told by what they do and by the values that they take from outside: defaults, closures, and names of their
module. Lists, tables and objects among those may change while they run, and do not count.
"""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import json
from collections.abc import Iterator, Mapping
from types import CodeType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np

from lissom.formats import native_write
from lissom.model.arm import Arm

Seen = frozenset[int]


def said(value: Any, seen: Seen = frozenset()) -> Any:
    """Records by their fields, functions by their code, other objects by their attributes."""
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist() if value.dtype.kind in "biufU" else repr(value.tolist())
    if isinstance(value, Arm):
        return native_write.write(value)
    if isinstance(value, Mapping):
        return {str(key): said(item, seen) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [said(item, seen) for item in value]
    if isinstance(value, set | frozenset):  # they come in another order in another process
        return sorted(json.dumps(said(item, seen), sort_keys=True) for item in value)
    if isinstance(value, type | ModuleType):
        return _name(value)
    if id(value) in seen:
        return ""
    if dataclasses.is_dataclass(value):
        told = {field.name: said(getattr(value, field.name), seen) for field in dataclasses.fields(value) if field.init}
        return {type(value).__name__: told}
    return _callable(value, seen | {id(value)}) or _object(value, seen | {id(value)})


def _callable(value: Any, seen: Seen) -> Any:
    """Functions, by their own words; None of anything else."""
    if isinstance(value, functools.partial):
        return {"partial": said([value.func, value.args, value.keywords], seen)}
    if isinstance(value, MethodType):
        return {"method": said([value.__func__, value.__self__], seen)}
    if isinstance(value, FunctionType):
        told = json.dumps(_function(value, seen), sort_keys=True)
        return {"function": hashlib.sha256(told.encode()).hexdigest()}
    return said(value.__wrapped__, seen) if hasattr(value, "__wrapped__") else None


def _function(value: FunctionType, seen: Seen) -> list[Any]:
    outside: dict[str, Any] = dict(zip(value.__code__.co_freevars, _cells(value), strict=True))
    for name in sorted({word for code in _codes(value.__code__) for word in code.co_names}):
        if name in value.__globals__:
            outside[name] = value.__globals__[name]
    defaults = [_steady(x, value, seen) for x in (value.__defaults__ or ())]
    named = {word: _steady(x, value, seen) for word, x in (value.__kwdefaults__ or {}).items()}
    return [_code(value.__code__), defaults, named, {word: _steady(x, value, seen) for word, x in outside.items()}]


def _cells(value: FunctionType) -> Iterator[Any]:
    for cell in value.__closure__ or ():
        try:
            yield cell.cell_contents
        except ValueError:  # not filled yet
            yield None


def _codes(code: CodeType) -> Iterator[CodeType]:
    """With those of the functions inside."""
    yield code
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from _codes(inner)


def _code(code: CodeType) -> list[Any]:
    constants = [_code(c) if isinstance(c, CodeType) else _constant(c) for c in code.co_consts]
    return [code.co_code.hex(), code.co_names, code.co_varnames, code.co_freevars, constants]


def _constant(value: Any) -> Any:
    """Of code; 1, 1.0 and True differ."""
    return said(value) if isinstance(value, frozenset) else repr(value)


def _steady(value: Any, user: FunctionType, seen: Seen) -> Any:
    """What a function takes from outside; other modules have versions."""
    if isinstance(value, FunctionType):
        return said(value, seen) if value.__module__ == user.__module__ else _name(value)
    known = (int, float, complex, str, bytes, tuple, frozenset, np.ndarray, np.generic, functools.partial, Arm)
    if value is None or isinstance(value, known) or dataclasses.is_dataclass(value):
        return said(value, seen)
    return _name(type(value))


def _object(value: Any, seen: Seen) -> Any:
    if isinstance(value, bytes | complex | range | slice):
        return repr(value)
    if isinstance(getattr(value, "__name__", None), str):  # a function that is not written in Python
        return _name(value)
    told = {word: item for word, item in getattr(value, "__dict__", {}).items() if _counts(item)}
    code = getattr(type(value), "__call__", None)  # noqa: B004  as it is written, not whether there is one
    return {_name(type(value)): [said(code, seen) if isinstance(code, FunctionType) else "", said(told, seen)]}


def _counts(value: Any) -> bool:
    return value is None or isinstance(value, int | float | str | tuple | np.ndarray | np.generic | FunctionType)


def _name(value: Any) -> str:
    return f"{getattr(value, '__module__', '')}.{getattr(value, '__qualname__', value.__name__)}"
