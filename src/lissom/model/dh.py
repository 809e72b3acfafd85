"""Denavit-Hartenberg tables of both conventions, to and from arms.

Standard (Denavit & Hartenberg 1955, Paul 1981): ``A_i = Rot_z(theta) Trans_z(d) Trans_x(a) Rot_x(alpha)``,
joint i moves about z of frame i-1, and the link's frame is frame i at its far end.
Modified (Craig 1986): ``A_i = Rot_x(alpha) Trans_x(a) Rot_z(theta) Trans_z(d)``, joint i moves about z of
frame i, which is the link's frame at its near end.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, fields
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from lissom.errors import UnsupportedError, about
from lissom.model.arm import Arm
from lissom.model.fields import choice, frozen, name as plain_name, number, records, transform, vector
from lissom.model.joint import OWN_NUMBERS, Joint
from lissom.model.joint_elasticity import JointElasticity
from lissom.model.limits import Limits
from lissom.model.link import Link, LinkShape
from lissom.model.loads import Load, Payload
from lissom.model.mimic import Mimic
from lissom.model.record import Record
from lissom.spatial.frames import inverse, pose, translation, turn
from lissom.spatial.rotations import Array

CONVENTIONS = ("standard", "modified")
# Axes closer to parallel than this (sine of their angle) are taken as parallel: rounding of their common
# normal, about 1e-16 / sine, would be larger than the angle itself.
PARALLEL = 1e-8
COINCIDENT = 1e-10  # m, distance of parallel axes that lie on each other

_JOINT_FIELDS = tuple(f.name for f in fields(Joint) if f.name not in ("kind", "placement", "axis", "name", "at"))
_LINK_FIELDS = ("mass", "com", "inertia", "payload", "tools", "shapes")


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
    armature, gear_ratio, rotor_inertia, damping, friction, stiffness, rest : float    as in `Joint`
    actuated, limits, elastic, mimic : bool, Limits, JointElasticity, Mimic    as in `Joint`
    pitch : float or None         of a helical joint [m/rad]

    Examples
    --------
    >>> arm = Arm.from_dh([DH(a=0.4, mass=1.0, com=(-0.2, 0, 0), inertia=0.01)], convention="standard")
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
    friction: float = 0.0
    stiffness: float = 0.0
    rest: float = 0.0
    actuated: bool = True
    limits: Limits = field(default_factory=Limits)
    elastic: JointElasticity | None = None
    mimic: Mimic | None = None
    pitch: float | None = None

    def __post_init__(self) -> None:
        for word in ("name", "joint_name"):
            if getattr(self, word) != "":
                self._set(**{word: plain_name(getattr(self, word), word)})
        with about(f"DH row {self.name!r}" if self.name else "DH row"):
            self._set(**{word: number(getattr(self, word), word) for word in ("a", "alpha", "d", "theta")})
        # the link checks the rest
        body = Link(self.name or "unnamed DH row", joint=self._joint(pose()), **self._body())
        self._set(**{word: getattr(body, word) for word in _LINK_FIELDS})
        self._set(**{word: getattr(body.joint, word) for word in _JOINT_FIELDS}, joint=body.joint.kind)

    def _joint(self, placement: Array) -> Joint:
        options = {word: getattr(self, word) for word in _JOINT_FIELDS}
        with about(f"link {self.name!r}" if self.name else "unnamed DH row"):
            return Joint(self.joint, placement=placement, name=self.joint_name, **options)

    def _body(self) -> dict[str, Any]:
        return {word: getattr(self, word) for word in _LINK_FIELDS}

    def link(self, name: str, parent: str | None, convention: str, base: Array) -> Link:
        """The link this row describes, on its parent (`base` is the identity but for the first row)."""
        screw_z = turn("z", self.theta) @ translation(z=self.d)
        screw_x = translation(x=self.a) @ turn("x", self.alpha)  # the two commute
        if convention == "standard":
            placement, frame = base @ screw_z, screw_x
        else:
            placement, frame = base @ screw_x @ screw_z, pose()
        return Link(name, parent, self._joint(placement), frame=frame, **self._body())


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
        with about("DH table"):
            self._set(
                rows=records(self.rows, "rows", DH),
                convention=choice(self.convention, "convention", CONVENTIONS),
                base=transform(self.base, "base"),
                name=plain_name(self.name, "name"),
                gravity=vector(self.gravity, "gravity"),
                loads=records(self.loads, "loads", Load),
            )

    def arm(self) -> Arm:
        """The arm the table describes."""
        links = dh_links(self.rows, self.convention, self.base)
        return Arm(self.name, links, self.gravity, loads=self.loads, kinematics_only=self.kinematics_only)

    def __str__(self) -> str:
        head = f"{self.convention} Denavit-Hartenberg, base at {np.round(self.base[:3, 3], 6).tolist()}"
        own = [word for word in OWN_NUMBERS if any(getattr(row, word) is not None for row in self.rows)]
        columns = ("theta", "d", "a", "alpha", *own)
        lines = [head, f"{'joint':<16}{'type':<11}" + "".join(f"{word:>11}" for word in columns)]
        for row in self.rows:
            numbers = "".join(f" {_cell(getattr(row, word)):>10}" for word in columns)
            lines.append(f"{row.name:<16}{row.joint:<11}{numbers}".rstrip())
        return "\n".join(lines)


def _cell(value: float | None) -> str:
    if value is None:
        return ""
    return f"{0.0 if abs(value) < 1e-15 else value:.5g}"


def from_dh(
    rows: Iterable[DH],
    convention: str,
    gravity: ArrayLike = (0.0, 0.0, -9.81),
    name: str | None = None,
    base: ArrayLike | None = None,
    source: str = "",
    kinematics_only: bool = False,
) -> Arm:
    """A serial arm from a Denavit-Hartenberg table.

    Parameters
    ----------
    rows : sequence of DH
    convention : "standard" or "modified"; never guessed
    gravity : (3,)      world axes [m/s^2]
    name : str or None  default "dh"
    base : (4, 4)       pose of DH frame 0 in the base frame
    source : str        where the numbers come from
    kinematics_only : bool   accept links without mass

    Examples
    --------
    >>> rows = [DH(a=0.4, mass=0.5, inertia=0.1), DH(a=0.4, mass=0.5, inertia=0.1)]
    >>> from_dh(rows, "standard").coordinates
    ('link1', 'link2')
    """
    links = dh_links(rows, convention, base)
    return Arm("dh" if name is None else name, links, gravity, source=source, kinematics_only=kinematics_only)


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


def to_dh(arm: Arm, convention: str = "standard") -> DHTable:
    """The Denavit-Hartenberg table of a serial rigid arm.

    The arm rebuilt from it (`DHTable.arm`) has the same coordinates, masses, loads and motion;
    its link frames are DH frames. Fixed joints are merged first; links fixed to the base
    do not move and are left out.

    Parameters
    ----------
    arm : Arm                              a chain without branches, flexible links or loops
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
    choice(convention, "convention", CONVENTIONS)
    merged = arm.merge_fixed()
    chain, X_links = _chain(arm, merged)
    moved: dict[str, Array] = {}
    lines = _joint_axes(chain, X_links)
    F = _standard_frames(lines, X_links[-1])
    steps = [_parameters(F[i], F[i + 1]) for i in range(len(chain))]
    rows = []
    for i, link in enumerate(chain):
        theta, d, a, alpha = steps[i]
        near = F[i] @ turn("z", theta) @ translation(z=d)  # the row's frame before its x screw
        own = F[i + 1] if convention == "standard" else near
        if convention == "modified":
            _, _, a, alpha = steps[i - 1] if i else (0.0, 0.0, 0.0, 0.0)
        options = {word: getattr(link.joint, word) for word in _JOINT_FIELDS}
        body = link.in_frame(inverse(own) @ X_links[i])
        own_name = "" if link.joint.name == link.name else link.joint.name
        rows.append(DH(a, alpha, d, theta, link.joint.kind, name=link.name, joint_name=own_name, **body, **options))
        moved[link.name] = inverse(own) @ X_links[i]
    loads = [_moved_load(load, moved) for load in merged.loads if load.link in _reachable(merged, moved)]
    table = DHTable(tuple(rows), convention, frozen(F[0]), arm.name, arm.gravity, tuple(loads), arm.kinematics_only)
    _refuse_lost_digits(arm, table)
    return table


