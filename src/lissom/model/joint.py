"""Joints: how a link moves on its parent."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from lissom.errors import ModelError, about, shown
from lissom.joints import JOINTS, AbstractJoint, joint_class
from lissom.model.actuator import Actuator
from lissom.model.fields import at_least_zero, choice, flag, made_of, name, none_or, number, transform, unit_vector
from lissom.model.friction import Friction
from lissom.model.joint_elasticity import JointElasticity
from lissom.model.limits import Limits
from lissom.model.mimic import Mimic
from lissom.model.record import Record
from lissom.spatial.rotations import Array

KINDS = tuple(sorted(JOINTS, key=lambda kind: (JOINTS[kind].nv == 0, kind)))  # fixed last
OWN_NUMBERS = {word: kind for kind, made in JOINTS.items() for word in made.names()}  # that only some kinds have


@dataclass(frozen=True, eq=False)
class Joint(Record):
    """A revolute, prismatic, helical or fixed joint about any axis.

    The coordinate of a helical joint (screw) is its angle [rad], its effort a torque [N m]; units below are those of
    the coordinate and the effort.

    Parameters
    ----------
    kind : "revolute", "prismatic", "helical" or "fixed"
    placement : (4, 4)         pose of the joint in the parent's frame; of a flexible parent in the frame of its tip, or
                               of its section at `at`
    axis : (3,)                direction in the joint frame; made a unit vector
    name : str                 default: the link's name
    armature : float           inertia that the actuator adds to this coordinate [kg m^2 or kg]
    gear_ratio : float         motor turns per joint turn
    rotor_inertia : float      inertia of the rotor on the motor side; adds ``gear_ratio**2 * rotor_inertia``
    damping : float            viscous [N m s/rad or N s/m]
    friction : float or Friction   Coulomb friction [N m or N], or a sum of laws
    stiffness, rest : float    spring on the joint [N m/rad or N/m] and the position where it is at rest
    actuated : bool            False for a passive joint
    limits : Limits
    elastic : JointElasticity or None  a spring between motor and link: the joint has two coordinates
    mimic : Mimic or None      the joint follows another one and has no coordinate of its own
    at : float or None         where the joint sits along the parent's beam, from its root [m]; None: at its tip
    actuator : Actuator or None  lag between the commanded torque and the torque; None: none
    pitch : float or None      of a helical joint: displacement along the axis per angle [m/rad], lead / (2 pi);
                               positive for a right-handed thread

    Examples
    --------
    >>> Joint("revolute", axis=(0, 1, 0), rotor_inertia=2e-4, gear_ratio=100).reflected_inertia
    2.0
    >>> Joint("helical", pitch=0.01).transform(0.5)[:3, 3]
    array([0.   , 0.   , 0.005])
    """

    kind: str = "revolute"
    placement: Any = field(default_factory=lambda: np.eye(4))
    axis: Any = (0.0, 0.0, 1.0)
    name: str = ""
    armature: float = 0.0
    gear_ratio: float = 1.0
    rotor_inertia: float = 0.0
    damping: float = 0.0
    friction: float | Friction = 0.0
    stiffness: float = 0.0
    rest: float = 0.0
    actuated: bool = True
    limits: Limits = field(default_factory=Limits)
    elastic: JointElasticity | None = None
    mimic: Mimic | None = None
    at: float | None = None
    pitch: float | None = None
    actuator: Actuator | None = None

    def __post_init__(self) -> None:
        with about(f"joint {self.name!r}" if isinstance(self.name, str) and self.name else "joint"):
            self._clean()
            if not self.moves:
                self._refuse_motion_data()
            self._clean_own_numbers()
            if self.elastic is not None and self.reflected_inertia <= 0.0:
                raise ModelError(
                    "an elastic joint needs inertia on its motor side, or its motion is undetermined. "
                    "Give armature, or rotor_inertia and gear_ratio."
                )

    def _clean(self) -> None:
        self._set(kind=choice(self.kind, "joint type", KINDS))
        if not isinstance(self.name, str) or self.name:
            self._set(name=name(self.name, "joint name"))
        self._check(
            placement=transform, axis=unit_vector, gear_ratio=number, rest=number, actuated=flag,
            armature=at_least_zero, rotor_inertia=at_least_zero, damping=at_least_zero, friction=_friction,
            stiffness=at_least_zero, at=none_or(at_least_zero), limits=made_of(Limits),
            elastic=none_or(made_of(JointElasticity)), mimic=none_or(made_of(Mimic)),
            actuator=none_or(made_of(Actuator)),
        )  # fmt: skip
        if self.gear_ratio == 0.0:
            raise ModelError("gear_ratio is 0; expected motor turns per joint turn, 1 for a direct drive.")
        if self.mimic is not None and self.friction_laws.numbers:
            raise ModelError(
                "a mimic joint can have Coulomb and viscous friction only, and this one has "
                f"{self.friction_laws.title} friction. Give that to joint {self.mimic.joint!r}, which it follows."
            )
        if self.actuator is not None and (self.mimic is not None or not self.actuated):
            why = "follows another" if self.mimic is not None else "is passive"
            raise ModelError(f"a joint that {why} has no actuator of its own; remove actuator, or make it actuated.")
        if self.limits.per_joint:
            raise ModelError("limits of one joint must be scalars or (lower, upper), not arrays.")

    def _clean_own_numbers(self) -> None:
        """Validate the numbers that joints of some kinds only have, such as the pitch of a screw."""
        own = joint_class(self.kind)
        for word, unit in zip(own.names(), own.units, strict=True):
            if getattr(self, word) is None:
                raise ModelError(f"a {self.kind} joint needs {word} [{unit}]; give {word}=....")
            self._set(**{word: number(getattr(self, word), word)})
        for word, kind in OWN_NUMBERS.items():
            if word not in own.names() and getattr(self, word) is not None:
                raise ModelError(
                    f"{word} is {shown(getattr(self, word))}, but a {self.kind} joint has none; remove it, or make the "
                    f"joint {kind}."
                )

    def _refuse_motion_data(self) -> None:
        found = self.motion_data
        if found:
            listed = ", ".join(f"{word} ({shown(getattr(self, word))})" for word in found)
            moving = f"{', '.join(KINDS[:-2])} or {KINDS[-2]}"
            raise ModelError(
                f"a fixed joint cannot have {listed}; remove {'it' if len(found) == 1 else 'them'}, or make the joint "
                f"{moving}. arm.lock({{joint: position}}) fixes a joint of an arm and drops all of this."
            )

    @property
    def motion_data(self) -> tuple[str, ...]:
        """Names of the fields, the kind excepted, that are given and that only a moving joint can have."""
        plain = Joint(placement=self.placement, axis=self.axis, name=self.name, at=self.at)
        words = (f.name for f in fields(self) if f.name != "kind")
        return tuple(word for word in words if _differs(getattr(self, word), getattr(plain, word)))

    @property
    def moves(self) -> bool:
        """Whether the joint moves: it is not fixed."""
        return joint_class(self.kind).nv > 0

    # ---- what its kind says ----------------------------------------------------------------------

    @property
    def mechanism(self) -> AbstractJoint:
        """The motion that the joint leaves free, about the z axis: its kind with its numbers."""
        own = joint_class(self.kind)
        return own(*(getattr(self, word) for word in own.names()))

    @property
    def unit(self) -> str:
        """Unit of its position: "rad" or "m"."""
        return joint_class(self.kind).unit

    @property
    def effort_unit(self) -> str:
        """Unit of the generalized force on it: "N m" or "N"."""
        return self.mechanism.effort_unit

    @property
    def angular(self) -> bool:
        """Whether its position is an angle: files and the command line take it in degrees too."""
        return self.moves and self.unit == "rad"

    @property
    def period(self) -> float | None:
        """Positions that differ by it are the same pose (2 pi of a revolute joint); None where no two positions are."""
        return joint_class(self.kind).period

    @property
    def rotation(self) -> float:
        """Rotation about its axis per unit of its position [rad per unit]; 0 for a fixed joint."""
        return self.mechanism.rotation if self.moves else 0.0

    @property
    def travel(self) -> float:
        """Displacement along its axis per unit of its position [m per unit]; 0 for a fixed joint."""
        return self.mechanism.travel if self.moves else 0.0

    def half_range(self, reach: float = 1.0) -> float:
        """Half the range of positions to search where it has no limits: half a turn, or a travel of `reach` [m]."""
        return self.mechanism.half_range(reach)

    def transform(self, q: ArrayLike) -> Array:
        """(..., 4, 4) pose of the moving side in the joint frame for positions q (...)."""
        return self.mechanism.transform(self.axis, q)

    @property
    def reflected_inertia(self) -> float:
        """All actuator inertia seen at the joint: armature + gear_ratio^2 rotor_inertia."""
        return self.armature + self.gear_ratio**2 * self.rotor_inertia

    @property
    def friction_laws(self) -> Friction:
        """Friction as a record, also where it is given as a number."""
        return self.friction if isinstance(self.friction, Friction) else Friction(self.friction)

    @property
    def coulomb(self) -> float:
        """Coulomb friction [N m or N]."""
        return self.friction_laws.coulomb

    @property
    def viscous(self) -> float:
        """All viscous friction: `damping` and that of `friction` [N m s/rad or N s/m]."""
        return self.damping + self.friction_laws.viscous

    @property
    def independent(self) -> bool:
        """Whether the joint has its own coordinate: it moves and mimics no other joint."""
        return self.moves and self.mimic is None

    @property
    def coordinate_count(self) -> int:
        """Number of coordinates: 1 if it is independent, and 1 more if it is elastic."""
        return int(self.independent) + int(self.elastic is not None)


def _friction(value: Any, what: str) -> float | Friction:
    """Coulomb friction, or a sum of laws; without any law zero."""
    if not isinstance(value, Friction):
        return at_least_zero(value, what)
    return value if value.laws else 0.0


def _differs(a: Any, b: Any) -> bool:
    return not (np.array_equal(a, b) if isinstance(a, np.ndarray) else a == b)
