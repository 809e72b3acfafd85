"""What names of links and frames say: fingers, grippers, frames of tools."""

from __future__ import annotations

import re
from collections.abc import Sequence

FINGERS = ("finger", "jaw", "claw", "thumb")  # in names, upper or lower case
GRIPPER = "gripper"
HANDS = ("hand", "palm", "gripper")
WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
# Words of frames where a tool works, the most definite first. ROS-Industrial calls the frame of a flange tool0.
TOOLS = (
    ("tcp", "grasp", "grasping", "pinch"),
    ("tool",),
    ("ee", "eef", "effector", "endeffector"),
    ("tip",),
    ("gripper", "grip"),
    ("hand",),
)
FLANGE = ("flange",)
SENSORS = frozenset({"camera", "optical", "depth", "rgb", "rgbd", "imu", "lidar"})  # beside what an arm works with
NO_TOOLS = SENSORS | {"ft", "force", "torque", "sensor"}


def names_finger(name: str) -> bool:
    """Whether a name is that of a finger, or of a joint that moves one."""
    return any(word in name.lower() for word in FINGERS)


def names_sensor(name: str) -> bool:
    """Whether a name is that of a camera, an inertial unit or a part of one."""
    return not _words(name).isdisjoint(SENSORS)


def names_hand(name: str) -> bool:
    """Whether a name is that of the part of a hand that carries its fingers."""
    return not _words(name).isdisjoint(HANDS)


def names_gripper(name: str) -> bool:
    """Whether a name is that of a gripper or of a part of it."""
    return GRIPPER in name.lower()


def best_tool(names: Sequence[str], flange: bool = True) -> str | None:
    """The frame of a tool among several, by its name; None if there is none, or several that say the same.

    Examples
    --------
    >>> best_tool(["ee_link", "tool0", "wrist_camera_frame"])
    'tool0'
    """
    split = {name: _words(name) for name in names}
    tools = {name: words for name, words in split.items() if not words & NO_TOOLS and not names_finger(name)}
    for known in (*TOOLS, FLANGE) if flange else TOOLS:
        found = [name for name, words in tools.items() if words & set(known)]
        if found:
            return found[0] if len(found) == 1 else None
    return None


def _words(name: str) -> set[str]:
    """The words of a name, which capitals or other characters may part."""
    return {word.lower() for word in WORD.findall(name)}
