"""Paths through the tree, and places along flexible links."""

from __future__ import annotations

from typing import Any

import numpy as np

from lissom.dynamics.bodies import station_name
from lissom.dynamics.flexible_links import flexible_bodies
from lissom.errors import InputError, UnsupportedError
from lissom.model.arm import Arm, Frame
from lissom.model.loads import Load
from lissom.spatial.rotations import Array


def path_to(arm: Arm, link: int) -> list[int]:
    """Links from the base to `link`, both ends included."""
    path = [link]
    while arm.parent_index[path[-1]] >= 0:
        path.append(int(arm.parent_index[path[-1]]))
    return path[::-1]


def along_beam(arm: Arm, word: str, frame: Frame, point: Any, verb: str) -> tuple[str, Any]:
    """A frame that moves with a point, and the point in it: of a flexible link the section at the point."""
    link = arm.links[frame.link]
    if not link.mode_labels or frame.at_tip or not np.any(point):
        return word, point
    x = np.asarray(point, float)
    s = np.unique(x[..., 0])
    if len(s) != 1:
        raise UnsupportedError(
            f"{verb}: points at {len(s)} places along the flexible link {link.name!r}; give one place per call."
        )
    body = flexible_bodies(arm)[frame.link]
    if body.line is None:
        raise UnsupportedError(
            f"{verb}: link {link.name!r} is given by modal integrals, which describe its tip only: "
            f"{link.name + '.tip'!r}."
        )
    if not 0.0 <= s[0] <= body.line.beam.length:
        raise InputError(
            f"{verb}: the point {s[0]:g} m along link {link.name!r} is not on its beam of {body.line.beam.length:g} m."
        )
    return station_name(word, float(s[0])), across(x)


def on_frame(arm: Arm, load: Load, verb: str = "loads") -> tuple[str, Load]:
    """The frame a load moves with, and the load there."""
    frame, point = along_beam(arm, load.link, arm.frame(load.link), load.point, verb)
    return frame, load if frame == load.link else load.replace(point=point)


def across(x: Array) -> Array:
    """A point in the axes of its section."""
    out = x.copy()
    out[..., 0] = 0.0
    return out
