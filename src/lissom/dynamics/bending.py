"""Which points the modes of flexible links move.

Until mode shapes are part of the library, kinematics takes flexible links as undeformed; a modal
coordinate that is not zero is refused, never ignored.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from lissom.errors import UnsupportedError
from lissom.model.arm import Arm, Frame
from lissom.spatial.rotations import Array


def path_to(arm: Arm, link: int) -> list[int]:
    """Links from the base to `link`, both ends included."""
    path = [link]
    while arm.parent_index[path[-1]] >= 0:
        path.append(int(arm.parent_index[path[-1]]))
    return path[::-1]


def bent_links(arm: Arm, frame: Frame, point: Array) -> list[int]:
    """Flexible links whose modes move a point of the frame; only the root of the last link does not bend."""
    path = path_to(arm, frame.link)
    at_root = not frame.at_tip and not np.any(point)
    own = path[-1:] if at_root else []
    return [i for i in path if arm.links[i].mode_labels and i not in own]


def refuse_bending(arm: Arm, links: Iterable[int], *states: Array) -> None:
    """Refuse modal coordinates that are not zero on these links."""
    for i in links:
        link, start = arm.links[i], int(arm.coordinate_start[i])
        modes = slice(start + link.joint.coordinate_count, start + link.coordinate_count)
        if any(np.any(state[..., modes]) for state in states):
            raise UnsupportedError(
                f"kinematics of arm {arm.name!r}: the modal coordinates of link {link.name!r} "
                f"({', '.join(link.mode_labels)}) are not zero, and deflected shapes are not available yet. "
                "Set them to zero, or leave them out, for the undeformed arm."
            )
