"""Does the joint-space inertia determine every acceleration?

Articulated-body inertias from the tips to the base, at one generic posture: the
inertia ``s^T IA s`` that each joint feels must be positive (Featherstone 2008,
chapter 7). One pass, linear in the number of links, nothing recursive.
Where joints follow others, several move with one coordinate: there the mass
matrix of all joints, reduced to the coordinates, is factorised.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, NoReturn

import numpy as np
from numpy.typing import NDArray

from lissom.errors import ModelError
from lissom.model.joint import Mimic
from lissom.model.link import Link
from lissom.spatial.rotations import Array, about_axis, skew

# A joint's articulated inertia that is this small a part of its composite one is rounding of an exact zero.
ROUNDING = 1e-12
MOST_NAMED = 12


def refuse_singular_inertia(links: Sequence[Link], parent: NDArray[np.intp]) -> None:
    """Raise `ModelError` naming the joints that move nothing, the first from the tips in full.

    Inertias taken as written may be negative: then only what is next to nothing is refused.
    """
    signed = any(link.as_written for link in links)
    outboard: list[tuple[Array, Array] | None] = [None] * len(links)
    found: list[tuple[str, ModelError]] = []
    for i in range(len(links) - 1, -1, -1):
        link, hanging = links[i], outboard[i]
        IA = IC = link.body.spatial()  # articulated, and composite: all joints further out locked
        if hanging is not None:
            IA, IC = IA + hanging[0], IC + hanging[1]
        IA, IC = (_in_frame(link.frame, I) for I in (IA, IC))
        if link.joint.moves:
            try:
                IA = _through_joint(link, IA, IC, signed)
            except ModelError as error:
                found.append((link.joint.name, error))
        if parent[i] >= 0:
            X = links[parent[i]].attachment(link.joint.at) @ link.joint.placement @ _motion(link, _generic_position(i))
            felt, have = (_in_frame(X, IA), _in_frame(X, IC)), outboard[parent[i]]
            outboard[parent[i]] = felt if have is None else (have[0] + felt[0], have[1] + felt[1])
        outboard[i] = None
    if found:
        _raise_all(found)


def _raise_all(found: list[tuple[str, ModelError]]) -> NoReturn:
    (_, first), *others = found
    if not others:
        raise first
    named = ", ".join(repr(joint) for joint, _ in others[:MOST_NAMED]) + (", ..." if len(others) > MOST_NAMED else "")
    count = f"{len(others)} more joint{'s' if len(others) > 1 else ''}"
    raise ModelError(f"{first.problem} The same holds for {count}: {named}.", first.subject)


def refuse_singular_coupling(links: Sequence[Link], parent: NDArray[np.intp], mimics: Mapping[str, Mimic]) -> None:
    """The same for joints that follow others, `mimics` (see `Arm.mimics`)."""
    moving = [i for i, link in enumerate(links) if link.joint.moves]
    index = {links[i].joint.name: i for i in moving}
    at = {i: _generic_position(i) for i in moving}
    for name, mimic in mimics.items():
        at[index[name]] = mimic.multiplier * at[index[mimic.joint]] + mimic.offset
    columns = _reduced(links, mimics)
    M = np.diag([armature for _, armature in columns])
    frames, screws = _screws(links, parent, at)
    for i, link in enumerate(links):
        J = np.zeros((6, len(columns)))
        for k, (part, _) in enumerate(columns):
            J[:, k] = sum((m * screws[j] for j, m in part.items() if j in frames[i].carriers), np.zeros(6))
        I = _in_frame(frames[i].X @ link.frame, link.body.spatial())
        M += J.T @ I @ J
    locked, signed = np.diag(M).copy(), any(link.as_written for link in links)
    for k in range(len(M) - 1, -1, -1):
        if ROUNDING * (abs(locked[k]) if signed else locked[k]) >= (abs(M[k, k]) if signed else M[k, k]):
            first = links[min(columns[k][0])]
            raise ModelError(_undetermined(first, float(locked[k])), f"link {first.name!r}")
        M[:k, :k] -= np.outer(M[:k, k], M[k, :k]) / M[k, k]


def _reduced(links: Sequence[Link], mimics: Mapping[str, Mimic]) -> list[tuple[dict[int, float], float]]:
    """For every coordinate of a joint: how far the joints of links move with it, and the inertia of their drives."""
    out: list[tuple[dict[int, float], float]] = []
    for i, link in enumerate(links):
        joint = link.joint
        if joint.independent:
            part = {i: 1.0}
            part |= {j: mimics[other.joint.name].multiplier for j, other in enumerate(links)
                     if other.joint.name in mimics and mimics[other.joint.name].joint == joint.name}  # fmt: skip
            out.append((part, sum(m * m * links[j].joint.reflected_inertia for j, m in part.items())))
        if joint.elastic is not None:
            out.append(({i: 1.0}, 0.0))
    return out


class _Placed(NamedTuple):
    """The frame of a link's joint after its motion, in the base, and the links whose joints carry it."""

    X: Array
    carriers: frozenset[int]


