"""Keys of compiled code: fingerprints of everything that a program can read, and of the code that makes kernels.

A key is made by walking through values, not from a list of what matters: a new field of a body, of a link or of what
acts on an arm is part of it without being mentioned here. What does not count is listed in `IGNORED`, and a value of a
type that cannot be walked through is an error.
"""

from __future__ import annotations

import dataclasses
import functools
import hashlib
from collections.abc import Iterator
from enum import Enum
from pathlib import Path
from typing import Any

import numpy as np

from lissom.dynamics.bodies import Bodies
from lissom.dynamics.varied import Varied

ROOMS = ("dynamics", "engine", "flexible", "formulations", "kernels", "loops", "model", "spatial")
# fields that no program reads: names of arms, what joints may do, pictures, curves whose numbers are in the bodies
IGNORED = {"Arm": {"name"}, "Joint": {"limits"}, "Link": {"shapes"}, "FlexibleBody": {"line"}}


def fingerprint(*values: Any) -> str:
    """Hexadecimal fingerprint of values: the same in every process, another one where any part differs."""
    total = hashlib.sha256()
    for value in values:
        for part in _parts(value):
            total.update(part)
            total.update(b"\x00")
    return total.hexdigest()


def _parts(value: Any) -> Iterator[bytes]:
    """The value as pieces of bytes, which say where its parts begin and end."""
    if value is None or isinstance(value, bool | int | float | str | bytes):
        yield f"{type(value).__name__} {value!r}".encode()
    elif isinstance(value, np.ndarray | np.generic):
        array = np.ascontiguousarray(value)
        yield f"array {array.dtype.str} {np.shape(value)}".encode()
        yield array.tobytes()
    elif isinstance(value, Enum):
        yield f"{type(value).__name__} {value.name}".encode()
    else:
        fields = _fields(value)
        yield f"{type(value).__name__} {len(fields)}".encode()
        for name, part in fields:
            yield name.encode()
            yield from _parts(part)


def _fields(value: Any) -> list[tuple[str, Any]]:
    """Names and values of the parts of a value."""
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return list(zip(value._fields, value, strict=True))
    if isinstance(value, tuple | list):
        return [("", item) for item in value]
    if isinstance(value, dict):
        return [(fingerprint(key), item) for key, item in value.items()]
    if dataclasses.is_dataclass(value):
        kind = type(value).__name__
        read = [f.name for f in dataclasses.fields(value) if f.compare and f.name not in IGNORED.get(kind, ())]
        return [(name, getattr(value, name)) for name in read]
    if isinstance(value, Bodies):
        return [(name, part) for name, part in vars(value).items() if not _derived(type(value), name)]
    if isinstance(value, Varied):
        return [("arm", value.arm), ("frames", value.frames), ("rounded", value.rounded), ("pieces", value.pieces)]
    if isinstance(value, slice):
        return [("start", value.start), ("stop", value.stop), ("step", value.step)]
    raise TypeError(f"{type(value).__name__} cannot be part of the key of compiled code")


def _derived(kind: type, name: str) -> bool:
    """Whether an attribute is computed from others on first use."""
    return isinstance(getattr(kind, name, None), functools.cached_property)


@functools.cache
def sources(*more: str) -> str:
    """Fingerprint of the code that makes kernels, `more` rooms too: cached ones of another version are not used."""
    total = hashlib.sha256()
    house = Path(__file__).parents[1]
    for room in (*ROOMS, *more):
        for path in sorted((house / room).rglob("*.py")):
            total.update(path.read_bytes())
    return total.hexdigest()
