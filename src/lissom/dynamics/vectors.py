"""Vectors and 3x3 matrices as lists of scalars, for steps that run on floats, arrays and symbols.

A matrix is nine scalars row by row.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

Vector = Sequence[Any]


def add(a: Vector, b: Vector) -> list[Any]:
    return [x + y for x, y in zip(a, b, strict=True)]


def sub(a: Vector, b: Vector) -> list[Any]:
    return [x - y for x, y in zip(a, b, strict=True)]


def scale(k: Any, a: Vector) -> list[Any]:
    return [k * x for x in a]


def dot(a: Vector, b: Vector) -> Any:
    total = a[0] * b[0]
    for x, y in zip(a[1:], b[1:], strict=True):
        total = total + x * y
    return total


def cross(a: Vector, b: Vector) -> list[Any]:
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def times(A: Vector, v: Vector) -> list[Any]:
    """A v."""
    return [A[3 * r] * v[0] + A[3 * r + 1] * v[1] + A[3 * r + 2] * v[2] for r in range(3)]


def product(A: Vector, B: Vector) -> list[Any]:
    """A B."""
    return [A[3 * r] * B[c] + A[3 * r + 1] * B[3 + c] + A[3 * r + 2] * B[6 + c] for r in range(3) for c in range(3)]


def columns_turned(A: Vector, c: Any, s: Any) -> list[Any]:
    """A Rz, cosine and sine of the angle given."""
    return [x for r in (0, 3, 6) for x in (A[r] * c + A[r + 1] * s, A[r + 1] * c - A[r] * s, A[r + 2])]