def _screws(links: Sequence[Link], parent: NDArray[np.intp], at: Mapping[int, float]) -> tuple[Any, Any]:
    """Frames of all links, and screws (angular, linear) of their joints about the base's origin."""
    frames: list[_Placed] = []
    screws: dict[int, Array] = {}
    for i, link in enumerate(links):
        above, carriers = np.eye(4), frozenset[int]()
        if parent[i] >= 0:
            carried_by = links[parent[i]]
            above = frames[parent[i]].X @ carried_by.frame @ carried_by.attachment(link.joint.at)
            carriers = frames[parent[i]].carriers
        X = above @ link.joint.placement
        if link.joint.moves:
            axis, carriers = X[:3, :3] @ link.joint.axis, carriers | {i}
            turn = [axis, np.cross(X[:3, 3], axis)]
            screws[i] = np.concatenate(turn if link.joint.kind == "revolute" else [np.zeros(3), axis])
        frames.append(_Placed(X @ _motion(link, at.get(i, 0.0)), carriers))
    return frames, screws


def _through_joint(link: Link, IA: Array, IC: Array, signed: bool) -> Array:
    """What the parent feels of a body on a free joint."""
    s = np.zeros(6)
    s[slice(0, 3) if link.joint.kind == "revolute" else slice(3, 6)] = link.joint.axis
    locked = float(s @ IC @ s)  # the inertia it would move if all joints beyond were locked
    if link.joint.elastic is not None:  # the spring side first, without the motor's inertia
        IA = _eliminate(link, s, IA, 0.0, locked, signed)
    return _eliminate(link, s, IA, link.joint.reflected_inertia, locked, signed)


def _eliminate(link: Link, s: Array, IA: Array, armature: float, locked: float, signed: bool) -> Array:
    U = IA @ s
    D = float(s @ U) + armature
    if ROUNDING * (abs(locked) if signed else locked) >= (abs(D) if signed else D):
        raise ModelError(_undetermined(link, locked), f"link {link.name!r}")
    return IA - np.outer(U, U) / D


def _undetermined(link: Link, locked: float) -> str:
    own = "the link mass and inertia of its own"
    if link.beam is not None:
        own = "its beam gyration=(r_y, r_z), or the link a hub"
    return (
        f"its joint {link.joint.name!r} moves no inertia, so its acceleration is undetermined: "
        f"{_why(link, locked)}. Give {own}, give the joint armature, make the "
        "joint fixed, or set kinematics_only=True."
    )


def _why(link: Link, locked: float) -> str:
    if locked > 0.0:
        return "what it carries hangs on another joint about or along the same line, and need not follow"
    if link.body.mass > 0.0 and link.joint.kind == "revolute":
        return f"its mass of {link.body.mass:g} kg lies on the joint's axis and has no moment of inertia about it"
    return "neither the link nor anything it carries has mass"


def _generic_position(i: int) -> float:
    """A position of joint i without special angles (golden-ratio sequence)."""
    return float(0.3 + (0.6180339887498949 * (i + 1)) % 1.0)


def _motion(link: Link, q: float) -> Array:
    """Pose of a joint's moving side in its fixed one."""
    X = np.eye(4)
    if link.joint.kind == "revolute":
        X[:3, :3] = about_axis(link.joint.axis, q)
    elif link.joint.kind == "prismatic":
        X[:3, 3] = q * link.joint.axis
    return X


def _in_frame(X: Array, I: Array) -> Array:
    """6x6 inertia in the frame where the body's own has pose X."""
    R = X[:3, :3]
    A = np.zeros((6, 6))  # velocity there -> velocity here
    A[:3, :3] = A[3:, 3:] = R.T
    A[3:, :3] = -R.T @ skew(X[:3, 3])
    return A.T @ I @ A
