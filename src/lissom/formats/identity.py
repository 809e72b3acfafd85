"""The identity of a value as JSON: two studies or simulations are the same where their values have equal identities.

Records and objects count by their content: the state that pickle would write. Functions and classes of installed
packages count by name, because their packages have versions; those of the user count by their code and by the values
that they use: defaults, closures, and names of their modules. What an object holds where Python cannot see it (a
generator, an open file, compiled code of the user) is reported, so that the caller can decline to compare.
"""

from __future__ import annotations

import copyreg
import dataclasses
import dis
import functools
import hashlib
import json
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import BuiltinMethodType, CodeType, FunctionType, MappingProxyType, MethodType, ModuleType
from typing import Any, NamedTuple

import numpy as np

from lissom.formats import native_write
from lissom.model.arm import Arm

LARGE = 10_000  # entries of an array that counts by its hash rather than entry by entry
OF_GLOBALS = frozenset({"LOAD_GLOBAL", "LOAD_NAME", "LOAD_FROM_DICT_OR_GLOBALS"})
LOCKS = (type(threading.Lock()), type(threading.RLock()))  # they hold nothing that results depend on
PROTOCOL = 4  # of pickle
BY_NAME = frozenset({"globals", "eval", "exec", "__import__"})  # functions of Python that reach values by text
WRAPPERS = ("functools", "numba")  # packages whose wrappers add nothing to the results of a function
LISSOM = __name__.partition(".")[0]


class Identity(NamedTuple):
    """`content` as JSON; `unseen` names what cannot be compared, with its type."""

    content: Any
    unseen: tuple[str, ...]


def identity(value: Any) -> Identity:
    """Return what a value is, for comparison with a value of another process."""
    reader = _Reader()
    try:
        content = reader.read(value)
    except RecursionError:
        content = _name(type(value))
        reader.unseen.append("a value that is nested too deeply")
    return Identity(content, tuple(dict.fromkeys(reader.unseen)))


