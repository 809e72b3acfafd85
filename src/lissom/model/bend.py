"""A rigid link made flexible: a beam from its joint to the next one, and the arm around it unchanged.

The link's frame turns so that x lies along the beam; everything that was given in the old frame (children, tools,
payload, shapes, loads, loops) is given anew, so that the undeformed arm is the same machine.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from lissom.errors import ModelError, suggest
from lissom.model.arm import Arm
from lissom.model.beam import Beam
from lissom.model.fields import frozen, unit_vector, vector
from lissom.model.joint import Joint
from lissom.model.link import Link, hub_fields
from lissom.model.modal_integrals import ModalIntegrals
from lissom.spatial.frames import inverse, pose
from lissom.spatial.inertia import Inertia
from lissom.spatial.rotations import Array

SHORTEST = 1e-6  # m; a beam between joints that coincide has no direction
PARALLEL = 1e-3  # sine of the angle below which an axis lies along the beam


class Line(NamedTuple):
    """The line of a beam: link frame (4, 4) in the joint frame after its motion, length, and the child at its end."""

    frame: Array
    length: float
    child: Link | None


def line_of(
    arm: Arm, name: str, child: str | None = None, end: Any = None, z: Any = None, beside: Collection[str] = ()
) -> Line:
    """The line from a link's joint to the joint of its child, or to a point `end` in link axes.

    `z` in link axes is what the beam's z axis follows; without it the axis of the joint, or of the child's joint
    where that lies along the beam. `beside` are children that sit along the beam: it does not lead to them.
    """
    link = arm.link(name)
    next_ = _child(arm, link, child, beside, optional=end is not None)
    if end is not None:
        point = (link.frame @ [*vector(end, "end"), 1.0])[:3]
    else:
        assert next_ is not None
        point = (link.frame @ next_.joint.placement)[:3, 3]
    length = float(np.linalg.norm(point))
    if length < SHORTEST:
        raise ModelError(
            f"it is {length:g} m from its joint to the end of the beam, too short for a beam. Give end = [x, y, z] in "
            "the link's axes, or another child."
        )
    x = point / length
    return Line(pose(_axes(x, _sideways(link, next_, x, z))), length, next_)


def _child(arm: Arm, link: Link, word: str | None, beside: Collection[str], optional: bool) -> Link | None:
    """The child at the end of the beam: the named one, the only one, or the only one on a moving joint."""
    children = {other.name: other for other in arm.links if other.parent == link.name}
    for given in beside:
        if given not in children:
            raise ModelError(f"at names {given!r}, which is not one of its children; {suggest(given, children)}")
    if word is not None:
        if word in beside:
            raise ModelError(f"at names {word!r}, the child at the end of the beam; leave it out of at.")
        if word not in children:
            raise ModelError(f"child {word!r} is not one of its children; {suggest(word, children)}")
        return children[word]
    children = {word: other for word, other in children.items() if word not in beside}
    moving = [other for other in children.values() if other.joint.moves]
    found = list(children.values()) if len(children) == 1 else moving
    if len(found) == 1:
        return found[0]
    if optional:
        return None
    if not children:
        besides = " apart from those in at" if beside else ""
        raise ModelError(f"it has no child{besides}, so its beam has no end; give end = [x, y, z] in the link's axes.")
    names = ", ".join(repr(other.name) for other in found or children.values())
    raise ModelError(f"it has several children ({names}); name the one at the end of the beam: child = ...")


def _sideways(link: Link, child: Link | None, x: Array, z: Any) -> Array:
    """A direction in the joint frame that is not along x: as given, or an axis that the arm turns about."""
    if z is not None:
        given = np.asarray(link.frame[:3, :3] @ unit_vector(z, "z"))
        if np.linalg.norm(np.cross(x, given)) < PARALLEL:
            raise ModelError(
                f"z is {np.asarray(z).tolist()}, which lies along the beam; expected a direction across it."
            )
        return given
    known = [np.asarray(link.joint.axis)] if link.joint.rotation else []
    if child is not None and child.joint.rotation:
        known.append(link.frame[:3, :3] @ child.joint.placement[:3, :3] @ child.joint.axis)
    known += [link.frame[:3, k] for k in np.argsort(np.abs(x @ link.frame[:3, :3]))]
    return next(axis for axis in known if np.linalg.norm(np.cross(x, axis)) >= PARALLEL)


def _axes(x: Array, z: Array) -> Array:
    """Rotation matrix with first column x, and z as close to the given direction as possible."""
    z = z - (z @ x) * x
    z = z / np.linalg.norm(z)
    return np.column_stack([x, np.cross(z, x), z])


def with_flexible_link(
    arm: Arm,
    name: str,
    frame: Array,
    hub: Inertia,
    flexible: Beam | ModalIntegrals,
    at: Mapping[str, float | None] = MappingProxyType({}),
) -> Arm:
    """Return the arm with one link flexible.

    frame : its new link frame in the joint frame
    hub : the rigid part, in the old link's axes
    at : children along the beam, with their distance from its root [m]; None: where their joint is nearest to it
    """
    link = arm.link(name)
    moved = inverse(frame) @ link.frame  # the old frame in the new one
    word = "beam" if isinstance(flexible, Beam) else "modes"
    new = link.replace(
        frame=frozen(frame), payload=None, tools=(), shapes=tuple(shape.in_frame(moved) for shape in link.shapes),
        **hub_fields(hub.in_frame(moved)), **{word: flexible},
    )  # fmt: skip
    from_tip = inverse(new.tip) @ moved  # what hung on the old frame hangs on the tip
    carried = None if link.payload is None else link.payload.in_frame(from_tip)
    new = new.replace(payload=carried, tools=tuple(tool.in_frame(from_tip) for tool in link.tools))
    links = []
    for other in arm.links:
        if other.parent == name:
            other = other.replace(joint=_moved_joint(other.joint, new, moved, other.name in at, at.get(other.name)))
        links.append(new if other.name == name else other)
    loads = [load.replace(point=(moved @ [*load.point, 1.0])[:3]) if load.link == name else load for load in arm.loads]

    def end(place: tuple[str | None, Array]) -> tuple[str | None, Array]:
        return (name, frozen(moved @ place[1])) if place[0] == name else place

    loops = [loop.replace(a=end(loop.a), b=end(loop.b)) for loop in arm.loops]
    return arm.replace(links=links, loads=loads, loops=loops)


def _moved_joint(joint: Joint, parent: Link, moved: Array, along: bool, distance: float | None) -> Joint:
    """Return the joint of a child where it was, on the tip of its parent or on a section of the beam."""
    placed = moved @ joint.placement
    if along and parent.beam is not None:
        nearest = float(np.clip(placed[0, 3], 0.0, parent.beam.length))
        at = nearest if distance is None else distance
    else:
        at = None
    return joint.replace(placement=frozen(inverse(parent.attachment(at)) @ placed), at=at)
