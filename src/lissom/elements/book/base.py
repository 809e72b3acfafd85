"""What links and beams on frames that may stretch have in common."""

from __future__ import annotations

from typing import Generic, TypeVar

from lissom.elements.base import AbstractElement, AbstractStretching
from lissom.elements.book.maps import (
    NO_FORCE,
    AffineForce,
    AffineMap,
    AffineMotion,
    AffinePosition,
    BeamPosition,
    LinkPosition,
    ModalForce,
    axial,
    moments_of,
    motion_of,
)
from lissom.elements.results import MovingBody
from lissom.spatial.inertias import RigidInertia
from lissom.spatial.motions import LoadValues, Motion, Placement, Pose, Wrench
from lissom.spatial.orientation import Rotation
from lissom.spatial.scalar import Coordinates
from lissom.spatial.vectors import Vector3, skew

MovingFrames = MovingBody | AffineMap  # the base in motion, or Wd
P = TypeVar("P", Pose, Coordinates)
X = TypeVar("X", LinkPosition, BeamPosition)


class AbstractAffine(
    AbstractElement[X, Motion | AffineMotion, AffineForce, Coordinates | ModalForce, MovingFrames],
    AbstractStretching[AffinePosition, P, X],
    Generic[P, X],
):
    """An element on a frame that may stretch."""

    def orientation(self, parent: Rotation, x: X) -> Rotation:
        return Rotation(x.W.F)

    def frame(self, parent: Placement, x: X) -> Placement:
        return Placement(Rotation(x.W.F), x.W.o)

    @staticmethod
    def minus_load(force: AffineForce | None, R: Rotation, load: LoadValues, place: Placement) -> AffineForce:
        return (NO_FORCE if force is None else force).without(R.matrix, load, place)

    @staticmethod
    def part_force(inertia: RigidInertia, motion: Motion | AffineMotion) -> AffineForce:
        return moments_of(inertia).force(motion_of(motion).acceleration)

    @staticmethod
    def wrench(force: AffineForce, R: Rotation, point: Vector3) -> Wrench:
        """f, and the moment axial(P F^T) of the forces that P = int a x^T dm stands for."""
        return Wrench(force.f, axial(force.P.times(R.matrix.T)) - (R @ point).cross(force.f))


def velocity_of(parent: MovingFrames) -> AffineMap:
    """Wd of a frame; of the base from its motion."""
    return parent if isinstance(parent, AffineMap) else AffineMap(skew(parent.w), parent.v)
