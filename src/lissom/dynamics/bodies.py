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
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from lissom.dynamics.coupling import Coupling, coupling_of
from lissom.dynamics.flexible_links import flexible_bodies
from lissom.dynamics.rounding import QUARTER_TURN, ROUNDING, about_origin, snapped, squared, z_to
from lissom.dynamics.stations import MARK, station_name, station_of
from lissom.errors import UnsupportedError
from lissom.joints import is_prismatic
from lissom.later import cached_property
from lissom.model.arm import Arm
from lissom.model.flexibility import MODELS
from lissom.model.following import totals
from lissom.model.joint import Joint
from lissom.model.link import Link
from lissom.spatial.frames import inverse, pose
from lissom.spatial.inertia import Inertia, combine
from lissom.spatial.rotations import Array

if TYPE_CHECKING:  # loaded when a link bends
    from lissom.dynamics.beams import Beam
    from lissom.dynamics.tree import Tree

BASE = -1


class Body(NamedTuple):
    """One moving body and the joint that carries it."""

    parent: int
    kind: str  # of its joint; "beam" for the tip of a flexible link
    R: Array  # (3, 3) placement in the parent body's frame, before the motion
    p: Array  # (3,)
    mass: float
    moment: Array  # (3,) first moment, mass times centre of mass
    inertia: Array  # (3, 3) about the body's origin
    armature: float
    damping: float
    friction: float
    stiffness: float
    rest: float
    joint: str
    coordinate: int
    constants: Any = None  # of its steps, where they are not numbers: see `acting.with_payloads` and `varied`
    drive: Any = None  # its armature, damping, friction, stiffness and rest, where they are not numbers
    beam: Beam | None = None  # it is the tip of a flexible link, on its root; (R, p) is the root's pose
    width: int = 1  # number of its coordinates
    follows: bool = False  # its joint follows another one: it has that one's coordinate
    beam_owner: int = -1  # it is a place along the beam of this body, with the same coordinates
    numbers: tuple[float, ...] = ()  # of its kind of joint, such as the pitch of a screw
    mount: bool = False  # such a place that carries bodies; the others are only looked at or loaded, and have no mass

    @property
    def prismatic(self) -> bool:
        """Whether the joint is prismatic, for equations of revolute and prismatic joints; others are errors."""
        return self.beam is None and is_prismatic(self.kind, self.joint)


class Place(NamedTuple):
    """The place of a link's frame: a body (or BASE) and its pose there."""

    body: int
    X: Array
    given: Any = None  # of its pose, where it is not numbers

    @property
    def row(self) -> Any:
        """The pose as constants of a step: rotation (9), position (3)."""
        return self.given if self.given is not None else [*map(float, (*self.X[:3, :3].ravel(), *self.X[:3, 3]))]


