"""The flat form of an arm that the recursions run on.

One *body* per coordinate: its frame sits on the joint, z along the joint's axis, after the motion.
Fixed joints disappear into the body that carries them (or into the base); an elastic joint becomes
two bodies about one axis, a massless one with the motor's inertia and the link behind the spring.
For a rigid arm body k has coordinate k; behind the joint's body of a flexible link comes one for its tip, with
the amplitudes of all its modes as coordinates. A joint that follows another one has that one's coordinate; the
recursions then run on the tree of all joints, with one coordinate each (`coupling`).
"""

from __future__ import annotations

import copy
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from lissom.dynamics.body import BASE, Body, Place
from lissom.dynamics.coupling import Coupling, coupling_of
from lissom.dynamics.flexible_links import flexible_bodies
from lissom.dynamics.merging import NO_DRIVE, Merged, station_body
from lissom.dynamics.rounding import QUARTER_TURN, ROUNDING
from lissom.dynamics.stations import MARK, station_of
from lissom.joints.friction.laws import NUMBERS
from lissom.later import cached_property
from lissom.model.arm import Arm
from lissom.model.flexibility import MODELS
from lissom.spatial.frames import inverse, pose

if TYPE_CHECKING:
    from lissom.dynamics.tree import Tree

PLAIN_DRIVE = 5  # entries of a drive (`from_arm.drive_of`) without further laws of friction
GEAR = slice(PLAIN_DRIVE + len(NUMBERS) - 1, PLAIN_DRIVE + len(NUMBERS))  # its load-dependent friction


