"""Names of files and folders that records are read from and written to."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lissom.errors import InputError, shown
from lissom.formats.files import write_whole

if TYPE_CHECKING:
    import xarray


def as_path(path: Any, verb: str, written_by: str) -> Path:
    """Return the path that a reader was given; raise an error for anything else."""
    if not isinstance(path, str | os.PathLike):
        raise InputError(f"{verb}: path is {shown(path)}; expected the name of a {written_by}.")
    return Path(path)


def write_netcdf(data: xarray.Dataset, path: Path) -> None:
    """Write a dataset as a whole NetCDF file, or not at all."""
    write_whole(path, lambda temporary: data.to_netcdf(temporary, engine="h5netcdf"))
