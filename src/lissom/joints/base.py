"""What a joint is to the recursions: the pose that its coordinates make, and the directions that it leaves free."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

from lissom.errors import UnsupportedError
from lissom.spatial.motions import Pose, Twist, Wrench
from lissom.spatial.scalar import Coordinates, Scalar, add, mul

JOINTS: dict[str, type[AbstractJoint]] = {}


class AbstractJoint(ABC):
    """A joint: a record of its own numbers; its class is its kind.

    kind : name of the kind in models and files
    nq, nv : numbers of its coordinates and of its velocities

    Its frame is that of the body behind it, z along the joint's axis. To add a kind, write a file with `pose` and `S`;
    the recursions ask for nothing else.
    """

    kind: ClassVar[str]
    nq: ClassVar[int] = 1
    nv: ClassVar[int] = 1
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


def joint_class(kind: str) -> type[AbstractJoint]:
    """The class of a kind of joint."""
    found = JOINTS.get(kind)
    if found is None:
        raise UnsupportedError(
            f"joints of kind {kind!r} are not supported; expected one of {', '.join(sorted(JOINTS))}."
        )
    return found
