"""Names of a package that are loaded when they are first asked for."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any


def listed(init: str) -> dict[str, str]:
    """{name: its module} of the imports in the stub (``.pyi``) beside the package's ``__init__.py``."""
    tree = ast.parse(Path(init).with_suffix(".pyi").read_text(encoding="utf-8"))
    imports = [node for node in tree.body if isinstance(node, ast.ImportFrom)]
    return {alias.name: str(node.module) for node in imports for alias in node.names}


def loader(package: str, homes: Mapping[str, str]) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """``__getattr__`` and ``__dir__`` of `package`, whose names live in `homes`."""

    def get(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        found = getattr(import_module(homes[name]), name)
        setattr(sys.modules[package], name, found)  # the next time it is at hand
        return found

    return get, lambda: sorted({*vars(sys.modules[package]), *homes})
