"""The arm: a frozen tree of links, validated once."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lissom.errors import ModelError, about, shown, suggest
from lissom.later import cached_property
from lissom.model import following
from lissom.model.fields import array, choice, flag, frozen, name, rank, records, text, vector
from lissom.model.flexibility import FLEXIBILITIES
from lissom.model.joint import Joint
from lissom.model.limits import QUANTITIES
from lissom.model.link import Link, LinkShape
from lissom.model.loads import Load, Loop, Payload
from lissom.model.mimic import Mimic
from lissom.model.poses import READY, named_poses
from lissom.model.record import Record
from lissom.model.regularity import refuse_singular_inertia
from lissom.model.slot import Holder
from lissom.spatial.frames import pose
from lissom.spatial.rotations import Array

if TYPE_CHECKING:
    from lissom.model.dh import DHTable
    from lissom.model.plausibility import ModelFinding

MOST_LINKS = 100_000
DEEPEST = 10_000


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
class Arm(Holder, Record):
    """A manipulator arm: a tree of rigid and flexible links.

    Parameters
    ----------
    name : str
    links : sequence of Link      parents before children
    gravity : (3,)                world axes [m/s^2]
    loops : sequence of Loop      closures between links
    loads : sequence of Load      standing loads, in addition to those of a call
    flexibility : str             model of the flexible links: "second_order"; "linear", whose tips turn by
                                  E = 1 + [theta]; "book", the same truncated as by Book 1983; "book_37" and
                                  "book_72" with one of his truncations, to study them; "de_luca_siciliano", of
                                  planar arms, whose mass matrix is kept to first order in the deflections
    kinematics_only : bool        accept links without mass; dynamics functions then reject the arm
    source : str                  where the numbers come from
    notes : sequence of str       what a reader ignored or changed
    folder : str                  folder of the file it was read from; mesh files are searched there
    shapes : sequence of LinkShape    geometry of the base for pictures, in the base frame
    named_poses : mapping name -> {joint: position}    poses with names, see `poses`; "ready" is shown by default

    `source`, `notes`, `folder`, `shapes` and `named_poses` do not count when arms are compared; `folder` is not
    written to files.

    Examples
    --------
    >>> arm = Arm("pendulum", [Link("rod", joint=Joint("revolute", axis=(0, 1, 0)), mass=1.0, com=(0.3, 0, 0))])
    >>> arm.dof, arm.coordinates
    (1, ('rod',))
    """

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

    # ---- validation ------------------------------------------------------------------------------

    def __post_init__(self) -> None:
        self._set(name=name(self.name, "name of the arm"))
        with about(f"arm {self.name!r}"):
            self._set(links=records(self.links, "links", Link))
            self._set(loops=records(self.loops, "loops", Loop))
            self._set(loads=records(self.loads, "loads", Load))
            self._set(gravity=vector(self.gravity, "gravity"))
            self._set(flexibility=choice(self.flexibility, "flexibility", FLEXIBILITIES))
            self._set(kinematics_only=flag(self.kinematics_only, "kinematics_only"))
            self._set(source=text(self.source, "source"), folder=text(self.folder, "folder"))
            self._set(notes=tuple(text(note, "note") for note in records(self.notes, "notes", str)))
            self._set(shapes=records(self.shapes, "shapes", LinkShape), named_poses=named_poses(self.named_poses))
            if not self.links:
                raise ModelError("it has no links; give at least one Link.")
            if len(self.links) > MOST_LINKS:
                raise ModelError(f"it has {len(self.links)} links; at most {MOST_LINKS} are accepted.")
        self._refuse_duplicate_names()
        self._refuse_broken_tree()
        self._refuse_loose_ends()
        if not self.kinematics_only:
            refuse_singular_inertia(self.links, self.parent_index, self.mimics)

    def _refuse_duplicate_names(self) -> None:
        frames: dict[str, str] = {}
        joints: dict[str, str] = {}
        for link in self.links:
            for word in (link.name, *(tool.name for tool in link.tools)):
                if word in frames:
                    raise ModelError(
                        f"the name {word!r} is used twice (also on link {frames[word]!r}); "
                        "links and tools need unique names.",
                        f"link {link.name!r}",
                    )
                frames[word] = link.name
            if link.joint.name in joints:
                raise ModelError(
                    f"its joint {link.joint.name!r} has the same name as the joint of link "
                    f"{joints[link.joint.name]!r}; rename one.",
                    f"link {link.name!r}",
                )
            joints[link.joint.name] = link.name

    def _refuse_broken_tree(self) -> None:
        depth: dict[str | None, int] = {None: 0}
        names = {link.name for link in self.links}
        for link in self.links:
            if link.parent not in depth:
                raise ModelError(self._parent_problem(link, names), f"link {link.name!r}")
            depth[link.name] = depth[link.parent] + 1
            if depth[link.name] > DEEPEST:
                raise ModelError(f"the tree is deeper than {DEEPEST} links.", f"link {link.name!r}")

    def _parent_problem(self, link: Link, names: set[str]) -> str:
        if link.parent == link.name:
            return "it is its own parent; parents and children must form a tree."
        if link.parent not in names:
            return f"its parent {link.parent!r} does not exist; {suggest(str(link.parent), names)}"
        up = {other.name: other.parent for other in self.links}
        seen: set[str | None] = {link.name}
        word: str | None = link.parent
        while word is not None and word in up and word not in seen:
            seen.add(word)
            word = up[word]
        if word == link.name:
            return f"it is among its own ancestors (through {link.parent!r}); parents and children must form a tree."
        return f"it comes before its parent {link.parent!r}; list parents first."

    def _refuse_loose_ends(self) -> None:
        """Raise an error if loops, loads or mimics name links or joints that do not exist."""
        moving = {joint.name: None for joint in self.moving_joints}  # ordered, and quick to look into
        for link in self.links:
            mimic = link.joint.mimic
            if mimic is not None and (mimic.joint not in moving or mimic.joint == link.joint.name):
                raise ModelError(
                    f"it mimics {mimic.joint!r}, which is not another moving joint; {suggest(mimic.joint, moving)} "
                    "Load the arm with mimic='free' to make it an independent joint.",
                    f"joint {link.joint.name!r}",
                )
        _ = self.mimics  # refuses rings
        self._refuse_wrong_tip_poses()
        self._refuse_wrong_attachments()
        ends = [(end[0], "loop") for loop in self.loops for end in (loop.a, loop.b)]
        for word, what in [*ends, *((load.link, "load") for load in self.loads)]:
            if word is not None and word not in self.frames:
                raise ModelError(f"there is no link or tool {word!r}; {suggest(word, self.frames)}", what)
        for k, loop in enumerate(self.loops):
            if loop.a[0] == loop.b[0]:  # two tools of a link are left: merging fixed joints makes such
                held = "the base" if loop.a[0] is None else repr(loop.a[0])
                raise ModelError(f"both ends are on {held}; a loop joins two different links.", f"loop {k + 1}")
        for load in self.loads:
            if any(np.ndim(getattr(load, word)) != 1 for word in ("force", "moment", "point")):
                raise ModelError("a load that belongs to the arm cannot be a batch.", f"load on {load.link!r}")

    def _refuse_wrong_attachments(self) -> None:
        """Raise an error for a joint with `at` whose parent is no beam, or is shorter."""
        for i, link in enumerate(self.links):
            if link.joint.at is None:
                continue
            parent = self.links[self.parent_index[i]] if link.parent is not None else None
            problem = ""
            if parent is None or parent.beam is None:
                held = "the base" if parent is None else f"link {parent.name!r}"
                problem = f"at is for joints along a beam, and {held} has none; give the place in placement"
            elif link.joint.at > parent.beam.length:
                problem = (f"at is {link.joint.at:g}, beyond the beam of link {parent.name!r}, which is "
                           f"{parent.beam.length:g} m long; leave it out for the tip")  # fmt: skip
            elif self.flexibility != "second_order":
                problem = f"at is not available with flexibility={self.flexibility!r}; use 'second_order'"
            if problem:
                raise ModelError(f"{problem}.", f"joint {link.joint.name!r}")

    def _refuse_wrong_tip_poses(self) -> None:
        """Raise an error if `tip_pose` names joints that the beam does not carry."""
        for i, link in enumerate(self.links):
            if link.beam is None or not link.beam.tip_pose:
                continue
            carried = {i}
            for k in range(i + 1, len(self.links)):
                if int(self.parent_index[k]) in carried:
                    carried.add(k)
            known = [self.links[k].joint.name for k in sorted(carried - {i}) if self.links[k].joint.independent]
            for joint, _ in link.beam.tip_pose:
                if joint not in known:
                    raise ModelError(
                        f"tip_pose names {joint!r}, which is not an independent joint further out on the arm; "
                        f"{suggest(joint, known)}",
                        f"link {link.name!r} beam",
                    )

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
        return following.resolved(self)

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

    def bounds(self, quantity: str) -> tuple[Array, Array]:
        """Lower and upper limits (n_joints,) of one quantity of `joints`, infinite where unlimited.

        Limits of mimic joints also bound the joint that they follow, except torque limits. Position limits of a
        mimic joint that would allow no motion are ignored (`check` lists them).
        """
        return following.bounds(self, choice(quantity, "quantity", QUANTITIES))

    @cached_property
    def friction(self) -> Array:
        """(n_joints,) Coulomb friction at each of `joints`, its mimic joints included [N m or N]."""
        return frozen(following.totals(self, "friction", 1))

    @cached_property
    def damping(self) -> Array:
        """(n_joints,) viscous damping at each of `joints`, its mimic joints included [N m s or N s/m]."""
        return frozen(following.totals(self, "damping", 2))

    @property
    def home(self) -> Array:
        """(dof,) all zero, moved to the nearest limit where zero is not allowed."""
        q = np.zeros(self.dof)
        q[self.joint_index] = np.clip(0.0, *self.bounds("position")) + 0.0
        return q

    @cached_property
    def poses(self) -> Mapping[str, Array]:
        """Named poses as states (dof,): joints that a pose does not name are at `home`.

        Positions of joints that the arm does not have, or that do not move independently, are ignored, so that arms
        with joints locked or left out keep their poses.

        Examples
        --------
        >>> rod = Link("rod", joint=Joint("revolute", axis=(0, 1, 0)), mass=1.0, com=(0.3, 0, 0))
        >>> Arm("pendulum", [rod], named_poses={"ready": {"rod": 0.5}}).poses["ready"].tolist()
        [0.5]
        """
        places = {joint.name: int(k) for joint, k in zip(self.joints, self.joint_index, strict=True)}
        out = {}
        for pose_named in self.named_poses:
            q = self.home
            for joint, position in pose_named.positions:
                if joint in places:
                    q[places[joint]] = position
            out[pose_named.name] = frozen(q)
        return MappingProxyType(out)

    @property
    def ready(self) -> Array:
        """(dof,) the pose that figures and the viewer show by default: the named pose "ready", otherwise `home`."""
        return np.array(self.poses.get(READY, self.home))

    def joint_positions(self, q: ArrayLike) -> Array:
        """Positions (..., len(moving_joints)) of all moving joints, mimic joints included.

        Parameters
        ----------
        q : (dof,) or (..., dof)      coordinates; one entry per joint is accepted

        Examples
        --------
        >>> finger = Link("finger", joint=Joint("prismatic"), mass=0.1)
        >>> other = Link("other", joint=Joint("prismatic", mimic=Mimic("finger", -1.0)), mass=0.1)
        >>> Arm("gripper", [finger, other]).joint_positions([0.02]).tolist()
        [0.02, -0.02]
        """
        q = self.expanded(array(q, "q", (*[None] * (max(rank(q), 1) - 1), None)))
        return following.positions(self, q)

    def expanded(self, q: Array) -> Array:
        """A copy of a state with one entry per coordinate; given one entry per joint, elastic coordinates are zero."""
        if q.shape[-1] == self.dof:
            return np.array(q)
        if q.shape[-1] != len(self.joints):
            raise ModelError(
                f"a state has {q.shape[-1]} entries; expected {self.dof} coordinates or {len(self.joints)} joints.",
                f"arm {self.name!r}",
            )
        full = np.zeros((*q.shape[:-1], self.dof))
        full[..., self.joint_index] = q
        return full

    # ---- other arms from this one ----------------------------------------------------------------

    def with_gravity(self, gravity: ArrayLike) -> Arm:
        """The same arm under another gravity (3,) [m/s^2]."""
        return self.replace(gravity=gravity)

    def with_payload(self, payload: Payload | None, link: str | None = None) -> Arm:
        """The same arm with `payload` on a link, replacing the payload it had.

        The default link is the one at the end of the arm. A tree with several `ends`, and an arm that ends in a moving
        finger of a gripper, need the link's name: the error names the hand. A finger is known by what is fixed beside
        it or by its name (finger, jaw, claw, thumb, gripper).
        """
        return self.with_link(self.last_moving if link is None else link, payload=payload)

    @cached_property
    def ends(self) -> tuple[str, ...]:
        """Names of the links at the ends of the branches.

        Of every outermost moving link, the last link that is fixed to it, or the link itself. Where several bodies
        are fixed side by side, such as the fingers of a gripper whose joints are locked, it is the link that carries
        them. A serial arm has one end.
        """
        from lissom.model.ends import end_links

        return end_links(self)

    @property
    def last_moving(self) -> str:
        """The link at the end of the arm, which carries payloads by default.

        An arm with several `ends`, or that ends in a moving finger of a gripper, raises an error that names them.
        """
        from lissom.model.ends import payload_link

        return payload_link(self)

    def with_link(self, name: str, /, **changes: Any) -> Arm:
        """The same arm with fields of one link changed; when it is renamed, its children are updated."""
        i, links = self.index(name), list(self.links)
        unknown = set(changes) - set(Link.__dataclass_fields__)
        if unknown:
            word = sorted(unknown)[0]
            raise ModelError(f"a link has no {word!r}; {suggest(word, Link.__dataclass_fields__)}", f"link {name!r}")
        new = changes.get("name", name)
        if new != name and links[i].joint.name == name and "joint" not in changes:
            changes["joint"] = links[i].joint.replace(name=new)
        links[i] = links[i].replace(**changes)
        before, after = self.links[i].joint.name, links[i].joint.name
        poses = self.named_poses
        if before != after:
            links = _with_joint_renamed(links, before, after)
            poses = tuple(pose_named.with_joint_renamed(before, after) for pose_named in poses)
        if new == name:
            return self.replace(links=links, named_poses=poses)
        links = [link.replace(parent=new) if link.parent == name else link for link in links]

        def renamed(end: tuple[str | None, Array]) -> tuple[str | None, Array]:
            return (new if end[0] == name else end[0], end[1])

        return self.replace(
            links=links,
            named_poses=poses,
            loops=[loop.replace(a=renamed(loop.a), b=renamed(loop.b)) for loop in self.loops],
            loads=[load.replace(link=new) if load.link == name else load for load in self.loads],
        )

    def with_joint(self, name: str, /, **changes: Any) -> Arm:
        """The same arm with fields of one joint changed."""
        joint = self.joint(name)
        unknown = set(changes) - set(Joint.__dataclass_fields__)
        if unknown:
            word = sorted(unknown)[0]
            raise ModelError(f"a joint has no {word!r}; {suggest(word, Joint.__dataclass_fields__)}", f"joint {name!r}")
        carrier = next(link.name for link in self.links if link.joint is joint)
        return self.with_link(carrier, joint=joint.replace(**changes))

    def lock(self, positions: Mapping[str, float]) -> Arm:
        """The same arm with joints fixed at given positions and removed from the coordinates.

        Parameters
        ----------
        positions : mapping      position by name of a joint [rad or m], within the joint's limits

        Joints that mimic a locked joint are fixed at the matching position. A locked joint keeps its name and frame;
        what only a moving joint has (limits, damping, friction, ...) is dropped and listed in `notes`.

        Examples
        --------
        >>> rods = [Link("upper", mass=1.0, com=(0.2, 0, 0)), Link("lower", parent="upper", mass=1.0, com=(0.2, 0, 0))]
        >>> Arm("elbow", rods).lock({"lower": 0.5}).coordinates
        ('upper',)
        """
        from lissom.model.lock import lock

        return lock(self, positions)

    def subtree(self, link: str, name: str | None = None) -> Arm:
        """The arm made of a link and everything attached to it.

        The frame that carries the link becomes the base, so gravity and loads keep their numbers in
        the axes of that frame: turn them with `with_gravity` where that frame is not upright.
        Loops and loads that reach outside the subtree are left out and listed in the notes.
        """
        from lissom.model.edit import subtree

        return subtree(self, link, name)

    def merge_fixed(self) -> Arm:
        """The same arm with links on fixed joints made part of their parents.

        Their frames stay as tools of the same names. Links fixed to the base stay as they are.
        """
        from lissom.model.edit import merge_fixed

        return merge_fixed(self)

    @classmethod
    def from_dh(
        cls,
        rows: Iterable[Any],
        convention: str,
        gravity: ArrayLike = (0.0, 0.0, -9.81),
        name: str | None = None,
        base: ArrayLike | None = None,
        source: str = "",
        kinematics_only: bool = False,
    ) -> Arm:
        """An arm from a Denavit-Hartenberg table of `lissom.DH` rows.

        Parameters
        ----------
        rows : sequence of DH
        convention : "standard" or "modified"; required
        gravity : (3,)      world axes [m/s^2]
        name : str or None  default "dh"
        base : (4, 4)       pose of DH frame 0 in the base frame
        source : str        where the numbers come from
        kinematics_only : bool   accept links without mass
        """
        from lissom.model.dh import from_dh

        return from_dh(rows, convention, gravity, name, base, source, kinematics_only)

    def to_dh(self, convention: str = "standard") -> DHTable:
        """The Denavit-Hartenberg table of a serial rigid arm, see `lissom.model.dh.to_dh`."""
        from lissom.model.dh import to_dh

        return to_dh(self, convention)

    # ---- words -----------------------------------------------------------------------------------

    def describe(self) -> str:
        """Return a table of joints, limits and masses as text."""
        from lissom.model.describe import describe

        return describe(self)

    def check(self) -> list[ModelFinding]:
        """Findings about plausibility, see `lissom.model.plausibility`."""
        from lissom.model.plausibility import check

        return check(self)

    if not TYPE_CHECKING:  # type checkers know the attributes themselves

        def __getattr__(self, word: str) -> Any:
            """Explain a missing attribute: what other libraries have as methods of a robot are functions here."""
            if hasattr(type(self), word):  # a property that failed with an AttributeError of its own
                return object.__getattribute__(self, word)
            functions = getattr(sys.modules.get("lissom"), "__all__", ())
            hint = f"; use the function: lissom.{word}(arm, ...)" if word in functions else ""
            raise AttributeError(f"'Arm' object has no attribute {word!r}{hint}")

    def __str__(self) -> str:
        return self.describe()

    def _repr_html_(self) -> str:
        from lissom.model.describe import to_html

        return to_html(self)

    def __repr__(self) -> str:
        return f"<Arm {self.name!r}: {len(self.links)} links, {len(self.joints)} joints, dof {self.dof}>"


def _with_joint_renamed(links: list[Link], before: str, after: str) -> list[Link]:
    """Update mimics and tip poses that refer to a renamed joint."""
    out = []
    for link in links:
        if link.joint.mimic is not None and link.joint.mimic.joint == before:
            link = link.replace(joint=link.joint.replace(mimic=link.joint.mimic.replace(joint=after)))
        if link.beam is not None and before in dict(link.beam.tip_pose):
            pose_there = [(after if joint == before else joint, at) for joint, at in link.beam.tip_pose]
            link = link.replace(beam=link.beam.replace(tip_pose=pose_there))
        out.append(link)
    return out
