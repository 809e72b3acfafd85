"""Motions as datasets and NetCDF files: the splines are the motion; task, arm and report travel with them."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lissom.errors import InputError
from lissom.formats import native_write
from lissom.formats.files import check_writable
from lissom.formats.kinds import read_instead
from lissom.formats.records.targets import write_netcdf
from lissom.formats.records.text import RecordFormat
from lissom.model.units import units
from lissom.motion.result.files.encoding import encoding
from lissom.motion.result.record import AbstractMotion
from lissom.simulation.records.record import QUANTITIES

if TYPE_CHECKING:
    import xarray

FORMAT = RecordFormat("motion", 2)
OVER_TIME = ("q", "qd", "qdd", "tau")
STORED = ("task", "duration", "cost", "status", "ok", "degree", "report")
# files of earlier versions have none
SINCE = ("continuity", "unactuated", "closures", "compared", "outcome", "tracked", "information", "contact_path")


def to_dataset(motion: AbstractMotion) -> xarray.Dataset:
    """See `Motion.to_xarray`."""
    import xarray

    variables: dict[str, Any] = {
        word: (("time", "coordinate"), getattr(motion, word), {"units": unit, "long_name": name})
        for word, (name, unit, _) in QUANTITIES.items()
        if word in OVER_TIME
    }
    axis = "coordinate" if motion.unactuated is None else "actuated_coordinate"
    variables["control_points"] = (("control_point", axis), motion.control_points, {"units": "rad or m"})
    coords = {
        "time": ("time", motion.t, {"units": "s"}),
        "coordinate": ("coordinate", list(motion.arm.coordinates)),
        "unit": ("coordinate", units(motion.arm)),
        "break": ("break", motion.breaks, {"long_name": "ends of segments, as fractions of the duration"}),
    }
    data = xarray.Dataset(variables, coords)
    data["record"] = ((), _text(motion))
    data.attrs = {"title": f"motion of {motion.arm.name}", "status": motion.status, "source": FORMAT.name}
    data.attrs |= {"duration": motion.duration, "cost": motion.cost}
    return data


def _text(motion: AbstractMotion) -> str:
    """Return everything in a motion that is not an array, as JSON."""
    plain = encoding(motion.arm.dof).plain
    data = {word: plain(getattr(motion, word)) for word in (*STORED, *SINCE)}
    return FORMAT.text({"arm": native_write.write(motion.arm), **data})


def check_target(path: str | os.PathLike[str]) -> None:
    """Refuse a file that could not be written, before any work is done for it."""
    place = Path(path)
    refuse_other(place, "save")
    check_writable(place)


def save(motion: AbstractMotion, path: str | os.PathLike[str]) -> None:
    """See `Motion.save`."""
    place = Path(path)
    refuse_other(place, "save")
    write_netcdf(to_dataset(motion), place)


def refuse_other(place: Path, verb: str) -> None:
    if place.suffix.lower() != ".nc":
        other = "; a table for a controller is written by to_csv" if place.suffix.lower() == ".csv" else ""
        instead = "" if verb == "save" else read_instead(place)
        raise InputError(f"{verb}: {place.name} has an unknown ending; expected .nc{other}.{instead}")
