"""Frozen records: compared, hashed and pickled by their content."""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Callable
from typing import Any, Self

import numpy as np

from lissom.errors import KeywordError, suggest
from lissom.keywords import SignatureOfInit
from lissom.later import cached_property


class Record:
    """Base of the frozen dataclasses that describe an arm.

    Arrays inside are read-only. Two records are equal when all their fields
    are, bit for bit; fields declared with ``compare=False`` (provenance) do not count, nor do records in a
    sequence that are not `compared`.
    Pickling and copying go through the constructor, so a copy is validated and
    frozen like the original.
    """

    __signature__ = SignatureOfInit()

    def __new__(cls, *_values: Any, **fields: Any) -> Self:
        """Raise an error for unknown fields, before the constructor sees them."""
        known = cls.__dataclass_fields__  # type: ignore[attr-defined]
        for word in fields:
            if word not in known:
                raise KeywordError(f"{cls.__name__}: there is no field {word!r}; {suggest(word, known)}")
        return super().__new__(cls)

    @property
    def compared(self) -> bool:
        """Whether the record counts when what contains it is compared."""
        return True

    def _content(self) -> tuple[Any, ...]:
        cached = self.__dict__.get("_content_cache")
        if cached is None:
            fields = [f for f in dataclasses.fields(self) if f.compare]  # type: ignore[arg-type]
            cached = (type(self).__name__, *(_plain(getattr(self, f.name)) for f in fields))
            self.__dict__["_content_cache"] = cached
        return cached

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other):
            return NotImplemented
        return self._content() == other._content()

    def __hash__(self) -> int:
        return hash(self._content())

    def __reduce__(self) -> tuple[Any, ...]:
        fields = dataclasses.fields(self)  # type: ignore[arg-type]
        return _rebuild, (type(self), {f.name: getattr(self, f.name) for f in fields})

    def _set(self, **values: Any) -> None:
        """Set validated values, in ``__post_init__`` only."""
        for word, value in values.items():
            object.__setattr__(self, word, value)

    def _check(self, **checks: Callable[[Any, str], Any]) -> None:
        """Replace fields by what their checks return, `check(value, name)`; in ``__post_init__`` only."""
        self._set(**{word: check(getattr(self, word), word) for word, check in checks.items()})

    def _with(self, **checked: Any) -> Self:
        """A copy with some fields changed to values that are already checked; the rest was when this record was made.

        Only for fields that no other field depends on, such as a name or where the numbers come from.
        """
        copy = object.__new__(type(self))
        fields = dataclasses.fields(self)  # type: ignore[arg-type]
        copy.__dict__.update({f.name: getattr(self, f.name) for f in fields} | checked)
        return copy

    @cached_property
    def digest(self) -> str:
        """Hexadecimal fingerprint of the content: the same in every process and on every machine."""
        return hashlib.sha256(repr(self._content()).encode()).hexdigest()

    def replace(self, **changes: Any) -> Self:
        """A copy with some fields changed, validated anew."""
        return dataclasses.replace(self, **changes)  # type: ignore[type-var]


def _plain(value: Any) -> Any:
    """Hashable stand-in for a field's value."""
    if isinstance(value, np.ndarray):
        return (value.shape, value.dtype.str, value.tobytes())
    if isinstance(value, Record):
        return value._content()
    if isinstance(value, tuple):
        return tuple(_plain(item) for item in value if not isinstance(item, Record) or item.compared)
    return value


def _rebuild(cls: type, fields: dict[str, Any]) -> Any:
    return cls(**fields)
