"""Both examples of Xiang, Arora and Abdel-Malek 2008, and what the paper prints of them."""

from __future__ import annotations

from lissom.model.arm import Arm
from lissom.motion.task.task import Task
from lissom.papers.xiang2008.closed_form import TABLE_1, TwoLink, two_link_arm

SEGMENTS = 20
U = 0.01  # of (67)
EXAMPLE_1 = Task(start=(0.0, -2.0), goal=(1.0, -1.0), segments=SEGMENTS)  # (66)
EXAMPLE_2 = Task(
    start=(1.32, -2.37), goal=(2.80, -2.37), minimise={"time": 1 - U, "torque_squared": U}, segments=SEGMENTS
)  # (68)
WEIGHTLESS: TwoLink = TABLE_1._replace(g=0.0, f=0.0)
PRINTED = {1: 0.3934, 2: 0.520}  # T [s]
PRINTED_CPU = {1: 1.07, 2: 2.44}  # seconds at 1.4 GHz
PRINTED_POINTS = 22  # control points per joint


def weightless_arm() -> Arm:
    """The arm of example 1: neither gravity nor load."""
    return two_link_arm(WEIGHTLESS)
