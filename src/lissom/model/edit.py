"""New arms from old ones: fixed joints merged, subtrees cut out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lissom.model.fields import frozen
from lissom.model.link import Link, Tool
from lissom.model.loads import Payload
from lissom.spatial.frames import pose
from lissom.spatial.inertia import Inertia, combine
from lissom.spatial.rotations import Array

if TYPE_CHECKING:
    from lissom.model.arm import Arm


def merge_fixed(arm: Arm) -> Arm:
    """See `Arm.merge_fixed`."""
    kept: dict[str, _Carrier] = {}
    moved: dict[str | None, tuple[str | None, Array]] = {None: (None, pose())}  # link -> new carrier, pose
    anchored: set[str | None] = {None}  # links that do not move: they stay
    for link in arm.links:
        carrier, X = moved[link.parent]
        X_child = X @ link.joint.placement
        if link.joint.moves or link.flexible or link.parent in anchored:
            if not link.joint.moves and link.parent in anchored:
                anchored.add(link.name)
            joint = link.joint.replace(placement=frozen(X_child))
            kept[link.name] = _Carrier(link.replace(parent=carrier, joint=joint))
            moved[link.name] = (link.name, pose())
        else:
            X_child = X_child @ link.frame
            kept[str(carrier)].take(link, X_child)
            moved[link.name] = (carrier, X_child)
    return arm.replace(
        links=[carrier.link() for carrier in kept.values()],
        loops=[loop.replace(a=_end(loop.a, moved, kept), b=_end(loop.b, moved, kept)) for loop in arm.loops],
        loads=[_load(load, moved, kept) for load in arm.loads],
    )


class _Carrier:
    """A link that gathers the bodies fixed to it."""

    def __init__(self, link: Link):
        self._link = link
        self._body: Inertia | None = None
        self._tools: list[Tool] = list(link.tools)
        self._shapes = list(link.shapes)

    @property
    def tip(self) -> Array:
        return self._link.tip

    def take(self, link: Link, X: Array) -> None:
        """Add a rigid link that sits at pose X in the frame where this link's children attach."""
        fields = link.in_frame(X)
        body = link.body.in_frame(X)
        self._body = body if self._body is None else combine(self._body, body)
        self._tools += [Tool(link.name, frozen(X)), *fields["tools"]]
        at_root = frozen(self.tip @ X)
        self._shapes += [s.replace(origin=frozen(at_root @ s.origin)) for s in link.shapes]

    def link(self) -> Link:
        link, changes = self._link, {"tools": tuple(self._tools), "shapes": tuple(self._shapes)}
        if self._body is None:
            return link.replace(**changes)
        return link.replace(**changes, **self._with_body(link, self._body))

    @staticmethod
    def _with_body(link: Link, added: Inertia) -> dict[str, Any]:
        """A flexible link carries what is fixed to its tip as payload, a rigid one as its own mass."""
        if link.flexible:
            total = added if link.payload is None else combine(link.payload.body, added)
            return {"payload": Payload(total.mass, total.com, total.moment)}
        total = combine(Inertia(link.mass, link.com, link.inertia), added)
        return {"mass": total.mass, "com": total.com, "inertia": total.moment}


def _end(end: Any, moved: dict[str | None, tuple[str | None, Array]], kept: dict[str, _Carrier]) -> Any:
    """A loop's end after its link was merged."""
    link, frame = end
    carrier, X = moved[link]
    return end if carrier == link else (carrier, frozen(kept[str(carrier)].tip @ X @ frame))


def _load(load: Any, moved: dict[str | None, tuple[str | None, Array]], kept: dict[str, _Carrier]) -> Any:
    carrier, X = moved[load.link]
    if carrier == load.link:
        return load
    X = kept[str(carrier)].tip @ X
    return load.replace(link=carrier, point=X[:3, :3] @ load.point + X[:3, 3])


def subtree(arm: Arm, link: str, name: str | None = None) -> Arm:
    """See `Arm.subtree`."""
    root = arm.index(link)
    inside = {link}
    for child in arm.links[root + 1 :]:
        if child.parent in inside:
            inside.add(child.name)
    links = [part.replace(parent=None) if part.name == link else part for part in arm.links if part.name in inside]
    moving = {part.joint.name for part in links if part.joint.moves}
    lost = [
        f"joint {part.joint.name!r} mimicked {part.joint.mimic.joint!r}, which is not in this subtree."
        for part in links
        if part.joint.mimic is not None and part.joint.mimic.joint not in moving
    ]
    links = [
        part.replace(joint=part.joint.replace(mimic=None))
        if part.joint.mimic is not None and part.joint.mimic.joint not in moving
        else part
        for part in links
    ]
    loops = [loop for loop in arm.loops if {loop.a[0], loop.b[0]} <= inside]
    if len(loops) < len(arm.loops):
        lost.append(f"{len(arm.loops) - len(loops)} loop closures lead out of this subtree and were left out.")
    return arm.replace(
        name=f"{arm.name}/{link}" if name is None else name,
        links=links,
        loops=loops,
        loads=[load for load in arm.loads if load.link in inside],
        notes=(*arm.notes, *lost),
    )
