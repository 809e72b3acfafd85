"""The links of an arm merged into bodies.

One body per joint that moves; welded links become part of the body that carries them (or of the base). An elastic joint
becomes two bodies about one axis, a massless one with the motor's inertia and the link behind the spring.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from lissom.dynamics.body import BASE, Body, Place
from lissom.dynamics.rounding import about_origin, snapped, squared, z_to
from lissom.dynamics.stations import station_name, station_of
from lissom.later import cached_property
from lissom.model.arm import Arm
from lissom.model.following import totals
from lissom.model.joint import Joint
from lissom.model.link import Link
from lissom.spatial.frames import inverse, pose
from lissom.spatial.inertia import Inertia, combine
from lissom.spatial.rotations import Array

if TYPE_CHECKING:  # loaded when a link bends
    from lissom.flexible.body import FlexibleBody

NOTHING: dict[str, Any] = {"moment": np.zeros(3), "inertia": np.zeros((3, 3))}
NO_DRIVE: dict[str, Any] = {
    "armature": 0.0, "damping": 0.0, "friction": 0.0, "stiffness": 0.0, "rest": 0.0, "laws": (),
}  # fmt: skip


class Part(NamedTuple):
    """A link, and a body that has a part of it: of a flexible link the root, the tip, or a place along the beam."""

    link: int
    body: int


class Merged:
    """The bodies of an arm while its links are added, parents first.

    flexible : constants of the flexible links, by link
    tiny : rotations this close to quarter turns are made exact
    """

    def __init__(self, arm: Arm, flexible: Mapping[int, FlexibleBody], tiny: float):
        self.arm, self._flexible, self._tiny = arm, flexible, tiny
        self.links: list[Place] = []
        self.tips: list[Place] = []
        self.parts: dict[Part, Inertia] = {}
        self.stations: dict[str, int] = {}
        self._list: list[Body] = []
        for i, link in enumerate(arm.links):
            self._add(link, i)

    def bodies(self) -> list[Body]:
        """The bodies with their inertia."""
        carried: dict[int, Inertia] = {}
        for (_, k), part in self.parts.items():
            carried[k] = combine(carried[k], part) if k in carried else part
        return [
            body._replace(**about_origin(carried[k])) if k in carried else body for k, body in enumerate(self._list)
        ]

    def _add(self, link: Link, i: int) -> None:
        parent = int(self.arm.parent_index[i])
        above = Place(BASE, pose()) if parent < 0 else self._attachment(parent, link.joint.at)
        X = above.X @ link.joint.placement
        if not link.joint.moves:
            place = Place(above.body, X @ link.frame)
        else:
            turn = pose(z_to(link.joint.axis))
            self._append(link, above.body, X @ turn, int(self.arm.coordinate_start[i]))
            place = Place(len(self._list) - 1, inverse(turn) @ link.frame)
        self.links.append(place)
        if i in self._flexible:
            self._bend(link, i, place)
        else:
            self.parts[Part(i, place.body)] = link.body.in_frame(place.X)
            self.tips.append(Place(place.body, place.X @ link.tip))

    def _attachment(self, parent: int, at: float | None) -> Place:
        """The place of a joint on its parent: at the tip, or along its beam."""
        if at is None:
            return self.tips[parent]
        link = self.arm.links[parent]
        if parent not in self._flexible:  # a beam without modes
            return Place(self.links[parent].body, self.links[parent].X @ link.attachment(at))
        name = station_name(link.name, at)
        if name not in self.stations:
            self.stations[name] = len(self._list)
            tip = self.tips[parent].body
            self._list.append(station_body(self._list[tip], tip, self._flexible[parent], name)._replace(mount=True))
        return Place(self.stations[name], pose())

    def _bend(self, link: Link, i: int, place: Place) -> None:
        """Add a flexible link: hub on the joint's body, then the beam, payload at its tip."""
        from lissom.dynamics.beams import Beam

        self.parts[Part(i, place.body)] = link.hub.in_frame(place.X)
        R, p = squared(place.X[:3, :3], self._tiny), snapped(place.X[:3, 3])
        beam = Beam.of(self._flexible[i], R, p, self.arm.flexibility)
        at = int(self.arm.coordinate_start[i]) + link.joint.coordinate_count
        self._list.append(
            Body(place.body, "beam", R, p, 0.0, **NOTHING, **NO_DRIVE, joint=link.name, coordinate=at, beam=beam,
                 width=beam.m)
        )  # fmt: skip
        self.tips.append(Place(len(self._list) - 1, pose()))
        if link.payload is not None:
            self.parts[Part(i, self.tips[i].body)] = link.payload.body.in_frame(self.tips[i].X)

    def _append(self, link: Link, parent: int, X: Array, at: int) -> None:
        """Add the body of a joint; of an elastic joint that of its motor, and one behind the spring."""
        joint, mimic = link.joint, self.arm.mimics.get(link.joint.name)
        leads = at if mimic is None else int(self.arm.joint_index[self._joint_number[mimic.joint]])
        inertia, damping, friction = self._drive(joint)
        motor = Body(
            parent, joint.kind, squared(X[:3, :3], self._tiny), snapped(X[:3, 3]), 0.0, **NOTHING, armature=inertia,
            damping=damping, friction=friction, stiffness=joint.stiffness, rest=joint.rest, joint=joint.name,
            coordinate=leads, follows=mimic is not None,
            numbers=tuple(getattr(joint, word) for word in joint.mechanism.names()), laws=joint.friction_laws.numbers,
        )  # fmt: skip
        self._list.append(motor)
        if joint.elastic is not None:
            drive = NO_DRIVE | {"damping": joint.elastic.damping, "stiffness": joint.elastic.stiffness}
            spring = motor._replace(
                parent=len(self._list) - 1, R=np.eye(3), p=np.zeros(3), **drive, joint=f"{joint.name}.deflection",
                coordinate=at + int(mimic is None), follows=False,
            )  # fmt: skip
            self._list.append(spring)

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
        parts = (("reflected_inertia", 2), ("viscous", 2), ("coulomb", 1))
        return np.array([totals(self.arm, word, power) for word, power in parts])

    @cached_property
    def _joint_number(self) -> dict[str, int]:
        return {joint.name: k for k, joint in enumerate(self.arm.joints)}


def station_body(tip: Body, k: int, link: FlexibleBody, frame: str) -> Body:
    """A place along a flexible link as a body without mass; its tip is body k."""
    assert link.line is not None
    assert tip.beam is not None
    beam = tip.beam.at(link.line.station(station_of(frame)[1]))
    return tip._replace(beam=beam, beam_owner=k, mass=0.0, **NOTHING, constants=None, drive=None)
