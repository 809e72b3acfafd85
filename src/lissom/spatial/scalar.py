"""Scalars of any kind, and exact integers that fold.

A scalar is whatever can be added and multiplied: a float, a NumPy array, a casadi symbol, a counting number. A Python
``int`` is exact: 0 and 1 in the axis of a joint, the zeros of a skew-symmetric matrix. Exact zeros and ones vanish
here, for all kinds of scalars, so general equations cost what equations written out by hand would. Numbers of an arm
are floats, never ints.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np


class Scalar(Protocol):
    """Anything with + - * /."""

    def __add__(self, other: Any, /) -> Scalar: ...
    def __radd__(self, other: Any, /) -> Scalar: ...
    def __sub__(self, other: Any, /) -> Scalar: ...
    def __rsub__(self, other: Any, /) -> Scalar: ...
    def __mul__(self, other: Any, /) -> Scalar: ...
    def __rmul__(self, other: Any, /) -> Scalar: ...
    def __truediv__(self, other: Any, /) -> Scalar: ...
    def __rtruediv__(self, other: Any, /) -> Scalar: ...
    def __neg__(self) -> Scalar: ...


Coordinates = tuple[Scalar, ...]


def add(a: Scalar, b: Scalar) -> Scalar:
    """a + b."""
    if type(a) is int and a == 0:
        return b
    return a if type(b) is int and b == 0 else a + b


def sub(a: Scalar, b: Scalar) -> Scalar:
    """a - b."""
    if type(b) is int and b == 0:
        return a
    return -b if type(a) is int and a == 0 else a - b


def mul(a: Scalar, b: Scalar) -> Scalar:
    """a b."""
    if type(a) is int and a in (0, 1):
        return b if a else 0
    if type(b) is int and b in (0, 1):
        return a if b else 0
    return a * b


def _by(method: str, x: Any) -> Scalar:
    """A method of a symbol, or NumPy's function of that name of a float or an array."""
    found: Scalar = getattr(x, method)() if hasattr(x, method) else getattr(np, method)(x)
    return found


def sin(x: Scalar) -> Scalar:
    """Sine of a float, an array or a symbol."""
    return _by("sin", x)


def cos(x: Scalar) -> Scalar:
    """Cosine of a float, an array or a symbol."""
    return _by("cos", x)


def sign(x: Scalar) -> Scalar:
    """Sign of a float, an array or a symbol; zero at zero."""
    return _by("sign", x)


def absolute(x: Scalar) -> Scalar:
    """Absolute value of a float, an array or a symbol."""
    return _by("fabs", x)
