"""Directions in which limits of rate and acceleration let a joint move."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np

from lissom.errors import InputError
from lissom.motion.task.bounds import Bounds
from lissom.motion.transcription.specification import VERB, Specification


def towards(bounds: Bounds, quantity: str, k: Any, way: float) -> float:
    """Return how large a rate or an acceleration of a joint may be in a direction."""
    size = bounds.upper[quantity][k] if way > 0 else -bounds.lower[quantity][k]
    return float(size)


def refuse_closed_directions(spec: Specification) -> None:
    """Refuse tasks in which limits of rate or acceleration keep a joint from moving where it has to go."""
    task = spec.task
    known = [place for place in spec.places if place.reaching is None]
    pairs = list(combinations(known, 2)) + ([pair[::-1] for pair in combinations(known, 2)] if task.periodic else [])
    at_rest = task.periodic or (task.start_velocity is None and task.goal_velocity is None)
    for first, second in pairs:
        way = second.q[0] - first.q[0]
        for k in np.flatnonzero(np.isfinite(way) & (way != 0)):
            open_ways = {"velocity": towards(spec.bounds, "velocity", k, way[k])}
            if at_rest:  # it speeds up, and slows down again
                both = (towards(spec.bounds, "acceleration", k, sign * way[k]) for sign in (1, -1))
                open_ways["acceleration"] = min(both)
            for quantity, size in open_ways.items():
                if size <= 0:
                    lower, upper = spec.bounds.lower[quantity][k], spec.bounds.upper[quantity][k]
                    raise InputError(
                        f"{VERB}: joint {spec.names[k]!r} cannot move from the {first.word} ({first.q[0, k]:.6g}) "
                        f"to the {second.word} ({second.q[0, k]:.6g}): its {quantity} limits are {lower:.6g} to "
                        f"{upper:.6g}."
                    )
