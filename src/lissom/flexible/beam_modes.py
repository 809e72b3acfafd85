"""The record of a beam's modes; how they are found is in `modes`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from numpy.typing import ArrayLike

from lissom.listing import Listing
from lissom.model.beam import Tip
from lissom.spatial.rotations import Array

if TYPE_CHECKING:
    from lissom.flexible.shapes import Shapes


@dataclass(frozen=True, eq=False)
class BeamModes:
    """Natural modes of a beam, lowest first.

    Attributes
    ----------
    plane : str                  "bending_z", "bending_y", "torsion" or "stretch"
    frequencies_hz : (count,)
    wavenumbers : (count,)       [1/m]; of a tapered beam those of a uniform one with the same mean section
    modal_mass : float           of every mode, the tip included: the mass of the beam (torsion: its polar inertia)
    stiffness : (count, count)   modal stiffness, diagonal
    tip : Tip
    """

    plane: str
    frequencies_hz: Array
    wavenumbers: Array
    modal_mass: float
    stiffness: Array
    tip: Tip
    shapes: Shapes

    def shape(self, x: ArrayLike) -> Array:
        """(..., count) deflection (or twist, stretch) at positions (...) from the root [m]."""
        return self.shapes.at(x)

    def slope(self, x: ArrayLike) -> Array:
        """(..., count) derivative of the shape along the beam."""
        return self.shapes.at(x, 1)

    def curvature(self, x: ArrayLike) -> Array:
        """(..., count) second derivative of the shape along the beam."""
        return self.shapes.at(x, 2)

    def describe(self) -> str:
        """Return a table as text: frequencies, wavenumbers, deflection and slope at the tip."""
        carried = {"mass": "kg", "inertia": "kg m^2", "offset_moment": "kg m", "polar": "kg m^2"}
        words = [f"{word} {getattr(self.tip, word):.4g} {unit}" for word, unit in carried.items()
                 if getattr(self.tip, word)]  # fmt: skip
        length = self.shapes.length
        head = f"{self.plane} of a beam of {length:g} m, clamped; tip: {', '.join(words) or 'free'}"
        heads = ("mode", "frequency Hz", "wavenumber 1/m", "at the tip", "slope there 1/m")
        numbers = zip(self.frequencies_hz, self.wavenumbers, self.shape(length), self.slope(length), strict=True)
        rows = [[str(k + 1), *(f"{x:.5g}" for x in row)] for k, row in enumerate(numbers)]
        return "\n".join([head, "", *Listing.of(heads, rows).lines()])

    def __str__(self) -> str:
        return self.describe()