class Bodies:
    """Bodies in coordinate order, and the place of every link on them.

    rounded : rotations next to quarter turns are made exact, which makes straight-line code shorter
    """

    def __init__(self, arm: Arm, rounded: bool = True):
        self.arm = arm
        self._tiny = QUARTER_TURN if rounded else ROUNDING
        self.list: list[Body] = []
        self.elements: Tree | None = None  # see `from_arm.tree_of`
        self.links: list[Place] = []  # where the links' frames are
        self.tips: list[Place] = []  # where their children and tools attach
        self._flexible = flexible_bodies(arm)
        self._stations: dict[str, int] = {}
        self.given: dict[tuple[str, Any], Any] = {}  # gravity, loads, places that are not numbers: see `varied`
        carried: list[Inertia | None] = []
        for i, link in enumerate(arm.links):
            self._add(link, i, carried)
        for k, inertia in enumerate(carried):
            if inertia is not None:
                self.list[k] = self.list[k]._replace(**about_origin(inertia))
        self.coupling: Coupling | None = coupling_of(arm, [body.width for body in self.list if body.beam_owner < 0])

    def __len__(self) -> int:
        return len(self.list)

    def _add(self, link: Link, i: int, carried: list[Inertia | None]) -> None:
        parent = int(self.arm.parent_index[i])
        above = Place(BASE, pose()) if parent < 0 else self._attachment(parent, link.joint.at, carried)
        X = above.X @ link.joint.placement
        if not link.joint.moves:
            place = Place(above.body, X @ link.frame)
        else:
            turn = pose(z_to(link.joint.axis))
            self._append(link, above.body, X @ turn, int(self.arm.coordinate_start[i]), carried)
            place = Place(len(self.list) - 1, inverse(turn) @ link.frame)
        self.links.append(place)
        if i in self._flexible:
            self._bend(link, i, place, carried)
        else:
            self._load(place, link.body, carried)
            self.tips.append(Place(place.body, place.X @ link.tip))

    def _attachment(self, parent: int, at: float | None, carried: list[Inertia | None]) -> Place:
        """The place of a joint on its parent: at the tip, or along its beam."""
        if at is None:
            return self.tips[parent]
        link = self.arm.links[parent]
        if parent not in self._flexible:  # a beam without modes
            return Place(self.links[parent].body, self.links[parent].X @ link.attachment(at))
        name = station_name(link.name, at)
        if name not in self._stations:
            self._stations[name] = len(self.list)
            self.list.append(self._station(name)._replace(mount=True))
            carried.append(None)
        return Place(self._stations[name], pose())

    def _station(self, frame: str) -> Body:
        """A place along a beam as a body without mass."""
        link, s = station_of(frame)
        k, line = self.tips[self.arm.index(link)].body, self._flexible[self.arm.index(link)].line
        tip = self.list[k]
        assert line is not None
        assert tip.beam is not None
        nothing = np.zeros(3)
        return tip._replace(
            beam=tip.beam.at(line.station(s)), beam_owner=k, mass=0.0, moment=nothing, inertia=np.zeros((3, 3)),
            constants=None, drive=None,
        )  # fmt: skip

    @staticmethod
    def _load(place: Place, body: Inertia, carried: list[Inertia | None]) -> None:
        """Add a rigid body to the body that it moves with; on the base it has no effect."""
        if place.body != BASE:
            moved, have = body.in_frame(place.X), carried[place.body]
            carried[place.body] = moved if have is None else combine(have, moved)

    def _bend(self, link: Link, i: int, place: Place, carried: list[Inertia | None]) -> None:
        """Add a flexible link: hub on the joint's body, then the beam, payload at its tip."""
        from lissom.dynamics.beams import Beam

        self._load(place, link.hub, carried)
        R, p = squared(place.X[:3, :3], self._tiny), snapped(place.X[:3, 3])
        beam = Beam.of(self._flexible[i], R, p, self.arm.flexibility)
        at = int(self.arm.coordinate_start[i]) + link.joint.coordinate_count
        nothing = np.zeros(3)
        self.list.append(
            Body(place.body, "beam", R, p, 0.0, nothing, np.zeros((3, 3)), 0.0, 0.0, 0.0, 0.0, 0.0, link.name, at,
                 beam=beam, width=beam.m)
        )  # fmt: skip
        carried.append(None)
        self.tips.append(Place(len(self.list) - 1, pose()))
        if link.payload is not None:
            self._load(self.tips[-1], link.payload.body, carried)

    def _append(self, link: Link, parent: int, X: Array, at: int, carried: list[Inertia | None]) -> None:
        joint, nothing = link.joint, np.zeros(3)
        mimic = self.arm.mimics.get(joint.name)
        leads = at if mimic is None else int(self.arm.joint_index[self._joint_number[mimic.joint]])
        motor = Body(
            parent, joint.kind, squared(X[:3, :3], self._tiny), snapped(X[:3, 3]), 0.0, nothing,
            np.zeros((3, 3)), *self._drive(joint), joint.stiffness, joint.rest, joint.name, leads,
            follows=mimic is not None, numbers=tuple(getattr(joint, word) for word in joint.mechanism.names()),
        )  # fmt: skip
        self.list.append(motor)
        carried.append(None)
        if joint.elastic is not None:
            spring = motor._replace(
                parent=len(self.list) - 1, R=np.eye(3), p=nothing, armature=0.0, damping=joint.elastic.damping,
                friction=0.0, stiffness=joint.elastic.stiffness, rest=0.0, joint=f"{joint.name}.deflection",
                coordinate=at + int(mimic is None), follows=False,
            )  # fmt: skip
            self.list.append(spring)
            carried.append(None)

    def _drive(self, joint: Joint) -> tuple[float, float, float]:
        """Armature, damping and friction of a joint, those of its mimic joints included.

        Their springs stay where they are, since the rest positions differ.
        """
        if joint.mimic is not None:
            return 0.0, 0.0, 0.0
        inertia, damping, friction = self._drives[:, self._joint_number[joint.name]].tolist()
        return inertia, damping, friction

    @cached_property
    def _drives(self) -> Array:
        """Drive inertia, damping and friction (3, joints)."""
        parts = (("reflected_inertia", 2), ("damping", 2), ("friction", 1))
        return np.array([totals(self.arm, word, power) for word, power in parts])

    @cached_property
    def _joint_number(self) -> dict[str, int]:
        return {joint.name: k for k, joint in enumerate(self.arm.joints)}

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
            other.list.append(self._station(frame))
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
    def carrying(self) -> list[tuple[int, Body]]:
        """The moving bodies, and the places along beams that carry bodies."""
        return [(k, body) for k, body in enumerate(self.list) if body.beam_owner < 0 or body.mount]

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
        return beams + sum(body.mass for _, body in self.carrying)

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
        """For every coordinate, those before it on its branch, nearest first.

        Where joints follow others: those before it that its row of the factorised mass matrix has entries for.
        """
        if self.coupling is not None:
            return self.coupling.carriers(self.tree.carriers)
        out: list[list[int]] = []
        for k, body in enumerate(self.list):
            if body.beam_owner >= 0:
                continue
            above = [c for j in self.ancestors(k)[1:] for c in reversed(self.coordinates(j))]
            out += [[*reversed(range(body.coordinate, c)), *above] for c in self.coordinates(k)]
        return out

    def coordinates(self, k: int) -> range:
        """Coordinates of a body."""
        body = self.list[k]
        return range(body.coordinate, body.coordinate + body.width)

    def own(self, vector: Any, k: int) -> Any:
        """The entries of a vector of coordinates that are a body's."""
        body = self.list[k]
        return vector[body.coordinate : body.coordinate + body.width]

    @property
    def smooth(self) -> Bodies:
        """The bodies without friction."""
        return self.changed(friction=dict.fromkeys(range(len(self.list)), 0.0))

    @property
    def conservative(self) -> Bodies:
        """The bodies without drives, springs of joints and damping of beams."""
        numbers = range(len(self.list))
        drive = {word: dict.fromkeys(numbers, 0.0) for word in ("armature", "damping", "friction", "stiffness", "rest")}
        beams = {k: body.beam.undamped for k, body in enumerate(self.list) if body.beam is not None}
        return self.changed(**drive, beam=beams)

    @cached_property
    def children(self) -> list[list[int]]:
        """Bodies carried directly by each body."""
        out: list[list[int]] = [[] for _ in self.list]
        for k, body in enumerate(self.list):
            if body.parent != BASE:
                out[body.parent].append(k)
        return out

    def changed(self, **columns: dict[int, Any]) -> Bodies:
        """A copy with some fields of some bodies changed: ``friction={3: 0.0}``."""
        other = copy.copy(self)
        for word in ("children", "movers", "carrying", "mass", "tree"):  # they depend on the bodies
            other.__dict__.pop(word, None)
        other.list, other.elements = list(self.list), None
        for word, entries in columns.items():
            for k, value in entries.items():
                other.list[k] = other.list[k]._replace(**{word: value})
        return other

    def ancestors(self, k: int) -> list[int]:
        """Body k and the bodies that carry it, from the tip inwards."""
        path = []
        while k != BASE:
            path.append(k)
            k = self.list[k].parent
        return path


