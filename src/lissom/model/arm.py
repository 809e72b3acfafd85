"""The arm: a frozen tree of links, validated once."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from lissom.errors import about
from lissom.later import cached_property
from lissom.model import edit, ends, lock
from lissom.model.consistency import refuse_inconsistent
from lissom.model.contact import Contact, Mirror
from lissom.model.fields import choice, flag, list_of, made_of, name, none_or, text, transform, vector
from lissom.model.flexibility import FLEXIBILITIES
from lissom.model.link import Link, LinkShape
from lissom.model.loads import Load, Loop, Payload
from lissom.model.poses import named_poses
from lissom.model.record import Record
from lissom.model.regularity import refuse_singular_inertia
from lissom.model.states import AbstractArm

if TYPE_CHECKING:
    from lissom.model.dh import DH
    from lissom.model.plausibility import ModelFinding


@dataclass(frozen=True, eq=False, repr=False)
class Arm(AbstractArm):
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
    contacts : sequence of Contact    points that may touch the ground or a wall, for motions with contacts
    mirror : Mirror or None       what trades places in a mirror image of a symmetric arm

    `source`, `notes`, `folder`, `shapes` and `named_poses` do not count when arms are compared; `folder` is not
    written to files.

    Examples
    --------
    >>> import lissom as ls
    >>> rod = ls.Link("rod", joint=ls.Joint("revolute", axis=(0, 1, 0)), mass=1.0, com=(0.3, 0, 0))
    >>> arm = Arm("pendulum", [rod])
    >>> arm.dof, arm.coordinates
    (1, ('rod',))
    """

    def __post_init__(self) -> None:
        self._set(name=name(self.name, "name of the arm"))
        with about(f"arm {self.name!r}"):
            self._check(
                links=list_of(Link), loops=list_of(Loop), loads=list_of(Load), gravity=vector,
                flexibility=partial(choice, known=FLEXIBILITIES), kinematics_only=flag, source=text, folder=text,
                notes=list_of(str), shapes=list_of(LinkShape), named_poses=named_poses, contacts=list_of(Contact),
                mirror=none_or(made_of(Mirror)),
            )  # fmt: skip
            self._set(notes=tuple(text(note, "note") for note in self.notes))
        refuse_inconsistent(self)
        if not self.kinematics_only:
            refuse_singular_inertia(self.links, self.parent_index, self.mimics)

    # ---- other arms from this one ----------------------------------------------------------------

    def with_gravity(self, gravity: ArrayLike) -> Arm:
        """The same arm under another gravity (3,) [m/s^2]."""
        return self.replace(gravity=gravity)

    def with_payload(self, payload: Payload | None, link: str | None = None) -> Arm:
        """The same arm with `payload` on a link, in the axes of a link or tool, replacing the payload the link had.

        By default it is at the end of the arm, in the axes of `tip_frame`; a tree with several `ends` needs a name.
        """
        return edit.with_payload(self, payload, self.tip_frame if link is None else link)

    @cached_property
    def ends(self) -> tuple[str, ...]:
        """Names of the links at the ends of the branches.

        Of every outermost moving link, the last link that is fixed to it, or the link itself. Fingers of grippers are
        no ends, whether they move or are locked: the branch ends at the hand that carries them, or at the frame of a
        tool that is fixed to it. A serial arm has one end. The page about formats has the whole rule.
        """
        return ends.end_links(self)

    @property
    def last_moving(self) -> str:
        """The link at the end of the arm, which carries payloads by default; an error for several `ends`."""
        return ends.only_end(self)

    @property
    def tip_frame(self) -> str:
        """Name of the frame at the end of the arm: a tool of the link there, or that link (its tip, if it is flexible).

        Payloads are put there and the tips of runs and motions are reported there by default; `describe` says where it
        was chosen among several. An arm with several `ends` raises an error that names them.

        Examples
        --------
        >>> import lissom as ls
        >>> ls.load("panda").tip_frame
        'flange'
        """
        return ends.tip_frame(self)

    def with_link(self, name: str, /, **changes: Any) -> Arm:
        """The same arm with fields of one link changed; when it is renamed, its children are updated."""
        return edit.with_link(self, name, changes)

    def with_joint(self, name: str, /, **changes: Any) -> Arm:
        """The same arm with fields of one joint changed."""
        return edit.with_joint(self, name, changes)

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
        return lock.lock(self, positions)

    def subtree(self, link: str, name: str | None = None) -> Arm:
        """The arm made of a link and everything attached to it.

        The frame that carries the link becomes the base, so gravity and loads keep their numbers in
        the axes of that frame: turn them with `with_gravity` where that frame is not upright.
        Loops and loads that reach outside the subtree are left out and listed in the notes.
        """
        return edit.subtree(self, link, name)

    def merge_fixed(self) -> Arm:
        """The same arm with links on fixed joints made part of their parents.

        Their frames stay as tools of the same names. Links fixed to the base stay as they are.
        """
        return edit.merge_fixed(self)

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
        from lissom.model.dh import dh_links

        links = dh_links(rows, convention, base)
        return cls("dh" if name is None else name, links, gravity, source=source, kinematics_only=kinematics_only)

    def to_dh(self, convention: str = "standard") -> DHTable:
        """The Denavit-Hartenberg table of a serial rigid arm.

        The arm rebuilt from it (`DHTable.arm`) has the same coordinates, masses, loads and motion;
        its link frames are DH frames. Fixed joints are merged first; links fixed to the base
        do not move and are left out.

        Parameters
        ----------
        convention : "standard" or "modified"

        Examples
        --------
        >>> import lissom as ls
        >>> print(ls.load("two_link").to_dh())
        standard Denavit-Hartenberg, base at [0.0, 0.0, 0.0]
        joint           type             theta          d          a      alpha
        upper           revolute             0          0        0.4          0
        fore            revolute             0          0        0.4          0
        """
        from lissom.model.dh_parameters import refuse_lost_digits, table_of

        merged = self.merge_fixed()
        table = DHTable(**table_of(merged, convention))
        refuse_lost_digits(merged, table.arm())
        return table

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


@dataclass(frozen=True, eq=False)
class DHTable(Record):
    """A table with its convention, the pose of frame 0 in the base, and what else the arm had."""

    rows: tuple[DH, ...]
    convention: str
    base: Any = field(default_factory=lambda: np.eye(4))
    name: str = "dh"
    gravity: Any = (0.0, 0.0, -9.81)
    loads: tuple[Load, ...] = ()
    kinematics_only: bool = False

    def __post_init__(self) -> None:
        from lissom.model.dh import CONVENTIONS, DH

        with about("DH table"):
            self._check(
                rows=list_of(DH), convention=partial(choice, known=CONVENTIONS), base=transform, name=name,
                gravity=vector, loads=list_of(Load),
            )  # fmt: skip

    def arm(self) -> Arm:
        """The arm the table describes."""
        from lissom.model.dh import dh_links

        links = dh_links(self.rows, self.convention, self.base)
        return Arm(self.name, links, self.gravity, loads=self.loads, kinematics_only=self.kinematics_only)

    def __str__(self) -> str:
        from lissom.model.dh import table_text

        return table_text(
            self.rows, f"{self.convention} Denavit-Hartenberg, base at {np.round(self.base[:3, 3], 6).tolist()}"
        )