def _reachable(arm: Arm, moved: dict[str, Array]) -> set[str]:
    """Names of the frames on links of the chain; loads on the base have no effect."""
    return {word for word, frame in arm.frames.items() if arm.links[frame.link].name in moved}


def _moved_load(load: Load, moved: dict[str, Array]) -> Load:
    """A load converted to the DH frame of its link; loads on tools are unchanged."""
    X = moved.get(load.link)
    return load if X is None else load.replace(point=X[:3, :3] @ load.point + X[:3, 3])


def _refuse_lost_digits(arm: Arm, table: DHTable) -> None:
    """Raise an error if nearly parallel axes make the table inaccurate (centres of mass are off)."""
    there, here = _coms(table.arm()), _coms(arm.merge_fixed())
    size = 1.0 + max(float(np.abs(p).max()) for p in here.values())
    off = max(float(np.abs(there[word] - here[word]).max()) for word in there)
    if off > 1e-9 * size:
        raise UnsupportedError(
            f"arm {arm.name!r} has axes so nearly parallel that its DH table would be {off:.1g} m off. "
            "Use the native format, which has no such limitation."
        )


def _coms(arm: Arm) -> dict[str, Array]:
    """World centres of mass of the moving links at q = 0."""
    where: dict[str | None, Array] = {None: pose()}
    out = {}
    for link in arm.links:
        where[link.name] = where[link.parent] @ link.joint.placement @ link.frame
        if link.joint.moves:
            out[link.name] = (where[link.name] @ np.append(link.body.com, 1.0))[:3]
    return out


