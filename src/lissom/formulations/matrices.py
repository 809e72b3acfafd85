"""Vectors and matrices of any kind of number, as lists and lists of rows.

Products are written out in full, whatever zeros a matrix may hold: economies belong in a formulation,
not in its program (Hollerbach 1980). Two values are exempt, because no author computes with them:
`ONE`, the identity where a recursion begins, and `ZERO`, the nothing before its first or after its
last link.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

Vector = list[Any]
Matrix = list[list[Any]]


class Boundary:
    """A value that begins a recursion."""

    def __init__(self, name: str):
        self._name = name

    def __repr__(self) -> str:
        return self._name


ONE, ZERO = Boundary("ONE"), Boundary("ZERO")


def product(A: Any, B: Any, *more: Any) -> Any:
    """A B ..., from the left."""
    if more:
        return product(product(A, B), *more)
    if A is ZERO or B is ZERO:
        return ZERO
    if A is ONE or B is ONE:
        return B if A is ONE else A
    columns = list(zip(*B, strict=True))
    return [[dot(row, column) for column in columns] for row in A]


def times(A: Any, v: Any) -> Any:
    """A v of a matrix and a vector."""
    if v is ZERO or A is ZERO:
        return ZERO
    return v if A is ONE else [dot(row, v) for row in A]


def dot(a: Sequence[Any], b: Sequence[Any]) -> Any:
    total = a[0] * b[0]
    for x, y in zip(a[1:], b[1:], strict=True):
        total = total + x * y
    return total


def inner(a: Any, b: Any) -> Any:
    """Inner product a . b; either may be the empty value of a boundary."""
    return ZERO if a is ZERO or b is ZERO else dot(a, b)


def plus(*terms: Any) -> Any:
    """Sum of vectors, matrices or numbers; empty values of a boundary are skipped."""
    left = [term for term in terms if term is not ZERO]
    if not left:
        return ZERO
    total = left[0]
    for term in left[1:]:
        total = _each(lambda x, y: x + y, total, term)
    return total


def minus(a: Any, b: Any) -> Any:
    """a - b."""
    if b is ZERO:
        return a
    return negative(b) if a is ZERO else _each(lambda x, y: x - y, a, b)


def negative(a: Any) -> Any:
    if a is ZERO:
        return ZERO
    return [negative(x) for x in a] if isinstance(a, list) else -a


def _each(operation: Any, a: Any, b: Any) -> Any:
    if isinstance(a, list):
        return [_each(operation, x, y) for x, y in zip(a, b, strict=True)]
    return operation(a, b)


def scaled(k: Any, a: Any) -> Any:
    """k a of a number and a vector or matrix."""
    if a is ZERO:
        return ZERO
    return [scaled(k, x) for x in a] if isinstance(a, list) else k * a


def transposed(A: Any) -> Any:
    return A if isinstance(A, Boundary) else [list(column) for column in zip(*A, strict=True)]


def trace(A: Any) -> Any:
    if A is ZERO:
        return ZERO
    total = A[0][0]
    for k in range(1, len(A)):
        total = total + A[k][k]
    return total


def outer(a: Vector, b: Vector) -> Matrix:
    """a b^T."""
    return [[x * y for y in b] for x in a]


def cross(a: Any, b: Any) -> Any:
    """a x b."""
    if a is ZERO or b is ZERO:
        return ZERO
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def skew(v: Vector) -> Matrix:
    """[v], with [v] u = v x u."""
    O = 0.0
    return [[O, -v[2], v[1]], [v[2], O, -v[0]], [-v[1], v[0], O]]


def rotation(A: Any) -> Any:
    """Upper left 3x3 of a 4x4."""
    return [list(row[:3]) for row in A[:3]]


def position(A: Any) -> Any:
    """Last column of a 4x4, without its one."""
    return [row[3] for row in A[:3]]


def value(x: Any) -> Any:
    """A number, 0 for the empty value of a boundary."""
    return 0.0 if x is ZERO else x
