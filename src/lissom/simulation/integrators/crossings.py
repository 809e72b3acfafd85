"""Location of events and joint limits between the samples of a run."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from lissom.simulation.events import Event, EventHit, LimitEvent
from lissom.spatial.rotations import Array


def crossings(event: Event, times: Array, q: Array, qd: Array, ends: NDArray[np.intp]) -> list[tuple[int, int]]:
    """Return (run, sample before) of every zero crossing of an event in states (runs, nt, dof)."""
    if isinstance(event, LimitEvent):
        values = event.values(times, q, qd)
    else:
        values = np.full(q.shape[:2], np.nan)
        for run, end in enumerate(ends):
            values[run, : end + 1] = event.values(times[: end + 1], q[run, : end + 1], qd[run, : end + 1])
    with np.errstate(invalid="ignore"):
        found = np.argwhere(event.crossed(values[:, :-1], values[:, 1:]))
    return [(int(run), int(k)) for run, k in found if k < ends[run]]


def on_cubic(event: LimitEvent, t: Array, states: Array, dof: int) -> tuple[float, Event, Array]:
    """Locate a joint limit on the cubic through positions and rates at both ends of an interval."""
    k, side, limit = event.place
    h = float(t[1] - t[0])
    (x0, x1), (v0, v1) = states[:, k].tolist(), (h * states[:, dof + k]).tolist()
    low, high = 0.0, 1.0
    for _ in range(40):
        s = 0.5 * (low + high)
        x = x0 + s * (v0 + s * (3 * (x1 - x0) - 2 * v0 - v1 + s * (2 * (x0 - x1) + v0 + v1)))
        low, high = (low, s) if side * (x - limit) >= 0 else (s, high)
    return float(t[0]) + high * h, event, states[0] + high * (states[1] - states[0])


def noted_limits(
    events: Sequence[Event], times: Array, states: Array, ends: NDArray[np.intp], dof: int
) -> list[EventHit]:
    """Return the joint limits that runs (runs, nt, state) cross, in order of runs and time."""
    out: list[EventHit] = []
    for event in events:
        if isinstance(event, LimitEvent):
            for run, k in crossings(event, times, states[..., :dof], states[..., dof : 2 * dof], ends):
                when, _, state = on_cubic(event, times[k : k + 2], states[run, k : k + 2], dof)
                out.append(EventHit(when, event.name, state[:dof], state[dof : 2 * dof], run))
    return sorted(out, key=lambda e: (e.run, e.t))
