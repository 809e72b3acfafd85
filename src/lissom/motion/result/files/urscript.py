"""Motions as URScript: programs for the arms of Universal Robots.

The program moves slowly to the start, then commands one position per sample by ``servoj(q, a, v, t, lookahead_time,
gain)``, of which a and v are not used by the robot. Positions of URScript are radians.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import numpy as np

from lissom.errors import InputError, UnsupportedError
from lissom.formats.table_header import header_lines, header_of
from lissom.model.arm import Arm
from lissom.motion.result.files.table import MotionTable
from lissom.spatial.rotations import Array

JOINTS = 6
TICKS = 500.0  # control cycles per second of the e-Series; CB3: 125
TURN = 2 * np.pi  # joints of these robots reach one turn to both sides
TO_START = "a=0.5, v=0.25"  # slow: rad/s^2 and rad/s
LOOKAHEAD, GAIN = 0.1, 300  # defaults of the manual, which allows 0.03 to 0.2 s and 100 to 2000
STOP = 2.0  # deceleration after the last sample [rad/s^2]


def check(arm: Arm, rate_hz: float) -> None:
    """Refuse arms other than six actuated revolute joints, and rates that are no whole number of control cycles."""
    driven = [joint for joint in arm.joints if joint.actuated]
    if len(driven) != JOINTS or not all(joint.angular and joint.travel == 0 for joint in driven):
        kinds = ", ".join(f"{count} {kind}" for kind, count in Counter(joint.kind for joint in driven).items())
        raise UnsupportedError(
            f"export: URScript is for six revolute joints; arm {arm.name!r} has actuated joints: {kinds or 'none'}. "
            "Joints of a gripper are left out by lock; other robots read .yaml or .csv."
        )
    cycles = TICKS / rate_hz
    if cycles < 1 or abs(cycles - round(cycles)) > 1e-9 * cycles:
        raise InputError(
            f"export: rate_hz is {rate_hz:g}; servoj lasts whole control cycles of 2 ms, so that rates are 500, 250, "
            "125, 100 ... (CB3: 125 or 62.5)."
        )


def text(table: MotionTable) -> str:
    """Return the program; positions to 1e-9 rad."""
    q = table.q[:, table.arm.actuated]
    _refuse_far(table.arm, q)
    return "\n".join([*_head(table), *_moves(q, table.rate_hz), "end"]) + "\n"


def _head(table: MotionTable) -> Iterator[str]:
    names = np.array(table.arm.coordinates)[table.arm.actuated]
    about = [
        f"q [rad]: {', '.join(names)}; {table.rate_hz:g} samples per second",
        *header_lines(table.about or header_of(table.arm)),
        "Runs when it is sent to the robot, for example to port 30002.",
    ]
    yield "def lissom_motion():"
    yield from (f"  # {line}" for line in about)


def _moves(q: Array, rate_hz: float) -> Iterator[str]:
    yield f"  movej({_list(q[0])}, {TO_START})"
    for row in q[1:]:
        yield f"  servoj({_list(row)}, 0, 0, {1 / rate_hz:g}, {LOOKAHEAD:g}, {GAIN})"
    yield f"  stopj({STOP:g})"


def _list(row: Array) -> str:
    return f"[{', '.join(f'{value:.9f}' for value in row)}]"


def _refuse_far(arm: Arm, q: Array) -> None:
    far = np.abs(q).max(axis=0) > TURN + 1e-9
    if far.any():
        names = ", ".join(np.array(arm.coordinates)[arm.actuated][far])
        raise InputError(f"export: {names} leaves -2 pi to 2 pi rad, which joints of these robots cannot.")
