"""Motions as messages of ROS: trajectory_msgs/JointTrajectory, as YAML.

`ros2 topic pub --once /joint_trajectory_controller/joint_trajectory trajectory_msgs/msg/JointTrajectory "$(cat FILE)"`
sends the file to the joint trajectory controller, which interpolates between points with position, velocity and
acceleration by polynomials of degree 5.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

import numpy as np

from lissom.errors import UnsupportedError
from lissom.formats.table_header import header_lines, header_of
from lissom.model.arm import Arm
from lissom.model.units import units
from lissom.motion.result.files.table import MotionTable
from lissom.spatial.rotations import Array

FIELDS = {"positions": "q", "velocities": "qd", "accelerations": "qdd"}
EFFORT = {"effort": "tau"}
NANOSECONDS = 1_000_000_000


def check(arm: Arm, rate_hz: float) -> None:
    """Refuse arms without actuated joints, and coordinates that are neither radians nor metres."""
    if not arm.actuated.any():
        raise UnsupportedError(f"export: arm {arm.name!r} has no actuated joints; there is nothing to command.")
    if rate_hz > NANOSECONDS:
        raise UnsupportedError(f"export: rate_hz is {rate_hz:g}; times of ROS are whole nanoseconds, at most 1e9.")


def text(table: MotionTable, effort: bool) -> str:
    """Return the message; actuated joints only, in the order of the arm."""
    fields = FIELDS | (EFFORT if effort else {})
    return "\n".join([*_head(table, fields), *_points(table, fields)]) + "\n"


def _head(table: MotionTable, fields: dict[str, str]) -> Iterator[str]:
    driven, arm = table.arm.actuated, table.arm
    of_each = {word: ", ".join(np.array(units(arm, quantity))[driven]) for word, quantity in fields.items()}
    yield f"# trajectory_msgs/msg/JointTrajectory, {table.rate_hz:g} points per second"
    yield "# " + "; ".join(f"{word} [{unit}]" for word, unit in of_each.items())
    yield from (f"# {line}" for line in header_lines(table.about or header_of(arm)))
    yield "header: {stamp: {sec: 0, nanosec: 0}, frame_id: ''}"
    yield "joint_names:"
    for name in np.array(arm.coordinates)[driven]:
        yield f"- {json.dumps(str(name), ensure_ascii=False)}"


def _points(table: MotionTable, fields: dict[str, str]) -> Iterator[str]:
    driven = table.arm.actuated
    samples = {word: getattr(table, quantity)[:, driven] for word, quantity in fields.items()}
    yield "points:"
    for k, t in enumerate(table.t):
        mark = "- "
        for word, values in samples.items():
            yield f"{mark}{word}: [{_numbers(values[k])}]"
            mark = "  "
        seconds, rest = divmod(round(float(t) * NANOSECONDS), NANOSECONDS)
        yield f"  time_from_start: {{sec: {seconds}, nanosec: {rest}}}"


def _numbers(values: Array) -> str:
    return ", ".join(number(float(value)) for value in values)


def number(value: float) -> str:
    """Return all digits; YAML 1.1 takes 1e-05 for text, since it has no decimal point."""
    written = repr(value)
    return written.replace("e", ".0e") if "e" in written and "." not in written else written
