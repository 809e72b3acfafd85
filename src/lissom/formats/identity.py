"""The identity of a value as JSON: two studies or simulations are the same where their values have equal identities.

Functions count by their code and by the values that they take from outside: defaults, closures, and names of their
module. Lists and tables among those may change while they run; they count where `contents` is asked for.
"""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import json
from collections.abc import Iterator, Mapping
from types import CodeType, FunctionType, MethodType, ModuleType
from typing import Any, NamedTuple

import numpy as np

from lissom.formats import native_write
from lissom.model.arm import Arm

CONTAINERS = (list, set, Mapping)


class Scope(NamedTuple):
    """Objects that are being described (by id), and whether containers outside a function count."""

    seen: frozenset[int] = frozenset()
    contents: bool = False

    def inside(self, value: Any) -> Scope:
        """Within an object."""
        return self._replace(seen=self.seen | {id(value)})


OUTERMOST = Scope()


def identity(value: Any, scope: Scope = OUTERMOST) -> Any:
    """Records by their fields, functions by their code, other objects by their attributes."""
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist() if value.dtype.kind in "biufU" else repr(value.tolist())
    if isinstance(value, Arm):
        return native_write.write(value)
    if isinstance(value, CONTAINERS) and id(value) in scope.seen:
        return ""
    if isinstance(value, Mapping):
        return {str(key): identity(item, scope.inside(value)) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [identity(item, scope.inside(value)) for item in value]
    if isinstance(value, set | frozenset):  # they come in another order in another process
        return sorted(json.dumps(identity(item, scope), sort_keys=True) for item in value)
    if isinstance(value, type | ModuleType):
        return _name(value)
    if id(value) in scope.seen:
        return ""
    if dataclasses.is_dataclass(value):
        told = {
            field.name: identity(getattr(value, field.name), scope) for field in dataclasses.fields(value) if field.init
        }
        return {type(value).__name__: told}
    return _callable(value, scope.inside(value)) or _object(value, scope.inside(value))


def _callable(value: Any, scope: Scope) -> Any:
    """Functions, by their own words; None of anything else."""
    if isinstance(value, functools.partial):
        return {"partial": identity([value.func, value.args, value.keywords], scope)}
    if isinstance(value, MethodType):
        return {"method": identity([value.__func__, value.__self__], scope)}
    if isinstance(value, FunctionType):
        told = json.dumps(_function(value, scope), sort_keys=True)
        return {"function": hashlib.sha256(told.encode()).hexdigest()}
    return identity(value.__wrapped__, scope) if hasattr(value, "__wrapped__") else None


def _function(value: FunctionType, scope: Scope) -> list[Any]:
    outside: dict[str, Any] = dict(zip(value.__code__.co_freevars, _cells(value), strict=True))
    for name in sorted({word for code in _codes(value.__code__) for word in code.co_names}):
        if name in value.__globals__:
            outside[name] = value.__globals__[name]
    defaults = [_steady(x, value, scope) for x in (value.__defaults__ or ())]
    named = {word: _steady(x, value, scope) for word, x in (value.__kwdefaults__ or {}).items()}
    return [_code(value.__code__), defaults, named, {word: _steady(x, value, scope) for word, x in outside.items()}]


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
    return identity(value) if isinstance(value, frozenset) else repr(value)


def _steady(value: Any, user: FunctionType, scope: Scope) -> Any:
    """What a function takes from outside; other modules have versions."""
    if isinstance(value, FunctionType):
        return identity(value, scope) if value.__module__ == user.__module__ else _name(value)
    known: tuple[type, ...] = (
        int,
        float,
        complex,
        str,
        bytes,
        tuple,
        frozenset,
        np.ndarray,
        np.generic,
        functools.partial,
        Arm,
    )
    known = (*known, *CONTAINERS) if scope.contents else known
    if value is None or isinstance(value, known) or dataclasses.is_dataclass(value):
        return identity(value, scope)
    return _name(type(value))


def _object(value: Any, scope: Scope) -> Any:
    if isinstance(value, bytes | complex | range | slice):
        return repr(value)
    if isinstance(getattr(value, "__name__", None), str):  # a function that is not written in Python
        return _name(value)
    told = {word: item for word, item in getattr(value, "__dict__", {}).items() if _counts(item)}
    code = getattr(type(value), "__call__", None)  # noqa: B004  as it is written, not whether there is one
    return {
        _name(type(value)): [identity(code, scope) if isinstance(code, FunctionType) else "", identity(told, scope)]
    }


def _counts(value: Any) -> bool:
    return value is None or isinstance(value, int | float | str | tuple | np.ndarray | np.generic | FunctionType)


def _name(value: Any) -> str:
    return f"{getattr(value, '__module__', '')}.{getattr(value, '__qualname__', value.__name__)}"
