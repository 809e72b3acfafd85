"""Durations that contradict each other, and contacts that cannot move, refused before a program is made of them."""

from __future__ import annotations

from itertools import combinations
from typing import NamedTuple

import numpy as np

from lissom.errors import InputError
from lissom.motion.phased.layout import Layout
from lissom.motion.task.phases import Travel
from lissom.motion.task.task import Task

VERB = "predict_motion"
ROUNDING = 1e-9  # of a duration


class Span(NamedTuple):
    """Shortest and longest duration of the whole motion [s], and what asks for it."""

    what: str
    least: float
    most: float

    def __str__(self) -> str:
        if self.most == np.inf:
            return f"{self.what} {self.least:.4g} s or more"
        same = self.most - self.least <= ROUNDING * abs(self.most)
        return f"{self.what} {self.least:.4g} s" if same else f"{self.what} {self.least:.4g} to {self.most:.4g} s"


def refuse_wrong_durations(task: Task) -> None:
    """Refuse phases, a duration, and distances and speeds of travels that need different durations."""
    for a, b in combinations(_spans(task), 2):
        if max(a.least, b.least) > min(a.most, b.most) * (1 + ROUNDING):
            raise InputError(f"{VERB}: {a}, but {b}. Change one of them, or leave a duration free.")
    for one in task.travel:
        low, high = _distances(one)
        if one.speed == 0.0 and not low <= 0.0 <= high:
            raise InputError(f"{VERB}: travel along {one.coordinate!r} has a distance, but its speed is 0; omit one.")


def _spans(task: Task) -> list[Span]:
    shortest, longest = np.array([phase.bounds for phase in task.phases]).sum(axis=0)
    out = [Span("the phases take", shortest, longest)]
    if task.duration is not None:
        out.append(Span("duration is", *(task.duration if isinstance(task.duration, tuple) else 2 * (task.duration,))))
    for one in task.travel:
        if one.distance is not None and one.speed:
            low, high = sorted(distance / one.speed for distance in _distances(one))
            out.append(Span(f"travel along {one.coordinate!r} at {one.speed:g} m/s takes", low, high))
    return out


def _distances(one: Travel) -> tuple[float, float]:
    if one.distance is None:
        return -np.inf, np.inf
    return one.distance if isinstance(one.distance, tuple) else (one.distance, one.distance)


def refuse_fixed_contacts(layout: Layout) -> None:
    """Refuse contacts that hold in a phase, but belong to a link that no coordinate moves."""
    for mesh in layout.phases:
        for i in mesh.contacts:
            if not len(layout.kinematics.chains[i]):
                raise InputError(
                    f"{VERB}: contact {layout.names[i]!r} holds in phase {mesh.name!r}, but its link "
                    f"{layout.contacts[i].link!r} cannot move. Give a contact of a link that moves."
                )
