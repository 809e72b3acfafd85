"""The data of an arm, and its structure: parents, coordinates, joints, and frames by name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lissom.errors import ModelError, shown, suggest
from lissom.later import cached_property
from lissom.model.contact import Contact, Mirror
from lissom.model.fields import frozen
from lissom.model.joint import Joint
from lissom.model.link import Link, LinkShape
from lissom.model.loads import Load, Loop
from lissom.model.mimic import Mimic, resolved
from lissom.model.record import Record
from lissom.model.slot import Holder
from lissom.spatial.frames import pose
from lissom.spatial.rotations import Array


def _fixed(values: Any) -> NDArray[np.intp]:
    """A read-only array of indices."""
    out = np.array(values, np.intp)
    out.flags.writeable = False
    return out


class Frame(NamedTuple):
    """A named frame: the link that carries it and its pose there."""

    link: int
    offset: Array  # (4, 4) in link axes
    at_tip: bool  # it moves with the tip of a flexible link


@dataclass(frozen=True, eq=False, repr=False)
class AbstractTree(Holder, Record):
    """What an arm holds, and the structure that follows from its links; `Arm` validates it."""

    name: str
    links: tuple[Link, ...]
    gravity: Any = (0.0, 0.0, -9.81)
    loops: tuple[Loop, ...] = ()
    loads: tuple[Load, ...] = ()
    flexibility: str = "second_order"
    kinematics_only: bool = False
    source: str = field(default="", compare=False)
    notes: tuple[str, ...] = field(default=(), compare=False)
    folder: str = field(default="", compare=False)
    shapes: tuple[LinkShape, ...] = field(default=(), compare=False)
    named_poses: Any = field(default=(), compare=False)
    contacts: tuple[Contact, ...] = ()
    mirror: Mirror | None = None

    # ---- structure -------------------------------------------------------------------------------

    @cached_property
    def _index(self) -> dict[str, int]:
        return {link.name: i for i, link in enumerate(self.links)}

    @cached_property
    def parent_index(self) -> NDArray[np.intp]:
        """(n_links,) index of each link's parent, -1 for the base."""
        return _fixed([-1 if link.parent is None else self._index[link.parent] for link in self.links])

    @cached_property
    def coordinate_start(self) -> NDArray[np.intp]:
        """(n_links,) position of each link's first coordinate."""
        counts = [link.coordinate_count for link in self.links]
        return _fixed([0, *np.cumsum(counts)[:-1]])

    @cached_property
    def dof(self) -> int:
        """Number of coordinates: independent joints and elastic coordinates."""
        return sum(link.coordinate_count for link in self.links)

    @cached_property
    def joints(self) -> tuple[Joint, ...]:
        """The independent joints, in coordinate order; mimic joints are not among them."""
        return tuple(link.joint for link in self.links if link.joint.independent)

    @cached_property
    def moving_joints(self) -> tuple[Joint, ...]:
        """All joints that move, in the order of the links: those of `joints` and the mimic joints."""
        return tuple(link.joint for link in self.links if link.joint.moves)

    @cached_property
    def mimics(self) -> Mapping[str, Mimic]:
        """Mapping from the name of each mimic joint to the independent joint it follows, multiplier and offset."""
        return resolved({joint.name: joint.mimic for joint in self.moving_joints if joint.mimic is not None})

    @cached_property
    def coordinates(self) -> tuple[str, ...]:
        """Names of the coordinates: each link's joint first, then its spring deflection and modes."""
        names: list[str] = []
        for link in self.links:
            if link.joint.independent:
                names.append(link.joint.name)
            if link.joint.elastic is not None:
                names.append(f"{link.joint.name}.deflection")
            names += [f"{link.name}.{label}" for label in link.mode_labels]
        return tuple(names)

    @cached_property
    def joint_index(self) -> NDArray[np.intp]:
        """(n_joints,) positions of `joints` among the coordinates."""
        independent = [link.joint.independent for link in self.links]
        return _fixed(self.coordinate_start[independent])

    @cached_property
    def mode_index(self) -> NDArray[np.intp]:
        """Positions of the elastic coordinates: modes of links, deflections of elastic joints."""
        return _fixed(np.setdiff1d(np.arange(self.dof), self.joint_index))

    @cached_property
    def actuated(self) -> NDArray[np.bool_]:
        """(dof,) coordinates that a motor acts on."""
        mask = np.zeros(self.dof, bool)
        mask[self.joint_index] = [joint.actuated for joint in self.joints]
        mask.flags.writeable = False
        return mask

    @cached_property
    def flexible(self) -> bool:
        """Whether any link is flexible."""
        return any(link.flexible for link in self.links)

    @cached_property
    def mass(self) -> float:
        """Total mass [kg]."""
        return float(sum(link.body.mass for link in self.links))

    # ---- names -----------------------------------------------------------------------------------

    def index(self, link: str) -> int:
        """Position of a link in `links`."""
        if not isinstance(link, str) or link not in self._index:
            problem = f"there is no link {shown(link)}; {self._link_of(link, self._index)}"
            raise ModelError(problem, f"arm {self.name!r}")
        return self._index[link]

    def link(self, word: str) -> Link:
        """The link of that name."""
        return self.links[self.index(word)]

    def joint(self, word: str) -> Joint:
        """The moving or fixed joint of that name."""
        joints = {link.joint.name: link.joint for link in self.links}
        if not isinstance(word, str) or word not in joints:
            problem = f"there is no joint {shown(word)}; {suggest(str(word)[:60], joints)}"
            raise ModelError(problem, f"arm {self.name!r}")
        return joints[word]

    @cached_property
    def frames(self) -> Mapping[str, Frame]:
        """All named frames: links and their tools."""
        out = {}
        for i, link in enumerate(self.links):
            out[link.name] = Frame(i, frozen(pose()), at_tip=False)
            if link.flexible:
                out[f"{link.name}.tip"] = Frame(i, frozen(link.tip), at_tip=True)
            for tool in link.tools:
                out[tool.name] = Frame(i, frozen(link.tip @ tool.placement), at_tip=link.flexible)
        return MappingProxyType(out)

    def frame(self, word: str) -> Frame:
        """A link's frame or a tool, by name."""
        if not isinstance(word, str) or word not in self.frames:
            problem = f"there is no link or tool {shown(word)}; {self._link_of(word)}"
            raise ModelError(problem, f"arm {self.name!r}")
        return self.frames[word]

    def _link_of(self, word: Any, known: Iterable[str] | None = None) -> str:
        """What was probably meant by a name that no link has: the link of a joint, or a name close to it."""
        links = [link.name for link in self.links if link.joint.name == word]
        if links:
            return f"that is a joint, whose link is {links[0]!r}."
        return suggest(str(word)[:60], self.frames if known is None else known)
