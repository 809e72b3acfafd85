"""Arrays of scalars of any kind: floats, arrays or symbols, in NumPy's object arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

Objects = Any  # an object array


def objects(values: Sequence[Any], *shape: int) -> Objects:
    """An array of scalars of any kind; without a shape a vector."""
    out = np.empty(len(values), object)
    for k, value in enumerate(values):
        out[k] = value
    return out.reshape(shape) if shape else out


def skew(v: Sequence[Any]) -> Objects:
    O = 0 * v[0]
    return objects([O, -v[2], v[1], v[2], O, -v[0], -v[1], v[0], O], 3, 3)


def scaled(x: Any, A: Objects) -> Objects:
    """x A, entry by entry: symbols would take a whole array for a matrix of their own."""
    out = np.empty(A.shape, object)
    for place in np.ndindex(*A.shape):
        out[place] = x * A[place]
    return out


def summed(parts: Sequence[Objects], *shape: int) -> Objects:
    """Sum of arrays, zeros of the shape if there are none."""
    out = np.zeros(shape, object)
    for part in parts:
        out = out + part
    return out


def axial(P: Objects) -> Objects:
    """int p x a dm from P = int a p^T dm."""
    return objects([P[2, 1] - P[1, 2], P[0, 2] - P[2, 0], P[1, 0] - P[0, 1]])


def form(T: Objects, a: Objects, b: Objects) -> Objects:
    """a T b of a table (m, m, ...)."""
    return np.tensordot(b, np.tensordot(a, T, 1), 1)


def slope(T: Objects, a: Objects) -> Objects:
    """T a of a table (m, m, ...), symmetric in its first two."""
    return np.tensordot(a, T, 1)
