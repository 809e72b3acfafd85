"""Motions from datasets and NetCDF files."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from lissom.errors import ModelError
from lissom.formats import native_read
from lissom.formats.files import refuse_unreadable
from lissom.formats.kinds import about_record, record_kind, refuse_other_record
from lissom.formats.netcdf import Contents, opened, text_of, values_of
from lissom.formats.records.targets import as_path
from lissom.formats.records.text import refuse_damage
from lissom.formats.typed import refuse_unfit
from lissom.motion.result.files.encoding import encoding
from lissom.motion.result.files.write import FORMAT, SINCE, STORED, refuse_other
from lissom.motion.result.motion import Motion
from lissom.motion.result.outcome import MotionOutcome
from lissom.simulation.files import load_run
from lissom.simulation.run import Run
from lissom.spatial.rotations import Array

if TYPE_CHECKING:
    import xarray


def from_dataset(data: xarray.Dataset | Contents, file: str = "dataset") -> Motion:
    """Return a motion from a dataset that `Motion.to_xarray` made."""
    refuse_other_record(data, "motion", file)
    missing = [word for word in ("control_points", "break", "record") if word not in data]
    if missing:
        raise ModelError(f"it is not a motion: it has no {', '.join(missing)}.", file=file)
    P, breaks = (values_of(data, word) for word in ("control_points", "break"))
    with refuse_damage(file):
        stored = FORMAT.parsed(text_of(data, "record"))
        arm = native_read.read(Path(file), stored["arm"].encode())
        words, revived = (*STORED, *(word for word in SINCE if word in stored)), encoding(arm.dof).revived
        values = {word: revived(stored[word]) for word in words}
        values["outcome"] = _outcome(values)
        refuse_unfit(Motion, values)
        _refuse_odd(values, P, breaks)
        motion = Motion(arm=arm, breaks=breaks, control_points=P, **values)
        motion.tau.sum()  # damaged splines are found here
        return motion


def _outcome(stored: dict[str, Any]) -> MotionOutcome:
    """Return the outcome; files of earlier versions have its sentence only."""
    earlier = MotionOutcome.SOLVED if stored["ok"] else MotionOutcome.UNKNOWN
    return MotionOutcome(stored.get("outcome", earlier))


def _refuse_odd(stored: dict[str, Any], P: Array, breaks: Array) -> None:
    """Raise an error for numbers of which no spline can be made."""
    others = stored.get("unactuated")
    if not 0 < stored["duration"] < np.inf:
        raise ModelError(f"its duration is {stored['duration']:g} s; expected a time above 0.")
    pairs = [(P, breaks, stored["degree"])] + (
        [] if others is None else [(others.control_points, others.breaks, others.degree)]
    )
    for points, ends, degree in pairs:
        if points.ndim != 2 or ends.ndim != 1 or not 0 < degree < len(points) or len(ends) > len(points) + 1:
            raise ModelError(f"its splines of degree {degree} do not fit {points.shape} control points.")
        if not (np.isfinite(points).all() and np.isfinite(ends).all()):
            raise ModelError("its control points are not finite.")


def load_record(path: Path) -> Run | Motion:
    """Load a run or a motion, by what the file says it is."""
    if path.suffix.lower() == ".nc" and os.path.isfile(path):
        with opened(path, "run or a motion") as data:
            if record_kind(data) == "motion":
                return from_dataset(data, str(path))
    return load_run(path)


def read(path: str | os.PathLike[str]) -> Motion:
    """See `load_motion`."""
    place = as_path(path, "load_motion", "file that Motion.save wrote")
    if os.path.isdir(place) and (found := about_record(place)):
        raise ModelError(f"it is {found}; expected the file of a motion.", file=str(place))
    refuse_unreadable(place)
    refuse_other(place, "load_motion")
    with opened(place, "motion") as data:
        return from_dataset(data, str(place))
