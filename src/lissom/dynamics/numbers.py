"""All constants of an arm's bodies as flat tables, to compare arms of the same structure."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from itertools import accumulate
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from lissom.dynamics import parts
from lissom.dynamics.acting import nine_of
from lissom.dynamics.bodies import GEAR, PLAIN_DRIVE, Bodies
from lissom.dynamics.body import Body
from lissom.dynamics.from_arm import constants_of
from lissom.dynamics.stations import on_frame
from lissom.joints.friction.laws import NOTHING
from lissom.model.arm import Arm
from lissom.model.slot import constants_stored
from lissom.spatial.rotations import Array

if TYPE_CHECKING:
    from lissom.dynamics.beams import Beam
    from lissom.elements.tables import Layout

Key = tuple[str, Any]  # what, and of which body, station, load, frame or link
# stretches of a table whose entries are of one kind
BODY = tuple(slice(a, b) for a, b in ((0, 9), (9, 12), (12, 13), (13, 16), (16, 22)))
DRIVE = tuple(slice(k, k + 1) for k in range(GEAR.stop))
PART = (slice(0, 1), slice(1, 4), slice(4, 10))
POSE = (slice(0, 9), slice(9, 12))
NINE = tuple(slice(k, k + 3) for k in (0, 3, 6))
BEND = 8  # the table of a beam, of those in `Tables`, whose length may differ from arm to arm
MOST_BENDS = 10  # matrices of quartic energy: pairs of two low modes in each of two planes


class Numbers(NamedTuple):
    """Tables of constants by their kind, with the patterns of beams."""

    tables: dict[Key, Array]
    layouts: dict[Key, Layout]

    def parts(self, key: Key) -> Sequence[slice]:
        """Slices of a table whose entries are of one kind."""
        if key[0] == "beam":
            return _stretches(self.layouts[key].shapes)
        if key[0] == "body":
            return (*BODY, *(slice(k, k + 1) for k in range(BODY[-1].stop, len(self.tables[key]))))
        return {"drive": DRIVE, "load": NINE, "gravity": NINE[:1], "weld": NINE[:1], "part": PART}.get(key[0], POSE)

    def layout(self, key: Key, some: Array) -> Layout:
        """The pattern of a beam with these entries of its table."""
        layout = self.layouts[key]
        places = [np.flatnonzero(some[part]) for part in self.parts(key)]
        shapes = list(layout.shapes)
        if layout.cubic:
            square = layout.m**2
            shapes[BEND] = (int(places[BEND].max(initial=0)) // square + 1, layout.m, layout.m)
        found = tuple(tuple(map(int, place)) for place in places)
        return layout._replace(shapes=tuple(shapes), places=found)


def numbers_of(arm: Arm, frames: tuple[str, ...], rounded: bool) -> Numbers:
    """The constants of an arm with places along its beams; stored with it."""

    def make() -> Numbers:
        return _numbers(Bodies(arm, rounded).with_stations(frames), frames)

    return constants_stored(arm, ("numbers", frames, rounded), make)


def _numbers(bodies: Bodies, frames: tuple[str, ...]) -> Numbers:
    arm = bodies.arm
    tables: dict[Key, Any] = {("gravity", 0): arm.gravity}
    layouts: dict[Key, Layout] = {}
    stations = {bodies.station(frame): frame for frame in frames}
    for k, body in enumerate(bodies.list):
        if body.beam is not None:
            key = ("beam", stations.get(k, k))
            tables[key], layouts[key] = _dense(body.beam), body.beam.layout
        else:
            tables["drive", k] = _drive(body)
        if body.beam_owner < 0 or body.mount:
            tables["body", k] = constants_of(body)
    for i, load in enumerate(arm.loads):
        tables["load", i] = nine_of(on_frame(arm, load)[1])
    tables |= {("place", frame): bodies.place(frame).row for frame in arm.frames}
    tables |= {("link", i): place.row for i, place in enumerate(bodies.links)}
    tables |= {("part", part): parts.numbers_of(bodies, part) for part in parts.shared(bodies)}
    tables |= {("weld", i): parts.joint_origin(bodies, i) for i, link in enumerate(arm.links) if not link.joint.moves}
    return Numbers({key: np.asarray(table, float) for key, table in tables.items()}, layouts)


def _drive(body: Body) -> list[float]:
    laws = (*body.laws, *NOTHING[len(body.laws) :])
    return [body.armature, body.damping, body.friction, body.stiffness, body.rest, *laws]


def drive_length(tables: Sequence[Array]) -> int:
    """Entries of a drive that any of these tables needs: further laws of friction may be missing."""
    if any(table[GEAR].any() for table in tables):
        return GEAR.stop
    return GEAR.start if any(not np.array_equal(table[PLAIN_DRIVE:], NOTHING) for table in tables) else PLAIN_DRIVE


def _dense(beam: Beam) -> Array:
    """The tables of a beam in one, zeros included, quartic terms padded."""
    parts = _stretches(beam.layout.shapes)
    out = np.zeros(parts[-1].stop)
    at = [part.start + place for part, places in zip(parts, beam.layout.places, strict=True) for place in places]
    out[at] = beam.values
    return out


@functools.cache
def _stretches(shapes: tuple[tuple[int, ...], ...]) -> tuple[slice, ...]:
    """Slices of a beam's tables in the combined table."""
    sizes = [int(np.prod(shape)) for shape in shapes]
    if sizes[BEND]:
        sizes[BEND] = max(MOST_BENDS, shapes[BEND][0]) * int(np.prod(shapes[BEND][1:]))
    ends = list(accumulate(sizes))
    return tuple(slice(end - size, end) for size, end in zip(sizes, ends, strict=True))
