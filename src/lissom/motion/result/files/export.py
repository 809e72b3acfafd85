"""Motions as files for robot controllers: which formats there are, and what each accepts."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from lissom.errors import InputError, shown, suggest
from lissom.formats.files import check_writable, write_text
from lissom.model.arm import Arm
from lissom.motion.result.files import joint_trajectory, urscript
from lissom.motion.result.files.table import MotionTable, checked_rate, sampled
from lissom.motion.result.record import AbstractMotion

NAME = "export"
AT_REST = float(np.finfo(np.float32).eps)  # the velocity that joint_trajectory_controller still takes for rest


@dataclass(frozen=True)
class ControllerFormat:
    """A kind of file for controllers.

    Attributes
    ----------
    endings : tuple of str
    rate_hz : float                      samples per second by default
    text : function(table, effort) or None    the content; None: `MotionTable.to_csv`
    check : function(arm, rate_hz)       raises an error where the format cannot hold a motion of the arm
    """

    endings: tuple[str, ...]
    rate_hz: float
    text: Callable[[MotionTable, bool], str] | None = None
    check: Callable[[Arm, float], None] = lambda arm, rate_hz: None


FORMATS = {
    "csv": ControllerFormat((".csv",), 1000.0),
    "joint_trajectory": ControllerFormat((".yaml", ".yml"), 100.0, joint_trajectory.text, joint_trajectory.check),
    "urscript": ControllerFormat((".script",), 125.0, lambda table, effort: urscript.text(table), urscript.check),
}
ENDINGS = tuple(ending for known in FORMATS.values() for ending in known.endings)


def format_of(path: Path, name: str | None = None) -> str:
    """Return the name of the format, by default that of the ending of the file."""
    if name is None:
        for known, about in FORMATS.items():
            if path.suffix.lower() in about.endings:
                return known
        raise InputError(
            f"{NAME}: {path.name} has an unknown ending; expected {', '.join(ENDINGS)}, or give format=, one of "
            f"{', '.join(FORMATS)}. The whole motion is written by save, as .nc."
        )
    if name not in FORMATS:
        raise InputError(f"{NAME}: format is {shown(name)}; {suggest(str(name), FORMATS)}")
    return name


def check_export(arm: Arm, path: Path, name: str | None = None, rate_hz: float | None = None) -> float:
    """Refuse a file that could not be written for a motion of this arm; return its rate [1/s]."""
    known = FORMATS[format_of(path, name)]
    rate = checked_rate(known.rate_hz if rate_hz is None else rate_hz, NAME)
    known.check(arm, rate)
    check_writable(path)
    return rate


def export(
    motion: AbstractMotion, path: str | os.PathLike[str], name: str | None, rate_hz: float | None, effort: bool
) -> None:
    """See `Motion.export`."""
    place = Path(path)
    rate = check_export(motion.arm, place, name, rate_hz)
    chosen = format_of(place, name)
    if effort and chosen != "joint_trajectory":
        raise InputError(f"{NAME}: effort=True is for joint_trajectory; {chosen} was chosen, which has no such choice.")
    if not motion.ok:
        raise InputError(
            f"{NAME}: the motion is not solved ({motion.status}); nothing is written for a controller. "
            "save keeps it as it is, and to_csv its samples."
        )
    table, write = sampled(motion, rate), FORMATS[chosen].text
    if write is None:
        table.to_csv(place)
        return
    _refuse_moving_ends(table)
    write_text(place, write(table, effort))


def _refuse_moving_ends(table: MotionTable) -> None:
    """Position controllers begin and end at rest."""
    for row, when in ((0, "begins"), (-1, "ends")):
        moving = np.abs(table.qd[row]) > AT_REST
        moving &= table.arm.actuated
        if moving.any():
            names = ", ".join(np.array(table.arm.coordinates)[moving])
            raise InputError(
                f"{NAME}: the motion {when} with moving joints ({names}); robots need motions that begin and end at "
                "rest. Plan it from rest to rest, or write samples as .csv."
            )
