"""All criteria of this folder, by name."""

from __future__ import annotations

import pkgutil
from importlib import import_module
from pathlib import Path
from typing import Any

from lissom.motion.task.criteria.criterion import AbstractCriterion

ORDER = ("time", "torque_squared")  # first in messages; others follow by name


def _found() -> dict[str, AbstractCriterion]:
    package = __name__.rpartition(".")[0]
    for module in pkgutil.iter_modules([str(Path(__file__).parent)]):
        if module.name != "function":  # it needs casadi, and is made for each function of a user
            import_module(f"{package}.{module.name}")
    made = {kind.name: kind() for kind in AbstractCriterion.__subclasses__()}
    return {word: made[word] for word in (*ORDER, *sorted(set(made) - set(ORDER)))}


CRITERIA = _found()


def criterion(word: Any) -> AbstractCriterion:
    """The criterion that a key of `Task.minimise` means: a name, or a function of the user."""
    if isinstance(word, str):
        return CRITERIA[word]
    from lissom.motion.task.criteria.function import Function

    return Function(word)
