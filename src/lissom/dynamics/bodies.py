"""The flat form of an arm that the recursions run on.

One *body* per coordinate: its frame sits on the joint, z along the joint's axis, after the motion.
Fixed joints disappear into the body that carries them (or into the base); an elastic joint becomes
two bodies about one axis, a massless one with the motor's inertia and the link behind the spring.
For a rigid arm body k has coordinate k. Flexible links are taken as undeformed.
"""

from __future__ import annotations

import copy
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lissom.errors import UnsupportedError
from lissom.model.arm import Arm
from lissom.model.link import Link
from lissom.spatial.frames import inverse, pose
from lissom.spatial.inertia import Inertia, combine
from lissom.spatial.rotations import Array, about_axis

BASE = -1
# Rounding left where a zero or a one was meant; exact ones fold away in straight-line code.
ROUNDING = 1e-15
# Robot files give quarter turns with eleven or twelve digits (rpy="1.57079632679"); a rotation this close to one
# that only exchanges axes is meant to be it. Torques move by no more than this, relative.
QUARTER_TURN = 1e-11


class Body(NamedTuple):
    """One moving body and the joint that carries it."""

    parent: int
    prismatic: bool
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
    constants: Any = None  # of its steps, where they are not numbers: see `laden`


class Place(NamedTuple):
    """Where a link's frame sits: a body (or BASE) and its pose there."""

    body: int
    X: Array

    @property
    def row(self) -> list[float]:
        """The pose as constants of a step: rotation (9), position (3)."""
        return [*map(float, (*self.X[:3, :3].ravel(), *self.X[:3, 3]))]


class Bodies:
    """Bodies in coordinate order, and the place of every link on them.

    rounded : rotations next to quarter turns are made exact, which makes straight-line code shorter
    """

    def __init__(self, arm: Arm, rounded: bool = True):
        self.arm = arm
        self._tiny = QUARTER_TURN if rounded else ROUNDING
        self.list: list[Body] = []
        self.links: list[Place] = []
        carried: list[Inertia | None] = []
        for i, link in enumerate(arm.links):
            self._add(link, i, carried)
        for k, inertia in enumerate(carried):
            if inertia is not None:
                self.list[k] = self.list[k]._replace(**_about_origin(inertia))

    def __len__(self) -> int:
        return len(self.list)

    def _add(self, link: Link, i: int, carried: list[Inertia | None]) -> None:
        parent = int(self.arm.parent_index[i])
        above = Place(BASE, pose()) if parent < 0 else self.links[parent]
        tip = pose() if parent < 0 else self.arm.links[parent].tip
        X = above.X @ tip @ link.joint.placement
        if not link.joint.moves:
            place = Place(above.body, X @ link.frame)
        else:
            turn = pose(_z_to(link.joint.axis))
            self._append(link, above.body, X @ turn, int(self.arm.coordinate_start[i]), carried)
            place = Place(len(self.list) - 1, inverse(turn) @ link.frame)
        self.links.append(place)
        if place.body != BASE:
            body, have = link.body.in_frame(place.X), carried[place.body]
            carried[place.body] = body if have is None else combine(have, body)

    def _append(self, link: Link, parent: int, X: Array, at: int, carried: list[Inertia | None]) -> None:
        joint, nothing = link.joint, np.zeros(3)
        motor = Body(
            parent, joint.kind == "prismatic", squared(X[:3, :3], self._tiny), snapped(X[:3, 3]), 0.0, nothing,
            np.zeros((3, 3)), joint.reflected_inertia, joint.damping, joint.friction, joint.stiffness, joint.rest,
            joint.name, at,
        )  # fmt: skip
        self.list.append(motor)
        carried.append(None)
        if joint.elastic is not None:
            spring = motor._replace(
                parent=len(self.list) - 1, R=np.eye(3), p=nothing, armature=0.0, damping=joint.elastic.damping,
                friction=0.0, stiffness=joint.elastic.stiffness, rest=0.0, joint=f"{joint.name}.deflection",
                coordinate=at + 1,
            )  # fmt: skip
            self.list.append(spring)
            carried.append(None)

    def place(self, frame: str) -> Place:
        """Where a link's frame or a tool sits."""
        found = self.arm.frame(frame)
        link = self.links[found.link]
        return Place(link.body, link.X @ found.offset)

    @cached_property
    def parents(self) -> NDArray[np.intp]:
        """(n,) parent of every body, -1 for the base."""
        return np.array([body.parent for body in self.list], np.intp)

    @cached_property
    def children(self) -> list[list[int]]:
        """Bodies carried directly by each body."""
        out: list[list[int]] = [[] for _ in self.list]
        for k, body in enumerate(self.list):
            if body.parent != BASE:
                out[body.parent].append(k)
        return out

    def changed(self, **columns: dict[int, Any]) -> Bodies:
        """A copy in which some fields of some bodies are others: ``friction={3: 0.0}``."""
        other = copy.copy(self)
        other.list = list(self.list)
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


def refuse_unready(arm: Arm) -> None:
    """Refuse arms whose dynamics is not covered."""
    if arm.kinematics_only:
        raise UnsupportedError(f"arm {arm.name!r} is marked kinematics_only: it has no dynamics. Give its links mass.")
    if arm.flexible:
        names = ", ".join(link.name for link in arm.links if link.flexible)
        raise UnsupportedError(f"arm {arm.name!r} has flexible links ({names}); their dynamics is not available yet.")
    if arm.loops:
        raise UnsupportedError(f"arm {arm.name!r} has closed loops; their dynamics is not available yet.")


def _z_to(axis: Array) -> Array:
    """A rotation that takes z to `axis`; exact for axes along x, y or z."""
    Z = np.array([0.0, 0.0, 1.0])
    across = np.cross(Z, axis)
    size = float(np.linalg.norm(across))
    if size == 0.0:
        return np.eye(3) if axis[2] > 0 else np.diag([1.0, -1.0, -1.0])
    return snapped(about_axis(across / size, float(np.arctan2(size, axis[2]))))


def snapped(values: Array, tiny: float = ROUNDING) -> Array:
    """Rounding removed: tiny entries become zero, entries next to +-1 become +-1."""
    out = np.array(values, float)
    out[np.abs(out) < tiny] = 0.0
    for one in (1.0, -1.0):
        out[np.abs(out - one) < tiny] = one
    return out


def squared(R: Array, tiny: float) -> Array:
    """A rotation that nearly exchanges axes made one that does; any other keeps its digits, and stays a rotation."""
    near = snapped(R, tiny)
    return near if np.isin(near, (-1.0, 0.0, 1.0)).all() else snapped(R)


def _about_origin(inertia: Inertia) -> dict[str, Any]:
    """Mass, first moment and inertia about the frame's origin, rounding removed."""
    I = inertia.spatial()
    moment = inertia.mass * inertia.com
    tiny = ROUNDING * max(float(np.abs(moment).max()), 1e-300)
    size = ROUNDING * max(float(np.abs(I[:3, :3]).max()), 1e-300)
    return {
        "mass": inertia.mass,
        "moment": np.where(np.abs(moment) < tiny, 0.0, moment),
        "inertia": np.where(np.abs(I[:3, :3]) < size, 0.0, I[:3, :3]),
    }
