"""A flexible link in the recursions: a pattern of constants, and their values."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from lissom.elements.tables import Layout, Tables
from lissom.flexible.body import FlexibleBody, Station


class Beam(NamedTuple):
    """A pattern and its values."""

    layout: Layout
    values: Any  # numbers, or a vector of a program (see `varied`)
    mass: float  # of the beam itself

    @classmethod
    def of(cls, body: FlexibleBody, root: Any, p: Any, flexibility: str) -> Beam:
        """Make a beam from its constants and the pose of its root on the body that carries it."""
        parts = (root, p, body.C, body.D, body.Y, body.Lam, body.K, body.damping, body.bend)
        return cls._packed(Tables(*parts, *_end(body.tip)), body.m, len(body.bend) > 0, flexibility)

    @classmethod
    def _packed(cls, tables: Tables, m: int, cubic: bool, flexibility: str) -> Beam:
        flat = [np.asarray(table, float).ravel() for table in tables]
        some = [np.flatnonzero(row) for row in flat]
        shapes, places = tuple(np.shape(table) for table in tables), tuple(tuple(map(int, at)) for at in some)
        values = tuple(float(x) for row, at in zip(flat, some, strict=True) for x in row[at])
        return cls(Layout(m, cubic, shapes, places, flexibility), values, float(np.asarray(tables.C)[0, 0]))

    @property
    def m(self) -> int:
        """Number of its amplitudes."""
        return self.layout.m

    @property
    def undamped(self) -> Beam:
        """The beam without damping."""
        tables = self.layout.unpacked(self.values)
        tables = tables._replace(damping=0 * tables.damping)
        return self._packed(tables, self.m, self.layout.cubic, self.layout.flexibility)

    def at(self, station: Station) -> Beam:
        """The beam with another place along it as its end."""
        words = ("point", "shift", "shift2", "turn", "turn2")
        tables = self.layout.unpacked(self.values)._replace(**dict(zip(words, _end(station), strict=True)))
        return self._packed(tables, self.m, self.layout.cubic, self.layout.flexibility)


def _end(station: Station) -> tuple[Any, ...]:
    return station.point, station.shift, station.shift2, station.turn, station.turn2