def _chain(arm: Arm, merged: Arm) -> tuple[list[Link], list[Array]]:
    """Moving links of a serial arm and their link frames in the base at q = 0."""
    if arm.flexible or arm.loops:
        raise UnsupportedError(
            f"arm {arm.name!r} has {'flexible links' if arm.flexible else 'closed loops'}; "
            "a DH table describes rigid open chains. The native format (.toml) covers it."
        )
    where: dict[str | None, Array] = {None: pose()}
    chain: list[Link] = []
    for link in merged.links:
        where[link.name] = where[link.parent] @ link.joint.placement @ link.frame
        if not link.joint.moves:
            continue  # fixed to the base
        if chain and link.parent != chain[-1].name:
            raise UnsupportedError(
                f"arm {arm.name!r} branches at {link.parent or 'the base'!r}; a DH table describes a serial chain. "
                "Take one branch with arm.subtree(...), or use the native format."
            )
        chain.append(link)
    if not chain:
        raise UnsupportedError(f"arm {arm.name!r} has no moving joint, so there is no DH table.")
    return chain, [where[link.name] for link in chain]


def _joint_axes(chain: list[Link], X_links: list[Array]) -> list[tuple[Array, Array]]:
    """Point and direction of each joint's axis in the base at q = 0."""
    lines = []
    for link, X in zip(chain, X_links, strict=True):
        X_joint = X @ inverse(link.frame)
        lines.append((X_joint[:3, 3], X_joint[:3, :3] @ link.joint.axis))
    return lines


def _standard_frames(lines: list[tuple[Array, Array]], X_last: Array) -> list[Array]:
    """Frames 0..n at q = 0: z of frame i on axis i+1, x along the common normal from axis i to i+1.

    Frame n is free: the last link's own frame where a DH step reaches it, else frame n-1.
    """
    p, z = lines[0]
    origin = p - (p @ z) * z  # point of the first axis nearest to the base
    across = np.eye(3)[0 if abs(z[0]) < 0.9 else 1]  # a base axis well away from the first joint's
    frames = [_frame(origin, _perpendicular(z, across), z)]
    for (_, z_before), (p, z) in pairwise(lines):
        o, x_before = frames[-1][:3, 3], frames[-1][:3, 0]
        normal = np.cross(z_before, z)
        sine = float(np.linalg.norm(normal))
        if sine < PARALLEL:  # parallel: the normal through the frame before
            foot = p + ((o - p) @ z) * z
            across = foot - o
            far = np.linalg.norm(across)
            x = across / far if far > COINCIDENT else x_before
        else:
            # foot of the common normal on the new axis
            foot = p + (np.cross(p - o, z_before) @ normal / sine**2) * z
            x = normal / sine
            if (p - o) @ x < 0:
                x = -x  # a is a length
        frames.append(_frame(foot, _perpendicular(z, x), z))
    frames.append(X_last if _is_dh_step(inverse(frames[-1]) @ X_last) else frames[-1])
    return frames


def _is_dh_step(S: Array) -> bool:
    """Whether a pose has the form Rot_z Trans_z Trans_x Rot_x."""
    sideways = S[0, 0] * S[1, 3] - S[1, 0] * S[0, 3]
    return bool(abs(S[2, 0]) < 1e-14 and abs(sideways) < 1e-14)


def _parameters(F: Array, G: Array) -> tuple[float, float, float, float]:
    """theta, d, a, alpha of the standard step from frame F to frame G."""
    S = inverse(F) @ G
    theta = float(np.arctan2(S[1, 0], S[0, 0]))
    alpha = float(np.arctan2(S[2, 1], S[2, 2]))
    a = float(np.cos(theta) * S[0, 3] + np.sin(theta) * S[1, 3])
    return theta, float(S[2, 3]), a, alpha


def _perpendicular(z: Array, x: Array) -> Array:
    """Unit vector along x without its part along z."""
    flat = x - (x @ z) * z
    return flat / np.linalg.norm(flat)


def _frame(origin: Array, x: Array, z: Array) -> Array:
    return pose(np.column_stack([x, np.cross(z, x), z]), origin)
