"""What people are taken to minimise when they walk: the weights of a mean over the step."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np

from lissom.errors import InputError, ModelError, shown, suggest
from lissom.keywords import KnownKeywords
from lissom.model.arm import Arm
from lissom.model.fields import number

# N m that count as one, of a person of 73 kg and 1.741 m; a pair: in negative and positive direction. Knee, toes and
# dorsiflexion were fitted to a measured walk, see docs/walking.md
TORQUES: dict[str, float | tuple[float, float]] = {
    "hip_flexion": 200.0, "hip_adduction": 120.0, "hip_rotation": 60.0, "knee_flexion": 150.0,
    "ankle_dorsiflexion": (200.0, 25.0), "subtalar_inversion": 60.0, "toe_extension": 50.0,
    "lumbar_flexion": 200.0, "lumbar_bend": 150.0, "lumbar_rotation": 100.0,
    "spine_flexion": 200.0, "spine_bend": 150.0, "spine_rotation": 100.0,
    "neck_flexion": 20.0, "neck_bend": 20.0, "neck_rotation": 20.0, "head_flexion": 15.0, "head_bend": 15.0,
    "clavicle_elevation": 60.0, "clavicle_protraction": 60.0,
    "shoulder_flexion": 80.0, "shoulder_adduction": 60.0, "shoulder_rotation": 40.0, "elbow_flexion": 60.0,
    "forearm_pronation": 10.0, "wrist_flexion": 10.0, "wrist_deviation": 10.0,
}  # fmt: skip
REFERENCE = 73.0 * 1.741  # kg m
SPARE = 2.0  # torques may be this many times the one that counts as one


@dataclass(frozen=True)
class WalkWeights(KnownKeywords):
    """Weights of what a walk or a lift minimises, each a mean over the motion, and the torques that count as one.

    They were chosen so that one predicted walk is near a measured one: a fit of about six numbers, see the page about
    walking. Torques are scaled with mass x height of the person.

    Parameters
    ----------
    effort : float           of the sum of squared torques, each relative to the one that counts as one
    work : float             of the absolute mechanical power, relative to body weight x speed
    torque_rate : float      of squared torque rates, relative to the torques that count as one [s^2]
    force_rate : float       of squared rates of the forces at contact points, relative to the body weight [s^2]
    acceleration : float     of the mean squared acceleration of the joints [s^4]
    upright : float          of squared yaw, roll and pitch of the pelvis (of models in space)
    torques : mapping        {kind of joint: torque [N m]} that count as one for a person of 73 kg and 1.741 m, in place
                             of the default ones; a pair: in negative and positive direction

    Examples
    --------
    >>> WalkWeights(work=1.0).torque("ankle_dorsiflexion")
    (200.0, 25.0)
    """

    effort: float = 1.0
    work: float = 2.0
    torque_rate: float = 1e-3
    force_rate: float = 1.5e-3
    acceleration: float = 3e-6
    upright: float = 5.0
    torques: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        try:
            for one in fields(self):
                if one.name != "torques":
                    number(getattr(self, one.name), one.name, least=0.0)
            for word, value in dict(self.torques).items():
                if word not in TORQUES:
                    raise InputError(f"WalkWeights: torques has {shown(word)}; {suggest(str(word), TORQUES)}")
                for one in _pair(value):
                    number(one, f"torque of {word}", above=0.0)
        except ModelError as error:
            raise InputError(f"WalkWeights: {error.problem}") from None

    def torque(self, kind: str) -> tuple[float, float]:
        """Return the torques [N m] that count as one in negative and positive direction, for a person of 73 kg."""
        back, forth = _pair({**TORQUES, **self.torques}[kind])
        return float(back), float(forth)

    def criteria(self, arm: Arm, speed: float, spatial: bool) -> dict[str, float]:
        """Return the terms of a task's `minimise` for an arm whose torque limits are those of `limited`."""
        weight = arm.mass * float(np.linalg.norm(arm.gravity))
        joints = sum(joint.actuated for joint in arm.joints)
        found = {
            "effort_directional": self.effort * SPARE**2,
            "energy": self.work / (weight * speed),
            "torque_rate_normalised": self.torque_rate * SPARE**2,
            "contact_force_rate": self.force_rate,
            "acceleration": self.acceleration / max(joints, 1),
            "base_rotation": self.upright if spatial else 0.0,
        }
        return {name: value for name, value in found.items() if value > 0.0}

    def limited(self, arm: Arm, scale: float) -> Arm:
        """Return the arm with torque limits that the effort is relative to, instead of strengths."""
        links = []
        for link in arm.links:
            joint = link.joint
            if joint.actuated and joint.moves:
                back, forth = (SPARE * scale * one for one in self.torque(kind_of(joint.name)))
                link = link.replace(joint=joint.replace(limits=joint.limits.replace(torque=(-back, forth))))
            links.append(link)
        return arm.replace(links=tuple(links))


def _pair(value: Any) -> tuple[Any, Any]:
    return tuple(value) if isinstance(value, Sequence) and len(value) == 2 else (value, value)


def kind_of(name: str) -> str:
    """Return the kind of a joint by its name: without side and number of a vertebra."""
    head, _, side = name.rpartition("_")
    word: Any = head if side in ("r", "l") else name
    return f"spine_{word.partition('_')[2]}" if word[:5] == "spine" and word[5:6].isdigit() else str(word)
