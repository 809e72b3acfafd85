"""Numbers of an arm that are to be found, chosen by name.

A name is the field of a joint or a link, behind the name of that joint or link: ``elbow.elastic.stiffness``,
``fore.beam.EI``, ``fore.com[0]``. Without a name in front it means all that have the field. It is the part of the paths
of studies that matters here: ``arm.joints.elbow.elastic.stiffness``.

Numbers above zero are found by their logarithm, so that they stay above zero and are scaled alike; zeros and numbers
of either sign are found as they are.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lissom.errors import InputError, LissomError, NoSuchPath, shown
from lissom.identification.result.table import ParameterTable, identifiable
from lissom.model.arm import Arm
from lissom.model.joint import Joint
from lissom.model.link import Link
from lissom.spatial.rotations import Array
from lissom.studies.plan.paths import Where, found, replaced

Flags = NDArray[np.bool_]
EITHER_SIGN = ("com", "rest", "gear_ratio")  # fields whose numbers may have any sign
STRUCTURAL = ("placement", "axis", "length", "stations", "modes", "limits", "pitch", "at")  # not found from motions
EXAMPLE = "'elbow.elastic.stiffness', 'fore.mass', or 'beam.EI' for all links"
UNITS = {
    "armature": "{inertia}", "damping": "{effort} s/{coordinate}", "friction": "{effort}",
    "stiffness": "{effort}/{coordinate}", "rest": "{coordinate}", "elastic.stiffness": "{effort}/{coordinate}",
    "elastic.damping": "{effort} s/{coordinate}", "rotor_inertia": "kg m^2", "mass": "kg", "com": "m",
    "inertia": "kg m^2", "payload.mass": "kg", "payload.com": "m", "payload.inertia": "kg m^2", "beam.EI": "N m^2",
    "beam.GJ": "N m^2", "beam.EA": "N", "beam.mass_per_length": "kg/m",
}  # fmt: skip
TYPICAL = {"beam.damping": 0.01, "com": 0.1, "elastic.damping": 1.0}  # sizes of numbers that are zero


class Number(NamedTuple):
    """One number of an arm, or one factor of several.

    name : as it was chosen, with the joint or link
    where : its path
    nominal : its value in the arm; of a table the first
    size : of its changes where the coordinate is not a logarithm
    logarithmic : whether its coordinate is the logarithm of value over nominal
    least : values below are not allowed
    unit : "" where there is none
    """

    name: str
    where: Where
    nominal: float
    size: float
    logarithmic: bool
    least: float
    unit: str

    def value(self, x: float) -> float:
        """The value at a coordinate; zero is the nominal value."""
        if self.logarithmic:
            return self.nominal * float(np.exp(x))
        return max(self.nominal + self.size * x, self.least)

    def slope(self, x: float) -> float:
        """Derivative of the value by the coordinate."""
        return self.value(x) if self.logarithmic else self.size

    def coordinate(self, value: float) -> float:
        """The coordinate of a value."""
        return float(np.log(value / self.nominal)) if self.logarithmic else (value - self.nominal) / self.size

    def put(self, subject: dict[str, Any], x: float, before: float = 0.0) -> dict[str, Any]:
        """The subject with the value at a coordinate, in place of that before; numbers of a table keep their ratios."""
        factor = float(np.exp(x - before)) if self.logarithmic else None
        changed: dict[str, Any] = replaced(subject, self.where, lambda old: _times(old, factor, self.value(x)))
        return changed


def _times(old: Any, factor: float | None, value: float) -> Any:
    """A number replaced; several numbers multiplied, those that are not given left out."""
    if isinstance(old, tuple):
        return tuple(None if x is None else _times(x, factor, value) for x in old)
    if factor is None:
        return value
    return np.asarray(old, float) * factor if isinstance(old, np.ndarray) else old * factor


class Numbers:
    """The chosen numbers of an arm, and arms with other values of them."""

    def __init__(self, arm: Arm, names: Sequence[str], verb: str):
        self.arm, self.verb = arm, verb
        if isinstance(names, str) or not isinstance(names, Iterable):
            raise InputError(f"{verb}: parameters is {shown(names)}; expected a list of names such as {EXAMPLE}.")
        chosen = [number for name in names for number in self._chosen(name)]
        if not chosen:
            raise InputError(f"{verb}: parameters is empty; expected names such as {EXAMPLE}.")
        self.list = tuple({number.name: number for number in chosen}.values())
        self.names = tuple(number.name for number in self.list)

    def __len__(self) -> int:
        return len(self.list)

    @property
    def nominal(self) -> Array:
        """(numbers,) values in the arm."""
        return np.array([number.nominal for number in self.list])

    def values(self, x: Array) -> Array:
        """(numbers,) values at coordinates."""
        return np.array([number.value(at) for number, at in zip(self.list, x, strict=True)])

    def slopes(self, x: Array) -> Array:
        """(numbers,) derivatives of the values by the coordinates."""
        return np.array([number.slope(at) for number, at in zip(self.list, x, strict=True)])

    def table(self, x: Array, std: Array, known: Flags) -> ParameterTable:
        """Rows of all numbers; coordinates with standard deviations, and which numbers are identifiable."""
        values, nominal = self.values(x), self.nominal
        spread = np.where(np.isfinite(std), np.abs(self.slopes(x)) * np.where(np.isfinite(std), std, 0.0), np.inf)
        units = tuple(number.unit for number in self.list)
        return ParameterTable(self.names, units, values, spread, nominal, np.where(known, values, nominal), known)

    def known(self, x: Array, std: Array) -> Flags:
        """Which numbers are identifiable, from their coordinates and standard deviations of these."""
        spread = np.abs(self.slopes(x)) * std
        return np.asarray(identifiable(self.values(x), spread, np.abs(self.nominal)))

    def bounded(self, x: Array) -> Array:
        """Coordinates moved to where values are allowed."""
        return np.array([number.coordinate(value) for number, value in zip(self.list, self.values(x), strict=True)])

    def arm_at(self, x: Array) -> Arm:
        """The arm with the values at coordinates."""
        subject: dict[str, Any] = {"arm": self.arm}
        for number, at in zip(self.list, x, strict=True):
            if at != 0.0:
                subject = self._put(subject, number, float(at), 0.0)
        made: Arm = subject["arm"]
        return made

    def changed(self, arm: Arm, k: int, x: float, before: float) -> Arm:
        """An arm whose number k moves from one coordinate to another."""
        made: Arm = self._put({"arm": arm}, self.list[k], x, before)["arm"]
        return made

    def _put(self, subject: dict[str, Any], number: Number, at: float, before: float) -> dict[str, Any]:
        try:
            return number.put(subject, at, before)
        except NoSuchPath:
            raise
        except LissomError as error:
            raise InputError(
                f"{self.verb}: {number.name} = {number.value(at):.6g} makes no valid arm: {error}"
            ) from None

    # ---- from names ------------------------------------------------------------------------------

    def _chosen(self, name: Any) -> list[Number]:
        """The numbers of one name: one, or one for each joint or link that has the field."""
        if not isinstance(name, str) or not name.strip():
            raise InputError(f"{self.verb}: a parameter is {shown(name)}; expected a name such as {EXAMPLE}.")
        steps = Where.of(name).steps
        owners = {joint.name for joint in self.arm.moving_joints} | {link.name for link in self.arm.links}
        if steps[0] in owners and len(steps) > 1:
            return [self._number(str(steps[0]), name[name.index(str(steps[0])) + len(str(steps[0])) :].lstrip('".'))]
        have = [n for n in (self._given(owner, name) for owner in self._all_owners(str(steps[0]))) if n is not None]
        if not have:
            self._refuse_unknown(name)
        return have

    def _all_owners(self, first: str) -> list[str]:
        """Names of the joints or links, whichever have a field of this name."""
        if first in Joint.__dataclass_fields__ and first not in ("name", "placement"):
            return [joint.name for joint in self.arm.moving_joints]
        return [link.name for link in self.arm.links] if first in Link.__dataclass_fields__ else []

    def _given(self, owner: str, field: str) -> Number | None:
        """The number of an owner, None where it has none or it is zero: chosen together, only what is there counts."""
        try:
            number = self._number(owner, field)
        except InputError:
            return None
        return number if number.nominal != 0.0 or "damping" in field else None

    def _number(self, owner: str, field: str) -> Number:
        first = Where.of(field).root
        if first in STRUCTURAL or any(f".{word}" in f".{field}" for word in STRUCTURAL):
            raise InputError(
                f"{self.verb}: {owner}.{field} is part of the arm's geometry, which motions and torques do not give; "
                f"expected names such as {EXAMPLE}."
            )
        room = "joints" if first in Joint.__dataclass_fields__ else "links"
        where = Where.of(f'arm.{room}."{owner}".{field}')
        try:
            value = _first(found({"arm": self.arm}, where)[0])
        except NoSuchPath as error:
            raise InputError(f"{self.verb}: {error}") from None
        if value is None:
            raise InputError(
                f"{self.verb}: {owner}.{field} is no number in arm {self.arm.name!r}; expected names such as {EXAMPLE}."
            )
        return self._made(f"{owner}.{field}", where, first, field, value)

    def _made(self, name: str, where: Where, first: str, field: str, value: float) -> Number:
        either = first in EITHER_SIGN or (first == "inertia" and not _diagonal(where))
        logarithmic = value > 0.0 and not either
        size = abs(value) or TYPICAL.get(field, TYPICAL.get(first, 1.0))
        return Number(name, where, value, size, logarithmic, -np.inf if either else 0.0, self._unit(name, field))

    def _unit(self, name: str, field: str) -> str:
        words = [word for word in field.replace("[", ".").split(".") if word and not word.rstrip("]").isdigit()]
        unit = UNITS.get(".".join(words), UNITS.get(words[0], ""))
        if "{" not in unit:
            return unit
        joint = self.arm.joint(name[: -len(field) - 1])
        inertia = "kg m^2" if joint.angular else "kg"
        return unit.format(coordinate=joint.unit, effort=joint.effort_unit, inertia=inertia)

    def _refuse_unknown(self, name: str) -> None:
        words = sorted({f.name for f in (*dataclasses.fields(Joint), *dataclasses.fields(Link))})
        owners = [link.name for link in self.arm.links]
        known = name in words or Where.of(name).root in words
        problem = f"no joint or link of arm {self.arm.name!r} has {name}" if known else f"there is no {name!r}"
        raise InputError(
            f"{self.verb}: {problem}; expected names such as {EXAMPLE}. Its links are {', '.join(owners[:8])}."
        )


def _diagonal(where: Where) -> bool:
    numbers = [step for step in where.steps if isinstance(step, int)]
    return len(numbers) == 2 and numbers[0] == numbers[1]


def _first(value: Any) -> float | None:
    """The number at a path; of several the first that is given, None where there is none."""
    if isinstance(value, tuple | np.ndarray):
        some = [x for x in (_first(item) for item in value) if x is not None]
        return some[0] if some else None
    if isinstance(value, bool) or not isinstance(value, int | float | np.generic):
        return None
    return float(value)
