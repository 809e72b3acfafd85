"""Poses in which joints can move without moving any inertia, so that their accelerations are undetermined.

Only links without mass or without a moment of inertia allow it: for example, a point mass on two axes that cross, where
it lies in their plane. Links whose inertia is positive definite make the mass matrix so in every pose.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lissom.model.arm import Arm
from lissom.model.link import Link
from lissom.model.plausibility import reach_of
from lissom.model.slot import constants_stored
from lissom.spatial.inertia import principal_moments
from lissom.spatial.rotations import Array

ROUNDING = 1e-12  # eigenvalue of a mass matrix scaled to unit diagonal, below which it is rounding of zero
FLOOR = 1e-12  # smallest diagonal entry beside the largest, for that scale
PART = 1e-3  # of the largest rate of a direction that a coordinate must have to take part in it
POINT = 1e-10  # smallest moment of a link beside its mass times the arm's length squared, below which it counts as zero
SPRING = ".deflection"  # ends the names of coordinates of elastic joints


def degenerate_links(arm: Arm) -> tuple[Link, ...]:
    """Links on joints that move whose own inertia is not positive definite."""

    def find() -> tuple[Link, ...]:
        size = reach_of(arm) ** 2
        return tuple(link for link in arm.links if link.joint.moves and _degenerate(link, size))

    return constants_stored(arm, "degenerate links", find)


def _degenerate(link: Link, size: float) -> bool:
    body = link.body
    return body.mass <= 0.0 or abs(float(principal_moments(body.moment)[0])) <= POINT * body.mass * size


def directions_without_inertia(M: Array) -> Array:
    """(dof, k) joint rates that move no inertia in some of the poses with mass matrices M (poses, dof, dof).

    Largest entry 1. The scale to unit diagonal keeps light links of long chains apart from rounding.
    """
    diagonal = np.diagonal(M, axis1=-2, axis2=-1)
    scale = 1.0 / np.sqrt(np.maximum(diagonal, FLOOR * diagonal.max(axis=-1, keepdims=True)))
    values, vectors = np.linalg.eigh(scale[:, :, None] * M * scale[:, None, :])
    rates = (scale[:, :, None] * vectors)[np.arange(len(M))[:, None], :, np.arange(M.shape[-1])]
    found = rates[np.abs(values) < ROUNDING].T
    return np.asarray(found / np.abs(found).max(axis=0, initial=0.0), float)


def taking_part(arm: Arm, directions: Array) -> list[str]:
    """Names of the coordinates that move in some of the directions."""
    return [name for name, row in zip(arm.coordinates, directions, strict=True) if (np.abs(row) > PART).any()]


def sentence(arm: Arm, names: Sequence[str]) -> str:
    """Which coordinates move no inertia, why, and what to do.

    Armatures and dampers of elastic joints are on the side of the motor: they do not help where springs deflect.
    """
    named = {joint.name for joint in arm.joints}
    springs = [name for name in names if name not in named and name.endswith(SPRING)]
    joints = ", ".join(map(repr, names))
    can = f"joints {joints} can move together" if len(names) > 1 else f"joint {joints} can move"
    moved = {name.removesuffix(SPRING) if name in springs else name for name in names}
    points = [repr(link.name) for link in degenerate_links(arm) if link.joint.name in moved]
    links, have = ("links", "have") if len(points) > 1 else ("link", "has")
    why = f" ({links} {', '.join(points)} {have} no mass or no moment of inertia)" if points else ""
    advice = "give the joints armature or damping, or lock a joint: arm.lock({...})"
    if len(springs) == len(names):
        advice = "or make the joints rigid (elastic=None): armature and damping of an elastic joint act on its motor"
    return (
        f"{can} without moving any inertia, so that accelerations are undetermined{why}. Give the links moments "
        f"of inertia, {advice}."
    )
