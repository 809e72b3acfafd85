"""Strain gauges on flexible links."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from lissom.control.sensors.base import AbstractSensor
from lissom.model.arm import Arm
from lissom.spatial.rotations import Array
from lissom.verbs.deformation import Rule, amplitudes


@dataclass(frozen=True)
class StrainGauge(AbstractSensor):
    """A strain gauge along a flexible link: the axial strain of one fibre.

    Parameters
    ----------
    link : str           a link with a beam
    s : float            distance of the gauge from the root of the beam [m]
    y, z : float         place of the fibre in the section, from the neutral axis [m]: y measures bending in the x-y
        plane (``bending_z``), z bending in the x-z plane (``bending_y``)
    noise : float        standard deviation of the noise of a reading, a strain

    Examples
    --------
    >>> import lissom as ls
    >>> arm = ls.load("two_link_flexible")
    >>> gauge = ls.StrainGauge("link1", s=0.02, y=1e-3)
    >>> ls.linearise(arm, [0.0, 0.5], output=[ls.Encoder(), gauge]).outputs
    ('joint1', 'joint2', 'link1.strain@0.02')
    """

    readable: ClassVar[bool] = True
    link: str
    s: float
    y: float = 0.0
    z: float = 0.0
    noise: float = 0.0

    def __post_init__(self) -> None:
        self._refuse_negative("noise")

    def names(self, arm: Arm) -> tuple[str, ...]:
        """One name, with the place along the link."""
        return (f"{self.link}.strain@{self.s:g}",)

    def slope(self, arm: Arm, q: Array) -> Array:
        """(1, dof) derivative of the strain: it is linear in the amplitudes of the link."""
        strains = Rule(arm, self.link, [self.s], "StrainGauge")
        here = amplitudes(arm, self.link)
        row = np.zeros((1, arm.dof))
        row[0, here] = strains(np.eye(here.stop - here.start)).strain(self.y, self.z)[:, 0]
        return row
