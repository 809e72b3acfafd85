"""Reading and writing whole files, safely."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from pathlib import Path

from lissom.errors import LissomError, ModelError

LARGEST_FILE = 32 * 1024 * 1024


def read_bytes(path: Path) -> bytes:
    """Content of a model file, refused when it is missing, not a file, or too large."""
    try:
        if not path.is_file():
            what = "is not a file" if path.exists() else "does not exist"
            raise ModelError(f"it {what}. Check the path.", file=str(path))
        with path.open("rb") as stream:
            data = stream.read(LARGEST_FILE + 1)
    except ModelError:
        raise
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise ModelError(f"it cannot be read ({reason}).", file=str(path)) from None
    if len(data) > LARGEST_FILE:
        raise ModelError(f"it is larger than {LARGEST_FILE // 2**20} MiB, too large for a model.", file=str(path))
    return data


def write_text(path: Path, text: str) -> None:
    """Write a file whole or not at all: a failure leaves what was there before."""

    def write(place: Path) -> None:
        with place.open("w", encoding="utf-8", newline="\n") as stream:
            stream.write(text)

    write_whole(path, write)


def write_whole(path: Path, write: Callable[[Path], None]) -> None:
    """Let `write` make a file elsewhere in the folder, and put it in place when it is complete."""
    try:
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=path.suffix)
        os.close(handle)
        try:
            write(Path(temporary))
            mask = os.umask(0)
            os.umask(mask)
            os.chmod(temporary, 0o666 & ~mask)
            os.replace(temporary, path)
        except BaseException:
            os.unlink(temporary)
            raise
    except LissomError:
        raise
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise ModelError(f"it cannot be written ({reason}).", file=str(path)) from None
