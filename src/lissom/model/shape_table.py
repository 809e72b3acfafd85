"""Shapes of a beam given as tables: measured, or computed elsewhere."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from lissom.errors import ModelError, about
from lissom.model.fields import array, rank
from lissom.model.record import Record
from lissom.spatial.rotations import Array

KINDS = ("bending_z", "bending_y", "torsion", "stretch")
ZERO = 1e-6  # of a shape's largest value: what may be left of it at a clamped root
FLAT = 0.1  # of a shape's largest slope: what may be left of that at a clamped root
DEPENDENT = 1e-10  # smallest eigenvalue of the Gram matrix of unit shapes, over the largest


@dataclass(frozen=True, eq=False)
class ShapeTable(Record):
    """Shapes of a beam at stations along it, one row per station and one column per shape.

    Shapes are interpolated by cubic splines and clamped: zero at the root, and those of bending flat there. Their size
    does not matter, nor whether they are orthogonal; combinations of them become the modes of the beam.

    Parameters
    ----------
    stations : (n,)                   positions from 0 to the length of the beam [m]
    bending_z : (n, shapes) or None   deflection along y
    bending_y : (n, shapes) or None   deflection along z
    torsion : (n, shapes) or None     twist about x
    stretch : (n, shapes) or None     displacement along x

    Examples
    --------
    >>> s = np.linspace(0, 0.8, 9)
    >>> ShapeTable(s, bending_z=np.column_stack([s**2, s**3])).count("bending_z")
    2
    """

    stations: Any
    bending_z: Any = None
    bending_y: Any = None
    torsion: Any = None
    stretch: Any = None

    def __post_init__(self) -> None:
        with about("shapes"):
            self._set(stations=self._clean_stations())
            given = [word for word in KINDS if getattr(self, word) is not None]
            if not given:
                raise ModelError(f"the table has no shapes; give {', '.join(KINDS[:-1])} or {KINDS[-1]}.")
            for word in given:
                self._set(**{word: self._clean(word)})

    def count(self, kind: str) -> int:
        """Number of shapes of a kind."""
        table = getattr(self, kind)
        return 0 if table is None else int(table.shape[1])

    def _clean_stations(self) -> Array:
        stations = array(self.stations, "stations", (None,))
        if stations.size < 4 or stations[0] != 0.0 or (np.diff(stations) <= 0).any():
            raise ModelError(
                f"stations of the table are {stations.tolist()[:8]}; expected at least 4 that increase from 0 to the "
                "length of the beam."
            )
        return stations

    def _clean(self, word: str) -> Array:
        """The validated table of one kind; raises an error if a clamped beam cannot have such shapes."""
        n = self.stations.size
        value = getattr(self, word)
        table = array(value, word, (None,) * max(rank(value), 1))
        if table.ndim == 1:
            table = table.reshape(-1, 1)
        if table.ndim != 2 or len(table) != n or not table.size:
            turned = " It looks transposed." if table.ndim == 2 and table.shape[1] == n else ""
            raise ModelError(
                f"{word} has shape {np.shape(value)}; expected ({n}, shapes): one row for each of the {n} stations, "
                f"one column per shape.{turned}"
            )
        if table.shape[1] > n - 1:
            raise ModelError(
                f"{word} has {table.shape[1]} shapes at {n} stations, which resolve at most {n - 1}; give more "
                "stations or fewer shapes."
            )
        table = self._clamped(word, table)
        self._refuse_dependent(word, table)
        return array(table, word, (n, None))

    def _clamped(self, word: str, table: Array) -> Array:
        """The table with its row at the root exactly zero."""
        size = np.abs(table).max(axis=0)
        for k in range(table.shape[1]):
            if size[k] < 1e-30:
                raise ModelError(f"{word} shape {k + 1} is zero everywhere; leave it out.")
            if abs(table[0, k]) > ZERO * size[k]:
                raise ModelError(
                    f"{word} shape {k + 1} is {table[0, k]:g} at the root; expected 0, as the link is clamped there. "
                    "Subtract its rigid motion."
                )
        table = np.vstack([np.zeros(table.shape[1]), table[1:]])
        if word.startswith("bending"):
            self._refuse_slope(word, table)
        return table

    def _refuse_slope(self, word: str, table: Array) -> None:
        """Raise an error if bending shapes have a slope at the root (cubic through the first four rows)."""
        s = self.stations
        steep = np.abs(np.diff(table, axis=0) / np.diff(s)[:, None]).max(axis=0)
        slope = np.linalg.solve(np.vander(s[1:4], 4, increasing=True)[:, 1:], table[1:4])[0]
        for k in range(table.shape[1]):
            if abs(slope[k]) > FLAT * steep[k]:
                raise ModelError(
                    f"{word} shape {k + 1} has a slope of {slope[k]:.3g} at the root (largest {steep[k]:.3g}); "
                    "expected 0, as the link is clamped there. Subtract its rigid turn, or give more stations near "
                    "the root."
                )

    def _refuse_dependent(self, word: str, table: Array) -> None:
        weights = np.gradient(self.stations)
        A = np.sqrt(weights)[:, None] * table
        _, sizes, V = np.linalg.svd(A / np.linalg.norm(A, axis=0), full_matrices=False)
        if sizes[-1] ** 2 < DEPENDENT * sizes[0] ** 2:
            mixed = np.flatnonzero(np.abs(V[-1]) > 0.05 * np.abs(V[-1]).max()) + 1
            raise ModelError(
                f"{word} shapes {', '.join(map(str, mixed))} are nearly dependent (a sum of them is "
                f"{sizes[-1]:.1g} of their size). Leave one out, or give more digits."
            )
