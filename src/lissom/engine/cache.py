"""A disk cache of object code, in a private directory of bounded size, verified by checksums.

An entry is a header, the SHA-256 of its name and the code, and the code; code that was compiled together is in one
entry, which those of its parts name. Entries are written to a temporary file
and renamed, so that writers never meet; whatever does not verify is compiled again and replaced. A process that writes
looks now and then how much there is, and removes what was not used for longest. It takes the time from the file system:
the clocks of machines that share a directory may differ, and may jump.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import math
import os
import stat
import sys
import tempfile
import threading
import warnings
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple, cast

from lissom.engine import compile as compiler, private, shipped
from lissom.engine.compile import Loaded
from lissom.engine.interrupts import uninterrupted
from lissom.later import importing

HEADER = b"lissom object 3\n"
IN = b"in "  # begins an entry that names the one which has its code
MIB = 2**20
CAP = 512  # MiB, unless LISSOM_CACHE_SIZE says otherwise
KEPT = 0.9  # of the cap, after something had to be removed
BETWEEN = 16 * MIB  # that a process writes before it looks again
LARGEST = 256 * MIB  # entry that is read
STALE = 3600.0  # seconds after which a temporary file has no writer any more


def directory() -> Path | None:
    """The cache directory, or None when there is none that only this user can write to.

    ``LISSOM_CACHE`` names another place; ``LISSOM_CACHE=`` (empty) turns the cache off.
    """
    named = os.environ.get("LISSOM_CACHE")
    if named == "":
        return None
    try:
        folder = private.made(Path(named) if named else _default())
    except (OSError, RuntimeError, ValueError):  # no home directory; a name with a zero in it
        folder = None
    if folder is None and named:
        _warn_unusable(named)
    return folder


@functools.cache
def _warn_unusable(named: str) -> None:
    """Warn once about a directory that was set by LISSOM_CACHE but cannot be used."""
    warnings.warn(
        f"LISSOM_CACHE={named}: not a directory that only you can write to; compiled code is not stored.",
        RuntimeWarning, stacklevel=2,
    )  # fmt: skip


def _default() -> Path:
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", Path.home())) / "lissom" / "cache"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "lissom"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "lissom"


def compiled(key: str, make: Callable[[], str]) -> Loaded:
    """The object for `key`: shipped, from disk, or compiled from `make()`'s IR (see `codes`)."""
    return Loaded(codes([(key, make)])[0])


def codes(wanted: Sequence[tuple[str, Callable[[], str]]]) -> list[bytes]:
    """Object code for keys, shipped with lissom or from disk if it is there and intact, else compiled from IR.

    What has to be compiled is compiled together, which takes less time than one by one: one object for several keys.
    """
    with uninterrupted():  # casadi, which makes most IR, swallows exceptions
        folder = directory()
        paths = [folder / _file(key) for key, _ in wanted] if folder else []
        found = [shipped.code(key) for key, _ in wanted]
        if folder:
            found = [_read(path) if code is None else code for path, code in zip(paths, found, strict=True)]
        missing = [k for k, code in enumerate(found) if code is None]
        if missing:
            code = _made([wanted[k][1] for k in missing])
            if folder:
                _store([paths[k] for k in missing], code)
            found = [code if known is None else known for known in found]
        return cast(list[bytes], found)


def _file(key: str) -> str:
    """Name of the file of a key."""
    return f"{hashlib.sha256(f'{compiler.version()}|{key}'.encode()).hexdigest()}.o"


def _made(makers: Sequence[Callable[[], str]]) -> bytes:
    """Compile an object from what all makers make."""
    with importing, contextlib.suppress(ImportError):  # whoever needs it says so
        import casadi  # noqa: F401
    return compiler.object_code(joined([make() for make in makers]))


def joined(modules: Sequence[str]) -> str:
    """One module with all functions of some modules; what several declare it declares once."""
    if len(modules) == 1:
        return modules[0]
    lines = [line for module in modules for line in module.splitlines()]
    declared = {line: None for line in lines if line.startswith("declare ")}
    return "\n".join([*declared, *(line for line in lines if line not in declared)])


def _store(paths: Sequence[Path], code: bytes) -> None:
    """Write an object to the entry of its key; if it has several, to one of its own, which theirs name."""
    if len(paths) == 1:
        _write(paths[0], code)
        return
    together = paths[0].with_name(_file("|".join(path.name for path in paths)))
    _write(together, code)
    for path in paths:
        _write(path, IN + together.name.encode())


