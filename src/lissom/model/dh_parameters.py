"""Denavit-Hartenberg parameters of serial arms: frames on their joint axes, and the steps between them."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from lissom.errors import UnsupportedError
from lissom.model.dh import CONVENTIONS, DH, JOINT_FIELDS
from lissom.model.fields import choice
from lissom.model.link import Link
from lissom.model.loads import Load
from lissom.model.states import AbstractArm
from lissom.spatial.frames import inverse, pose, translation, turn
from lissom.spatial.rotations import Array

# Axes closer to parallel than this (sine of their angle) are taken as parallel: rounding of their common
# normal, about 1e-16 / sine, would be larger than the angle itself.
PARALLEL = 1e-8
COINCIDENT = 1e-10  # m, distance of parallel axes that lie on each other


def table_of(merged: AbstractArm, convention: str) -> dict[str, Any]:
    """Fields of the `DHTable` of a serial rigid arm without fixed joints; see `Arm.to_dh`."""
    choice(convention, "convention", CONVENTIONS)
    chain, X_links = _chain(merged)
    lines = _joint_axes(chain, X_links)
    F = _standard_frames(lines, X_links[-1])
    steps = [_parameters(F[i], F[i + 1]) for i in range(len(chain))]
    rows: list[DH] = []
    moved: dict[str, Array] = {}
    for i, link in enumerate(chain):
        theta, d, a, alpha = steps[i]
        near = F[i] @ turn("z", theta) @ translation(z=d)  # the row's frame before its x screw
        own = F[i + 1] if convention == "standard" else near
        if convention == "modified":
            _, _, a, alpha = steps[i - 1] if i else (0.0, 0.0, 0.0, 0.0)
        options = {word: getattr(link.joint, word) for word in JOINT_FIELDS}
        body = link.in_frame(inverse(own) @ X_links[i])
        own_name = "" if link.joint.name == link.name else link.joint.name
        rows.append(DH(a, alpha, d, theta, link.joint.kind, name=link.name, joint_name=own_name, **body, **options))
        moved[link.name] = inverse(own) @ X_links[i]
    loads = [_moved_load(load, moved) for load in merged.loads if load.link in _reachable(merged, moved)]
    return {
        "rows": rows, "convention": convention, "base": F[0], "name": merged.name, "gravity": merged.gravity,
        "loads": loads, "kinematics_only": merged.kinematics_only,
    }  # fmt: skip


def _reachable(arm: AbstractArm, moved: dict[str, Array]) -> set[str]:
    """Names of the frames on links of the chain; loads on the base have no effect."""
    return {word for word, frame in arm.frames.items() if arm.links[frame.link].name in moved}


def _moved_load(load: Load, moved: dict[str, Array]) -> Load:
    """A load converted to the DH frame of its link; loads on tools are unchanged."""
    X = moved.get(load.link)
    return load if X is None else load.replace(point=X[:3, :3] @ load.point + X[:3, 3])


def refuse_lost_digits(merged: AbstractArm, rebuilt: AbstractArm) -> None:
    """Raise an error if nearly parallel axes make the table inaccurate (centres of mass are off)."""
    there, here = _coms(rebuilt), _coms(merged)
    size = 1.0 + max(float(np.abs(p).max()) for p in here.values())
    off = max(float(np.abs(there[word] - here[word]).max()) for word in there)
    if off > 1e-9 * size:
        raise UnsupportedError(
            f"arm {merged.name!r} has axes so nearly parallel that its DH table would be {off:.1g} m off. "
            "Use the native format, which has no such limitation."
        )


def _coms(arm: AbstractArm) -> dict[str, Array]:
    """World centres of mass of the moving links at q = 0."""
    where: dict[str | None, Array] = {None: pose()}
    out = {}
    for link in arm.links:
        where[link.name] = where[link.parent] @ link.joint.placement @ link.frame
        if link.joint.moves:
            out[link.name] = (where[link.name] @ np.append(link.body.com, 1.0))[:3]
    return out


def _chain(arm: AbstractArm) -> tuple[list[Link], list[Array]]:
    """Moving links of a serial arm and their link frames in the base at q = 0."""
    if arm.flexible or arm.loops:
        raise UnsupportedError(
            f"arm {arm.name!r} has {'flexible links' if arm.flexible else 'closed loops'}; "
            "a DH table describes rigid open chains. The native format (.toml) covers it."
        )
    where: dict[str | None, Array] = {None: pose()}
    chain: list[Link] = []
    for link in arm.links:
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
