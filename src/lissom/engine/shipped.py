"""Compiled code that a wheel has for common processors: steps of rigid arms, made by `tools/ship_steps.py`.

One file for each level of x86-64 under Linux. Its index has, for the SHA-256 of every key, the place of an object in
the file and the SHA-256 of its bytes. Keys contain the fingerprint of lissom's sources, so that code of other sources
is not found, and is compiled as if there were no file; versions of LLVM play no part. A file is read if it is as well
protected as the Python files beside it, and an object is used if its bytes are those of the index.
"""

from __future__ import annotations

import functools
import hashlib
import json
import struct
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from lissom.engine import compile as compiler, private

FOLDER = Path(__file__).parent / "shipped"
HEADER = b"lissom steps 1\n"
LARGEST = 64 * 2**20  # of a file that is read
SHA = 32  # bytes of a SHA-256
V2 = {"cx16", "popcnt", "sahf", "sse3", "sse4.1", "sse4.2", "ssse3"}
V3 = V2 | {"avx", "avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe", "xsave"}
LEVELS = {
    "x86-64-v4": V3 | {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"},
    "x86-64-v3": V3,
}  # features that a processor has at least, the best level first


class Archive(NamedTuple):
    """The objects of a file.

    places : by the SHA-256 of their keys: first byte, length and SHA-256 of their bytes
    """

    data: bytes
    places: Mapping[str, tuple[int, int, str]]

    def code(self, key: str) -> bytes | None:
        """The object of a key; None if it is not there or was changed."""
        first, length, checksum = self.places.get(digest(key.encode()), (0, 0, ""))
        code = self.data[first : first + length]
        return code if length and digest(code) == checksum else None


NONE = Archive(b"", {})


def code(key: str) -> bytes | None:
    """The shipped object of a key for this processor, or None."""
    return archive().code(key)


@functools.cache
def archive() -> Archive:
    """The file for this processor, or one without objects."""
    triple, _, features = compiler.host()
    level = level_of(triple, features)
    return NONE if level is None else read(FOLDER / f"{level}.steps")


def level_of(triple: str, features: str) -> str | None:
    """The best level that a processor has; None if there is no file for it."""
    if not triple.startswith("x86_64") or "linux" not in triple:
        return None
    have = {word[1:] for word in features.split(",") if word.startswith("+")}
    return next((level for level, needed in LEVELS.items() if needed <= have), None)


def read(path: Path) -> Archive:
    """The objects of a file; none if there is no such file, or it is damaged or open to others."""
    data = private.beside(path, Path(__file__), LARGEST) or b""
    head = len(HEADER) + SHA + 8
    if not data.startswith(HEADER) or len(data) < head:
        return NONE
    (length,) = struct.unpack("<Q", data[head - 8 : head])
    index = data[head : head + length]
    if data[len(HEADER) : len(HEADER) + SHA] != hashlib.sha256(index).digest():
        return NONE
    places = {
        key: (head + length + first, size, checksum) for key, (first, size, checksum) in json.loads(index).items()
    }
    return Archive(data, places)


def write(path: Path, objects: Mapping[str, bytes]) -> None:
    """Write a file with objects by their keys."""
    places, at = {}, 0
    for key, code in objects.items():
        places[digest(key.encode())] = at, len(code), digest(code)
        at += len(code)
    index = json.dumps(places).encode()
    head = HEADER + hashlib.sha256(index).digest() + struct.pack("<Q", len(index))
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(b"".join((head, index, *objects.values())))


def digest(data: bytes) -> str:
    """Hexadecimal SHA-256."""
    return hashlib.sha256(data).hexdigest()
