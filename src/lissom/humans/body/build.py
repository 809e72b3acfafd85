"""Height, mass and sex of a person, and the lengths and bodies of the segments that follow from them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from lissom.humans.body.tables import proportion, table
from lissom.later import cached_property
from lissom.spatial.inertia import Inertia
from lissom.spatial.rotations import Array

GRAVITY = 9.81  # m/s^2, of the Earth, where strengths were measured: parts of weight times height; it goes nowhere else
TRUNK = ("lower_trunk", "middle_trunk", "upper_trunk")  # upwards from the hip centres


class Segment(NamedTuple):
    """A segment: mass [kg], length [m], distance of its centre of mass from its first end, variances of its mass.

    The variances (3,) [m^2] are those of its mass along x, y and z: the inertia about x is ``mass (var_y + var_z)``.
    """

    mass: float
    length: float
    centre: float
    variances: Array

    def body(self, com: tuple[float, float, float]) -> Inertia:
        """The segment with its centre of mass at a place in the axes of its link."""
        return Inertia(self.mass, np.array(com), moment(self.mass, self.variances))


def moment(mass: float, variances: Array) -> Array:
    """Inertia tensor (3, 3) about the centre of mass from the variances of the mass along the axes."""
    return mass * np.diag(variances.sum() - variances)


@dataclass(frozen=True)
class Build:
    """A person's height [m], mass [kg] and sex."""

    height: float
    mass: float
    sex: str

    @property
    def scale(self) -> float:
        """Lengths relative to those of the table."""
        return float(self.height / table("segments")[self.sex]["height"])

    @property
    def torque_unit(self) -> float:
        """Body weight times height [N m], which strengths are parts of."""
        return self.mass * GRAVITY * self.height

    def length(self, name: str) -> float:
        """A length [m] that is a part of the body height."""
        return float(proportion("of_height", name) * self.height)

    def along_foot(self, name: str) -> float:
        """A distance [m] along the foot from the ankle, or across it."""
        return float(proportion("of_foot", name) * self.segment("foot").length)

    @cached_property
    def _total(self) -> float:
        """Sum of the masses in the table [per cent]; limbs count twice."""
        rows = table("segments")[self.sex]["segments"]
        return float(sum(row["mass"] * (1 if name in (*TRUNK, "head") else 2) for name, row in rows.items()))

    def segment(self, name: str) -> Segment:
        """A segment of this person; `radii` of the table become variances."""
        row = table("segments")[self.sex]["segments"][name]
        length = row["length"] * self.scale
        squares = (np.array(row["radii"]) / 100 * length) ** 2
        variances = squares.sum() / 2 - squares
        return Segment(self.mass * row["mass"] / self._total, length, row["centre"] / 100 * length, variances)

    # ---- heights of a person who stands ----------------------------------------------------------------

    @property
    def hip_height(self) -> float:
        """Height of the hip centres above the soles [m]."""
        return self.length("ankle") + self.segment("shank").length + self.segment("thigh").length

    @property
    def trunk_length(self) -> float:
        """Distance [m] from the hip centres to CERV, such that the vertex is at the body height."""
        return self.height - self.hip_height - self.segment("head").length

    @property
    def trunk_scale(self) -> float:
        """The trunk's length relative to that of the table.

        Trunk and head of the table, measured along a trunk that lies, are 4 cm (men) longer than what is left of the
        mean height above the hips, so the trunk is shortened. Shoulders of men are then at 0.81 of the height,
        where Drillis and Contini have 0.818.
        """
        return self.trunk_length / sum(self.segment(name).length for name in TRUNK)

    @property
    def shoulder_height(self) -> float:
        """Height of the shoulder centres above the hip centres [m]."""
        return float(table("segments")[self.sex]["mid_shoulder"] * self.scale * self.trunk_scale)

    def trunk_part(self, name: str) -> tuple[Segment, float]:
        """A part of the trunk, shortened, and the height of its centre of mass above the hip centres [m]."""
        part = self.segment(name)
        below = sum(self.segment(other).length for other in TRUNK[: TRUNK.index(name)])
        stretch = np.array([1.0, 1.0, self.trunk_scale**2])
        height = (below + part.length - part.centre) * self.trunk_scale
        return part._replace(length=part.length * self.trunk_scale, variances=part.variances * stretch), height
