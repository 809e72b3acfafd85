"""Records of the flat form of an arm: bodies with the joints that carry them, and places on bodies."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from lissom.joints import is_prismatic
from lissom.joints.friction.laws import NUMBERS
from lissom.spatial.rotations import Array

if TYPE_CHECKING:  # loaded when a link bends
    from lissom.dynamics.beams import Beam

BASE = -1
STRIBECK = NUMBERS.index("stribeck")


class Body(NamedTuple):
    """One moving body and the joint that carries it."""

    parent: int
    kind: str  # of its joint; "beam" for the tip of a flexible link
    R: Array  # (3, 3) placement in the parent body's frame, before the motion
    p: Array  # (3,)
    mass: float
    moment: Array  # (3,) first moment, mass times centre of mass
    inertia: Array  # (3, 3) about the body's origin
    armature: float
    damping: float
    friction: float
    stiffness: float
    rest: float
    joint: str
    coordinate: int
    constants: Any = None  # of its steps, where they are not numbers: see `acting.with_payloads` and `varied`
    drive: Any = None  # its armature, damping, friction, stiffness and rest, where they are not numbers
    beam: Beam | None = None  # it is the tip of a flexible link, on its root; (R, p) is the root's pose
    width: int = 1  # number of its coordinates
    follows: bool = False  # its joint follows another one: it has that one's coordinate
    beam_owner: int = -1  # it is a place along the beam of this body, with the same coordinates
    numbers: tuple[float, ...] = ()  # of its kind of joint, such as the pitch of a screw
    laws: tuple[float, ...] = ()  # of friction, other than Coulomb and viscous (`joints.friction.laws.NUMBERS`)
    mount: bool = False  # such a place that carries bodies; the others are only looked at or loaded, and have no mass

    @property
    def breakaway(self) -> float:
        """Friction that its joint has at rest without load, Coulomb and Stribeck: by its double torques jump."""
        return self.friction + (self.laws[STRIBECK] if self.laws else 0.0)

    @property
    def prismatic(self) -> bool:
        """Whether the joint is prismatic, for equations of revolute and prismatic joints; others are errors."""
        return self.beam is None and is_prismatic(self.kind, self.joint)


class Place(NamedTuple):
    """The place of a link's frame: a body (or BASE) and its pose there."""

    body: int
    X: Array
    given: Any = None  # of its pose, where it is not numbers

    @property
    def row(self) -> Any:
        """The pose as constants of a step: rotation (9), position (3)."""
        return self.given if self.given is not None else [*map(float, (*self.X[:3, :3].ravel(), *self.X[:3, 3]))]
