"""Complex numbers whose parts are scalars of any kind: floats, values of a program, symbols.

Where both parts are floats, Python's complex numbers serve. Zeros that are numbers are left out of sums and products.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

ROUNDING = 1e-13  # relative; smaller parts of a constant are meant to be zero


class Pair:
    """A complex number from two scalars."""

    __slots__ = ("imag", "real")
    __array_ufunc__ = None  # an array times a pair is a pair

    def __init__(self, real: Any, imag: Any = 0.0):
        self.real, self.imag = real, imag

    @classmethod
    def of(cls, x: Any) -> Pair:
        """A number as a pair."""
        return x if isinstance(x, Pair) else cls(x.real, x.imag) if isinstance(x, complex) else cls(x)

    def __add__(self, other: Any) -> Pair:
        other = self.of(other)
        return Pair(_plus(self.real, other.real), _plus(self.imag, other.imag))

    def __mul__(self, other: Any) -> Pair:
        a, b, other = self.real, self.imag, self.of(other)
        c, d = other.real, other.imag
        return Pair(_plus(_times(a, c), -_times(b, d)), _plus(_times(a, d), _times(b, c)))

    def __neg__(self) -> Pair:
        return Pair(-self.real, -self.imag)

    __radd__, __rmul__ = __add__, __mul__

    def conjugate(self) -> Pair:
        """The conjugate number."""
        return Pair(self.real, -self.imag)


def _plus(a: Any, b: Any) -> Any:
    return b if is_zero(a) else a if is_zero(b) else a + b


def _times(a: Any, b: Any) -> Any:
    return 0.0 if is_zero(a) or is_zero(b) else a * b


def is_zero(x: Any) -> bool:
    """Whether a scalar or a pair is known to be zero; values of a program are not."""
    if isinstance(x, Pair):
        return is_zero(x.real) and is_zero(x.imag)
    return isinstance(x, int | float | complex) and x == 0


def total(values: Iterable[Any]) -> Any:
    """A sum that does not begin with zero; zero when there is nothing."""
    out = None
    for x in values:
        out = x if out is None else out + x
    return 0.0 if out is None else out


def known(entries: Iterable[Any]) -> bool:
    """Whether all scalars are numbers."""
    return all(isinstance(x, int | float | complex) for x in entries)


def number(x: Any) -> Any:
    """A scalar as a number that can be multiplied by complex ones."""
    return float(x) if known([x]) else Pair(x)


def dot(weights: Any, entries: Sequence[Any]) -> Any:
    """The complex number sum weights_i entries_i of complex weights and real scalars."""
    weights = np.asarray(weights).ravel()
    if known(entries):
        return complex(weights @ np.array(entries, float))
    parts = (weights.real, weights.imag)
    return Pair(*(total(float(w) * x for w, x in zip(part, entries, strict=True) if w) for part in parts))


def clean(numbers: Sequence[Any]) -> list[Any]:
    """Complex numbers without the rounding in one of their parts, beside the largest of them."""
    if not known(numbers):
        return list(numbers)
    tiny = ROUNDING * max(map(abs, numbers), default=0.0)
    return [complex(x.real if abs(x.real) > tiny else 0.0, x.imag if abs(x.imag) > tiny else 0.0) for x in numbers]