class _Reader:
    """Reads one value and everything that it refers to.

    path : names from the value to what is being read
    open : ids of the objects that contain what is being read
    known : objects that were read, by id; holding them keeps their ids their own
    """

    def __init__(self) -> None:
        self.unseen: list[str] = []
        self.path: list[str] = []
        self.open: set[int] = set()
        self.known: dict[int, tuple[Any, Any]] = {}

    def read(self, value: Any, name: str = "") -> Any:
        """JSON of a value that its owner calls `name`."""
        if value is None or type(value) in (bool, int, float, str):
            return value
        if type(value) in (bytes, complex, range):
            return repr(value)
        if id(value) in self.known:
            return self.known[id(value)][1]
        if id(value) in self.open:
            return ""
        with self._inside(value, name):
            found = self._container(value)
        self.known[id(value)] = (value, found)
        return found

    @contextmanager
    def _inside(self, value: Any, name: str) -> Iterator[None]:
        self.open.add(id(value))
        self.path += [name] if name else []
        yield
        self.open.discard(id(value))
        del self.path[len(self.path) - bool(name) :]

    def _container(self, value: Any) -> Any:
        if isinstance(value, np.ndarray | np.generic):
            return self._with_attributes(value, self._array(np.asanyarray(value)))
        if isinstance(value, Arm):
            return native_write.write(value)
        if type(value) in (dict, MappingProxyType):
            return self._table(value)
        if type(value) in (list, tuple):
            return [self.read(item) for item in value]
        if isinstance(value, set | frozenset):  # they come in another order in another process
            items = sorted(json.dumps(self.read(item), sort_keys=True) for item in value)
            return self._with_attributes(value, items)
        if isinstance(value, ModuleType):
            return value.__name__ if _versioned(value.__name__) else self._module(value)
        if isinstance(value, type):
            return self._class(value)
        if _records(type(value)):
            return self._record(value)
        return self._callable(value) or self._object(value)

    def _with_attributes(self, value: Any, content: Any) -> Any:
        """Return the content of an array or a set with what a class of the user adds."""
        kind = type(value)
        if _installed(kind):
            return content
        return {_name(kind): _hashed([content, self._state(kind, getattr(value, "__dict__", {})), self.read(kind)])}

    def _array(self, value: np.ndarray[Any, Any]) -> Any:
        seen, kind = value.dtype.kind in "biufU", value.dtype.str
        if not seen or value.size <= LARGE:
            content = value.tolist() if seen else self.read(value.tolist())
            return content if value.dtype.kind in "UO" or kind[1:] in ("f8", "i8", "b1") else {"array": [kind, content]}
        data = np.ascontiguousarray(np.ma.filled(value))  # of a masked one, with its mask beside
        mask = np.ma.getmaskarray(value).tobytes() if np.ma.isMaskedArray(value) else b""
        return {"array": [data.dtype.str, list(data.shape), hashlib.sha256(data.tobytes() + mask).hexdigest()]}

    def _table(self, value: Any) -> Any:
        if all(isinstance(key, str) for key in value):
            return {key: self.read(item, key) for key, item in value.items()}
        pairs = ([self.read(key), self.read(item)] for key, item in value.items())
        return {"table": sorted(json.dumps(pair, sort_keys=True) for pair in pairs)}

    def _module(self, value: ModuleType) -> Any:
        """Return the content of a module of the user that is used as a value."""
        content = {word: self.read(item, word) for word, item in vars(value).items() if not word.startswith("__")}
        return {value.__name__: _hashed(content)}

    def _record(self, value: Any) -> Any:
        """Return the fields of a record of lissom; of a class derived from one also what it adds."""
        kind = type(value)
        content = {f.name: self.read(getattr(value, f.name), f.name) for f in dataclasses.fields(value) if f.init}
        if kind in _records(kind):
            return {kind.__name__: content}
        derived = {f.name for base in _records(kind) for f in dataclasses.fields(base)}
        held = object.__getstate__(value)
        attributes, slots = held if isinstance(held, tuple) else (held, None)
        more = {
            word: item for word, item in {**(attributes or {}), **(slots or {})}.items()
            if word not in content and word not in derived and word != "_content_cache"
        }  # fmt: skip
        return {kind.__name__: [content, self._state(kind, more), self.read(kind)]}

    # ---- functions and classes -------------------------------------------------------------------

    def _callable(self, value: Any) -> Any:
        """Identity of a function, or None for other values."""
        if isinstance(value, functools.partial):
            return {"partial": [self.read(value.func), self.read(value.args), self.read(value.keywords)]}
        if isinstance(value, MethodType):
            return {"method": [self.read(value.__func__), self.read(value.__self__, value.__name__)]}
        if isinstance(value, FunctionType):
            return _name(value) if _installed(value) else self._function(value)
        if isinstance(value, BuiltinMethodType) and not isinstance(value.__self__, ModuleType | None):
            return {"method": [value.__name__, self.read(value.__self__, value.__name__)]}
        if _installed(value):
            return _name(value)
        kind = type(value)
        if hasattr(value, "__wrapped__") and kind.__module__.partition(".")[0] in WRAPPERS:
            return {_name(kind): self.read(value.__wrapped__)}
        return None

    def _function(self, value: FunctionType) -> Any:
        name = value.__name__
        by_name = sorted(BY_NAME & _globals_of(value) - value.__globals__.keys())
        self.unseen += [f"{name}: {word}()" for word in by_name]
        content = [
            _code(value.__code__),
            [self.read(x, name) for x in value.__defaults__ or ()],
            {word: self.read(x, f"{name}: {word}") for word, x in (value.__kwdefaults__ or {}).items()},
            {word: self.read(x, f"{name}: {word}") for word, x in _outside(value)},
            self.read({word: x for word, x in value.__dict__.items() if word != "__wrapped__"}),
        ]
        return {"function": _hashed(content)}

    def _class(self, value: type) -> Any:
        if _installed(value):
            return _name(value)
        content = {word: self.read(item, word) for word, item in vars(value).items() if _of_class(word, item)}
        return {_name(value): _hashed([content, [self.read(base) for base in (*value.__bases__, type(value))]])}

    # ---- other objects ---------------------------------------------------------------------------

    def _object(self, value: Any) -> Any:
        """Return what pickle would write of an object: how it is made, its state and its items."""
        kind = type(value)
        if isinstance(value, LOCKS):
            return _name(kind)
        if isinstance(value, property):
            return [self.read(part) for part in (value.fget, value.fset, value.fdel)]
        if isinstance(value, staticmethod | classmethod | functools.cached_property):
            return self.read(getattr(value, "__func__", None) or value.func)  # type: ignore[union-attr]
        try:
            parts = _reduced(value)
        except Exception:  # whatever the object's own methods raise
            return self._not_seen(kind)
        if isinstance(parts, str):  # the name of a global
            return f"{kind.__module__}.{parts}" if _importable(value, parts) else self._not_seen(kind)
        make, args, state, items, pairs = (*parts, *(None,) * 3)[:5]
        state = [self._state(kind, part) for part in (state if isinstance(state, tuple) else (state,))]
        rows = None if items is None else [self.read(item) for item in items]
        table = None if pairs is None else self._table(dict(pairs))
        return {_name(kind): _hashed([self.read(make), self.read(args), state, rows, table])}

    def _state(self, kind: type, state: Any) -> Any:
        """Return the attributes of an object, without results that it has stored for itself."""
        if not isinstance(state, dict):
            return self.read(state)
        stored = functools.cached_property
        return self._table({k: v for k, v in state.items() if not isinstance(getattr(kind, str(k), None), stored)})

    def _not_seen(self, kind: type) -> str:
        place = ".".join(self.path)
        self.unseen.append(f"{place} ({_name(kind)})" if place else f"an object of type {_name(kind)}")
        return _name(kind)


