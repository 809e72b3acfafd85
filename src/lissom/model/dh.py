"""Rows of Denavit-Hartenberg tables of both conventions, and the links that they describe.

Standard (Denavit & Hartenberg 1955, Paul 1981): ``A_i = Rot_z(theta) Trans_z(d) Trans_x(a) Rot_x(alpha)``,
joint i moves about z of frame i-1, and the link's frame is frame i at its far end.
Modified (Craig 1986): ``A_i = Rot_x(alpha) Trans_x(a) Rot_z(theta) Trans_z(d)``, joint i moves about z of
frame i, which is the link's frame at its near end.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

from numpy.typing import ArrayLike

from lissom.errors import about
from lissom.model.actuator import Actuator
from lissom.model.fields import choice, name as plain_name, number, records, transform
from lissom.model.friction import Friction
from lissom.model.joint import OWN_NUMBERS, Joint
from lissom.model.joint_elasticity import JointElasticity
from lissom.model.limits import Limits
from lissom.model.link import Link, LinkShape
from lissom.model.loads import Payload
from lissom.model.mimic import Mimic
from lissom.model.record import Record
from lissom.spatial.frames import pose, translation, turn
from lissom.spatial.rotations import Array

CONVENTIONS = ("standard", "modified")

JOINT_FIELDS = tuple(f.name for f in fields(Joint) if f.name not in ("kind", "placement", "axis", "name", "at"))
LINK_FIELDS = ("mass", "com", "inertia", "payload", "tools", "shapes")


@dataclass(frozen=True, eq=False)
class DH(Record):
    """One row of a Denavit-Hartenberg table, with the link's body and the joint's properties.

    Parameters
    ----------
    a, alpha, d, theta : float    [m, rad, m, rad]; theta of a revolute and d of a prismatic joint are
                                  offsets added to its coordinate; a helical joint turns by q and moves by pitch q
    joint : "revolute", "prismatic", "helical" or "fixed"
    mass, com, inertia, payload, tools, shapes :    as in `Link`, in the row's DH frame
    name, joint_name : str        of the link, default ``link1``, ``link2``, ...; of the joint, default the link's
    armature, gear_ratio, rotor_inertia, damping, stiffness, rest : float    as in `Joint`
    friction : float or Friction    as in `Joint`
    actuated, limits, elastic, mimic, actuator : bool, Limits, JointElasticity, Mimic, Actuator    as in `Joint`
    pitch : float or None         of a helical joint [m/rad]

    Examples
    --------
    >>> import lissom as ls
    >>> arm = ls.Arm.from_dh([DH(a=0.4, mass=1.0, com=(-0.2, 0, 0), inertia=0.01)], convention="standard")
    >>> arm.links[0].frame[0, 3]
    np.float64(0.4)
    """

    a: float = 0.0
    alpha: float = 0.0
    d: float = 0.0
    theta: float = 0.0
    joint: str = "revolute"
    mass: float = 0.0
    com: Any = (0.0, 0.0, 0.0)
    inertia: Any = 0.0
    name: str = ""
    joint_name: str = ""
    payload: Payload | None = None
    tools: Any = ()
    shapes: tuple[LinkShape, ...] = ()
    armature: float = 0.0
    gear_ratio: float = 1.0
    rotor_inertia: float = 0.0
    damping: float = 0.0
    friction: float | Friction = 0.0
    stiffness: float = 0.0
    rest: float = 0.0
    actuated: bool = True
    limits: Limits = field(default_factory=Limits)
    elastic: JointElasticity | None = None
    mimic: Mimic | None = None
    pitch: float | None = None
    actuator: Actuator | None = None

    def __post_init__(self) -> None:
        for word in ("name", "joint_name"):
            if getattr(self, word) != "":
                self._set(**{word: plain_name(getattr(self, word), word)})
        with about(f"DH row {self.name!r}" if self.name else "DH row"):
            self._set(**{word: number(getattr(self, word), word) for word in ("a", "alpha", "d", "theta")})
        # the link checks the rest
        body = Link(self.name or "unnamed DH row", joint=self._joint(pose()), **self._body())
        self._set(**{word: getattr(body, word) for word in LINK_FIELDS})
        self._set(**{word: getattr(body.joint, word) for word in JOINT_FIELDS}, joint=body.joint.kind)

    def _joint(self, placement: Array) -> Joint:
        options = {word: getattr(self, word) for word in JOINT_FIELDS}
        with about(f"link {self.name!r}" if self.name else "unnamed DH row"):
            return Joint(self.joint, placement=placement, name=self.joint_name, **options)

    def _body(self) -> dict[str, Any]:
        return {word: getattr(self, word) for word in LINK_FIELDS}

    def link(self, name: str, parent: str | None, convention: str, base: Array) -> Link:
        """The link this row describes, on its parent (`base` is the identity but for the first row)."""
        screw_z = turn("z", self.theta) @ translation(z=self.d)
        screw_x = translation(x=self.a) @ turn("x", self.alpha)  # the two commute
        if convention == "standard":
            placement, frame = base @ screw_z, screw_x
        else:
            placement, frame = base @ screw_x @ screw_z, pose()
        return Link(name, parent, self._joint(placement), frame=frame, **self._body())


def dh_links(rows: Iterable[DH], convention: str, base: ArrayLike | None = None) -> tuple[Link, ...]:
    """The links a table describes, each on the one before."""
    with about("DH table"):
        choice(convention, "convention", CONVENTIONS)
        X = pose() if base is None else transform(base, "base")
        links: list[Link] = []
        for i, row in enumerate(records(rows, "rows", DH)):
            parent = links[-1].name if links else None
            links.append(row.link(row.name or f"link{i + 1}", parent, convention, X))
            X = pose()
    return tuple(links)


def table_text(rows: Sequence[DH], title: str) -> str:
    """A table as text, with a column for each number that only some kinds of joints have."""
    own = [word for word in OWN_NUMBERS if any(getattr(row, word) is not None for row in rows)]
    columns = ("theta", "d", "a", "alpha", *own)
    lines = [title, f"{'joint':<16}{'type':<11}" + "".join(f"{word:>11}" for word in columns)]
    for row in rows:
        numbers = "".join(f" {_cell(getattr(row, word)):>10}" for word in columns)
        lines.append(f"{row.name:<16}{row.joint:<11}{numbers}".rstrip())
    return "\n".join(lines)


def _cell(value: float | None) -> str:
    if value is None:
        return ""
    return f"{0.0 if abs(value) < 1e-15 else value:.5g}"
