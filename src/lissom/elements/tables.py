"""The constants of a flexible link, and their pattern of nonzero entries.

Steps are made for a pattern, so that zeros are left out of the code; links of one pattern share their steps, with the
values as constants.
"""

from __future__ import annotations

import hashlib
from typing import NamedTuple

import numpy as np

from lissom.elements.arrays import Objects
from lissom.records import Entries


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

    def unpacked(self, values: Entries) -> Tables:
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