def refuse_unready(arm: Arm, moving_base: bool = False) -> None:
    """Raise an error for arms whose dynamics, on a base that moves, is not supported."""
    if arm.kinematics_only:
        raise UnsupportedError(f"arm {arm.name!r} is marked kinematics_only: it has no dynamics. Give its links mass.")
    if arm.flexible and arm.flexibility.startswith("book"):
        others = [link.joint for link in arm.links if link.joint.travel]
        if others:
            raise UnsupportedError(
                f"arm {arm.name!r}: joint {others[0].name!r} is {others[0].kind}; flexibility={arm.flexibility!r} "
                "covers revolute joints only. Use 'linear', the same equations without their truncations, or "
                "'second_order'."
            )
    if moving_base and arm.flexible and MODELS[arm.flexibility].closed_form:
        raise UnsupportedError(
            f"arm {arm.name!r} has flexibility={arm.flexibility!r}, which does not cover a moving base. Use 'linear', "
            "the same field without its truncation, or 'second_order'."
        )


def refuse_stretching(arm: Arm, what: str) -> None:
    """Raise an error for linear fields in what needs frames that stay orthonormal.

    A joint transmits a force and nine moments there, Q of Book 1983, and no vector of three of them has the power of Q
    on every turn of the joint; between two such frames there is an affine map, and no rotation for a closure to fix.
    """
    if arm.flexible and arm.flexibility != "second_order":
        raise UnsupportedError(
            f"{what}: arm {arm.name!r} has flexibility={arm.flexibility!r}, where frames beyond a tip are not "
            "orthonormal: there is neither a moment about a joint nor a rotation between two frames. Use "
            "arm.replace(flexibility='second_order')."
        )


def refuse_loops(arm: Arm, verb: str, instead: str) -> None:
    """Raise an error for arms with closed loops in functions that support open arms only."""
    if arm.loops:
        raise UnsupportedError(f"{verb}: arm {arm.name!r} has closed loops, which {verb} does not cover. {instead}")
