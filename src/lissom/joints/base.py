"""What a joint is: the pose that its coordinates make, the directions that it leaves free, and its units.

The recursions ask for `pose` and `S`. Models, files and pictures ask for the facts of a kind: the unit of its
coordinate, after which step positions repeat, whether it rotates or slides, and which numbers of its own it has.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from lissom.errors import UnsupportedError
from lissom.records import FIELDS
from lissom.spatial.frames import pose as transform_of
from lissom.spatial.motions import Pose, Twist, Wrench
from lissom.spatial.rotations import Array, about_axis
from lissom.spatial.scalar import Coordinates, Scalar, add, mul

JOINTS: dict[str, type[AbstractJoint]] = {}
EFFORTS = {"rad": "N m", "m": "N"}  # energy per unit of the coordinate


class AbstractJoint(ABC):
    """A joint: a record of its own numbers; its class is its kind.

    kind : name of the kind in models and files
    unit : of its coordinate, "rad" or "m"
    period : positions that differ by it are the same pose; None where no two positions are
    nq, nv : numbers of its coordinates and of its velocities
    units : of its own numbers, in the order of the fields

    Its frame is that of the body behind it, z along the joint's axis. To add a kind, write a file with `pose`, `S` and
    the facts above; nothing else asks what a joint is.
    """

    kind: ClassVar[str]
    unit: ClassVar[str] = "rad"
    period: ClassVar[float | None] = None
    nq: ClassVar[int] = 1
    nv: ClassVar[int] = 1
    units: ClassVar[tuple[str, ...]] = ()
    parameters: ClassVar[bool] = True  # nothing is differentiated by the numbers of a joint

    def __init_subclass__(cls) -> None:
        if "kind" in cls.__dict__:
            JOINTS[cls.kind] = cls

    @abstractmethod
    def pose(self, q: Coordinates) -> Pose:
        """Pose of the body in its position at rest; exact zeros and `Identity` tell what never changes."""

    @property
    @abstractmethod
    def S(self) -> tuple[Twist, ...]:
        """(nv) directions of motion in the body's axes (Featherstone 2008, table 4.1)."""

    def velocity(self, rates: Coordinates) -> Twist:
        """S qd."""
        first, *others = (direction * rate for direction, rate in zip(self.S, rates, strict=True))
        for other in others:
            first = first + other
        return first

    def project(self, force: Wrench) -> Coordinates:
        """Forces S^T f on the coordinates."""
        return tuple(direction.dot(force) for direction in self.S)

    def locked_inertia(self, trace: Scalar, mass: Scalar) -> Coordinates:
        """Bounds of the inertia along S, of a rigid body with this mass and trace of its inertia."""
        parts = [(mul(s.w.dot(s.w), trace), mul(s.v.dot(s.v), mass)) for s in self.S]
        return tuple(add(a, b) for a, b in parts)

    # ---- facts for models, files and pictures ----------------------------------------------------

    @classmethod
    def names(cls) -> tuple[str, ...]:
        """Names of the numbers that a joint of this kind has of its own."""
        return FIELDS[cls]

    @property
    def effort_unit(self) -> str:
        """Unit of the generalized force on its coordinate."""
        return EFFORTS[self.unit]

    @property
    def rotation(self) -> float:
        """Rotation about the axis per unit of the coordinate, of a joint with one coordinate [rad per unit]."""
        (s,) = self.S
        return _number(s.w.z)

    @property
    def travel(self) -> float:
        """Displacement along the axis per unit of the coordinate, of a joint with one coordinate [m per unit]."""
        (s,) = self.S
        return _number(s.v.z)

    def half_range(self, reach: float = 1.0) -> float:
        """Half the range of positions to search without limits: half a turn, or a travel of `reach` [m]."""
        return reach / abs(self.travel) if self.travel else math.pi

    def directions(self, axis: ArrayLike) -> Array:
        """(nv, 6) directions of motion about an axis (3,): angular velocity first."""
        z = np.asarray(axis, float)
        return np.array([[*(self.rotation * z), *(self.travel * z)]])

    def transform(self, axis: ArrayLike, q: ArrayLike) -> Array:
        """(..., 4, 4) pose of the moving side for positions q (...) about an axis (3,)."""
        z, q = np.asarray(axis, float), np.asarray(q, float)
        X = np.broadcast_to(transform_of(), (*q.shape, 4, 4)).copy()
        X[..., :3, :3] = about_axis(z, self.rotation * q)
        X[..., :3, 3] = (self.travel * q)[..., None] * z
        return X


def _number(x: Scalar) -> float:
    """A scalar of a joint whose numbers are floats."""
    assert isinstance(x, int | float)
    return float(x)


def joint_class(kind: str) -> type[AbstractJoint]:
    """The class of a kind of joint."""
    found = JOINTS.get(kind)
    if found is None:
        raise UnsupportedError(
            f"joints of kind {kind!r} are not supported; expected one of {', '.join(sorted(JOINTS))}."
        )
    return found


def is_prismatic(kind: str, joint: str) -> bool:
    """Whether a joint is prismatic and not revolute, for equations of these two kinds; other kinds are errors."""
    if kind not in ("revolute", "prismatic"):
        raise UnsupportedError(
            f"joint {joint!r} is {kind}; published formulations (method=...) cover revolute and prismatic joints only. "
            "Leave out method."
        )
    return kind == "prismatic"
