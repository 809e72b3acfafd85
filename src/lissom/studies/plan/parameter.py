"""Parameters of a study: their place in the arm or the arguments, and their values."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lissom.errors import InputError, shown
from lissom.later import cached_property
from lissom.model.record import Record
from lissom.studies.plan.paths import Where, replaced

SPREADS = {
    "values": "a list",
    "grid": "(lowest, highest, how many)",
    "log_grid": "(lowest, highest, how many), above 0",
    "uniform": "(lowest, highest)",
    "log_uniform": "(lowest, highest), above 0",
    "normal": "(mean, standard deviation)",
}
LISTED = ("values", "grid", "log_grid")
WAYS = ("set", "scale", "add")
MOST = 10_000_000  # entries of a grid
MOST_PATHS = 200
FIELD_UNITS = {
    "mass": "kg", "length": "m", "mass_per_length": "kg/m", "EI": "N m^2", "GJ": "N m^2", "EA": "N", "gyration": "m",
    "gravity": "m/s^2", "inertia": "kg m^2", "rotor_inertia": "kg m^2", "com": "m", "force": "N", "moment": "N m",
    "point": "m", "duration": "s", "until": "s", "dt": "s",
}  # fmt: skip


@dataclass(frozen=True, eq=False)
class StudyParameter(Record):
    """A parameter of a study: its place in the arm or the arguments, and its values or distribution.

    Give one of `values`, `grid`, `log_grid`, `uniform`, `log_uniform`, `normal`.

    Parameters
    ----------
    path : str, several, or None
        the quantity to change, see `Study`: ``arm.links.fore.payload.mass``, ``arm.links.*.beam.EI``,
        ``arm.joints.elbow.damping``, ``arm.gravity[2]``, ``q[1]``, ``controller.kp[0]``, ``loads[0].force[2]``,
        ``task.duration``. None: the user's function reads it, ``case["name"]``
    how : "set", "scale" or "add"     replace, multiply or add to the nominal value
    values : list                     numbers, or strings that a user's function reads
    grid, log_grid : (lowest, highest, how many)
    uniform, log_uniform : (lowest, highest)
    normal : (mean, standard deviation)
    within : (lowest, highest)        truncation of a normal parameter; None for no bound
    unit : str

    Examples
    --------
    >>> StudyParameter("arm.links.fore.mass", uniform=(0.8, 1.2), how="scale").drawn(0.25)
    0.9
    """

    path: Any = None
    how: str = "set"
    values: Any = None
    grid: Any = None
    log_grid: Any = None
    uniform: Any = None
    log_uniform: Any = None
    normal: Any = None
    within: Any = None
    unit: str | None = None

    def __post_init__(self) -> None:
        paths = () if self.path is None else (self.path,) if isinstance(self.path, str) else tuple(self.path)
        if len(paths) > MOST_PATHS:
            raise InputError(f"path has {len(paths)} entries; expected at most {MOST_PATHS}.")
        self._set(path=paths)
        _ = self.places  # they can be read
        if self.how not in WAYS:
            raise InputError(f"how is {shown(self.how)}; expected one of {', '.join(WAYS)}.")
        given = [word for word in SPREADS if getattr(self, word) is not None]
        if len(given) != 1:
            known = ", ".join(f"{word} = {what}" for word, what in SPREADS.items())
            raise InputError(f"it has {' and '.join(given) or 'no values'}; give exactly one of {known}.")
        self._set(**{given[0]: _checked(given[0], getattr(self, given[0]))})
        self._set(within=_within(self.within, given[0]))
        if self.unit is None:
            self._set(unit=self._guessed_unit())
        if not isinstance(self.unit, str) or not self.unit.isprintable():
            raise InputError(f"unit is {shown(self.unit)}; expected printable text, such as 'kg'.")

    def _guessed_unit(self) -> str:
        words = [step for path in self.path[:1] for step in Where.of(path).steps if isinstance(step, str)]
        return FIELD_UNITS.get(words[-1], "") if words and self.how != "scale" else ""

    @property
    def spread(self) -> str:
        """Name of the field that gives the values: "values", "grid", "uniform", ..."""
        return next(word for word in SPREADS if getattr(self, word) is not None)

    @property
    def length(self) -> int:
        """Number of listed values; 0 for a continuous distribution."""
        if self.values is not None:
            return len(self.values)
        counted = self.grid or self.log_grid
        return int(counted[2]) if counted else 0

    @property
    def column(self) -> NDArray[Any]:
        """The listed values as an array."""
        if self.values is not None:
            return np.array(self.values)
        return np.linspace(*self.grid) if self.grid is not None else np.geomspace(*self.log_grid)

    @property
    def tried(self) -> tuple[Any, ...]:
        """Some values for checks: near the ends and inside of an interval; the first and the last of a list."""
        if self.values is not None:
            return self.values[0], self.values[-1]
        counted = self.grid or self.log_grid
        if counted:
            return counted[0], counted[1]
        return tuple(self.drawn(u) for u in ((0.5,) if self.normal is not None else (0.5, 1e-6, 1 - 1e-6)))

    def drawn(self, u: Any) -> Any:
        """Return the value at quantile u between 0 and 1 (or an array of them)."""
        u = np.asarray(u, float)
        if self.length:
            words = self.column
            found: Any = words[np.minimum((u * len(words)).astype(int), len(words) - 1)]
        elif self.uniform is not None:
            low, high = self.uniform
            found = low + (high - low) * u
        elif self.log_uniform is not None:
            low, high = np.log(self.log_uniform)
            found = np.exp(low + (high - low) * u)
        else:
            found = self._normal(u)
        return found if np.ndim(found) else found.item()

    def _normal(self, u: NDArray[np.float64]) -> Any:
        from scipy.stats import truncnorm

        mean, deviation = self.normal
        ends = zip(self.within or (None, None), (-np.inf, np.inf), strict=True)
        low, high = (free if x is None else (x - mean) / deviation for x, free in ends)
        inner = np.clip(u, np.finfo(float).tiny, 1 - np.finfo(float).epsneg)  # an end is infinitely far
        return mean + deviation * truncnorm.ppf(inner, low, high)

    @cached_property
    def places(self) -> tuple[Where, ...]:
        """The parsed paths."""
        return tuple(Where.of(path) for path in self.path)

    def put(self, subject: dict[str, Any], value: Any) -> dict[str, Any]:
        """Return the arm and arguments with this value inserted."""
        for where in self.places:
            subject = replaced(subject, where, lambda old: self.changed(old, value))
        return subject

    def changed(self, old: Any, value: Any) -> Any:
        """Return a nominal value with this one set, multiplied or added."""
        if isinstance(old, int) and not isinstance(old, bool):  # a count stays one
            return _whole(value if self.how == "set" else old * value if self.how == "scale" else old + value)
        if self.how == "set":
            return value
        if isinstance(old, tuple | list):  # a pair of stiffnesses, one of which may not be given
            return type(old)(None if x is None else self.changed(x, value) for x in old)
        if old is None or isinstance(old, str | bool) or not isinstance(old, int | float | np.ndarray | np.generic):
            raise InputError(f"how is {self.how!r}, but the nominal value is {shown(old)}; expected a number.")
        return old * value if self.how == "scale" else old + value


def _checked(word: str, value: Any) -> tuple[Any, ...]:
    """Return checked values of one of the fields in `SPREADS`."""
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise InputError(f"{word} is {shown(value)}; expected {SPREADS[word]}.")
    items = tuple(x.item() if isinstance(x, np.generic) else x for x in value)
    if word == "values":
        return _values(items)
    if len(items) != (3 if word in LISTED else 2) or not all(_number(x) for x in items):
        raise InputError(f"{word} is {shown(value)}; expected {SPREADS[word]}.")
    if word == "normal":
        if not items[1] > 0:
            raise InputError(f"normal is {shown(value)}; expected a standard deviation above 0.")
        return tuple(map(float, items))
    low, high = map(float, items[:2])
    if not low < high or (word.startswith("log") and not low > 0):
        raise InputError(f"{word} is {shown(value)}; expected {SPREADS[word]}, the lowest first.")
    if word in LISTED:
        if int(items[2]) != items[2] or not 2 <= items[2] <= MOST:
            raise InputError(f"{word} is {shown(value)}; how many is a whole number from 2 to {MOST}.")
        return low, high, int(items[2])
    return low, high


def _values(items: tuple[Any, ...]) -> tuple[Any, ...]:
    if not items:
        raise InputError("values is empty; expected at least one.")
    if all(isinstance(x, str) for x in items):
        return items
    if not all(_number(x) for x in items):
        raise InputError(f"values is {shown(list(items))}; expected numbers or strings.")
    return tuple(map(float, items))


def _whole(x: Any) -> Any:
    return int(x) if isinstance(x, float) and x.is_integer() else x


def _number(x: Any) -> bool:
    try:
        return isinstance(x, int | float) and not isinstance(x, bool) and math.isfinite(x)
    except OverflowError:  # a whole number beyond all bounds
        return False


def _within(value: Any, spread: str) -> tuple[float | None, float | None] | None:
    if value is None:
        return None
    pair = tuple(value) if isinstance(value, Iterable) and not isinstance(value, str) else ()
    good = len(pair) == 2 and all(x is None or _number(x) or x in (np.inf, -np.inf) for x in pair)
    if not good or (None not in pair and not pair[0] < pair[1]):
        raise InputError(f"within is {shown(value)}; expected (lowest, highest), None where there is no bound.")
    if spread != "normal":
        raise InputError(f"within is given, but it applies to normal only; {spread} has its own bounds.")
    return pair
