"""Arms derived from others: links and joints changed, fixed joints merged, subtrees extracted."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from lissom.errors import ModelError, suggest
from lissom.model.ends import end_links, tip_frame
from lissom.model.fields import NAME_LENGTH, frozen
from lissom.model.joint import Joint
from lissom.model.link import Link, Tool, hub_fields
from lissom.model.loads import Payload
from lissom.model.states import AbstractArm, AnyArm
from lissom.spatial.frames import inverse, pose
from lissom.spatial.inertia import Inertia, combine
from lissom.spatial.rotations import Array


def with_link(arm: AnyArm, name: str, changes: dict[str, Any]) -> AnyArm:
    """See `Arm.with_link`."""
    i, links, poses, mirror = arm.index(name), list(arm.links), arm.named_poses, arm.mirror
    _refuse_unknown(changes, Link, f"link {name!r}")
    new = changes.get("name", name)
    if new != name and links[i].joint.name == name and "joint" not in changes:
        changes["joint"] = links[i].joint.replace(name=new)
    links[i] = links[i].replace(**changes)
    before, after = arm.links[i].joint.name, links[i].joint.name
    if before != after:
        links = [_with_joint_renamed(link, before, after) for link in links]
        poses = tuple(named.with_joint_renamed(before, after) for named in poses)
        mirror = None if mirror is None else mirror.renamed("coordinates", before, after)
    if new == name:
        return arm.replace(links=links, named_poses=poses, mirror=mirror)

    def renamed(end: tuple[str | None, Array]) -> tuple[str | None, Array]:
        return (new if end[0] == name else end[0], end[1])

    return arm.replace(
        links=[link.replace(parent=new) if link.parent == name else link for link in links],
        named_poses=poses,
        loops=[loop.replace(a=renamed(loop.a), b=renamed(loop.b)) for loop in arm.loops],
        loads=[load.replace(link=new) if load.link == name else load for load in arm.loads],
        contacts=[contact.replace(link=new) if contact.link == name else contact for contact in arm.contacts],
        mirror=None if mirror is None else mirror.renamed("links", name, new),
    )


def with_payload(arm: AnyArm, payload: Payload | None, frame: str) -> AnyArm:
    """See `Arm.with_payload`."""
    link, X = carrier_of(arm, frame)
    there = payload if X is None or not isinstance(payload, Payload) else payload.in_frame(X)
    return with_link(arm, link, {"payload": there})


def carrier_of(arm: AbstractArm, frame: str) -> tuple[str, Any]:
    """The link that carries a frame, and the pose (4, 4) of that frame in the axes of its payload; None: the same."""
    place = arm.frame(frame)
    link = arm.links[place.link]
    same = frame == link.name or np.array_equal(place.offset, link.tip)
    return link.name, None if same else inverse(link.tip) @ place.offset


def with_joint(arm: AnyArm, name: str, changes: dict[str, Any]) -> AnyArm:
    """See `Arm.with_joint`."""
    joint = arm.joint(name)
    _refuse_unknown(changes, Joint, f"joint {name!r}")
    carrier = next(link.name for link in arm.links if link.joint is joint)
    return with_link(arm, carrier, {"joint": joint.replace(**changes)})


def _refuse_unknown(changes: Iterable[str], kind: type[Link] | type[Joint], subject: str) -> None:
    """Raise an error for a field that links or joints do not have."""
    known = kind.__dataclass_fields__
    for word in sorted(set(changes) - set(known)):
        raise ModelError(f"a {kind.__name__.lower()} has no {word!r}; {suggest(word, known)}", subject)


def _with_joint_renamed(link: Link, before: str, after: str) -> Link:
    """A link whose mimic and tip pose refer to a renamed joint."""
    if link.joint.mimic is not None and link.joint.mimic.joint == before:
        link = link.replace(joint=link.joint.replace(mimic=link.joint.mimic.replace(joint=after)))
    if link.beam is not None and before in dict(link.beam.tip_pose):
        pose_there = [(after if joint == before else joint, at) for joint, at in link.beam.tip_pose]
        link = link.replace(beam=link.beam.replace(tip_pose=pose_there))
    return link


def merge_fixed(arm: AnyArm) -> AnyArm:
    """See `Arm.merge_fixed`. Names in loads and loops stay valid: a merged link becomes a tool of its name."""
    kept: dict[str, _Carrier] = {}
    moved: dict[str | None, tuple[str | None, Array]] = {None: (None, pose())}  # link -> new carrier, pose
    anchored: set[str | None] = {None}  # links that do not move: they stay
    for link in arm.links:
        carrier, X = moved[link.parent]
        X_child = X @ link.joint.placement
        if link.joint.moves or link.flexible or link.parent in anchored or link.joint.at is not None:
            if not link.joint.moves and not link.flexible and link.parent in anchored:
                anchored.add(link.name)
            joint = link.joint.replace(placement=frozen(X_child))
            kept[link.name] = _Carrier(link.replace(parent=carrier, joint=joint))
            moved[link.name] = (link.name, pose())
        else:
            X_child = X_child @ link.frame
            kept[str(carrier)].take(link, X_child)
            moved[link.name] = (carrier, X_child)
    tips = {tip_frame(arm, end) for end in end_links(arm)}
    return arm.replace(links=[carrier.link(tips) for carrier in kept.values()])


class _Carrier:
    """A link that gathers the bodies fixed to it."""

    def __init__(self, link: Link):
        self._link = link
        self._body: Inertia | None = None
        self._tools: list[Tool] = list(link.tools)
        self._shapes = list(link.shapes)
        self._as_written = link.as_written

    def take(self, link: Link, X: Array) -> None:
        """Add a rigid link that sits at pose X in the frame where this link's children attach."""
        body = link.body.in_frame(X)
        self._as_written |= link.as_written
        self._body = body if self._body is None else combine(self._body, body)
        self._tools.append(Tool(link.name, frozen(X)))
        self._tools += [tool.in_frame(X) for tool in link.tools]
        self._shapes += [shape.in_frame(self._link.tip @ X) for shape in link.shapes]

    def link(self, tips: set[str]) -> Link:
        """The link with all that is fixed to it; a tool where the arm ends, one of `tips`, is the last of its tools."""
        link = self._link
        tools = sorted(self._tools, key=lambda tool: tool.name in tips)
        changes = {"tools": tuple(tools), "shapes": tuple(self._shapes), "as_written": self._as_written}
        if self._body is None:
            return link.replace(**changes)
        return link.replace(**changes, **self._with_body(link, self._body))

    @staticmethod
    def _with_body(link: Link, added: Inertia) -> dict[str, Any]:
        """The link with its fixed bodies: as payload of a flexible link, as mass of a rigid one."""
        if link.flexible:
            total = added if link.payload is None else combine(link.payload.body, added)
            return {"payload": Payload(*total)}
        return hub_fields(combine(link.hub, added))


