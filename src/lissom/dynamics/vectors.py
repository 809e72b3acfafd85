"""Vectors as lists of scalars, for declared steps."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

Vector = Sequence[Any]


def add(a: Vector, b: Vector) -> list[Any]:
    return [x + y for x, y in zip(a, b, strict=True)]


def sub(a: Vector, b: Vector) -> list[Any]:
    return [x - y for x, y in zip(a, b, strict=True)]


def dot(a: Vector, b: Vector) -> Any:
    total = a[0] * b[0]
    for x, y in zip(a[1:], b[1:], strict=True):
        total = total + x * y
    return total


def cross(a: Vector, b: Vector) -> list[Any]:
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
