"""Values of several rows as one value with a row for each, as batches and ensembles take them."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

import numpy as np

from lissom.model.loads import BaseMotion, Load
from lissom.simulation.controllers import Controller


class NotStackable(Exception):
    """Raised for values that cannot be stacked into one array."""


def single(value: Any) -> bool:
    """Whether an argument describes one state or run, so that the rows of a study can be stacked."""
    if isinstance(value, Controller):
        return all(single(item) for word, item in vars(value).items() if word not in value.matrices())
    if isinstance(value, Load | BaseMotion):
        return all(single(getattr(value, field.name)) for field in dataclasses.fields(value))
    if isinstance(value, list | tuple) and all(isinstance(item, Load) for item in value):
        return all(map(single, value))
    return not isinstance(value, np.ndarray | list | tuple) or np.ndim(value) < 2


def stacked(values: Sequence[Any]) -> Any:
    """Return arrays, controllers or loads with one row for each value; values that do not vary are unchanged."""
    first = values[0]
    if all(value is first for value in values):
        return first
    if isinstance(first, np.ndarray):
        return _arrays(values)
    if isinstance(first, Controller):
        return _controllers(values)
    if isinstance(first, list | tuple) and all(isinstance(load, Load) for load in first):
        return [_loads(one) for one in zip(*values, strict=True)]
    raise NotStackable


def _arrays(values: Sequence[Any]) -> Any:
    if len({np.shape(value) for value in values}) > 1:
        raise NotStackable
    return np.stack(values)


def _controllers(values: Sequence[Any]) -> Any:
    """Return a controller with one row of inputs for each; a gain that is one number becomes a column."""
    fixed = not values[0].compiled or not dataclasses.is_dataclass(values[0])
    if fixed or len({type(value) for value in values}) > 1:
        raise NotStackable
    changed = {}
    for field in dataclasses.fields(values[0]):
        column = [getattr(value, field.name) for value in values]
        if all(x is column[0] for x in column):
            continue
        role = values[0].inputs().get(field.name)
        if role is None or not role.stacks:
            raise NotStackable
        if all(isinstance(x, int | float) and not isinstance(x, bool) for x in column):
            changed[field.name] = np.array(column, float)[:, None]
        else:
            try:
                arrays = [np.asarray(x, float) for x in column]
            except (TypeError, ValueError):
                raise NotStackable from None
            changed[field.name] = _arrays(arrays)
    return dataclasses.replace(values[0], **changed)


def _loads(values: Sequence[Load]) -> Load:
    if len({load.link for load in values}) > 1:
        raise NotStackable
    parts = {word: _arrays([getattr(load, word) for load in values]) for word in ("force", "moment", "point")}
    if any(part.ndim != 2 for part in parts.values()):
        raise NotStackable  # samples over time
    return Load(values[0].link, **parts)
