"""Phases of a step, and how long and far people step."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from lissom.humans.requests import PARTS, foot_points
from lissom.model.arm import Arm
from lissom.model.contact import Mirror
from lissom.motion.task.phases import Phase, Transfer


class StepPhase(NamedTuple):
    """A phase of a step: which parts of both feet touch the ground, its part of the step, segments of its splines."""

    name: str
    right: tuple[str, ...]
    left: tuple[str, ...]
    part: float
    segments: int


# From heel strike of the right foot to that of the left. Double support is a quarter of the step.
STEP = (
    StepPhase("loading", ("heel",), ("ball", "tip"), 0.06 / 0.52, 3),
    StepPhase("push", ("heel", "ball", "tip"), ("tip",), 0.07 / 0.52, 3),
    StepPhase("flat", ("heel", "ball", "tip"), (), 0.22 / 0.52, 7),
    StepPhase("forefoot", ("ball", "tip"), (), 0.17 / 0.52, 7),
)
DOUBLE = 2  # phases of double support, the first ones
SPREAD = 2.0  # a phase whose duration is free lasts between this part of that of people, and as many times as long
# Step length over cadence is about constant for adults from slow to fast walks: 0.0064 m per step/min for men (Sekiya
# and Nagasaki 1998, Reproducibility of the walking patterns of normal young adults, Gait and Posture 7, 225-227)
WALK_RATIO = 0.0064


def peoples_step(speed: float) -> float:
    """Step length [m] of people at a speed v [m/s]: L^2 = 60 v times the walk ratio, with a cadence of 60 v / L."""
    return float(np.sqrt(60.0 * speed * WALK_RATIO))


def phases_of_step(arm: Arm, duration: float, free: bool, segments: Sequence[int]) -> tuple[Phase, ...]:
    """Phases of a step that takes `duration` [s]; free: each duration is to be found."""
    found = []
    for phase, K in zip(STEP, segments, strict=True):
        T = phase.part * duration
        span = (T / SPREAD, T * SPREAD) if free else T
        contacts = [*foot_points(arm, phase.right, "r"), *foot_points(arm, phase.left, "l")]
        found.append(Phase(phase.name, contacts, span, K))
    return tuple(found)


def phases_of_stride(arm: Arm, duration: float, free: bool, segments: Sequence[int]) -> tuple[Phase, ...]:
    """Phases of a stride: a step of the right foot, and one of the left."""
    right = phases_of_step(arm, duration / 2, free, segments)
    mirror: Mirror = arm.mirror  # type: ignore[assignment]  # checked before
    left = [
        phase.replace(name=f"{phase.name} left", contacts=[mirror.partner("contacts", one) for one in phase.contacts])
        for phase in right
    ]
    return (*(phase.replace(name=f"{phase.name} right") for phase in right), *left)


def transfers(arm: Arm, phases: Sequence[Phase]) -> tuple[Transfer, ...]:
    """Transfers of the load in double support: linearly in time to the foot in front, as Xiang and others have it."""
    found = []
    for first, side in zip(range(0, len(phases), len(STEP)), ("r", "l"), strict=False):
        double = phases[first : first + DOUBLE]
        contacts = foot_points(arm, PARTS, side)
        found.append(Transfer(contacts, [phase.name for phase in double]))
    return tuple(found)
