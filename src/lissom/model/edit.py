"""Arms derived from others: fixed joints merged, subtrees extracted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lissom.model.fields import NAME_LENGTH, frozen
from lissom.model.link import Link, Tool
from lissom.model.loads import Payload
from lissom.spatial.frames import pose
from lissom.spatial.inertia import Inertia, combine
from lissom.spatial.rotations import Array

if TYPE_CHECKING:
    from lissom.model.arm import Arm


def merge_fixed(arm: Arm) -> Arm:
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
    return arm.replace(links=[carrier.link() for carrier in kept.values()])


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
        self._tools += [tool.replace(placement=frozen(X @ tool.placement)) for tool in link.tools]
        at_root = self._link.tip @ X
        self._shapes += [s.replace(origin=frozen(at_root @ s.origin)) for s in link.shapes]

    def link(self) -> Link:
        link = self._link
        changes = {"tools": tuple(self._tools), "shapes": tuple(self._shapes), "as_written": self._as_written}
        if self._body is None:
            return link.replace(**changes)
        return link.replace(**changes, **self._with_body(link, self._body))

    @staticmethod
    def _with_body(link: Link, added: Inertia) -> dict[str, Any]:
        """The link with its fixed bodies: as payload of a flexible link, as mass of a rigid one."""
        if link.flexible:
            total = added if link.payload is None else combine(link.payload.body, added)
            return {"payload": Payload(total.mass, total.com, total.moment)}
        total = combine(Inertia(link.mass, link.com, link.inertia), added)
        return {"mass": total.mass, "com": total.com, "inertia": total.moment}


def subtree(arm: Arm, link: str, name: str | None = None) -> Arm:
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
    return arm.replace(
        name=f"{arm.name}/{link}"[:NAME_LENGTH] if name is None else name,
        links=links,
        loops=loops,
        loads=loads,
        notes=(*arm.notes, *lost),
        shapes=(),  # of the base, which is another one now
    )
