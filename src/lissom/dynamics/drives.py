"""Drive terms of a joint's torque: rows of armature, damping, friction, stiffness and rest."""

from __future__ import annotations

from typing import Any

from lissom.dynamics.bodies import Body
from lissom.dynamics.from_arm import joint_drive
from lissom.engine.run import AbstractRun
from lissom.engine.step import Step

ROW = 5
ARMATURE, DAMPING, FRICTION, STIFFNESS = (slice(k, k + 1) for k in range(4))
ALL, PASSIVE = slice(0, ROW), slice(1, ROW)
# the row of a joint whose friction is counted elsewhere
SMOOTHED = Step("smoothed", lambda K: [[K[0] + 0, K[1] + 0, 0 * K[2], K[3] + 0, K[4] + 0]], (ROW,), (ROW,))


def drive_of(body: Body, some: slice = ALL) -> Any:
    """A part of a joint's row; None where all of it is zero."""
    if body.drive is not None:
        return body.drive[some]
    row = [body.armature, body.damping, body.friction, body.stiffness, body.rest][some]
    return row if any(row) else None


def motor_force(run: AbstractRun, body: Body, tau: Any, q: Any, qd: Any, qdd: Any) -> Any:
    """Torque of a joint's motor, from the torque that moves the arm; vectors of one entry."""
    drive = joint_drive(body)
    return tau if drive is None else [run.call(drive.motor_force, tau[0], q[0], qd[0], qdd[0])]
