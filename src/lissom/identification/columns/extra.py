"""Columns of the user's own, such as a counterbalance."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from lissom.arrays import as_floats
from lissom.errors import InputError, listed, shown, suggest
from lissom.identification.columns.terms import State, Terms
from lissom.identification.logs.log import Log
from lissom.spatial.rotations import Array

FORMS = "a function of (q, qd, qdd), or an array (times, joints) for each log"


@dataclass(frozen=True, eq=False)
class Extras:
    """Functions of (q, qd, qdd), or arrays with the samples of the log, by name; torques of unit parameters (nt, n)."""

    given: tuple[Any, ...]
    terms: Terms
    kind: str = "extra"

    @classmethod
    def of(cls, given: Mapping[str, Any] | None, known: Extras | None = None) -> Extras:
        """What the user gives; of a model that has extra columns, only arrays must be given anew for other logs."""
        words = tuple(given or ()) if known is None else known.terms.names
        values = dict(given or {}) if known is None else dict(zip(words, known.given, strict=True)) | dict(given or {})
        if not all(isinstance(word, str) for word in words):
            raise InputError("identify: names of extra columns are text, for example extra={'counterbalance': column}.")
        for word in values:
            if word not in words:
                raise InputError(f"extra has {word!r}; {suggest(word, words)}")
        if known is not None:
            _refuse_old([word for word in words if not callable(values[word]) and word not in (given or {})])
        for word in words:
            _refuse_signature(word, values[word])
        none = np.zeros(len(words))
        terms = Terms(words, ("",) * len(words), none, none, np.zeros(len(words), bool))
        return cls(tuple(values[word] for word in words), terms)

    def for_log(self, log: Log, at: int, count: int, every: int) -> tuple[Callable[..., Array] | Array, ...]:
        """What is given for log number `at` of `count`, thinned out as its samples are."""
        return tuple(_of_log(word, value, log, at, count, every)
                     for word, value in zip(self.terms.names, self.given, strict=True))  # fmt: skip

    def columns(self, state: State) -> Array:
        """See `Block`."""
        samples = state.samples
        parts = [_values(word, value, samples.q, samples.qd, samples.qdd)
                 for word, value in zip(self.terms.names, samples.extras, strict=True)]  # fmt: skip
        return np.stack(parts, axis=-1) if parts else np.zeros((*samples.q.shape, 0))


def _refuse_old(words: list[str]) -> None:
    """Raise an error for arrays of the logs of the fit, which say nothing about another log."""
    if words:
        raise InputError(
            f"extra {listed(words, 4)} was given as an array, which holds for its own log alone: give that of this "
            f"log, check(log, extra={{{words[0]!r}: column}}), or identify with a function of (q, qd, qdd)."
        )


def _refuse_signature(word: str, value: Any) -> None:
    """Raise an error for a function that does not take three arguments."""
    if not callable(value):
        return
    try:
        signature = inspect.signature(value)
    except ValueError:  # some compiled functions do not tell
        return
    try:
        signature.bind(None, None, None)
    except TypeError:
        raise InputError(f"identify: extra[{word!r}] is a function of {signature}; expected (q, qd, qdd).") from None


def _of_log(word: str, value: Any, log: Log, at: int, count: int, every: int) -> Any:
    if callable(value):
        return value
    if count > 1 and isinstance(value, list | tuple) and len(value) == count:
        value = value[at]
    try:
        column = as_floats(value)
    except TypeError:
        raise InputError(f"identify: extra[{word!r}] is no array; expected {FORMS}.") from None
    if column.shape != log.q.shape:
        raise InputError(
            f"identify: extra[{word!r}] has shape {column.shape}, the log has {log.q.shape}; expected {FORMS}."
        )
    return column[::every]


def _values(word: str, value: Any, q: Array, qd: Array, qdd: Array) -> Array:
    if not callable(value):
        return np.asarray(value)
    found = value(q, qd, qdd)
    try:
        found = as_floats(found)
    except TypeError:
        raise InputError(f"identify: extra[{word!r}] returns {shown(found)}; expected torques like q.") from None
    if found.shape != q.shape:
        raise InputError(
            f"identify: extra[{word!r}] returns shape {found.shape} for states {q.shape}; expected the same."
        )
    return found
