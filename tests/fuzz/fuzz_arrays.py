"""Numbers as awkwardly as a program may hand them over, and what they mean."""

from __future__ import annotations

import array
import random
import tempfile
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

Array = np.ndarray


class Dressed(NamedTuple):
    """An argument, and the plain array that it stands for; None where it must be refused."""

    value: Any
    means: Array | None


class Child(np.ndarray):
    """A subclass that does nothing."""


# ---- the same numbers, otherwise ----------------------------------------------------------------------------------


def unaligned(x: Array) -> Array:
    raw = np.zeros(x.nbytes + 1, np.uint8)
    out = raw[1:].view(x.dtype).reshape(x.shape)
    out[...] = x
    return out


def backwards(x: Array) -> Array:
    return np.ascontiguousarray(x[..., ::-1])[..., ::-1]


def upside_down(x: Array) -> Array:
    return np.ascontiguousarray(x[::-1])[::-1]


def sparse(x: Array) -> Array:
    wide = np.full((*x.shape[:-1], 2 * x.shape[-1]), np.nan)
    wide[..., ::2] = x
    return wide[..., ::2]


def gaps_between_rows(x: Array) -> Array:
    wide = np.full((*x.shape[:-1], x.shape[-1] + 3), np.nan)
    wide[..., : x.shape[-1]] = x
    return wide[..., : x.shape[-1]]


def read_only(x: Array) -> Array:
    x = x.copy()
    x.flags.writeable = False
    return x


def mapped(x: Array) -> Array:
    with tempfile.TemporaryFile() as file:
        out = np.memmap(file, float, "w+", shape=x.shape) if x.size else x
        out[...] = x
    return out


def nested(x: Array) -> Any:
    return tuple(map(nested, x)) if x.ndim else float(x)


SAME: dict[str, Callable[[Array], Any]] = {
    "plain": lambda x: x.copy(),
    "list": lambda x: x.tolist(),
    "tuple": nested,
    "list of arrays": lambda x: list(x) if x.ndim > 1 else x.tolist(),
    "Fortran": lambda x: np.asfortranarray(x.copy()),
    "backwards": backwards,
    "upside down": upside_down,
    "sparse": sparse,
    "gaps": gaps_between_rows,
    "read only": read_only,
    "unaligned": unaligned,
    "big endian": lambda x: x.astype(">f8"),
    "memmap": mapped,
    "subclass": lambda x: x.copy().view(Child),
    "mask without entries": lambda x: np.ma.array(x, mask=False),
    "extended": lambda x: x.astype(np.longdouble),
    "array.array": lambda x: array.array("d", x) if x.ndim == 1 else x.tolist(),
    "memoryview": lambda x: memoryview(x.copy()) if x.size else x,
}

# ---- rounded: what it stands for is what NumPy makes of it ---------------------------------------------------------

KINDS: dict[str, Callable[[Array], Any]] = {
    "float32": lambda x: x.astype(np.float32),
    "float16": lambda x: x.astype(np.float16),
    "int64": lambda x: np.rint(3 * x).astype(np.int64),
    "int8": lambda x: np.rint(3 * x).astype(np.int8),
    "uint16": lambda x: np.rint(3 * np.abs(x)).astype(np.uint16),
    "whole list": lambda x: np.rint(3 * x).astype(int).tolist(),
    "strided float32": lambda x: x.astype(np.float32)[..., ::-1],
    "zero strides": lambda x: np.broadcast_to(x.reshape(-1, x.shape[-1])[0], x.shape) if x.size else x,
    "one number": lambda x: np.broadcast_to(np.float64(0.25), x.shape),
    "negative zeros": lambda x: np.zeros(x.shape) * -1.0,
    "denormal": lambda x: np.full(x.shape, 5e-324),
    "many turns": lambda x: x + 2e6 * np.pi,
    "matrix": lambda x: x.copy().view(np.matrix) if x.ndim == 2 else x,
}

# ---- refused -------------------------------------------------------------------------------------------------------


def spoiled(value: Any) -> Callable[[Array], Array]:
    def spoil(x: Array) -> Array:
        x = x.copy()
        x.flat[x.size // 2] = value
        return x

    return spoil


def masked(x: Array) -> Array:
    return np.ma.array(x, mask=np.arange(x.size).reshape(x.shape) == x.size - 1)


WRONG: dict[str, Callable[[Array], Any]] = {
    "NaN": spoiled(np.nan),
    "inf": spoiled(np.inf),
    "-inf, strided": lambda x: backwards(spoiled(-np.inf)(x)),
    "NaN in float32": lambda x: spoiled(np.nan)(x.astype(np.float32)),
    "masked": masked,
    "list of masked": lambda x: [masked(x)] if x.ndim == 1 else [masked(row) for row in x],
    "object": lambda x: x.astype(object),
    "None inside": lambda x: [None, *x.ravel().tolist()],
    "complex": lambda x: x.astype(complex),
    "bool": lambda x: x > 0,
    "text": lambda x: x.astype(str),
    "bytes": lambda x: x.astype("S8"),
    "words": lambda _: "0 0",
    "times": lambda x: np.rint(x).astype("datetime64[s]"),
    "spans": lambda x: np.rint(x).astype("timedelta64[s]"),
    "record": lambda x: np.zeros(x.shape, [("a", float)]),
    "None": lambda _: None,
    "dict": lambda x: {"q": x},
    "generator": lambda x: (y for y in x),
    "too short": lambda x: x[..., :1],
    "too long": lambda x: np.concatenate([x, x, x], axis=-1),
    "no axis": lambda _: 0.5,
    "empty": lambda _: [],
    "no columns": lambda x: np.zeros((*x.shape[:-1], 0)),
    "ragged": lambda x: [[0.0], [0.0, 1.0], 2.0],
    "huge whole numbers": lambda x: [10**400] * x.shape[-1],
    "function": lambda _: np.sin,
    "type": lambda _: float,
}


def dressed(chosen: random.Random, x: Array) -> tuple[str, Dressed]:
    """A plain array (..., n) in one of all guises."""
    if not x.size:  # a list forgets its shape, and nothing is in it that could be wrong
        return "plain", Dressed(x, x)
    which = chosen.random()
    if which < 0.55:
        name = chosen.choice(list(SAME))
        return name, Dressed(SAME[name](x), x)
    if which < 0.75:
        name = chosen.choice(list(KINDS))
        value = KINDS[name](x)
        return name, Dressed(value, np.ascontiguousarray(value, float))
    name = chosen.choice(list(WRONG))
    return name, Dressed(WRONG[name](x), None)
