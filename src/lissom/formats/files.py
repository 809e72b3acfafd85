"""Reading and writing whole files, safely."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from lissom.errors import InputError, ModelError

LARGEST_FILE = 8 * 2**20  # bytes of a description (TOML, XML), which may take 250 times as much when it is read
LARGEST_TABLE = 32 * 2**20  # bytes of a table
LARGEST_MATRIX = 256 * 2**20  # bytes of a matrix or of a mesh, unpacked too
MOST_LINKS = 10_000  # of an arm in a file
AS_WRITTEN = "as_written"  # unphysical inertias are neither refused nor repaired
UNPACKED = 100  # what a record may hold, in sizes of its file
SPARE = 2**20  # bytes that any record may hold


def refuse_unreadable(path: Path) -> None:
    """Raise an error unless the path is a regular file: no folder, pipe or device."""
    with _reported(path, "read"):
        if not path.is_file():
            what = "is not a file" if path.exists() else "does not exist"
            raise ModelError(f"it {what}. Check the path.", file=str(path))
        with path.open("rb"):
            pass


def read_bytes(path: Path, largest: int | None = None) -> bytes:
    """Content of a file; raises an error if it is missing, not regular, or too large (default `LARGEST_FILE`)."""
    refuse_unreadable(path)
    largest = LARGEST_FILE if largest is None else largest
    with _reported(path, "read"), path.open("rb") as stream:
        large = os.fstat(stream.fileno()).st_size > largest
        data = b"" if large else stream.read(largest + 1)  # it may grow meanwhile
    if large or len(data) > largest:
        raise ModelError(f"it is larger than {largest // 2**20} MiB, the largest size that is read.", file=str(path))
    return data


@contextlib.contextmanager
def _reported(path: Path, done: str) -> Iterator[None]:
    """Raise errors of the operating system as one with the file's name."""
    try:
        yield
    except ModelError:
        raise
    except (OSError, ValueError) as error:
        raise ModelError(f"it cannot be {done} ({reason_of(error)}).", file=str(path)) from None


def reason_of(error: Exception) -> str:
    """The operating system's reason why a file could not be read or written."""
    return getattr(error, "strerror", None) or " ".join(str(error).split())


class Budget:
    """Memory that a file may unpack to: `UNPACKED` times its size, against decompression bombs."""

    def __init__(self, path: Path):
        self._path, self._left = path, UNPACKED * path.stat().st_size + SPARE

    def allow(self, size: int, what: str) -> None:
        """Raise an error if `size` bytes exceed the remaining budget."""
        if size > self._left:
            raise ModelError(
                f"its {what} declares a size of {size / 2**20:.4g} MiB, too much for a file of its size.",
                file=str(self._path),
            )

    def spend(self, size: int, what: str) -> None:
        """Subtract `size` bytes from the budget."""
        self.allow(size, what)
        self._left -= size


def write_text(path: Path, text: str) -> None:
    """Write a text file atomically: on failure the previous content stays."""

    def write(place: Path) -> None:
        with place.open("w", encoding="utf-8", newline="\n") as stream:
            stream.write(text)

    write_whole(path, write)


def write_whole(path: Path, write: Callable[[Path], None]) -> None:
    """Let `write` make a temporary file in the folder, and rename it when it is complete and on the disk.

    Whatever happens, power cuts too, what was there before stays whole until the new file is.
    """
    target = checked_target(path)
    with _reported(path, "written"):
        handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=".lissom-", suffix=path.suffix)
        os.close(handle)
    try:
        write(Path(temporary))
        _settle(temporary)
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(temporary, 0o666 & ~mask)
        os.replace(temporary, target)
    except OSError as error:
        raise ModelError(f"it cannot be written ({reason_of(error)}).", file=str(path)) from None
    finally:
        Path(temporary).unlink(missing_ok=True)
    with contextlib.suppress(OSError):  # not every system can
        _settle(str(target.parent))


def check_folder(path: Path, prefix: str = "") -> None:
    """Raise an error where the folder of a file or folder to be made is missing or protected."""
    _check_present(path, prefix)
    _check_open(path, prefix)


def check_writable(path: Path, prefix: str = "") -> None:
    """Raise an error where a file could not be written, before any work is done for it."""
    _check_present(path, prefix)
    checked_target(path)  # a protected file is named before its folder
    _check_open(path, prefix)


def _check_present(path: Path, prefix: str) -> None:
    """Raise an error where the folder of a file is missing."""
    if not os.path.isdir(path.absolute().parent):
        raise InputError(f"{prefix or f'{path}: '}there is no folder {path.parent}; make it first.")


def _check_open(path: Path, prefix: str) -> None:
    """Raise an error where the folder of a file is protected."""
    if not os.access(path.absolute().parent, os.W_OK):
        raise InputError(f"{prefix or f'{path}: '}the folder {path.parent} is protected; choose another one.")


def checked_target(path: Path) -> Path:
    """The file to write, links resolved; raises an error for folders, pipes, devices and protected files."""
    why = ""
    try:
        if path.is_dir():
            why = "it is a folder; name a file"
        elif path.exists() and not path.is_file():
            why = "it is not a file"
        elif path.exists() and not os.access(path, os.W_OK):
            why = "it is protected"
        target = path.resolve()
    except (OSError, ValueError) as error:
        why = reason_of(error)
    if why:
        raise ModelError(f"it cannot be written ({why}).", file=str(path))
    return target


def _settle(path: str) -> None:
    """Flush a file, or the entries of a folder, to the disk."""
    handle = os.open(path, os.O_RDONLY if os.path.isdir(path) else os.O_RDWR)  # Windows flushes what can be written
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
