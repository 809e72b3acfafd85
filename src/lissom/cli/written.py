"""Files that a command writes: what is complete so far, so that an interrupted one can name it, and what is replaced.

A file that the user names is replaced, and the message says so. A default name is nobody's wish: a file that has it
already is replaced only where lissom wrote it. Arms (`convert`), which people edit, and rows of studies, which may be
hours of work, need --overwrite.
"""

from __future__ import annotations

import mmap
import os
from pathlib import Path

from lissom.errors import InputError

MARK = b"lissom"  # in every file that lissom writes: figures, pages, runs and motions

written: list[str] = []
_existing: set[str] = set()


def note_existing(path: Path) -> None:
    """Remember whether a file is there before it is written."""
    if os.path.isfile(path):
        _existing.add(str(path))


def message_of(path: Path) -> str:
    """What to print about a file that is complete now."""
    return f"{'replaced' if str(path) in _existing else 'wrote'} {path}"


def default_name(path: Path) -> Path:
    """Return a file name that the user did not choose; raise an error where a file of somebody else has it."""
    if os.path.isfile(path) and not _has_mark(path):
        raise InputError(f"{path} exists, and lissom did not write it: it is not replaced. Name a file with --output.")
    return path


def _has_mark(path: Path) -> bool:
    with path.open("rb") as stream:
        if not os.fstat(stream.fileno()).st_size:
            return False
        with mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) as content:
            return content.find(MARK) >= 0
