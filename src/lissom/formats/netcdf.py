"""Safe reading of NetCDF files of records: no links, no external data, no decompression bombs.

A hostile file may point to other files, declare more numbers than fit into memory, or unpack to far more than it
declares. Each is rejected before memory is allocated. Files of xarray's `Dataset.to_netcdf` are read, compressed
(deflate) or not.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from lissom.errors import LissomError, ModelError
from lissom.formats.files import Budget, refuse_unreadable
from lissom.spatial.rotations import Array

if TYPE_CHECKING:
    import h5py

POINTER = struct.Struct("<IQI")  # length, address of a heap, number of an object in it
HEAP = struct.Struct("<4sB3xQ")  # GCOL, version, size with this head
OBJECT = struct.Struct("<HH4xQ")  # number (0: the rest is free), how often it is used, size
DEFLATE, SHUFFLE, CHECKSUM = 1, 2, 3  # filters of HDF5 that are read; others would be looked for among plug-ins
MOST_WORDS = 1000  # of a variable: names of joints and the like
PACKED = ("scale_factor", "add_offset")


class Contents:
    """An open file: its variables and attributes by name."""

    def __init__(self, file: h5py.File, path: Path):
        self._file, self._path = file, path
        self._budget = Budget(path)

    def __contains__(self, name: object) -> bool:
        return name in self._file

    def names(self) -> list[str]:
        """Names of all variables."""
        return list(self._file)

    def text(self, name: str) -> str:
        """The text of a variable."""
        import h5py

        found = self._dataset(name)
        kind = h5py.check_string_dtype(found.dtype)
        if found.shape != () or kind is None:
            raise ModelError(f"its {name} is not text.", file=str(self._path))
        data = found[()] if kind.length is not None else self._heap_text(found.id.get_offset())
        return data.decode("utf-8")

    def words(self, name: str) -> list[str]:
        """The words of a variable, such as the names of joints; none where it has none in a row."""
        import h5py

        found = self._dataset(name)
        kind = h5py.check_string_dtype(found.dtype)
        if kind is None or found.shape is None or len(found.shape) != 1 or len(found) > MOST_WORDS:
            return []
        if kind.length is not None:
            return [word.decode("utf-8") for word in found[()]]
        place = found.id.get_offset()
        if place is None:
            return []
        return [self._heap_text(place + k * POINTER.size).decode("utf-8") for k in range(len(found))]

    def _heap_text(self, place: int | None) -> bytes:
        """Text of variable length from its HDF5 heap; HDF5 itself hangs or crashes on damaged heaps."""
        with self._path.open("rb") as stream:
            stream.seek(place if place is not None else 0)
            length, address, index = POINTER.unpack(stream.read(POINTER.size))
            stream.seek(address)
            mark, version, size = HEAP.unpack(stream.read(HEAP.size))
            if place is None or mark != b"GCOL" or version != 1 or size > self._path.stat().st_size:
                raise ValueError("its text is damaged")
            heap = stream.read(size - HEAP.size)
        at = 0
        while at + OBJECT.size <= len(heap):
            number, _, wide = OBJECT.unpack_from(heap, at)
            at += OBJECT.size
            if number == 0:
                break
            if number == index and length <= wide <= len(heap) - at:
                return heap[at : at + length]
            at += -(-wide // 8) * 8
        raise ValueError("its text is damaged")

    def numbers(self, name: str) -> Array:
        """The numbers of a variable."""
        found = self._dataset(name)
        if found.dtype.kind not in "fiu" or found.shape is None:
            raise ModelError(f"its {name} is not an array of numbers.", file=str(self._path))
        for word in PACKED:
            if word in found.attrs:
                raise ModelError(f"its {name} is packed ({word}); save it without.", file=str(self._path))
        return np.ascontiguousarray(found[()], float)

    def _dataset(self, name: str) -> h5py.Dataset:
        """A variable that is stored in this file and has its declared size."""
        import h5py

        if not isinstance(self._file.get(name, getlink=True), h5py.HardLink):
            raise ModelError(f"its {name} is a link to elsewhere, which is not followed.", file=str(self._path))
        found = self._file[name]
        if not isinstance(found, h5py.Dataset):
            raise ModelError(f"its {name} is not an array.", file=str(self._path))
        if found.is_virtual or found.external:
            raise ModelError(f"its {name} lies in other files, which are not read.", file=str(self._path))
        size = found.dtype.itemsize
        self._budget.spend(int(np.prod(found.shape or (1,), dtype=object)) * size, name)
        if found.chunks is not None:
            chunk = int(np.prod(found.chunks, dtype=object)) * size
            self._budget.allow(chunk, name)
            self._refuse_bombs(found, name, chunk)
        return found

    def _refuse_bombs(self, found: h5py.Dataset, name: str, chunk: int) -> None:
        """Raise an error if a chunk unpacks to more data than it declares."""
        plan = found.id.get_create_plist()
        filters = [plan.get_filter(k)[0] for k in range(plan.get_nfilters())]
        if set(filters) - {DEFLATE, SHUFFLE, CHECKSUM}:
            raise ModelError(f"its {name} uses a compression that is not supported; use deflate.", file=str(self._path))
        if DEFLATE not in filters:
            return
        for k in range(found.id.get_num_chunks()):
            place = found.id.get_chunk_info(k).chunk_offset
            skipped, packed = found.id.read_direct_chunk(place)
            if skipped & 1 << filters.index(DEFLATE):
                continue
            if len(zlib.decompressobj().decompress(packed, chunk + 5)) > chunk + 4:  # a checksum has four
                raise ModelError(f"its {name} unpacks to more data than it declares.", file=str(self._path))


@contextmanager
def opened(path: Path, kind: str) -> Iterator[Contents]:
    """Open a NetCDF file for reading; failures inside become a `ModelError` about a `kind` of record."""
    import h5py

    refuse_unreadable(path)
    try:
        with h5py.File(path, "r") as file:
            yield Contents(file, path)
    except LissomError:
        raise
    except Exception as error:  # the libraries below raise all kinds of things on damaged files
        words = " ".join(str(error).split())
        raise ModelError(f"it cannot be read as a {kind} ({type(error).__name__}: {words}).", file=str(path)) from None


def values_of(data: Any, name: str) -> Array:
    """Numbers of a variable of a dataset or of an open file."""
    return data.numbers(name) if isinstance(data, Contents) else np.ascontiguousarray(data[name].values, float)


def text_of(data: Any, name: str) -> str:
    """Text of a variable of a dataset or of an open file."""
    return data.text(name) if isinstance(data, Contents) else str(data[name].values)
