"""Phases of a motion with contacts: which points hold, for how long, how far the motion goes, who carries the load."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from lissom.errors import ModelError, about, shown, suggest
from lissom.model.fields import array, name, number
from lissom.model.record import Record

MOST_SEGMENTS = 200  # of one phase


@dataclass(frozen=True, eq=False)
class Phase(Record):
    """A part of a motion in which the same contacts hold.

    Parameters
    ----------
    name : str
    contacts : sequence of str         names of the contacts that hold; none: a flight
    duration : float, (shortest, longest) or None    given, between two, or free [s]
    segments : int                     of its splines
    normal_force : mapping name -> least or (least, most)    bounds of the normal force of a contact [N]; by default
                                       it pushes, from 0

    Examples
    --------
    >>> Phase("flat", ["heel", "toe"], duration=0.2, segments=5).contacts
    ('heel', 'toe')
    """

    name: str
    contacts: Any = ()
    duration: Any = None
    segments: Any = 2
    normal_force: Any = ()

    def __post_init__(self) -> None:
        self._set(name=name(self.name, "name of a phase"))
        with about(f"phase {self.name!r}"):
            self._set(contacts=names_of(self.contacts, "contacts"), duration=span(self.duration, "duration"))
            count = self.segments
            if isinstance(count, bool) or not isinstance(count, int | np.integer) or not 1 <= count <= MOST_SEGMENTS:
                raise ModelError(f"segments is {shown(count)}; expected a whole number from 1 to {MOST_SEGMENTS}.")
            self._set(segments=int(count), normal_force=self._normal_force())

    def _normal_force(self) -> tuple[tuple[str, tuple[float, float]], ...]:
        value, out = self.normal_force, {}
        # a phase that is made again from another has pairs, sorted
        known = isinstance(value, Sequence) and all(isinstance(one, tuple) and len(one) == 2 for one in value)
        if not (isinstance(value, Mapping) or (known and not isinstance(value, str))):
            raise ModelError(f"normal_force is {shown(value)}; expected a mapping from contacts to numbers [N].")
        for word, bound in value.items() if isinstance(value, Mapping) else value:
            if word not in self.contacts:
                raise ModelError(f"normal_force names {shown(word)}, which is not in contact in this phase.")
            out[word] = _force_bounds(bound, f"normal_force of {word!r}")
        return tuple(sorted(out.items()))

    @property
    def bounds(self) -> tuple[float, float]:
        """Shortest and longest duration [s]; equal if it is given."""
        if self.duration is None:
            return 0.0, np.inf
        return self.duration if isinstance(self.duration, tuple) else (self.duration, self.duration)


@dataclass(frozen=True, eq=False)
class Travel(Record):
    """How far a periodic motion goes along a coordinate of the base: its state at the end is that at the start, moved.

    Parameters
    ----------
    coordinate : str         a prismatic coordinate that carries the whole arm
    distance : float, (least, most) or None    given, between two, or free [m]
    speed : float or None    mean speed: the distance divided by the duration [m/s]

    Examples
    --------
    >>> Travel("x", speed=1.33).distance is None
    True
    """

    coordinate: str
    distance: Any = None
    speed: Any = None

    def __post_init__(self) -> None:
        with about(f"travel along {self.coordinate!r}"):
            self._set(coordinate=name(self.coordinate, "coordinate"))
            self._set(distance=_range(self.distance, "distance"))
            if self.speed is not None:
                self._set(speed=number(self.speed, "speed"))


@dataclass(frozen=True, eq=False)
class Transfer(Record):
    """The part of the whole normal force that some contacts carry goes linearly in time from one value to another.

    Parameters
    ----------
    contacts : sequence of str    of one foot, for example
    phases : sequence of str      one after the other
    start, end : float            parts carried at the start of the first and at the end of the last phase

    Examples
    --------
    >>> Transfer(["heel_right"], ["loading", "push"]).end
    1.0
    """

    contacts: Any
    phases: Any
    start: Any = 0.0
    end: Any = 1.0

    def __post_init__(self) -> None:
        with about("transfer"):
            for word in ("contacts", "phases"):
                names = names_of(getattr(self, word), word)
                if not names:
                    raise ModelError(f"{word} is empty; expected one name or more.")
                self._set(**{word: names})
            for word in ("start", "end"):
                value = number(getattr(self, word), word)
                if not 0.0 <= value <= 1.0:
                    raise ModelError(f"{word} is {value:g}; expected a part of the force, from 0 to 1.")
                self._set(**{word: value})


def _force_bounds(value: Any, what: str) -> tuple[float, float]:
    """Return the least and the greatest force from a number or a pair [N]."""
    given = value.tolist() if isinstance(value, np.ndarray) else value
    pair = given if isinstance(given, Sequence) and not isinstance(given, str) else (given, np.inf)
    expected = "a number, or (least, most), rising, from 0 [N]"
    if len(pair) != 2:
        raise ModelError(f"{what} is {shown(value)}; expected {expected}.")
    least, most = number(pair[0], what, least=0.0), pair[1]
    most = np.inf if isinstance(most, float) and most == np.inf else number(most, what)
    if not least <= most:
        raise ModelError(f"{what} is {shown(value)}; expected {expected}.")
    return least, most


def refuse_contradictions(
    phases: Sequence[Phase], travel: Sequence[Travel], transfer: Sequence[Transfer], periodic: bool
) -> None:
    """Raise an error for phases with the same name, and for transfers and travels that do not fit them."""
    words = [phase.name for phase in phases]
    for word in words:
        if words.count(word) > 1:
            raise ModelError(f"phases has the name {word!r} twice; give each phase a name of its own.")
    if travel and not periodic:
        raise ModelError("travel is for periodic motions; give start and goal instead, or periodic=True.")
    along = [one.coordinate for one in travel]
    for word in along:
        if along.count(word) > 1:
            raise ModelError(f"travel names {word!r} twice; give one travel for each coordinate.")
    for one in transfer:
        for word in one.phases:
            if word not in words:
                raise ModelError(f"transfer names phase {word!r}, which does not exist; {suggest(word, words)}")
        at = [words.index(word) for word in one.phases]
        if at != list(range(at[0], at[0] + len(at))):
            raise ModelError(f"transfer names the phases {', '.join(one.phases)}; expected one after the other.")


def names_of(value: Any, what: str) -> tuple[str, ...]:
    """Return a tuple of different names."""
    if isinstance(value, str) or not isinstance(value, Sequence):
        raise ModelError(f"{what} is {shown(value)}; expected a list of names.")
    found = tuple(name(word, f"a name in {what}") for word in value)
    for word in found:
        if found.count(word) > 1:
            raise ModelError(f"{what} names {word!r} twice.")
    return found


def span(value: Any, what: str) -> float | tuple[float, float] | None:
    """Return a time above 0, a rising pair of them, or None."""
    if value is None:
        return None
    if isinstance(value, Sequence | np.ndarray):
        pair = array(value, what, (2,))
        if not 0 < pair[0] < pair[1]:
            raise ModelError(f"{what} is {shown(value)}; expected (shortest, longest) [s], rising, above 0.")
        return float(pair[0]), float(pair[1])
    seconds = number(value, what)
    if seconds <= 0:
        raise ModelError(f"{what} is {seconds:g} s; expected more than 0.")
    return seconds


def _range(value: Any, what: str) -> float | tuple[float, float] | None:
    if value is None or not isinstance(value, Sequence | np.ndarray):
        return None if value is None else number(value, what)
    pair = array(value, what, (2,))
    if not pair[0] < pair[1]:
        raise ModelError(f"{what} is {shown(value)}; expected (least, most), rising.")
    return float(pair[0]), float(pair[1])
