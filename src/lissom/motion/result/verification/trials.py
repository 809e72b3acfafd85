"""A motion simulated on arms that differ from the planned one: other payload or stiffness, more modes."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from lissom.errors import InputError, shown
from lissom.model.arm import Arm
from lissom.motion.result.record import AbstractMotion
from lissom.motion.result.replay import open_loop, tracked
from lissom.motion.result.variants import with_more_modes, with_payload_error, with_stiffness_error
from lissom.motion.result.verification.residual_check import last_loads, rings

VERB = "verify"


class Trial(NamedTuple):
    """Result of a motion simulated on a different arm.

    what : str                 how the arm differs
    residual : float           residual tip vibration under the planned torques [m]; see `residual_vibration`
    tracked_residual : float   the same if ideal joint control follows the planned joint motion [m]
    joint_error : float        largest joint error under the planned torques [rad or m]

    For arms with closed loops, which do not vibrate, `residual` and `tracked_residual` are zero.
    """

    what: str
    residual: float
    tracked_residual: float
    joint_error: float

    def describe(self) -> str:
        """Return one line of text."""
        return (
            f"{self.what}: residual tip vibration {self.residual:.2g} m, largest joint error {self.joint_error:.2g}; "
            f"with joints tracked, residual {self.tracked_residual:.2g} m"
        )


def variants(arm: Arm, modes: Any, payload: Any, stiffness: Any) -> list[tuple[str, Arm]]:
    """Return arms with more modes, and with payload and stiffness off both ways by a fraction, and how each differs."""
    out: list[tuple[str, Arm]] = []
    if isinstance(modes, bool) or not isinstance(modes, int | np.integer) or modes < 0:
        raise InputError(f"{VERB}: modes is {shown(modes)}; expected a whole number of additional modes of every kind.")
    for word, value in (("payload", payload), ("stiffness", stiffness)):
        if isinstance(value, bool) or not isinstance(value, int | float | np.number) or not 0 <= value < 1:
            raise InputError(f"{VERB}: {word} is {shown(value)}; expected a fraction from 0 to 1, 0.1 for ten percent.")
    tries: list[tuple[str, Arm | None, str]] = []
    if modes:
        tries.append((f"{modes} more modes of every kind", with_more_modes(arm, int(modes), VERB),
                      "modes is given, but no link of arm {} is a beam with more modes"))  # fmt: skip
    for sign in (1, -1) if payload else ():
        tries.append((f"payload {100 * sign * payload:+g} %", with_payload_error(arm, sign * payload),
                      "payload is given, but arm {} has no payload; add one with arm.with_payload(...)"))  # fmt: skip
    for sign in (1, -1) if stiffness else ():
        tries.append((f"stiffness {100 * sign * stiffness:+g} %", with_stiffness_error(arm, sign * stiffness),
                      "stiffness is given, but arm {} has no flexible links and no joint springs"))  # fmt: skip
    for what, other, missing in tries:
        if other is None:
            raise InputError(f"{VERB}: {missing.format(repr(arm.name))}.")
        out.append((what, other))
    return out


def tried(motion: AbstractMotion, what: str, arm: Arm) -> Trial:
    """Simulate a motion on another arm, open loop and with its joints tracked."""
    run = open_loop(motion, arm)
    known = np.isfinite(run.q).all(axis=1)
    planned = motion.at(np.minimum(run.t[known], motion.duration))[0]
    error = float(np.abs(run.q[known][:, arm.joint_index] - planned[:, motion.arm.joint_index]).max())
    if arm.loops:  # nothing of them vibrates once their motors are held
        return Trial(what, 0.0, 0.0, error)
    left, tracked_left = (rings(made, motion.duration, last_loads(motion)) for made in (run, tracked(motion, arm)))
    return Trial(what, left, tracked_left, error)
