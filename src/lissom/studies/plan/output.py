"""Outputs of a study: numbers extracted from the result of an evaluation."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from lissom.errors import InputError, shown, suggest
from lissom.model.record import Record
from lissom.spatial.rotations import Array
from lissom.studies.plan.paths import Where

MOST_ENTRIES = 400  # columns that one output may become
# along the first axis of what is left, time where it is a run or a motion; `norm` is of the last
TAKES: dict[str, Callable[[Array], Any]] = {
    "first": lambda x: x[0],
    "last": lambda x: x[-1],
    "max": lambda x: x.max(axis=0),
    "min": lambda x: x.min(axis=0),
    "max_abs": lambda x: np.abs(x).max(axis=0),
    "mean": lambda x: x.mean(axis=0),
    "rms": lambda x: np.sqrt((x * x).mean(axis=0)),
    "std": lambda x: x.std(axis=0),
    "range": lambda x: x.max(axis=0) - x.min(axis=0),
    "sum": lambda x: x.sum(axis=0),
    "norm": lambda x: np.sqrt((x * x).sum(axis=-1)),
}


class NoSuchOutput(InputError):
    """The requested output does not exist in the result of any row."""


@dataclass(frozen=True, eq=False)
class StudyOutput(Record):
    """One or more numbers extracted from the result of an evaluation.

    Parameters
    ----------
    of : str
        name of a field of the result: ``frequencies_hz[0]``, ``report.dt``, ``poles``, ``tip_deflection`` (with
        ``entry=1`` for its column 1). Empty: the result itself
    take : str
        reductions, applied one after the other: "first", "last", "max", "min", "max_abs", "mean", "rms", "std",
        "range" (max minus min), "sum" along the first axis (time, for a run or a motion), "norm" (Euclidean) along the
        last. ``"range norm"``: the extent of a path along each axis, then its norm
    entry : int or None           index on the last axis, applied before the reductions
    after, before : float or None use only samples between these times [s]; for runs and motions
    unit : str

    If the result is an array, its entries become columns ``name[0]``, ``name[1]``, ... Of complex numbers the real part
    is used.

    Examples
    --------
    >>> import lissom as ls
    >>> run = ls.simulate(ls.load("two_link"), [0.3, 0.1], until=1.0)
    >>> StudyOutput("tau", take="max_abs").of_record(run)
    array([0., 0.])
    """

    of: str = ""
    take: str = ""
    entry: int | None = None
    after: float | None = None
    before: float | None = None
    unit: str = ""

    def __post_init__(self) -> None:
        if not isinstance(self.of, str):
            raise InputError(
                f"StudyOutput: of is {shown(self.of)}; expected the name of a field of the result, such as "
                "'tip_deflection'. Reductions are named in take; pass a function of your own as the study's evaluate."
            )
        if self.of:
            Where.of(self.of)
        if not isinstance(self.take, str):
            raise InputError(f"StudyOutput: take is {shown(self.take)}; expected reductions such as 'range norm'.")
        for word in self.take.split():
            if word not in TAKES:
                raise InputError(f"StudyOutput: take has {word!r}; {suggest(word, TAKES)}")
        if self.entry is not None and (isinstance(self.entry, bool) or not isinstance(self.entry, int)):
            raise InputError(f"StudyOutput: entry is {shown(self.entry)}; expected a whole number, or None.")
        for word in ("after", "before"):
            value = getattr(self, word)
            if value is not None and (isinstance(value, bool) or not isinstance(value, int | float)):
                raise InputError(f"StudyOutput: {word} is {shown(value)}; expected a time in seconds, or None.")
        if not isinstance(self.unit, str) or not self.unit.isprintable():
            raise InputError(f"StudyOutput: unit is {shown(self.unit)}; expected printable text, such as 'm'.")

    @property
    def whole(self) -> bool:
        """Whether all entries are used without reduction or selection."""
        steps = Where.of(self.of).steps if self.of else ()
        plain = not self.take and self.entry is None and self.after is None and self.before is None
        return plain and not any(isinstance(step, int) for step in steps)

    def of_record(self, record: Any) -> Array:
        """Return the output of a record, as an array of any shape."""
        value = _followed(record, Where.of(self.of)) if self.of else record
        try:
            array = np.asarray(value)
            array = (array.real if array.dtype.kind == "c" else array).astype(float)
        except (TypeError, ValueError):
            raise NoSuchOutput(
                f"{self.of or 'the result'} is {shown(value)}; expected numbers. Choose a field: {_offered(value)}"
            ) from None
        array = self._windowed(record, array)
        return np.asarray(self._taken(array))

    def _windowed(self, record: Any, array: Array) -> Array:
        """Return the samples between two times, and one entry of the last axis."""
        if self.after is not None or self.before is not None:
            t = getattr(record, "t", None)
            if t is None or array.ndim == 0 or len(array) != len(t):
                raise NoSuchOutput(f"{self.of}: after and before need samples over time, and the result has none.")
            inside = (t >= (-np.inf if self.after is None else self.after)) & (
                t <= (np.inf if self.before is None else self.before)
            )
            if not inside.any():
                raise InputError(f"{self.of}: after and before exclude all samples ({t[0]:g} to {t[-1]:g} s).")
            array = array[inside]
        if self.entry is None:
            return array
        if array.ndim == 0 or not -array.shape[-1] <= self.entry < array.shape[-1]:
            raise NoSuchOutput(f"{self.of} has shape {array.shape}, so there is no entry {self.entry}.")
        return array[..., self.entry]

    def _taken(self, array: Array) -> Any:
        for word in self.take.split():
            if array.ndim == 0:
                raise NoSuchOutput(f"{self.of}: {word!r} cannot be applied, since it is a single number there.")
            if not array.size:
                raise InputError(f"{self.of}: it is empty, so {word!r} cannot be applied.")
            array = np.asarray(TAKES[word](np.ascontiguousarray(array)))
        return array


def _followed(record: Any, where: Where) -> Any:
    """Follow public attributes, keys and entries of a result."""
    value, so_far = record, "the result"
    for step in where.steps:
        if isinstance(step, int):
            value = _entry(value, step, so_far)
        elif isinstance(value, dict) and step in value:
            value = value[step]
        elif step.startswith("_") or not hasattr(value, step) or callable(getattr(value, step)):
            raise NoSuchOutput(f"there is no {step!r} in {so_far}; {suggest(step, _named(value))}")
        else:
            value = getattr(value, step)
        so_far = f"{so_far}[{step}]" if isinstance(step, int) else step
    return value


def _entry(value: Any, k: int, so_far: str) -> Any:
    try:
        return value[k]
    except (TypeError, IndexError, KeyError):
        have = f"{len(value)} entries" if hasattr(value, "__len__") else "none"
        raise InputError(f"{so_far} has {have}, so there is no [{k}].") from None


def _named(value: Any) -> list[str]:
    """Return the public names of a record that are not its methods."""
    if isinstance(value, dict):
        return [str(key) for key in value]
    kind = type(value)
    fields = [*getattr(kind, "__dataclass_fields__", ()), *getattr(kind, "_fields", ())]
    made = [word for word in dir(kind) if isinstance(getattr(kind, word), property) or _cached(kind, word)]
    return [word for word in dict.fromkeys([*fields, *made]) if not word.startswith("_")]


def _cached(kind: type, word: str) -> bool:
    return type(getattr(kind, word)).__name__ == "cached_property"


def _offered(value: Any) -> str:
    words = _named(value)
    return f"of = {', '.join(map(repr, words[:12]))}." if words else "a field that is a number or an array."


def columns_of(name: str, array: Array) -> dict[str, float]:
    """Return columns of one row: a number under its name; entries of an array under ``name[0]``, ``name[1, 2]``."""
    return {word: float(column[0]) for word, column in columns_of_rows(name, array[None]).items()}


def columns_of_rows(name: str, array: Array) -> dict[str, Array]:
    """Return the columns of many rows (rows, ...)."""
    shape = array.shape[1:]
    if not shape:
        return {name: array}
    if math.prod(shape) > MOST_ENTRIES:
        raise NoSuchOutput(
            f"output {name!r} has shape {shape}, {math.prod(shape)} columns; at most {MOST_ENTRIES} are allowed. "
            "Reduce it (take, entry)."
        )
    return {f"{name}[{', '.join(map(str, spot))}]": array[(slice(None), *spot)] for spot in np.ndindex(shape)}
