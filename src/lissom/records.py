"""Records: named scalars with a structure.

A record is an immutable dataclass of scalars, records and tuples of them. It has a *structure* (classes, lengths, exact
integers), known when code is generated, and *entries*, the scalars that code computes with:

    flat(Vector3(a, 0, b))  ->  structure Vector3(*, 0, *),  entries [a, b]

Structures select the compiled step that a function becomes, entries are its operands (`engine.step`). A record can also
be made from its flat form (`filled`); its fields are then put in place when one of them is first read.
"""

from __future__ import annotations

import functools
import hashlib
import inspect
from collections.abc import Hashable, Iterable, Iterator
from itertools import groupby, pairwise
from typing import Any, NamedTuple, Protocol, TypeVar, dataclass_transform

T = TypeVar("T")


class Entries(Protocol):
    """A sequence of scalars; its slices are sequences of the same kind."""

    def __len__(self) -> int: ...
    def __getitem__(self, key: Any, /) -> Any: ...
    def __iter__(self) -> Iterator[Any]: ...


class Stretch(NamedTuple):
    """Entries side by side that are all numbers (floats), or all values of a program."""

    numbers: bool
    length: int


class Structure:
    """What is known of a value before its entries are; equal structures are one object.

    cls : the record's class, `tuple`, `Exact` for an integer or None, or None for a single entry
    parts : structures of the fields; exact integers and None stand for themselves
    size : number of entries
    """

    __slots__ = ("_text", "cls", "names", "numbers", "only_entries", "parts", "places", "size", "values")

    def __init__(self, cls: type | None, parts: tuple[Any, ...], size: int | None = None):
        self.cls, self.parts = cls, parts
        self.size: int
        ends = [0]
        for part in parts:
            ends.append(ends[-1] + (part.size if isinstance(part, Structure) else 0))
        self.places = tuple(slice(a, b) for a, b in pairwise(ends))
        self.size = ends[-1] if size is None else size
        self.only_entries = cls is tuple and all(part is ENTRY for part in parts)
        self.names = FIELDS.get(cls, ()) if cls is not None else ()
        self.numbers: Argument | None = None  # the arguments of this structure with entries of one kind
        self.values: Argument | None = None
        self._text: str | None = None

    @property
    def text(self) -> str:
        """The structure as text, the same in every process."""
        if self._text is None:
            inner = ",".join(part.text if isinstance(part, Structure) else _text(part) for part in self.parts)
            self._text = "*" if self.cls is None else f"{self.cls.__name__}({inner})"
        return self._text

    def classes(self) -> Iterator[type]:
        """Yield the classes of the record, of the records in it, and so on."""
        if self.cls is not None:
            yield self.cls
        for part in self.parts:
            if isinstance(part, Structure):
                yield from part.classes()

    def __repr__(self) -> str:
        return self.text


class Exact:
    """Marks the structure of an integer or None that is a value by itself."""


def _text(part: Hashable) -> str:
    return str(getattr(part, "key", None) or repr(part))


FIELDS: dict[type, tuple[str, ...]] = {}  # names of the fields of every record
ENTRY = Structure(None, (), 1)
_known: dict[Hashable, Structure] = {}


def structure_of(cls: type, parts: tuple[Any, ...], size: int | None = None) -> Structure:
    """The structure with these parts, always the same object."""
    found = _known.get((cls, parts, size))
    if found is None:
        found = _known.setdefault((cls, parts, size), Structure(cls, parts, size))
    return found


class Argument:
    """The structure of a value, and which of its entries are numbers; equal arguments are one object.

    passive : whether the value is a parameter of the model, by which nothing is differentiated
    """

    __slots__ = ("numbers", "passive", "stretches", "structure", "values")

    def __init__(self, structure: Structure, stretches: tuple[Stretch, ...]):
        self.structure, self.stretches = structure, stretches
        self.numbers = all(stretch.numbers for stretch in stretches)
        self.values = not any(stretch.numbers for stretch in stretches)
        self.passive = bool(getattr(structure.cls, "parameters", False))

    @property
    def text(self) -> str:
        """The argument as text, the same in every process."""
        return self.structure.text + "".join(f"{'n' if s.numbers else 'v'}{s.length}" for s in self.stretches)


_arguments: dict[Hashable, Argument] = {}


def argument_of(structure: Structure, stretches: tuple[Stretch, ...]) -> Argument:
    """The argument with these stretches, always the same object."""
    found = _arguments.get((structure, stretches))
    if found is None:
        found = _arguments.setdefault((structure, stretches), Argument(structure, stretches))
    return found


class Flat:
    """The flat form of a value: its structure and the sequence of its entries."""

    __slots__ = ("_argument", "entries", "structure")

    def __init__(self, structure: Structure, entries: Entries, argument: Argument | None = None):
        self.structure, self.entries, self._argument = structure, entries, argument

    @property
    def known_as_values(self) -> bool:
        """Whether it is known that none of the entries are numbers."""
        return self._argument is not None and self._argument.values

    @property
    def argument(self) -> Argument:
        """The structure, and which entries are numbers."""
        if self._argument is None:
            groups = groupby(self.entries, lambda x: isinstance(x, float))
            stretches = tuple(Stretch(numbers, len(list(some))) for numbers, some in groups)
            self._argument = argument_of(self.structure, stretches)
        return self._argument


def of_values(structure: Structure) -> Argument:
    """The argument whose entries are all values of a program."""
    if structure.values is None:
        structure.values = argument_of(structure, (Stretch(False, structure.size),) if structure.size else ())
    return structure.values


