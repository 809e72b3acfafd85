"""Outputs of linear models: everything that `linearise(output=...)` accepts, as sensors."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from lissom.control.sensors.base import AbstractSensor
from lissom.control.sensors.frame_motion import FrameMotion
from lissom.errors import InputError, shown
from lissom.model.arm import Arm
from lissom.spatial.rotations import Array

EXPECTED = "a frame's name, a pair (frame, (x, y, z)), Encoder(...), StrainGauge(...), or a list of these"


def as_sensors(output: Any, rows: str | Sequence[str] | None, verb: str = "linearise") -> list[AbstractSensor]:
    """The sensors that an output means; `rows` selects those of frames."""
    items = list(output) if _is_list(output) else [output]
    if not items:
        raise InputError(f"{verb}: output is empty; expected {EXPECTED}.")
    sensors = [_as_sensor(item, rows, verb) for item in items]
    if rows is not None and not any(isinstance(sensor, FrameMotion) for sensor in sensors):
        raise InputError(f"{verb}: rows is {shown(rows)}, but no output is the motion of a frame; omit rows.")
    return sensors


def output_rows(arm: Arm, q: Array, sensors: Iterable[AbstractSensor]) -> tuple[Array, tuple[str, ...]]:
    """(p, dof) derivatives of all outputs by the positions, and their names."""
    named = [(sensor.slope(arm, q), sensor.names(arm)) for sensor in sensors]
    return np.vstack([slope for slope, _ in named]), tuple(name for _, names in named for name in names)


def _is_list(output: Any) -> bool:
    return isinstance(output, list | tuple) and not _is_pair(output) and not _names_a_place(output)


def _names_a_place(item: Any) -> bool:
    """A frame's name and numbers, whether or not these are a point."""
    if not isinstance(item, list | tuple) or len(item) != 2 or not isinstance(item[0], str):
        return False
    return isinstance(item[1], int | float | np.number | np.ndarray | list | tuple)


def _is_pair(item: Any) -> bool:
    """A frame's name with a point; two names are a list of frames."""
    return isinstance(item, list | tuple) and len(item) == 2 and isinstance(item[0], str) and np.shape(item[1]) == (3,)


def _as_sensor(item: Any, rows: str | Sequence[str] | None, verb: str) -> AbstractSensor:
    if isinstance(item, AbstractSensor):
        return item
    if isinstance(item, str):
        return FrameMotion(item, rows=rows)
    if _is_pair(item):
        return FrameMotion(item[0], item[1], rows)
    if _names_a_place(item):
        raise InputError(f"{verb}: output has the point {shown(item[1])} of {item[0]!r}; expected a point (x, y, z).")
    raise InputError(f"{verb}: output has {shown(item)}; expected {EXPECTED}.")
