"""Curves of a walk over its cycle, from one heel strike of a foot to its next."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from lissom.listing import Listing
from lissom.markup import Markup
from lissom.spatial.rotations import Array

GRID = np.linspace(0.0, 100.0, 101)  # percent of the cycle


class CurveKind(NamedTuple):
    """What a curve is: its title, with what its positive sense is, and its unit."""

    title: str
    unit: str


KINDS = {
    "hip": CurveKind("hip: thigh against the vertical, flexion", "deg"),
    "knee": CurveKind("knee flexion", "deg"),
    "ankle": CurveKind("ankle dorsiflexion", "deg"),
    "vertical": CurveKind("vertical force", "BW"),
    "fore_aft": CurveKind("fore-aft force, forward", "BW"),
    "medial": CurveKind("sideways force, to the other foot", "BW"),
    "hip_moment": CurveKind("hip moment, extension", "N m/kg"),
    "knee_moment": CurveKind("knee moment, extension", "N m/kg"),
    "ankle_moment": CurveKind("ankle moment, plantar flexion", "N m/kg"),
    "hip_power": CurveKind("hip power, generated", "W/kg"),
    "knee_power": CurveKind("knee power, generated", "W/kg"),
    "ankle_power": CurveKind("ankle power, generated", "W/kg"),
}


@dataclass(frozen=True, eq=False, repr=False)
class GaitCurves:
    """Curves of a walk over the cycle of one leg, the mean of all cycles that were found.

    Angles are positive in flexion: the hip angle is that of the thigh against the vertical, since models count tilts of
    the pelvis differently. Forces are those on the foot, over body weight; moments and powers are
    those of the joint over the mass of the body, moments positive in extension.

    Attributes
    ----------
    name : str                     whose walk
    curves : {name: (101,)}        at 0, 1 ... 100 % of the cycle: hip, knee, ankle [deg]; vertical, fore_aft, medial
                                   [body weights]; hip_moment ... [N m/kg]; hip_power ... [W/kg]; what is known of them
    spread : {name: (101,)}        standard deviation over the cycles; empty where there is one cycle
    duration : float               of the cycle [s]
    stance : float                 how long the foot is on the ground [% of the cycle]
    double_support : float         how long both feet are [% of the cycle]
    cycles : int                   number of cycles
    mass : float                   of the body [kg]
    notes : tuple of str           how the curves were found
    """

    name: str
    curves: Mapping[str, Array]
    spread: Mapping[str, Array]
    duration: float
    stance: float
    double_support: float
    cycles: int
    mass: float
    notes: tuple[str, ...] = field(default=())

    def __getitem__(self, name: str) -> Array:
        """Return a curve (101,) by its name."""
        return self.curves[name]

    def listing(self) -> Listing:
        """Return a table with the range of every curve."""
        rows = [
            (KINDS[name].title, f"{y.min():.3g}", f"{y.max():.3g}", KINDS[name].unit) for name, y in self.curves.items()
        ]
        return Listing.of(("curve", "least", "greatest", "unit"), rows)

    def describe(self) -> str:
        """Return timing and the range of every curve as text."""
        return "\n".join([repr(self).strip("<>"), *self.listing().lines(), *(f"note: {note}" for note in self.notes)])

    def _repr_html_(self) -> Markup:
        return Markup(repr(self).strip("<>") + self.listing().html())

    def __repr__(self) -> str:
        many = f"{self.cycles} cycle{'s' if self.cycles != 1 else ''} of {self.duration:.3g} s"
        return f"<GaitCurves of {self.name!r}: {many}, stance {self.stance:.3g} %, {' '.join(self.curves)}>"


class Likeness(NamedTuple):
    """How like two curves are.

    rmse : float     root mean square of their difference, in the unit of the curve
    r : float        Pearson's correlation; NaN where one of them is constant
    """

    rmse: float
    r: float


def likeness(one: GaitCurves, other: GaitCurves) -> dict[str, Likeness]:
    """RMSE and correlation of all curves that both have."""
    return {name: _likeness(y, other.curves[name]) for name, y in one.curves.items() if name in other.curves}


def _likeness(x: Array, y: Array) -> Likeness:
    a, b = x - x.mean(), y - y.mean()
    size = float(np.sqrt((a @ a) * (b @ b)))
    return Likeness(float(np.sqrt(np.mean((x - y) ** 2))), float(a @ b) / size if size > 0.0 else np.nan)
