"""Patterns of nonzero constants of flexible links.

Steps are made for a pattern of constants, so that zeros are left out of the code; links of one pattern share
their steps, with the values as constants.
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from lissom.dynamics.entries import Objects
from lissom.engine.step import Step


class Tables(NamedTuple):
    """The constants of a flexible link (see `flexible.body`), on the body that carries it.

    root, p : pose of the beam's root on that body
    point ... turn2 : of the place where the beam ends for these steps, its tip or a station
    """

    root: Objects
    p: Objects
    C: Objects
    D: Objects
    Y: Objects
    Lam: Objects
    K: Objects
    damping: Objects
    bend: Objects
    point: Objects
    shift: Objects
    shift2: Objects
    turn: Objects
    turn2: Objects


class Layout(NamedTuple):
    """The pattern of nonzero entries of the tables.

    cubic : angles of the tip to third order
    flexibility : the model of the link, as the arm names it
    """

    m: int
    cubic: bool
    shapes: tuple[tuple[int, ...], ...]
    places: tuple[tuple[int, ...], ...]
    flexibility: str = "second_order"

    @property
    def drops_products(self) -> bool:
        """Whether products of deflections are left out, as in (37) of Book 1983."""
        return self.flexibility in ("book", "book_37")

    @property
    def takes_shortcut(self) -> bool:
        """Whether frames are treated as rotations, as in (72), (73) of Book 1983."""
        return self.flexibility in ("book", "book_72")

    @property
    def key(self) -> str:
        """A name for steps made for this pattern."""
        return hashlib.sha256(repr(self).encode()).hexdigest()[:12]

    @property
    def length(self) -> int:
        """Number of values."""
        return sum(len(places) for places in self.places)

    def unpacked(self, values: Sequence[Any]) -> Tables:
        """The tables with their values, zeros elsewhere."""
        out, at = [], 0
        for shape, places in zip(self.shapes, self.places, strict=True):
            flat = np.empty(int(np.prod(shape)), object)
            flat[:] = 0.0
            for place in places:
                flat[place] = values[at]
                at += 1
            out.append(flat.reshape(shape))
        return Tables(*out)


Lengths = Callable[[int], tuple[int, ...]]


class Kind(NamedTuple):
    """A kind of step: `make(layout)` returns its function; lengths depend on the amplitudes."""

    name: str
    make: Callable[[Layout], Any]
    inputs: Lengths
    outputs: Lengths
    constants: bool


def kind(inputs: Lengths, outputs: Lengths, constants: bool = True) -> Callable[[Callable[[Layout], Any]], Kind]:
    """A maker of functions as a kind of step; without constants only the number of amplitudes counts."""
    return lambda make: Kind(make.__name__, make, inputs, outputs, constants)


def step_of(kind: Kind, layout: Layout) -> Step:
    """One step of a pattern; made once, so that all links of the pattern share it."""
    return _made(kind, layout if kind.constants else Layout(layout.m, False, (), (), layout.flexibility))


@functools.cache
def _made(kind: Kind, layout: Layout) -> Step:
    name = f"beam_{kind.name}_{layout.key if kind.constants else layout.m}"
    return Step(name, kind.make(layout), kind.inputs(layout.m), kind.outputs(layout.m), layout.length)