def subtree(arm: AnyArm, link: str, name: str | None = None) -> AnyArm:
    """See `Arm.subtree`."""
    root = arm.index(link)
    inside = {link}
    for child in arm.links[root + 1 :]:
        if child.parent in inside:
            inside.add(child.name)
    links = [
        part.replace(parent=None, joint=part.joint.replace(at=None)) if part.name == link else part
        for part in arm.links
        if part.name in inside
    ]
    moving = {part.joint.name for part in links if part.joint.moves}
    lost = [
        f"joint {part.joint.name!r} mimicked {part.joint.mimic.joint!r}, which is not in this subtree; it is free here."
        for part in links
        if part.joint.mimic is not None and part.joint.mimic.joint not in moving
    ]
    links = [
        part.replace(joint=part.joint.replace(mimic=None))
        if part.joint.mimic is not None and part.joint.mimic.joint not in moving
        else part
        for part in links
    ]
    frames = inside | {tool.name for part in links for tool in part.tools}
    loops = [loop for loop in arm.loops if {loop.a[0], loop.b[0]} <= frames]
    loads = [load for load in arm.loads if load.link in frames]
    if len(loads) < len(arm.loads):
        lost.append(f"{len(arm.loads) - len(loads)} standing loads act outside this subtree and were left out.")
    if len(loops) < len(arm.loops):
        lost.append(f"{len(arm.loops) - len(loops)} loop closures lead out of this subtree and were left out.")
    contacts = [contact for contact in arm.contacts if contact.link in frames]
    if arm.mirror is not None:
        lost.append("the mirror is that of the whole arm and was left out.")
    return arm.replace(
        name=f"{arm.name}/{link}"[:NAME_LENGTH] if name is None else name,
        links=links,
        loops=loops,
        loads=loads,
        notes=(*arm.notes, *lost),
        contacts=contacts,
        mirror=None,
        shapes=(),  # of the base, which is another one now
    )
