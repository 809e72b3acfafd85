"""Names of a module that are loaded when they are first asked for."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def loader(name: str, table: Mapping[str, tuple[str, ...]]) -> Callable[[str], Any]:
    """``__getattr__`` of the module `name`: {module: names that come from it}."""
    homes = {word: module for module, words in table.items() for word in words}

    def get(word: str) -> Any:
        if word not in homes:
            raise AttributeError(f"module {name!r} has no attribute {word!r}")
        found = getattr(import_module(homes[word]), word)
        setattr(sys.modules[name], word, found)  # the next time it is at hand
        return found

    return get
