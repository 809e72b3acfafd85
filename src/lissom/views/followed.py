"""The frame whose path pictures show."""

from __future__ import annotations

from lissom.model.arm import Arm
from lissom.model.ends import longest_end, tip_frame


def followed_frame(arm: Arm) -> str:
    """The tip of an arm; on a tree with several ends that of the longest branch (most joints, the first of equals)."""
    return tip_frame(arm, longest_end(arm))
