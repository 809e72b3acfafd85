"""Commands of a motion for actuators with lag, and arms without it."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from lissom.errors import InputError, shown
from lissom.kernels.arguments import as_numbers
from lissom.model.arm import Arm
from lissom.motion.result.record import AbstractMotion
from lissom.simulation.controllers.feedforward.command import Command, command


def command_of(motion: AbstractMotion, lag: ArrayLike | None) -> Command:
    """Return the command of a motion; `lag`: time constants instead of those of the arm."""
    arm = motion.arm
    lags = arm.actuator_lag if lag is None else as_numbers(lag, "lag", "command")
    if lags.shape not in ((), (len(arm.joints),)) or (lags < 0).any():
        raise InputError(
            f"command: lag is {shown(lag)}; expected one number of at least 0 [s], or {len(arm.joints)}, one per joint."
        )
    driven = np.array([joint.actuated for joint in arm.joints])
    return command(motion, arm.expanded(np.where(driven, lags, 0.0)))


def without_lag(arm: Arm) -> Arm:
    """Return an arm on whose joints torques act as commanded: what a plan is about."""
    if not arm.actuator_lag.any():
        return arm
    links = [link.replace(joint=link.joint.replace(actuator=None)) for link in arm.links]
    return arm.replace(links=links)
