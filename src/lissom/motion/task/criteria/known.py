"""All criteria of this folder, by name."""

from __future__ import annotations

import pkgutil
from importlib import import_module
from inspect import isabstract
from pathlib import Path
from typing import Any

from lissom.errors import InputError
from lissom.motion.task.criteria.criterion import AbstractCriterion

ORDER = ("time", "torque_squared")  # first in messages; others follow by name


def _found() -> dict[str, AbstractCriterion]:
    package = __name__.rpartition(".")[0]
    made = {}
    for info in pkgutil.iter_modules([str(Path(__file__).parent)]):
        if info.name in ("known", "function"):  # this one; and functions of users, which have no name
            continue
        module = import_module(f"{package}.{info.name}")
        for kind in vars(module).values():
            if isinstance(kind, type) and issubclass(kind, AbstractCriterion) and not isabstract(kind):
                made[kind.name] = kind()
    return {word: made[word] for word in (*ORDER, *sorted(set(made) - set(ORDER)))}


CRITERIA = _found()


def criterion(word: Any) -> AbstractCriterion:
    """The criterion that a key of `Task.minimise` means: a name, or a function of the user."""
    if isinstance(word, str) and word not in CRITERIA:
        raise InputError(
            f"minimise is {word!r}, whose inverse is not an integral along the motion; lissom.excite plans for it, "
            f"other motions minimise {', '.join(CRITERIA)}."
        )
    if isinstance(word, str):
        return CRITERIA[word]
    from lissom.motion.task.criteria.function import Function

    return Function(word)
