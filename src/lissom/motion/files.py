"""Motions as datasets and NetCDF files: the splines are the motion; task, arm and report travel with them."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from lissom.errors import InputError, LissomError, ModelError, shown
from lissom.formats.files import refuse_unreadable, write_whole
from lissom.formats.kinds import about_record, read_instead, record_kind, refuse_other_record
from lissom.formats.netcdf import Contents, opened, text_of, values_of
from lissom.formats.typed import refuse_unfit
from lissom.model.units import units
from lissom.motion.encode import plain, revived
from lissom.motion.record import Motion
from lissom.simulation.files import load_run
from lissom.simulation.run import Run
from lissom.spatial.rotations import Array

if TYPE_CHECKING:
    import xarray

FORMAT = "lissom motion 2"
OVER_TIME = {
    "q": ("position", "rad or m"),
    "qd": ("rate", "rad/s or m/s"),
    "qdd": ("acceleration", "rad/s^2 or m/s^2"),
    "tau": ("torque or force", "N m or N"),
}
TOLD = ("task", "duration", "cost", "status", "ok", "degree", "report")
SINCE = ("continuity", "unactuated", "closures", "compared")  # files of earlier versions have none


def to_dataset(motion: Motion) -> xarray.Dataset:
    """See `Motion.to_xarray`."""
    import xarray

    variables: dict[str, Any] = {
        word: (("time", "coordinate"), getattr(motion, word), {"units": unit, "long_name": name})
        for word, (name, unit) in OVER_TIME.items()
    }
    led = "coordinate" if motion.unactuated is None else "actuated_coordinate"
    variables["control_points"] = (("control_point", led), motion.control_points, {"units": "rad or m"})
    coords = {
        "time": ("time", motion.t, {"units": "s"}),
        "coordinate": ("coordinate", list(motion.arm.coordinates)),
        "unit": ("coordinate", units(motion.arm)),
        "break": ("break", motion.breaks, {"long_name": "ends of segments, as fractions of the duration"}),
    }
    data = xarray.Dataset(variables, coords)
    data["record"] = ((), _text(motion))
    data.attrs = {"title": f"motion of {motion.arm.name}", "status": motion.status, "source": FORMAT}
    data.attrs |= {"duration": motion.duration, "cost": motion.cost}
    return data


def from_dataset(data: xarray.Dataset | Contents, file: str = "dataset") -> Motion:
    """Return a motion from a dataset that `Motion.to_xarray` made."""
    from lissom.formats import native_read

    refuse_other_record(data, "motion", file)
    missing = [word for word in ("control_points", "break", "record") if word not in data]
    if missing:
        raise ModelError(f"it is not a motion: it has no {', '.join(missing)}.", file=file)
    P, breaks = (values_of(data, word) for word in ("control_points", "break"))
    try:
        told = json.loads(text_of(data, "record"))
        if told["format"] != FORMAT:
            raise ModelError(f"its format is {told['format']!r}; expected {FORMAT!r}.", file=file)
        arm = native_read.read(Path(file), told["arm"].encode())
        words = (*TOLD, *(word for word in SINCE if word in told))
        values = {word: revived(told[word], arm.dof) for word in words}
        refuse_unfit(Motion, values)
        _refuse_odd(values, P, breaks)
        return Motion(arm=arm, breaks=breaks, control_points=P, **values)
    except LissomError as error:
        raise ModelError(str(error), file="" if str(error).startswith(file) else file) from None
    except (KeyError, TypeError, ValueError, AttributeError, RecursionError, OverflowError, IndexError) as error:
        raise ModelError(f"its record is damaged ({type(error).__name__}: {error}).", file=file) from None


def _refuse_odd(told: dict[str, Any], P: Array, breaks: Array) -> None:
    """Numbers of which no spline can be made."""
    loose = told.get("unactuated")
    if not 0 < told["duration"] < np.inf:
        raise ModelError(f"its duration is {told['duration']:g} s; expected a time above 0.")
    pairs = [(P, breaks, told["degree"])] + (
        [] if loose is None else [(loose.control_points, loose.breaks, loose.degree)]
    )
    for points, ends, degree in pairs:
        if points.ndim != 2 or ends.ndim != 1 or not 0 < degree < len(points) or len(ends) > len(points) + 1:
            raise ModelError(f"its splines of degree {degree} do not fit {points.shape} control points.")
        if not (np.isfinite(points).all() and np.isfinite(ends).all()):
            raise ModelError("its control points are not finite.")


def _text(motion: Motion) -> str:
    """Return everything in a motion that is not an array, as JSON."""
    from lissom.formats import native_write

    told = {word: plain(getattr(motion, word), motion.arm.dof) for word in (*TOLD, *SINCE)}
    return json.dumps({"format": FORMAT, "arm": native_write.write(motion.arm), **told})


def load_record(path: Path) -> Run | Motion:
    """A run or a motion, by what the file says it is."""
    if path.suffix.lower() == ".nc" and os.path.isfile(path):
        with opened(path, "run or a motion") as data:
            if record_kind(data) == "motion":
                return from_dataset(data, str(path))
    return load_run(path)


def check_target(path: str | os.PathLike[str]) -> None:
    """Refuse a file that could not be written, before any work is done for it."""
    place = Path(path)
    _refuse_other(place, "save")
    if not os.path.isdir(place.absolute().parent):
        raise InputError(f"{place}: there is no folder {place.parent}; make it first.")


def save(motion: Motion, path: str | os.PathLike[str]) -> None:
    """See `Motion.save`."""
    place = Path(path)
    _refuse_other(place, "save")
    data = to_dataset(motion)
    write_whole(place, lambda temporary: data.to_netcdf(temporary, engine="h5netcdf"))


def read(path: str | os.PathLike[str]) -> Motion:
    """See `load_motion`."""
    if not isinstance(path, str | os.PathLike):
        raise InputError(f"load_motion: path is {shown(path)}; expected the name of a file that Motion.save wrote.")
    place = Path(path)
    if os.path.isdir(place) and (found := about_record(place)):
        raise ModelError(f"it is {found}; expected the file of a motion.", file=str(place))
    refuse_unreadable(place)
    _refuse_other(place, "load_motion")
    with opened(place, "motion") as data:
        return from_dataset(data, str(place))


def _refuse_other(place: Path, verb: str) -> None:
    if place.suffix.lower() != ".nc":
        other = "; a table for a controller is written by to_csv" if place.suffix.lower() == ".csv" else ""
        instead = "" if verb == "save" else read_instead(place)
        raise InputError(f"{verb}: {place.name} has an unknown ending; expected .nc{other}.{instead}")
