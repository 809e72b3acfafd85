"""Number of threads that this process may use."""

from __future__ import annotations

import functools
import math
import os
from contextlib import suppress
from pathlib import Path

from lissom.errors import InputError, shown

THREADS = "LISSOM_THREADS"
GROUPS = Path("/sys/fs/cgroup")


def cores() -> int:
    """``LISSOM_THREADS`` where it is set, else the cores that the system lets this process use."""
    given = os.environ.get(THREADS, "").strip()
    if not given:
        return min(_open_to_us(), _quota())
    if not given.isascii() or not given.isdigit() or int(given) < 1:
        raise InputError(f"the environment has {THREADS}={shown(given)}; expected a whole number above 0.")
    return int(given)


def _open_to_us() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@functools.cache
def _quota() -> int:
    """Number of cores that containers and batch systems allow, on Linux; a large number if unlimited."""
    shares = [_share(file.read_text().split()) for file in _limits() if file.is_file()]
    return max(1, math.ceil(min(shares, default=2.0**20)))


def _limits() -> list[Path]:
    """Files that may hold a limit: of this process's control group and its parents."""
    own = Path("/")
    with suppress(OSError):
        lines = Path("/proc/self/cgroup").read_text().splitlines()
        own = next((Path(line[3:]) for line in lines if line.startswith("0::")), own)
    return [GROUPS.joinpath(*group.parts[1:]) / "cpu.max" for group in (own, *own.parents)]


def _share(words: list[str]) -> float:
    """Number of cores from ``quota period`` in microseconds."""
    with suppress(ValueError, ZeroDivisionError):
        quota, period = words
        return float(quota) / float(period)
    return float(2**20)
