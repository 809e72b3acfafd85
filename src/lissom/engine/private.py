"""Private directories: only this user can write to them, so their files can be trusted.

A place is followed from the root. Each directory on the way must belong to this user or to root, and others must not
be able to exchange what is in it; so when the next one is looked at, nobody else can have moved it. A file is judged by
the descriptor it was opened with, not by its name.
"""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Callable
from pathlib import Path

OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH
# Neither follow a link, nor wait for the other end of a pipe, nor hand the file to programs that are started.
CAREFULLY = os.O_RDONLY | sum(getattr(os, word, 0) for word in ("O_NOFOLLOW", "O_NONBLOCK", "O_CLOEXEC", "O_BINARY"))
POSIX = hasattr(os, "getuid")


def made(place: Path) -> Path | None:
    """The directory, created if missing; None if others could write to it or replace it."""
    if not POSIX:
        place.mkdir(parents=True, exist_ok=True)
        return place
    real = Path(os.path.realpath(place.parent)) / place.name
    for folder in (*reversed(real.parents), real):
        try:
            status = folder.lstat()
        except FileNotFoundError:  # what is above is in order
            with contextlib.suppress(FileExistsError):  # another process was quicker
                folder.mkdir(mode=0o700)
            status = folder.lstat()
        if not (_private if folder == real else _holds)(status):
            return None
    return real


def _holds(status: os.stat_result) -> bool:
    """Whether only root and this user can replace entries of a directory."""
    if not stat.S_ISDIR(status.st_mode) or status.st_uid not in (0, os.getuid()):
        return False
    if status.st_mode & stat.S_ISVTX:  # as in /tmp: everybody may add, only owners may move
        return True
    shared = status.st_mode & OTHERS_WRITE
    return not shared or (shared == stat.S_IWGRP and _alone_in(status.st_gid))


def _alone_in(group: int) -> bool:
    """Whether a group is the user's private group: same name, no other members."""
    import grp
    import pwd

    try:
        name, found = pwd.getpwuid(os.getuid()).pw_name, grp.getgrgid(group)
    except KeyError:
        return False
    return found.gr_name == name and set(found.gr_mem) <= {name}


def _private(status: os.stat_result) -> bool:
    """Whether a directory belongs to this user and nobody else can write to it."""
    return stat.S_ISDIR(status.st_mode) and status.st_uid == os.getuid() and not status.st_mode & OTHERS_WRITE


def contents(path: Path, most: int) -> bytes | None:
    """Content of a file owned by this user; its time of use is updated.

    None for anything else: no file, a link, one that has other names or that others can write to, a pipe, a device,
    more than `most` bytes.
    """
    return _read(path, most, _own, used=True)


def beside(path: Path, known: Path, most: int) -> bytes | None:
    """Content of a file of a package that is as well protected as `known`, a Python file of it; else None.

    It belongs to root, to this user or to the owner of `known`, and nobody can write to it who cannot write to `known`.
    """
    trusted = known.stat()

    def protected(status: os.stat_result) -> bool:
        if not stat.S_ISREG(status.st_mode):
            return False
        others = status.st_mode & OTHERS_WRITE & ~trusted.st_mode
        return not POSIX or (status.st_uid in (0, os.getuid(), trusted.st_uid) and not others)

    return _read(path, most, protected, used=False)


def _read(path: Path, most: int, accepted: Callable[[os.stat_result], bool], used: bool) -> bytes | None:
    """Content of a file whose status is accepted, else None; `used`: note that it was used now."""
    try:
        handle = os.open(path, CAREFULLY)
    except OSError:
        return None
    try:
        status = os.fstat(handle)
        if not accepted(status) or status.st_size > most:
            return None
        with open(handle, "rb", closefd=False) as stream:
            data = stream.read(most)
        if used and os.utime in os.supports_fd:
            with contextlib.suppress(OSError):  # a file system that can only be read
                os.utime(handle)
        return data
    except OSError:
        return None
    finally:
        os.close(handle)


def _own(status: os.stat_result) -> bool:
    if not stat.S_ISREG(status.st_mode):
        return False
    mine = not POSIX or (status.st_uid == os.getuid() and not status.st_mode & OTHERS_WRITE)
    return mine and status.st_nlink == 1
