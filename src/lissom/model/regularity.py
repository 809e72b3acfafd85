"""Does the joint-space inertia determine every acceleration?

Articulated-body inertias from the tips to the base, at one generic posture: the
inertia ``s^T IA s`` that each joint feels must be positive (Featherstone 2008,
chapter 7). One pass, linear in the number of links, nothing recursive.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from lissom.errors import ModelError
from lissom.model.link import Link
from lissom.spatial.rotations import Array, about_axis, skew

# An inertia this much smaller than the body's entries is rounding of an exact zero.
ROUNDING = 1e-13


def refuse_singular_inertia(links: Sequence[Link], parent: NDArray[np.intp]) -> None:
    """Raise `ModelError` naming the first joint (from the tips) that moves nothing."""
    outboard: list[Array | None] = [None] * len(links)
    for i in range(len(links) - 1, -1, -1):
        link = links[i]
        IA = link.body.spatial()
        hanging = outboard[i]
        if hanging is not None:
            IA = IA + hanging
        IA = _to_joint_frame(link.frame, IA)
        if link.joint.moves:
            IA = _through_joint(link, IA)
        if parent[i] >= 0:
            X = link.joint.placement @ _generic_motion(link, i)
            carried = _to_joint_frame(links[parent[i]].tip @ X, IA)
            have = outboard[parent[i]]
            outboard[parent[i]] = carried if have is None else have + carried
        outboard[i] = None


def _through_joint(link: Link, IA: Array) -> Array:
    """What the parent feels of a body on a free joint."""
    s = np.zeros(6)
    s[slice(0, 3) if link.joint.kind == "revolute" else slice(3, 6)] = link.joint.axis
    if link.joint.elastic is not None:  # the spring side first, without the motor's inertia
        IA = _eliminate(link, s, IA, 0.0)
    return _eliminate(link, s, IA, link.joint.reflected_inertia)


def _eliminate(link: Link, s: Array, IA: Array, armature: float) -> Array:
    U = IA @ s
    D = float(s @ U) + armature
    least = ROUNDING * float(np.abs(IA).max())
    if least >= D:
        raise ModelError(
            f"its joint {link.joint.name!r} moves no inertia (mass {link.body.mass:g}), so its acceleration is "
            "undetermined. A link without mass is fine only where something heavy hangs on it: give it mass "
            "and inertia, give the joint armature, make the joint fixed, or set kinematics_only=True.",
            f"link {link.name!r}",
        )
    return IA - np.outer(U, U) / D


def _generic_motion(link: Link, i: int) -> Array:
    """Joint motion at a posture without special angles (golden-ratio sequence)."""
    q = 0.3 + (0.6180339887498949 * (i + 1)) % 1.0
    X = np.eye(4)
    if link.joint.kind == "revolute":
        X[:3, :3] = about_axis(link.joint.axis, q)
    elif link.joint.kind == "prismatic":
        X[:3, 3] = q * link.joint.axis
    return X


def _to_joint_frame(X: Array, IA: Array) -> Array:
    """6x6 inertia in the frame where the body's own has pose X."""
    R = X[:3, :3]
    A = np.zeros((6, 6))  # velocity there -> velocity here
    A[:3, :3] = A[3:, 3:] = R.T
    A[3:, :3] = -R.T @ skew(X[:3, 3])
    return A.T @ IA @ A
