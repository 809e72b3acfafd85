"""Object code on disk, in a private directory, believed only when intact.

An entry is a header, the SHA-256 of its name and the code, and the code. Entries are written to a temporary file
and renamed, so that writers never meet; whatever does not verify is compiled again and replaced.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import os
import stat
import sys
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path

from lissom.engine import compile as compiler
from lissom.engine.compile import Loaded

HEADER = b"lissom object 2\n"


def directory() -> Path | None:
    """The cache directory, or None when there is none that only this user can write to.

    ``LISSOM_CACHE`` names another place; ``LISSOM_CACHE=`` (empty) turns the cache off.
    """
    named = os.environ.get("LISSOM_CACHE")
    if named == "":
        return None
    folder = Path(named) if named else _default()
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        usable = _private(folder)
    except OSError:
        usable = False
    if not usable and named:
        _warn_unusable(named)
    return folder if usable else None


@functools.cache
def _warn_unusable(named: str) -> None:
    """Once for a directory that was asked for by name."""
    warnings.warn(
        f"LISSOM_CACHE={named}: not a directory that only you can write to; compiled code is not kept.",
        RuntimeWarning, stacklevel=2,
    )  # fmt: skip


def _default() -> Path:
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", Path.home())) / "lissom" / "cache"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "lissom"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "lissom"


def _private(path: Path) -> bool:
    """Owned by this user, not a link, and writable by nobody else."""
    if not hasattr(os, "getuid"):
        return True
    status = path.lstat()
    return (
        not stat.S_ISLNK(status.st_mode)
        and status.st_uid == os.getuid()
        and not status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
    )


def compiled(key: str, make: Callable[[], str]) -> Loaded:
    """The object for `key`, from disk if it is there and intact, else compiled from `make()`'s IR."""
    folder = directory()
    if folder is None:
        return Loaded(compiler.object_code(make()))
    name = hashlib.sha256(f"{compiler.version()}|{key}".encode()).hexdigest()
    path = folder / f"{name}.o"
    code = _read(path)
    if code is None:
        code = compiler.object_code(make())
        _write(path, code)
    return Loaded(code)


def _read(path: Path) -> bytes | None:
    """The code of an entry that verifies, else None."""
    try:
        if not _private(path):
            return None
        data = path.read_bytes()
    except OSError:
        return None
    head = len(HEADER) + 32
    code = data[head:]
    intact = data.startswith(HEADER) and data[len(HEADER) : head] == _checksum(path, code)
    return code if intact and code else None


def _checksum(path: Path, code: bytes) -> bytes:
    """Of the code and the name it belongs to: an entry under another's name does not verify."""
    return hashlib.sha256(path.name.encode() + code).digest()


def _write(path: Path, code: bytes) -> None:
    """Best effort: a full or read-only disk costs only the next start's time."""
    with contextlib.suppress(OSError):
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=".new-")
        try:
            with os.fdopen(handle, "wb") as stream:
                stream.write(HEADER + _checksum(path, code) + code)
            os.replace(temporary, path)
        except OSError:
            os.unlink(temporary)
            raise
