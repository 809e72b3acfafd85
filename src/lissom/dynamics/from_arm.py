"""The tree of an arm's bodies."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

from lissom.dynamics.tree import Node, Tree
from lissom.elements.base import AbstractElement
from lissom.elements.link import RigidLink
from lissom.joints import joint_class
from lissom.joints.drive import Drive
from lissom.joints.friction.laws import NUMBERS as LAW_NUMBERS, laws_of
from lissom.records import Structure, filled, flat, of_numbers, record
from lissom.spatial.inertias import RigidInertia
from lissom.spatial.motions import Placement
from lissom.spatial.orientation import Rotation
from lissom.spatial.scalar import Coordinates
from lissom.spatial.vectors import Matrix3, Symmetric3, Vector3

if TYPE_CHECKING:
    from lissom.dynamics.bodies import Bodies
    from lissom.dynamics.body import Body

Element = AbstractElement[Any, Any, Any, Any, Any]
NUMBERS = Vector3(0.0, 0.0, 0.0)
PLACEMENT = Placement(Rotation(Matrix3(NUMBERS, NUMBERS, NUMBERS)), NUMBERS)
INERTIA = RigidInertia(0.0, NUMBERS, Symmetric3(0.0, 0.0, 0.0, 0.0, 0.0, 0.0))
INERTIA_OF_BODY = flat(INERTIA).structure
LAW_COUNTS = (len(LAW_NUMBERS) - 1, len(LAW_NUMBERS))  # of numbers, without and with load-dependent friction
DRIVES = tuple(
    flat(Drive(0.0, 0.0, 0.0, 0.0, 0.0, laws)).structure for laws in (None, *(laws_of((0.0,) * n) for n in LAW_COUNTS))
)


@record
class BodyNumbers:
    """The numbers of a body: placement of its joint, inertia about its origin, and those of its kind of joint."""

    placement: Placement
    inertia: RigidInertia
    of_joint: Coordinates

    def with_payload(self, payload: RigidInertia) -> BodyNumbers:
        """The body with a payload, about the same origin."""
        return BodyNumbers(self.placement, self.inertia + payload, self.of_joint)


CONSTANTS = flat(BodyNumbers(PLACEMENT, INERTIA, ())).structure.size  # of a body, without those of its kind of joint


def body_numbers(row: Any) -> BodyNumbers:
    """The numbers of a body from its constants."""
    made: BodyNumbers = filled(_body(len(row) - CONSTANTS), row)
    return made


@functools.cache
def _body(of_joint: int) -> Structure:
    return flat(BodyNumbers(PLACEMENT, INERTIA, (0.0,) * of_joint)).structure


def tree_of(bodies: Bodies) -> Tree:
    """The tree of bodies with one coordinate per joint; their numbers may be values of a program."""
    if bodies.elements is None:
        make = _linear_element if bodies.linear else _element
        bodies.elements = Tree(tuple([_node(body, i, make(bodies, body)) for i, body in enumerate(bodies.list)]))
    return bodies.elements


def _node(body: Body, i: int, element: Element) -> Node:
    along = body.beam_owner >= 0
    drive = None if body.beam is not None else joint_drive(body)
    return Node(
        element, body.parent, body.coordinate, body.width, body.beam_owner if along else i,
        int(not along or body.mount), drive, float(body.mass), 0.0 if along or body.beam is None else body.beam.mass,
    )  # fmt: skip


def _element(_bodies: Bodies, body: Body) -> Element:
    """The element of a body: a rigid link, a beam, or a place along one."""
    if body.beam is None:
        row = constants_of(body)
        return _filled(body, row, _link(body.kind, len(row) - CONSTANTS))
    from lissom.elements.beam import SecondOrderBeam
    from lissom.elements.beam_end import Integrals
    from lissom.elements.station import Station

    kind = Station if body.beam_owner >= 0 else SecondOrderBeam
    return kind(Integrals(body.beam.layout, body.beam.values), _inertia(body))


def _linear_element(bodies: Bodies, body: Body) -> Element:
    """The same for links with a linear field, of which all frames may stretch."""
    if body.beam is None:
        row = constants_of(body)
        return _filled(body, row, _affine_link(body.kind, len(row) - CONSTANTS, int(bodies.takes_shortcut)))
    from lissom.elements.beam_end import Integrals
    from lissom.elements.book.beam import AffineBeam
    from lissom.elements.book.station import AffineStation

    kind = AffineStation if body.beam_owner >= 0 else AffineBeam
    return kind(Integrals(body.beam.layout, body.beam.values), _inertia(body))


def _filled(body: Body, row: Any, structure: Structure) -> Element:
    made: Element = filled(structure, row, of_numbers(structure) if body.constants is None else None)
    return made


def _inertia(body: Body) -> RigidInertia:
    return body_numbers(constants_of(body)).inertia


@functools.cache
def _link(kind: str, numbers: int) -> Structure:
    return flat(RigidLink(PLACEMENT, INERTIA, joint_class(kind)(*[0.0] * numbers))).structure


@functools.cache
def _affine_link(kind: str, numbers: int, shortcut: int) -> Structure:
    from lissom.elements.book.link import AffineLink

    return flat(AffineLink(PLACEMENT, INERTIA, joint_class(kind)(*[0.0] * numbers), shortcut)).structure


def constants_of(body: Body) -> Any:
    """R0 (9), p (3), m, mc (3), I (6) of a body, and the numbers of its kind of joint."""
    if body.constants is not None:
        return body.constants
    I = body.inertia
    six = [I[0, 0], I[0, 1], I[0, 2], I[1, 1], I[1, 2], I[2, 2]]
    return [*map(float, (*body.R.ravel(), *body.p, body.mass, *body.moment, *six, *body.numbers))]


def inertia_of(row: Any) -> RigidInertia:
    """A rigid inertia from its ten entries m, mc (3), I (6)."""
    made: RigidInertia = filled(INERTIA_OF_BODY, row)
    return made


def placement_of(row: Any) -> Placement:
    """A placement from its twelve entries, rotation (9) and origin (3)."""
    made: Placement = filled(flat(PLACEMENT).structure, row)
    return made


def joint_drive(body: Body) -> Drive | None:
    """The drive of a joint; None where all of it is zero."""
    row = body.drive
    if row is None:
        row = [*map(float, (body.armature, body.damping, body.friction, body.stiffness, body.rest, *body.laws))]
        if not any(row):
            return None
    return drive_of(row)


def drive_of(row: Any) -> Drive:
    """A drive from its entries: armature, damping, friction, stiffness, rest, and those of its laws of friction."""
    made: Drive = filled(next(structure for structure in DRIVES if structure.size == len(row)), row)
    return made
