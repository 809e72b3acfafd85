"""Keys of compiled code: fingerprints of everything that a program can read, and of the code that makes kernels.

A key is made by walking through values, not from a list of what matters: a new field of a body, of a link or of what
acts on an arm is part of it without being mentioned here. What does not count is listed in `IGNORED`, and a value of a
type that cannot be walked through is an error.
"""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import operator
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from lissom.dynamics.bodies import Bodies
from lissom.dynamics.varied import Varied

PLAIN = frozenset({type(None), bool, int, float, str, bytes})
ROOMS = (
    "dynamics", "elements", "engine", "flexible", "formulations", "joints", "kernels", "loops", "model", "simulation",
    "spatial",
)  # fmt: skip
# fields that no program reads: names of arms, what joints may do, pictures, curves whose numbers are in the bodies
IGNORED = {
    "Bodies": {"elements", "_known"},
    "Arm": {"name"},
    "Joint": {"limits"},
    "Link": {"shapes"},
    "FlexibleBody": {"line"},
}


def fingerprint(*values: Any) -> str:
    """Hexadecimal fingerprint of values: the same in every process, another one where any part differs."""
    parts: list[bytes] = []
    _collect(values, parts.append)
    return hashlib.sha256(b"\x00".join(parts)).hexdigest()


def _collect(value: Any, add: Callable[[bytes], None]) -> None:
    """Add the value as pieces of bytes, which say where its parts begin and end."""
    kind = type(value)
    if kind in PLAIN or (kind in (tuple, list) and PLAIN.issuperset(map(type, value))):
        add(f"{kind.__name__} {value!r}".encode())
    elif isinstance(value, np.ndarray | np.generic):
        array = np.ascontiguousarray(value)
        add(f"array {array.dtype.str} {value.shape}".encode())
        add(array.tobytes())
    elif kind is Bodies:
        add(_of_bodies(value).encode())
    else:
        names, parts = _parts(value)
        add(f"{kind.__name__} {len(names)} {' '.join(names)}".encode())
        for part in parts:
            _collect(part, add)


def _of_bodies(bodies: Bodies) -> str:
    """The fingerprint of bodies, which is known as long as all that they consist of is the same objects.

    Lists and dictionaries of bodies may change; what is in them does not.
    """
    found: dict[str, Any] = vars(bodies)
    held = {name: x for name, x in found.items() if name not in IGNORED["Bodies"] and not _derived(Bodies, name)}
    items = [item for x in held.values() for item in (x if type(x) is list else flattened(x))]
    known = found.get("_known")
    if known is None or len(known[0]) != len(items) or not all(map(operator.is_, known[0], items)):
        known = found["_known"] = items, fingerprint(held)
    digest: str = known[1]
    return digest


def flattened(value: Any) -> list[Any]:
    """Keys and values of a dictionary; of anything else itself."""
    return [*value, *value.values()] if type(value) is dict else [value]


def _parts(value: Any) -> tuple[Sequence[str], Iterable[Any]]:
    """The names of the parts of a value, and the parts."""
    kind: Any = type(value)
    if kind in (tuple, list):
        return [""] * len(value), value
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return value._fields, value
    if isinstance(value, dict):
        return list(map(fingerprint, value)), value.values()
    if dataclasses.is_dataclass(value):
        names = _read(kind)
        return names, (getattr(value, name) for name in names)
    if isinstance(value, Varied):
        names = ("arm", "frames", "rounded", "pieces")
        return names, (getattr(value, name) for name in names)
    if isinstance(value, slice):
        return ("start", "stop", "step"), (value.start, value.stop, value.step)
    raise TypeError(f"{kind.__name__} cannot be part of the key of compiled code")


@functools.cache
def _read(kind: Any) -> tuple[str, ...]:
    """Names of the fields of a record that count."""
    ignored = IGNORED.get(kind.__name__, ())
    return tuple(field.name for field in dataclasses.fields(kind) if field.compare and field.name not in ignored)


@functools.cache
def _derived(kind: Any, name: str) -> bool:
    """Whether an attribute is computed from others on first use."""
    return isinstance(getattr(kind, name, None), functools.cached_property)


@functools.cache
def sources(*more: str) -> str:
    """Fingerprint of the code that makes kernels, `more` rooms too: cached ones of another version are not used."""
    total = hashlib.sha256()
    house = Path(__file__).parents[1]
    found = [path for room in (*ROOMS, *more) for path in sorted((house / room).rglob("*.py"))]
    for path in (house / "records.py", *found):
        total.update(path.read_bytes())
    return total.hexdigest()
