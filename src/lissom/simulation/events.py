"""Events: instants at which something crosses zero."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from lissom.errors import InputError, shown
from lissom.model.arm import Arm
from lissom.spatial.rotations import Array

Watch = Callable[[float, Array, Array], float]


@dataclass(frozen=True, eq=False)
class Event:
    """Something to watch for during a simulation.

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
        if not isinstance(self.name, str) or not self.name:
            raise InputError(f"Event: name is {shown(self.name)}; expected a word.")
        if self.direction not in (-1, 0, 1):
            raise InputError(f"Event: direction is {shown(self.direction)}; expected -1, 0 or 1.")

    def value(self, t: float, q: Array, qd: Array) -> float:
        """The function, checked."""
        found = self.function(t, q, qd)
        try:
            number = float(found)
        except (TypeError, ValueError):
            raise InputError(f"simulate: event {self.name!r} gave {shown(found)} at t = {t:.6g} s; expected a number.") from None
        if not np.isfinite(number):
            raise InputError(f"simulate: event {self.name!r} gave {number} at t = {t:.6g} s; expected a finite number.")
        return number

    def crossed(self, before: float, after: float) -> bool:
        """It went through zero between two values; starting from zero does not count."""
        up, down = before < 0 <= after, before > 0 >= after
        return (up and self.direction >= 0) or (down and self.direction <= 0)


class Happening(NamedTuple):
    """An event that took place.

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
    """Events, or functions with SciPy's attributes `terminal` and `direction`."""
    if isinstance(events, Event) or callable(events):
        events = [events]
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


def limit_events(arm: Arm, stop: bool) -> list[Event]:
    """Joints that reach the limits of their positions from inside."""
    out = []
    for joint, k, lower, upper in zip(arm.joints, arm.joint_index, *arm.bounds("position"), strict=True):
        if np.isfinite(lower):
            out.append(Event(_beyond(int(k), -1.0, float(lower)), f"{joint.name} at its lower limit", 1, stop))
        if np.isfinite(upper):
            out.append(Event(_beyond(int(k), 1.0, float(upper)), f"{joint.name} at its upper limit", 1, stop))
    return out


def _beyond(k: int, side: float, limit: float) -> Watch:
    return lambda t, q, qd: side * (q[k] - limit)
