"""What amplitudes mean along a beam: displacement, section angles, curvature, moments, strain and stress."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lissom.flexible.body import Line
from lissom.flexible.modes import along
from lissom.spatial.rotations import Array


@dataclass(frozen=True, eq=False)
class Deformation:
    """The deformation of a flexible link at places along it, in the link's axes.

    Attributes
    ----------
    s : (ns,)                        distance from the root [m]
    displacement : (..., ns, 3)      of the axis, shortening included [m]
    angles : (..., ns, 3)            of the section: twist about x, turn about y, turn about z [rad]
    curvature : (..., ns, 3)         twist and bending about y and z per length [rad/m]
    stretch : (..., ns)              axial strain
    moment : (..., ns, 3)            inner moment: torsion, bending about y, bending about z [N m]
    axial_force : (..., ns)          inner force along the axis [N]; zero where the link keeps no stretch modes
    """

    s: Array
    displacement: Array
    angles: Array
    curvature: Array
    stretch: Array
    moment: Array
    axial_force: Array

    @property
    def slope(self) -> Array:
        """(..., ns) size of the bending slope [rad]."""
        return np.hypot(self.angles[..., 1], self.angles[..., 2])

    def strain(self, y: float = 0.0, z: float = 0.0) -> Array:
        """(..., ns) axial strain of the fibre at (y, z) of the section."""
        return self.stretch - y * self.curvature[..., 2] + z * self.curvature[..., 1]

    def stress(self, E: float, y: float = 0.0, z: float = 0.0) -> Array:
        """(..., ns) axial stress [Pa] of the fibre at (y, z) of the section; E: Young's modulus [Pa]."""
        return E * self.strain(y, z)


def _completed(u: Array) -> Array:
    """Angles to third order, as the frames of sections have them (see `dynamics.tip`)."""
    x, b, a = u[..., 0], u[..., 1], u[..., 2]
    return np.stack([x, b + b**3 / 6, a + a**3 / 6 + a * b**2 / 2], axis=-1)


class Rule:
    """How amplitudes deform one beam at chosen places; the integrals are done once."""

    def __init__(self, line: Line, s: Array):
        self.s = s
        self._stations = [line.station(float(x)) for x in s]
        self._strains = line.strains(s)
        beam = line.beam
        self._cubic = beam.third_order and any(word.startswith("bending") for word in line.shapes)
        sections = (beam.EA, beam.GJ, beam.EI[0], beam.EI[1])
        self._stiffness = np.stack([along(beam, value, s) for value in sections], axis=-1)

    def __call__(self, eta: Array) -> Deformation:
        """Of amplitudes (..., m)."""
        shift, turn = (self._along(eta, words) for words in (("shift", "shift2"), ("turn", "turn2")))
        strains = np.einsum("...k,ksi->...si", eta, self._strains)
        inner = strains * self._stiffness
        if self._cubic:
            turn = _completed(turn)
        return Deformation(self.s, shift, turn, strains[..., 1:], strains[..., 0], inner[..., 1:], inner[..., 0])

    def _along(self, eta: Array, words: Sequence[str]) -> Array:
        linear, square = (np.stack([getattr(station, word) for station in self._stations]) for word in words)
        return np.einsum("...k,ski->...si", eta, linear) + 0.5 * np.einsum("...k,...l,skli->...si", eta, eta, square)