def _reduced(value: Any) -> Any:
    by_table: Callable[[Any], Any] | None = copyreg.dispatch_table.get(type(value))
    return by_table(value) if by_table else value.__reduce_ex__(PROTOCOL)


def _hashed(content: Any) -> str:
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def _outside(value: FunctionType) -> Iterator[tuple[str, Any]]:
    """Yield the names that a function takes from outside, with their values."""
    used, codes = _globals_of(value), list(_codes(value.__code__))
    attributes = {word for code in codes for word in code.co_names}
    attributes |= {text for code in codes for text in code.co_consts if isinstance(text, str)}  # for getattr
    for name, cell in zip(value.__code__.co_freevars, value.__closure__ or (), strict=True):
        try:
            yield from _used(name, cell.cell_contents, attributes, set())
        except ValueError:  # not filled yet
            yield name, None
    for name in sorted(used & value.__globals__.keys()):
        yield from _used(name, value.__globals__[name], attributes, set())


def _globals_of(value: FunctionType) -> set[str]:
    """Return the names of globals that a function and those inside it use, Python's own among them."""
    steps = (step for code in _codes(value.__code__) for step in dis.get_instructions(code))
    return {step.argval for step in steps if step.opname in OF_GLOBALS}


def _used(name: str, item: Any, attributes: set[str], passed: set[str]) -> Iterator[tuple[str, Any]]:
    """Yield a value with its name; of a module of the user its name, and those of its values that may be used."""
    if not isinstance(item, ModuleType) or _versioned(item.__name__):
        yield name, item
        return
    yield name, item.__name__
    if item.__name__ not in passed:
        passed.add(item.__name__)
        for word in sorted(attributes & vars(item).keys()):
            yield from _used(f"{name}.{word}", vars(item)[word], attributes, passed)


def _codes(code: CodeType) -> Iterator[CodeType]:
    """Yield a code and those of the functions inside."""
    yield code
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from _codes(inner)


def _code(code: CodeType) -> list[Any]:
    constants = [_code(c) if isinstance(c, CodeType) else _constant(c) for c in code.co_consts]
    arguments = [code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_flags]
    names = [code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars]
    return [code.co_code.hex(), code.co_exceptiontable.hex(), arguments, names, constants]


def _constant(value: Any) -> Any:
    """Identity of a constant of code; 1, 1.0 and True differ."""
    return sorted(map(repr, value)) if isinstance(value, frozenset) else repr(value)


def _of_class(word: str, item: Any) -> bool:
    """Whether a class attribute was written by its author; Python adds others."""
    if isinstance(item, FunctionType | staticmethod | classmethod | property):
        return True
    slot = type(item).__name__ in ("member_descriptor", "getset_descriptor")
    return not slot and not word.startswith(("__", "_abc_"))


def _installed(value: Any) -> bool:
    """Whether a function or class can be imported by name from a package with a version."""
    module, name = getattr(value, "__module__", None), getattr(value, "__qualname__", None)
    if not isinstance(module, str) or not isinstance(name, str) or not _versioned(module):
        return False
    return _named(module, name) is value


def _importable(value: Any, name: str) -> bool:
    """Whether a package with a version has an object by this name; some objects do not know in which module."""
    return any(_named(module, name) is value for module in list(sys.modules) if _versioned(module))


def _named(module: str, name: str) -> Any:
    """Return what a module has loaded under a name with dots; None if there is nothing."""
    first, *words = name.split(".")
    found: Any = getattr(sys.modules.get(module), "__dict__", {}).get(first)  # getattr might import something
    for word in words:
        found = getattr(found, word, None)
    return found


def _records(kind: type) -> list[Any]:
    """Return the dataclasses of lissom among a class and its bases."""
    own = [base for base in kind.__mro__ if base.__module__.partition(".")[0] == LISSOM]
    return [base for base in own if dataclasses.is_dataclass(base) and _installed(base)]


@functools.cache
def _versioned(module: str) -> bool:
    top = module.partition(".")[0]
    if top == "__main__":  # it may be a command of an installed package that runs the user's code
        return False
    if top in sys.stdlib_module_names or top in sys.builtin_module_names or top == LISSOM:
        return True
    file = getattr(sys.modules.get(top), "__file__", None) or ""
    return "site-packages" in file or "dist-packages" in file


def _name(value: Any) -> str:
    return f"{getattr(value, '__module__', '')}.{getattr(value, '__qualname__', value.__name__)}"
