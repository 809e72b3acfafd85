"""Safe reading of files of `numpy.savez`: no objects, bounded memory."""

from __future__ import annotations

import io
import math
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
from numpy.lib import format as npy

from lissom.errors import LissomError, ModelError
from lissom.formats.files import LARGEST_MATRIX, read_bytes

HEADERS = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}


def read_npz(path: Path, largest: int = LARGEST_MATRIX) -> dict[str, Any]:
    """Arrays by name; raises `ModelError` for invalid files and those that unpack to more than `largest` bytes."""
    data = read_bytes(path, largest)
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as box:
            if sum(member.file_size for member in box.infolist()) > largest:
                raise ModelError(
                    f"it unpacks to more than {largest // 2**20} MiB, the largest size that is read.", file=str(path)
                )
            return {member.filename.removesuffix(".npy"): _array(box.read(member)) for member in box.infolist()}
    except LissomError:
        raise
    except Exception as error:  # damaged archives raise all kinds of things
        words = " ".join(str(error).split())
        raise ModelError(f"it cannot be read as .npz ({type(error).__name__}: {words}).", file=str(path)) from None


def _array(data: bytes) -> Any:
    stream = io.BytesIO(data)
    version = npy.read_magic(stream)
    if version not in HEADERS:
        raise ValueError(f"an array in format {version[0]}.{version[1]}")
    shape, fortran, dtype = HEADERS[version](stream)
    if dtype.hasobject:
        raise ValueError("an array of objects, which are not read")
    body = memoryview(data)[stream.tell() :]
    if min(shape, default=0) < 0 or math.prod(shape) * dtype.itemsize != len(body):
        raise ValueError(f"an array of shape {shape} in {len(body)} bytes")
    flat = np.frombuffer(body, dtype, math.prod(shape))
    return flat.reshape(shape, order="F" if fortran else "C").copy()