def _read(path: Path) -> bytes | None:
    """The code of an entry, or of the one that it names, if it is intact, else None."""
    code = _content(path)
    if code is None or not code.startswith(IN):
        return code
    together = _content(path.with_name(code[len(IN) :].decode()))
    return None if together is None or together.startswith(IN) else together


def _content(path: Path) -> bytes | None:
    """What an entry holds if its checksum is valid, else None."""
    data = private.contents(path, LARGEST)
    if data is None:
        return None
    head = len(HEADER) + 32
    held = data[head:]
    intact = data.startswith(HEADER) and data[len(HEADER) : head] == _checksum(path, held)
    return held if intact and held else None


def _checksum(path: Path, code: bytes) -> bytes:
    """Checksum of the code and its name, so that a renamed entry is invalid."""
    return hashlib.sha256(path.name.encode() + code).digest()


def _write(path: Path, code: bytes) -> None:
    """Write an entry; a full or read-only disk is ignored and only costs compile time later."""
    data = HEADER + _checksum(path, code) + code
    if len(data) > min(cap(), LARGEST):
        return
    with contextlib.suppress(OSError):
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=".new-")
        try:
            with os.fdopen(handle, "wb") as stream:
                stream.write(data)
            os.replace(temporary, path)
        except BaseException:
            with contextlib.suppress(OSError):  # another process may have cleaned up
                os.unlink(temporary)
            raise
        if _due(len(data)):
            trim(path)


# ---- how much there is ---------------------------------------------------------------------------


def cap() -> float:
    """Largest size of the cache in bytes: ``LISSOM_CACHE_SIZE`` MiB, by default 512."""
    given = os.environ.get("LISSOM_CACHE_SIZE")
    if not given:
        return CAP * MIB
    try:
        size = float(given)
    except ValueError:
        size = math.nan
    if not size >= 0.0:
        _warn_size(given)
        size = CAP
    return size * MIB


@functools.cache
def _warn_size(given: str) -> None:
    """Warn once about an invalid LISSOM_CACHE_SIZE."""
    warnings.warn(
        f"LISSOM_CACHE_SIZE={given}: expected a number of MiB, 0 or more; {CAP} is used.", RuntimeWarning, stacklevel=2
    )


class _Written:
    """Bytes that this process wrote since it last measured the cache; the first write measures."""

    def __init__(self) -> None:
        self.bytes, self.lock = math.inf, threading.Lock()


_written = _Written()


def _due(size: int) -> bool:
    """Whether the size of the cache should be measured now."""
    with _written.lock:
        _written.bytes += size
        due = _written.bytes > min(BETWEEN, cap() / 8)
        if due:
            _written.bytes = 0
        return due


if hasattr(os, "register_at_fork"):  # another thread may have held it
    os.register_at_fork(after_in_child=lambda: setattr(_written, "lock", threading.Lock()))


class Entry(NamedTuple):
    """A file of the cache and the time of its last use, in seconds of the file system's clock."""

    path: Path
    size: int
    used: float

    @property
    def temporary(self) -> bool:
        """Whether the file is temporary: being written, or left behind by a killed process."""
        return self.path.suffix != ".o"


def entries(folder: Path) -> Iterator[Entry]:
    """All files of the cache, without other files in its directory."""
    with contextlib.suppress(OSError), os.scandir(folder) as found:
        for item in found:
            if item.name.endswith(".o") or item.name.startswith(".new-"):
                with contextlib.suppress(OSError):  # it may be gone by now
                    status = item.stat(follow_symlinks=False)
                    if not stat.S_ISDIR(status.st_mode):
                        yield Entry(Path(item.path), status.st_size, status.st_mtime)


def trim(newest: Path) -> None:
    """Remove stale temporary files, and the least recently used entries beyond the cap.

    newest : an entry just written, which tells the time and stays

    Processes may do this at once: each removes the same ones. A time that is yet to come tells nothing about use.
    """
    try:
        now = newest.stat().st_mtime
    except OSError:
        return
    total, kept = 0, []
    for entry in entries(newest.parent):
        if entry.temporary and abs(now - entry.used) > STALE:
            _remove(entry)
        else:
            total += entry.size
            kept.append(entry)
    if total <= cap():
        return
    for entry in sorted(kept, key=lambda e: e.used if e.used <= now else -math.inf):
        if total <= KEPT * cap():
            break
        if entry.path.name != newest.name:
            _remove(entry)
            total -= entry.size


def _remove(entry: Entry) -> None:
    with contextlib.suppress(OSError):  # gone already, or in use where files in use cannot be removed
        os.unlink(entry.path)
