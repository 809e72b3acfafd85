"""Records of all constraints of this folder that a task may hold, by the names that task files use."""

from __future__ import annotations

import pkgutil
from functools import cache
from importlib import import_module
from pathlib import Path

from lissom.motion.task.path_constraint import AbstractPathConstraint


@cache
def path_constraint_kinds() -> dict[str, type[AbstractPathConstraint]]:
    """Classes by kind."""
    package = __name__.rpartition(".")[0]
    for module in pkgutil.iter_modules([str(Path(__file__).parent)]):
        import_module(f"{package}.{module.name}")
    kinds = sorted(AbstractPathConstraint.__subclasses__(), key=lambda kind: kind.kind)
    return {kind.kind: kind for kind in kinds}