def of_numbers(structure: Structure) -> Argument:
    """The argument whose entries are all numbers."""
    if structure.numbers is None:
        structure.numbers = argument_of(structure, (Stretch(True, structure.size),) if structure.size else ())
    return structure.numbers


# ---- records -------------------------------------------------------------------------------------


@dataclass_transform(frozen_default=True)
def record(cls: type[T]) -> type[T]:
    """An immutable class whose annotated fields are scalars, records or tuples of them.

    As a frozen dataclass, but made in a tenth of the time: there are many of them, and the first call waits for all.
    """
    made: Any = cls
    notes = inspect.get_annotations(cls)
    names = tuple(name for name, note in notes.items() if not str(note).startswith("ClassVar"))
    defaults = {name: cls.__dict__[name] for name in names if name in cls.__dict__}
    signature = ", ".join(f"{name}=_defaults[{name!r}]" if name in defaults else name for name in names)
    body = "; ".join(f"d[{name!r}] = {name}" for name in names) or "pass"
    space: dict[str, Any] = {"_defaults": defaults}
    exec(f"def __init__(self, {signature}):\n    d = self.__dict__; {body}\n", space)
    for name in defaults:
        delattr(made, name)  # a record that is made from its flat form must not find it there
    made.__init__, made.__repr__ = space["__init__"], _shown
    made.__setattr__ = made.__delattr__ = _unchangeable
    made.__getattr__ = _field_of_flat_form
    made.__array_ufunc__ = None  # NumPy leaves operators to the record
    made._flat = None
    FIELDS[made] = names
    return made


def _shown(self: Any) -> str:
    fields = ", ".join(f"{name}={getattr(self, name)!r}" for name in FIELDS[type(self)])
    return f"{type(self).__name__}({fields})"


def _unchangeable(self: Any, name: str, *_value: Any) -> None:
    raise AttributeError(f"{type(self).__name__}.{name} cannot be changed: records are immutable.")


def _field_of_flat_form(self: Any, name: str) -> Any:
    """A field of a record that was made from its flat form: all of them are put in place."""
    form: Flat | None = self.__dict__.get("_flat")
    if form is None or name not in form.structure.names:
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
    structure, entries, here = form.structure, form.entries, self.__dict__
    known = of_values if form.known_as_values else _unknown
    for field, part, place in zip(structure.names, structure.parts, structure.places, strict=True):
        if part is ENTRY:
            here[field] = entries[place.start]
        else:
            here[field] = filled(part, entries[place], known(part)) if isinstance(part, Structure) else part
    return here[name]


class Packed:
    """A record with a structure of its own making: a hashable pattern, and values that the pattern places."""

    def __init__(self, pattern: Hashable, values: Entries):
        self.pattern, self.values = pattern, values
        self._flat = Flat(structure_of(type(self), (pattern,), len(values)), values)


def filled(structure: Structure, entries: Entries, argument: Argument | None = None) -> Any:
    """The value of a structure with these entries; a tuple of entries only is the sequence itself.

    argument : where it is known which entries are numbers
    """
    cls = structure.cls
    if cls is None:
        return entries[0]
    if structure.only_entries:
        return entries
    if cls is tuple:
        places = zip(structure.parts, structure.places, strict=True)
        part = of_values if argument is not None and argument.values else _unknown
        return tuple([filled(x, entries[at], part(x)) if isinstance(x, Structure) else x for x, at in places])
    if cls is Exact:
        return structure.parts[0]
    if issubclass(cls, Packed):
        return cls(structure.parts[0], entries)
    made: Any = object.__new__(cls)
    made.__dict__["_flat"] = Flat(structure, entries, argument)
    return made


def _unknown(_structure: Structure) -> None:
    """No argument."""


def flat(value: Any) -> Flat:
    """The flat form of a value; a record remembers its own."""
    form: Flat | None = getattr(value, "_flat", None)
    if form is None:
        entries: list[Any] = []
        structure = _walked(value, entries)
        form = Flat(structure if isinstance(structure, Structure) else structure_of(Exact, (structure,)), entries)
        if type(value) in FIELDS:
            value.__dict__["_flat"] = form
    return form


def _walked(value: Any, into: list[Any]) -> Any:
    """The structure of a value, its entries appended to a list."""
    form: Flat | None = getattr(value, "_flat", None)
    if form is not None:
        into.extend(form.entries)
        return form.structure
    cls = type(value)
    names = FIELDS.get(cls)
    if names is not None:
        here = value.__dict__
        return structure_of(cls, tuple([_walked(here[name], into) for name in names]))
    if cls is int or value is None:
        return value
    if cls is tuple or cls is list:
        return structure_of(tuple, tuple([_walked(part, into) for part in value]))
    into.append(value)
    return ENTRY


@functools.cache
def tuple_of(n: int) -> Structure:
    """The structure of n entries side by side."""
    return structure_of(tuple, (ENTRY,) * n)


def dense(value: T) -> T:
    """The value with exact integers as entries like the others."""
    made: T = _dense(value)
    return made


def _dense(value: Any) -> Any:
    cls = type(value)
    if cls is int:
        return float(value)
    if cls is tuple:
        return tuple([_dense(part) for part in value])
    return cls(*[_dense(getattr(value, name)) for name in FIELDS[cls]]) if cls in FIELDS else value


def fingerprint(values: Iterable[Any]) -> str:
    """Digest of records and their numbers."""
    forms = [flat(value) for value in values]
    text = "|".join(f"{form.structure.text}{[float(x).hex() for x in form.entries]}" for form in forms)
    return hashlib.sha256(text.encode()).hexdigest()
