"""Data of beams: sections, how many modes they keep, and which shapes."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np

from lissom.errors import ModelError, about, shown, suggest
from lissom.model.fields import above_zero, array, at_least_zero, flag, frozen, joint_positions, number, rank, whole
from lissom.model.record import Record
from lissom.model.shape_table import KINDS, ShapeTable
from lissom.spatial.inertia import Inertia
from lissom.spatial.rotations import Array

SHAPES = ("natural", "natural+static", "polynomial")
TIPS = ("auto", "free")
MOST_POLYNOMIALS = 16  # of one kind; beyond, sums of them lose the digits that tell them apart


@dataclass(frozen=True, eq=False)
class Modes(Record):
    """Numbers of shapes of each kind that a flexible link keeps.

    `bending_z` is bending about z (deflection along y), `bending_y` bending about y
    (deflection along z). Modal coordinates come in the order of the fields.
    """

    bending_z: int = 2
    bending_y: int = 0
    torsion: int = 0
    stretch: int = 0

    def __post_init__(self) -> None:
        with about("modes"):
            self._check(bending_z=whole, bending_y=whole, torsion=whole, stretch=whole)

    @property
    def count(self) -> int:
        """Number of modal coordinates."""
        return sum(getattr(self, f.name) for f in fields(self))

    @property
    def labels(self) -> tuple[str, ...]:
        """Names of the modal coordinates, e.g. ``bending_z1``."""
        return tuple(f"{f.name}{k + 1}" for f in fields(self) for k in range(getattr(self, f.name)))


PLANES = tuple(f.name for f in fields(Modes))  # the ways a beam moves, in the order of its coordinates
STIFFNESS = {"bending_z": "EI_z", "bending_y": "EI_y", "torsion": "GJ", "stretch": "EA"}  # what resists each


@dataclass(frozen=True, eq=False)
class Tip(Record):
    """Inertia at the tip of a beam, for one plane of bending, for torsion and for stretch.

    Parameters
    ----------
    mass : float            [kg]
    inertia : float         about the tip point and the axis of bending [kg m^2]
    offset_moment : float   mass times the offset of its centre along the beam [kg m]
    polar : float           inertia about the beam's axis [kg m^2]
    """

    mass: float = 0.0
    inertia: float = 0.0
    offset_moment: float = 0.0
    polar: float = 0.0

    def __post_init__(self) -> None:
        with about("tip"):
            self._check(mass=at_least_zero, inertia=at_least_zero, polar=at_least_zero, offset_moment=number)
            if self.offset_moment**2 > self.mass * self.inertia * (1 + 1e-9):
                raise ModelError(
                    f"offset_moment is {self.offset_moment:g}; with mass {self.mass:g} and inertia {self.inertia:g} "
                    "about the tip its size cannot exceed the root of mass times inertia."
                )

    @property
    def matrix(self) -> Array:
        """(2, 2) inertia in deflection and slope."""
        return np.array([[self.mass, self.offset_moment], [self.offset_moment, self.inertia]])


@dataclass(frozen=True, eq=False)
class Beam(Record):
    """A slender elastic link along the x axis of its link frame, clamped at the joint.

    Section data are numbers for a uniform beam, or tables with one entry per station
    for a tapered one (linear between stations).

    Parameters
    ----------
    length : float                   [m]
    mass_per_length : float or table [kg/m]
    EI : (EI_y, EI_z)                bending stiffness about y and about z [N m^2], each a number, a table, or
                                     None where that plane does not bend; a single number serves both planes
    GJ, EA : number, table or None   torsional [N m^2] and axial [N] stiffness
    modes : Modes
    damping : float or (modes,)      damping ratio of each clamped mode, 0.01 = one percent of critical
    gyration : (r_y, r_z) or None    radii of gyration of the section [m]; None neglects rotary inertia
    stations : table or None         positions of the tables' entries, from 0 to `length` [m]
    shapes : str or ShapeTable
        "natural": natural modes of the beam with its tip. "natural+static": of several bending shapes of a plane
        the last is the static one of a moment at the tip, for a link whose next joint turns freely about that axis.
        "polynomial": the best combinations of s^2, s^3, ... A `ShapeTable`: the best ones of given shapes.
    tip : "auto", "free" or Tip
        Tip inertia that the shapes assume: everything attached there, none, or the given one. It changes how fast
        results converge with the number of modes, not what they converge to.
    tip_pose : mapping joint -> position
        For tip="auto": positions of joints beyond the link for which the tip inertia is computed; default: home.
    third_order : bool
        Bending energy and tip angles completed to third order in the amplitudes; False leaves the plain second-order
        field, which is softer at large deflections.

    Examples
    --------
    >>> Beam(0.5, 0.2, EI=1.0).mass
    0.1
    >>> Beam(0.5, 0.2, EI=1.0, shapes="polynomial", tip=Tip(mass=0.3)).shapes
    'polynomial'
    """

    length: float
    mass_per_length: Any
    EI: Any
    GJ: Any = None
    modes: Modes = field(default_factory=Modes)
    damping: Any = 0.0
    EA: Any = None
    gyration: Any = None
    stations: Any = None
    shapes: Any = "natural"
    tip: Any = "auto"
    tip_pose: Any = ()
    third_order: bool = True

    def __post_init__(self) -> None:
        with about("beam"):
            if not isinstance(self.modes, Modes):
                raise ModelError(f"modes is {self.modes!r}; expected Modes(bending_z=2, ...).")
            self._check(length=above_zero, third_order=flag)
            self._set(stations=self._clean_stations())
            self._check(mass_per_length=self._section, EI=self._both_planes, GJ=self._section, EA=self._section)
            self._set(damping=self._clean_damping())
            if self.gyration is not None:
                radii = array(self.gyration, "gyration", (2,))
                if (radii < 0).any():
                    raise ModelError(f"gyration is {radii.tolist()}; radii cannot be negative.")
                self._set(gyration=radii)
            self._refuse_modes_without_stiffness()
            self._refuse_shapes()
            self._set(tip_pose=self._clean_tip_pose())
            if self._along_the_axis()[0] < 1e-30:
                raise ModelError("its mass is too small for a beam; check the unit of mass_per_length and length.")

    def _both_planes(self, given: Any, word: str) -> tuple[Any, Any]:
        """(EI_y, EI_z) from a pair, or from one number for both planes."""
        pair = isinstance(given, list | tuple | np.ndarray) and len(given) == 2
        table = isinstance(given, list | np.ndarray) and self.stations is not None and len(self.stations) == 2
        if rank(given) == 0:
            given = (given, given)
        elif not pair or table:  # a list of two could mean either
            raise ModelError(
                f"{word} is {shown(given)}; expected one number, or (EI_y, EI_z), each a number, a table or None. "
                "A table for both planes is EI=(table, table)."
            )
        return self._section(given[0], "EI_y"), self._section(given[1], "EI_z")

    def _clean_stations(self) -> Array | None:
        if self.stations is None:
            return None
        stations = array(self.stations, "stations", (None,))
        if stations.size < 2 or stations[0] != 0.0 or abs(stations[-1] - self.length) > 1e-12 * self.length:
            raise ModelError(f"stations must run from 0 to the length {self.length:g}; got {stations.tolist()}.")
        if (np.diff(stations) <= 0).any():
            raise ModelError(f"stations must increase; got {stations.tolist()}.")
        return stations

    def _section(self, value: Any, word: str) -> Any:
        """A positive number, or a positive table over the stations."""
        if value is None and word != "mass_per_length":
            return None
        if rank(value) == 0:
            return number(value, word, above=0.0)
        if self.stations is None:
            raise ModelError(f"{word} is a table, but the beam has no stations. Give stations=[0, ..., length].")
        table = array(value, word, (self.stations.size,))
        if (table <= 0).any():
            raise ModelError(f"{word} has an entry {table.min():g}; expected more than 0 everywhere.")
        return table

    def _clean_damping(self) -> Any:
        if rank(self.damping) == 0:
            return number(self.damping, "damping", least=0.0)
        ratios = array(self.damping, "damping", (self.modes.count,))
        if not ratios.any():
            return 0.0
        if (ratios < 0).any():
            raise ModelError(f"damping has an entry {ratios.min():g}; expected ratios of at least 0.")
        return ratios

    def _refuse_modes_without_stiffness(self) -> None:
        for plane in PLANES:
            if getattr(self.modes, plane) and self.stiffness(plane) is None:
                raise ModelError(f"{plane} modes are requested, but {STIFFNESS[plane]} is not given.")

    def stiffness(self, plane: str) -> Any:
        """Section stiffness of a plane of motion: a number, a table, or None."""
        return {"bending_z": self.EI[1], "bending_y": self.EI[0], "torsion": self.GJ, "stretch": self.EA}[plane]

    @property
    def resists_spin(self) -> bool:
        """Whether the sections have rotary inertia about the beam's axis."""
        return self.gyration is not None and bool(np.any(self.gyration))

    def most(self, kind: str) -> float:
        """Largest number of shapes of a kind; infinite where unlimited."""
        if isinstance(self.shapes, ShapeTable):
            return self.shapes.count(kind)
        if kind == "torsion" and not self.resists_spin:
            return 1  # of what hangs on its tip
        return MOST_POLYNOMIALS if self.shapes == "polynomial" else np.inf

    def _refuse_shapes(self) -> None:
        """Raise an error unless shapes and tip are known words, or records that fit this beam."""
        if isinstance(self.shapes, ShapeTable):
            self._refuse_table(self.shapes)
        elif not isinstance(self.shapes, str) or self.shapes not in SHAPES:
            hint = suggest(str(self.shapes)[:60], SHAPES)
            raise ModelError(f"shapes is {shown(self.shapes)}; {hint} Or give a ShapeTable(...).")
        if self.shapes == "polynomial":
            for kind in KINDS:
                if getattr(self.modes, kind) > MOST_POLYNOMIALS:
                    raise ModelError(
                        f"{getattr(self.modes, kind)} polynomial shapes of {kind} are requested; at most "
                        f'{MOST_POLYNOMIALS} are numerically independent. Keep fewer, or use shapes="natural".'
                    )
        if not isinstance(self.tip, Tip) and (not isinstance(self.tip, str) or self.tip not in TIPS):
            raise ModelError(f"tip is {shown(self.tip)}; {suggest(str(self.tip)[:60], TIPS)} Or give a Tip(...).")

    def _refuse_table(self, table: ShapeTable) -> None:
        end = float(table.stations[-1])
        if abs(end - self.length) > 1e-9 * self.length:
            raise ModelError(f"the table of shapes ends at {end:g} m; expected the beam's length {self.length:g} m.")
        for kind in KINDS:
            asked, given = getattr(self.modes, kind), table.count(kind)
            if asked > given:
                raise ModelError(
                    f"{asked} {kind} modes are requested, but the table has {given} shapes of that kind. Add some, or "
                    f"set modes=Modes({', '.join(f'{word}={table.count(word)}' for word in KINDS)})."
                )
        if self.modes.torsion and not self.resists_spin:
            raise ModelError("torsion shapes of a table need rotary inertia; give gyration=(r_y, r_z) of the section.")

    def _clean_tip_pose(self) -> tuple[tuple[str, float], ...]:
        """The tip pose as pairs (joint, position), sorted by name."""
        pairs = joint_positions(self.tip_pose, "tip_pose")
        if pairs and self.tip != "auto":
            raise ModelError('tip_pose is given, but it applies to tip="auto" only; leave it out, or set tip="auto".')
        return pairs

    @property
    def mass(self) -> float:
        """Mass of the beam alone [kg]."""
        return self.undeformed.mass

    @property
    def undeformed(self) -> Inertia:
        """The straight beam as a rigid body in the link frame."""
        mass, middle, spread = self._along_the_axis()
        r_y, r_z = (0.0, 0.0) if self.gyration is None else self.gyration
        # r_y goes with turning about y, i.e. with the section's extent along z
        moment = np.diag([mass * (r_y**2 + r_z**2), spread + mass * r_y**2, spread + mass * r_z**2])
        return Inertia(mass, np.array([middle, 0.0, 0.0]), moment)

    def _along_the_axis(self) -> tuple[float, float, float]:
        """Mass, centre of mass, and second moment about it, of the mass distribution along the axis."""
        if self.stations is None or rank(self.mass_per_length) == 0:
            mass = self.mass_per_length * self.length
            return mass, self.length / 2, mass * self.length**2 / 12
        # Gauss points on each interval integrate (linear density) x (quadratic) exactly.
        t, w = np.polynomial.legendre.leggauss(3)
        half = np.diff(self.stations)[:, None] / 2
        x = (self.stations[:-1, None] + half * (t + 1)).ravel()
        dm = (half * w).ravel() * np.interp(x, self.stations, self.mass_per_length)
        mass = float(dm.sum())
        middle = float(dm @ x) / mass if mass else 0.0
        return mass, middle, float(dm @ (x - middle) ** 2)

    @property
    def end(self) -> Array:
        """Undeformed tip in the link frame (3,) [m]."""
        return frozen([self.length, 0.0, 0.0])