class Bodies:
    """Bodies in coordinate order, and the place of every link on them.

    list : of Body
    links, tips : of Place, where the frames of the links are, and where their children and tools attach
    parts : what is rigid of every link on the bodies that have it
    given : gravity, loads, places and parts that are not numbers, see `varied`
    rounded : rotations next to quarter turns are made exact, which makes straight-line code shorter
    """

    def __init__(self, arm: Arm, rounded: bool = True):
        self.arm = arm
        self._flexible = flexible_bodies(arm)
        merged = Merged(arm, self._flexible, QUARTER_TURN if rounded else ROUNDING)
        self.list, self.links, self.tips, self.parts = merged.bodies(), merged.links, merged.tips, merged.parts
        self._stations = merged.stations
        self.given: dict[tuple[str, Any], Any] = {}
        self.elements: Tree | None = None  # see `from_arm.tree_of`
        self.coupling: Coupling | None = coupling_of(arm, [body.width for body in self.list if body.beam_owner < 0])

    def __len__(self) -> int:
        return len(self.list)

    def place(self, frame: str) -> Place:
        """The place of a link's frame or a tool."""
        if frame in self._stations:
            return Place(self._stations[frame], pose())
        found, given = self.arm.frame(frame), self.given.get(("place", frame))
        if found.at_tip:
            tip = self.tips[found.link]
            return Place(tip.body, tip.X @ inverse(self.arm.links[found.link].tip) @ found.offset, given)
        link = self.links[found.link]
        return Place(link.body, link.X @ found.offset, given)

    @property
    def gravity(self) -> Any:
        """Gravity vector, three entries."""
        given = self.given.get(("gravity", 0))
        return list(map(float, self.arm.gravity)) if given is None else given

    def station(self, frame: str) -> int | None:
        """The body of a place along a beam, None where there is none of this name."""
        return self._stations.get(frame)

    def with_stations(self, frames: Iterable[str]) -> Bodies:
        """The bodies with places along beams, named as `station_name` does, as frames of their own.

        Places that carry joints get a second body without them: of arms that differ in numbers only, one may have a
        joint exactly where a load acts and the other not.
        """
        wanted = [frame for frame in frames if MARK in frame and not self._has_own_station(frame)]
        if not wanted:
            return self
        other = self.changed()
        other._stations = dict(self._stations)
        for frame in wanted:
            other._stations[frame] = len(other.list)
            link = self.arm.index(station_of(frame)[0])
            tip = self.tips[link].body
            other.list.append(station_body(self.list[tip], tip, self._flexible[link], frame))
        return other

    def _has_own_station(self, frame: str) -> bool:
        """Whether a place along a beam has a body that carries no joints."""
        k = self.station(frame)
        return k is not None and not self.list[k].mount

    @cached_property
    def movers(self) -> list[tuple[int, Body]]:
        """The bodies with coordinates of their own, and their places in the list; the rest are places along beams."""
        return [(k, body) for k, body in enumerate(self.list) if body.beam_owner < 0]

    @cached_property
    def dof(self) -> int:
        """Number of coordinates."""
        return self.coupling.dof if self.coupling is not None else sum(body.width for _, body in self.movers)

    @cached_property
    def tree(self) -> Bodies:
        """The bodies with one coordinate per joint, mimic joints included."""
        if self.coupling is None:
            return self
        other = self.changed()
        other.coupling, at = None, 0
        for word in ("dof", "carriers"):
            other.__dict__.pop(word, None)
        for k, body in enumerate(other.list):
            if body.beam_owner >= 0:
                other.list[k] = body._replace(coordinate=other.list[body.beam_owner].coordinate)
                continue
            other.list[k] = body._replace(coordinate=at)
            at += body.width
        return other

    def expanded(self, run: Any, q: Any, *rates: Any) -> tuple[Any, ...]:
        """The tree of all joints, its positions, and its velocities or accelerations.

        q, rates : vectors of a program, one entry per coordinate of the arm
        """
        if self.coupling is None:
            return self, q, *rates
        return self.tree, *self.coupling.state(run, q, *rates)

    @cached_property
    def mass(self) -> float:
        """Total mass of the moving bodies."""
        beams = sum(body.beam.mass for _, body in self.movers if body.beam is not None)
        return beams + sum(body.mass for body in self.list)

    @cached_property
    def flexible(self) -> bool:
        """Whether any body is the tip of a flexible link."""
        return any(body.beam is not None for body in self.list)

    @cached_property
    def linear(self) -> bool:
        """Whether flexible links have a linear field (`book`): frames beyond a tip are not orthonormal."""
        return self.flexible and MODELS[self.arm.flexibility].linear_field

    @property
    def truncated(self) -> bool:
        """Whether the equations are truncated in the deflections."""
        return self.flexible and bool(MODELS[self.arm.flexibility].truncated)

    @property
    def closed_form(self) -> bool:
        """Whether the equations are those of the arm as a whole (`planar.programs`), not a recursion over bodies."""
        return self.flexible and MODELS[self.arm.flexibility].closed_form

    @property
    def takes_shortcut(self) -> bool:
        """Whether frames are treated as rotations, as in (72), (73) of Book 1983."""
        return any(body.beam.layout.takes_shortcut for body in self.list if body.beam is not None)

    @cached_property
    def carriers(self) -> list[list[int]]:
        """Coordinates before each coordinate on its branch, nearest first.

        Where joints follow others: those before it that its row of the factorised mass matrix has entries for.
        """
        if self.coupling is not None:
            return self.coupling.carriers(self.tree.carriers)
        out: list[list[int]] = []
        reach: dict[int, list[int]] = {BASE: []}  # coordinates up to a body
        for k, body in enumerate(self.list):
            own, above = self.coordinates(k), reach[body.parent]
            if body.beam_owner < 0:
                out += [[*reversed(range(own.start, c)), *above] for c in own]
            reach[k] = [*reversed(own), *above]
        return out

    def coordinates(self, k: int) -> range:
        """Coordinates of a body."""
        body = self.list[k]
        return range(body.coordinate, body.coordinate + body.width)

    @property
    def smooth(self) -> Bodies:
        """The bodies without friction."""
        numbers = range(len(self.list))
        return self.changed(friction=dict.fromkeys(numbers, 0.0), laws=dict.fromkeys(numbers, ()))

    @property
    def without_jumps(self) -> Bodies:
        """The bodies without the jumps of friction at rest: Coulomb friction is left out, Stribeck friction moved."""
        return self.changed(friction={k: body.friction - body.breakaway for k, body in enumerate(self.list)})

    @property
    def geared(self) -> bool:
        """Whether friction of any joint depends on its load."""
        return any(len(body.laws) == len(NUMBERS) for body in self.list)

    @property
    def without_gears(self) -> Bodies:
        """The bodies without load-dependent friction."""
        rows = {k: body.drive for k, body in enumerate(self.list) if body.drive is not None}
        drives = {k: row[: GEAR.start] for k, row in rows.items() if len(row) == GEAR.stop}
        laws = {k: body.laws[:-1] for k, body in enumerate(self.list) if len(body.laws) == len(NUMBERS)}
        return self.changed(laws=laws, drive=drives) if laws or drives else self

    @property
    def conservative(self) -> Bodies:
        """The bodies without drives, springs of joints and damping of beams."""
        numbers = range(len(self.list))
        drive = {word: dict.fromkeys(numbers, nothing) for word, nothing in NO_DRIVE.items()}
        beams = {k: body.beam.undamped for k, body in enumerate(self.list) if body.beam is not None}
        return self.changed(**drive, beam=beams)

    def changed(self, **columns: dict[int, Any]) -> Bodies:
        """A copy with some fields of some bodies changed: ``friction={3: 0.0}``."""
        other = copy.copy(self)
        for word in ("movers", "mass", "tree"):  # they depend on the bodies
            other.__dict__.pop(word, None)
        other.list, other.elements = list(self.list), None
        for word, entries in columns.items():
            for k, value in entries.items():
                other.list[k] = other.list[k]._replace(**{word: value})
        return other
