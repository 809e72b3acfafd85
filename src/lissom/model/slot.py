"""The place where other rooms store what they computed for an arm."""

from __future__ import annotations

from typing import Any


class Holder:
    """One slot for results that belong to a record: neither compared, hashed, pickled nor copied with it."""

    __slots__ = ("_compiled",)
    _compiled: Any  # `kernels.cache.ArmCache`, made on first use
