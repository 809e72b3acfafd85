"""Stations: places along flexible links, and how they are named; paths through the tree."""

from __future__ import annotations

from typing import Any

import numpy as np

from lissom.dynamics.flexible_links import flexible_bodies
from lissom.errors import InputError, UnsupportedError
from lissom.model.arm import Arm
from lissom.model.loads import Load
from lissom.model.structure import Frame
from lissom.spatial.rotations import Array

MARK = "\x1f"  # between a link and a place along its beam; no name has it


def station_name(link: str, s: float) -> str:
    """The frame at a distance s from the root of a flexible link."""
    return f"{link}{MARK}{s!r}"


def station_of(frame: str) -> tuple[str, float]:
    """The link or tool that a frame is named after, and how far along its beam the frame is: zero where it has none."""
    link, _, s = frame.partition(MARK)
    return link, float(s or 0.0)


def spoken(frame: str) -> str:
    """A frame's name as it appears in an error, also that of a place along a beam."""
    link, s = station_of(frame)
    return f"{link!r} at {s:.6g} m" if MARK in frame else repr(link)


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
