"""Joints that pass their position limits: a model has no stops there unless somebody adds them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lissom.errors import listed
from lissom.model.units import units
from lissom.simulation.events import EventHit, LimitEvent
from lissom.simulation.records.record import NO_STOPS
from lissom.simulation.run import Run

NAMED = 4  # joints
ROUNDING = 1e-12  # of the whole time: earlier is the start


def limit_notes(events: Sequence[Any], run: Run) -> tuple[str, ...]:
    """Return a sentence about the first joint that passes a limit without ending the run, and which others do."""
    ours = {event.name: event for event in events if isinstance(event, LimitEvent) and not event.stop}
    hits = sorted((hit for hit in run.events if hit.name in ours), key=lambda hit: hit.t)
    if not hits:
        return ()
    first: dict[int, EventHit] = {}
    for hit in hits:
        first.setdefault(ours[hit.name].place[0], hit)
    (k, hit), *others = first.items()
    _, side, limit = ours[hit.name].place
    names, unit = run.arm.coordinates, units(run.arm)[k]
    more = f" {listed([names[c] for c, _ in others], NAMED)} pass theirs later." if len(others) > 1 else ""
    more = f" {names[others[0][0]]} passes its own later." if len(others) == 1 else more
    many = "" if run.count is None else f" in run {hit.run}, the first of {len({hit.run for hit in hits})} runs"
    t = hit.t if hit.t - run.t[0] > ROUNDING * (run.t[-1] - run.t[0]) else run.t[0]
    return (
        f"{names[k]} passes its {'upper' if side > 0 else 'lower'} position limit, {limit:.4g} {unit}, at "
        f"{t:.4g} s{many}: {NO_STOPS}.{more} stop_at_limits=True ends a run there.",
    )
