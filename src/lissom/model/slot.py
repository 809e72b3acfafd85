"""The places where other rooms store what they computed for an arm."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, TypeVar

Result = TypeVar("Result")


class Holder:
    """Slots for results that belong to a record: neither compared, hashed, pickled nor copied with it."""

    __slots__ = ("_compiled", "_constants")
    _compiled: Any  # `kernels.cache.ArmCache`, made on first use
    _constants: dict[Hashable, Any]  # `constants_stored`


def constants_stored(holder: Holder, key: Hashable, make: Callable[[], Result]) -> Result:
    """Return what `make` returned the first time for this key; where threads make it at once, all results are equal."""
    try:
        stored = holder._constants
    except AttributeError:
        stored = {}
        object.__setattr__(holder, "_constants", stored)
    if key not in stored:
        stored.setdefault(key, make())
    found: Result = stored[key]
    return found
