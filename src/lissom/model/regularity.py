"""Does the joint-space inertia determine every acceleration?

Articulated-body inertias from the tips to the base, at one generic posture: the
inertia ``s^T IA s`` that each joint feels must be positive (Featherstone 2008,
chapter 7). One pass, linear in the number of links, nothing recursive.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NoReturn

import numpy as np
from numpy.typing import NDArray

from lissom.errors import ModelError
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
            X = links[parent[i]].attachment(link.joint.at) @ link.joint.placement @ _generic_motion(link, i)
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
        own = "the link mass and inertia of its own"
        if link.beam is not None:
            own = "its beam gyration=(r_y, r_z), or the link a hub"
        raise ModelError(
            f"its joint {link.joint.name!r} moves no inertia, so its acceleration is undetermined: "
            f"{_why(link, locked)}. Give {own}, give the joint armature, make the "
            "joint fixed, or set kinematics_only=True.",
            f"link {link.name!r}",
        )
    return IA - np.outer(U, U) / D


def _why(link: Link, locked: float) -> str:
    if locked > 0.0:
        return "what it carries hangs on another joint about or along the same line, and need not follow"
    if link.body.mass > 0.0 and link.joint.kind == "revolute":
        return f"its mass of {link.body.mass:g} kg lies on the joint's axis and has no moment of inertia about it"
    return "neither the link nor anything it carries has mass"


def _generic_motion(link: Link, i: int) -> Array:
    """Joint motion at a posture without special angles (golden-ratio sequence)."""
    q = 0.3 + (0.6180339887498949 * (i + 1)) % 1.0
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
