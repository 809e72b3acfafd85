"""Events: instants at which a function of the state crosses zero."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from lissom.errors import InputError, shown
from lissom.keywords import KnownKeywords
from lissom.model.arm import Arm
from lissom.simulation.loop.callbacks import called, check_arguments
from lissom.spatial.rotations import Array

Watch = Callable[[float, Array, Array], float]


@dataclass(frozen=True, eq=False)
class Event(KnownKeywords):
    """An event to detect during a simulation: a zero crossing of a function.

    Parameters
    ----------
    function : f(t, q, qd) -> float     the event is where it crosses zero
    name : str
    direction : int                     1: only upwards, -1: only downwards, 0: both
    stop : bool                         end the simulation there

    Examples
    --------
    >>> import lissom as ls
    >>> down = ls.Event(lambda t, q, qd: q[0] + 1.0, "one radian down", direction=-1, stop=True)
    >>> run = ls.simulate(ls.load("two_link"), [0.0, 0.0], until=2.0, events=[down])
    >>> run.events[0].name, bool(abs(run.q[-1, 0] + 1.0) < 1e-9)
    ('one radian down', True)
    """

    function: Watch
    name: str = "event"
    direction: int = 0
    stop: bool = False

    def __post_init__(self) -> None:
        if not callable(self.function):
            raise InputError(f"Event: function is {shown(self.function)}; expected f(t, q, qd) -> number.")
        check_arguments(self.function, "f(t, q, qd)", "Event: function")
        if not isinstance(self.name, str) or not self.name:
            raise InputError(f"Event: name is {shown(self.name)}; expected a word.")
        if self.direction not in (-1, 0, 1):
            raise InputError(f"Event: direction is {shown(self.direction)}; expected -1, 0 or 1.")

    def value(self, t: float, q: Array, qd: Array) -> float:
        """Return the function's value at one state, checked to be a finite number."""
        found = called(f"event {self.name!r}", t, self.function, t, q, qd)
        if isinstance(found, bool | np.bool_):
            raise InputError(
                f"simulate: event {self.name!r} gave {found} at t = {t:.6g} s; expected a number that crosses zero."
            )
        try:
            number = float(found)
        except (TypeError, ValueError):
            raise InputError(
                f"simulate: event {self.name!r} gave {shown(found)} at t = {t:.6g} s; expected a number."
            ) from None
        if not np.isfinite(number):
            raise InputError(f"simulate: event {self.name!r} gave {number} at t = {t:.6g} s; expected a finite number.")
        return number

    def values(self, t: Array, q: Array, qd: Array) -> Array:
        """Return the function's values (nt,) at states (nt, dof)."""
        return np.array([self.value(float(when), x, v) for when, x, v in zip(t, q, qd, strict=True)])

    def crossed(self, before: Any, after: Any) -> Any:
        """Whether two values (or arrays) lie on both sides of zero; starting at zero does not count."""
        up, down = (before < 0) & (after >= 0), (before > 0) & (after <= 0)
        return (up & (self.direction >= 0)) | (down & (self.direction <= 0))


class EventHit(NamedTuple):
    """An event that occurred during a simulation.

    t : float           when [s]
    name : str
    q, qd : (dof,)      the state there
    run : int           which run of an ensemble, 0 for a single one
    """

    t: float
    name: str
    q: Array
    qd: Array
    run: int = 0


def as_events(events: Any) -> list[Event]:
    """Return a list of events, from events or functions with SciPy's attributes `terminal` and `direction`."""
    if isinstance(events, Event) or callable(events):
        events = [events]
    if isinstance(events, str | bytes):
        raise InputError(
            f"simulate: events is a string ({shown(events)}); expected a list of Event(...) or of functions "
            "f(t, q, qd)."
        )
    if not isinstance(events, Sequence):
        raise InputError(f"simulate: events is {shown(events)}; expected a list of Event(...).")
    out = []
    for item in events:
        if isinstance(item, Event):
            out.append(item)
        elif callable(item):
            name = getattr(item, "__name__", "event")
            direction = int(np.sign(getattr(item, "direction", 0)))
            out.append(Event(item, name, direction, bool(getattr(item, "terminal", False))))
        else:
            raise InputError(f"simulate: events has {shown(item)}; expected Event(...) or a function f(t, q, qd).")
    return out


class LimitEvent(Event):
    """Event of a joint reaching a position limit: side (1 upper, -1 lower) times the distance beyond it."""

    place: tuple[int, int, float]  # coordinate, side, limit

    def __init__(self, joint: str, k: int, side: int, limit: float, stop: bool):
        name = f"{joint} at its {'upper' if side > 0 else 'lower'} limit"
        super().__init__(lambda t, q, qd: side * (q[k] - limit), name, 1, stop)
        object.__setattr__(self, "place", (k, side, limit))

    def __post_init__(self) -> None:
        """Nothing to check: arms with many joints have many of these in every simulation."""

    def crossed(self, before: Any, after: Any) -> Any:
        """Whether the limit lies between two values; starting on the limit counts too."""
        return (before <= 0) & (after > 0)

    def values(self, t: Array, q: Array, qd: Array) -> Array:
        k, side, limit = self.place
        return side * (q[..., k] - limit)


def limit_events(arm: Arm, stop: bool) -> list[Event]:
    """Return the events of all joints reaching their position limits from inside."""
    out: list[Event] = []
    for joint, k, lower, upper in zip(arm.joints, arm.joint_index, *arm.bounds("position"), strict=True):
        for side, limit in ((-1, lower), (1, upper)):
            if np.isfinite(limit):
                out.append(LimitEvent(joint.name, int(k), side, float(limit), stop))
    return out
