"""A process that reads mutants, one after the other, within limits of time and memory; it may be lost.

    python -m tests.fuzz.fuzz_child FORMAT,... SEEDS WORK FIRST COUNT

SEEDS holds good folders (`keep_seeds`). WORK is its own folder: the mutant that is being read stays there when the
process dies, and `at` says which it is. For each format a line of its output says what it met.
"""

from __future__ import annotations

import faulthandler
import json
import os
import random
import re
import resource
import shutil
import sys
import time
import traceback
import warnings
from pathlib import Path
from typing import Any

SECONDS = 20.0  # for one mutant; then the process is ended
FIRST_SECONDS = 300.0  # for a good file, which is read first: packages are imported meanwhile, slowly beside other work
MEMORY = 512 * 2**20  # bytes that reading one mutant may take beyond what the process has
ROOM = 3 * 2**30  # bytes of addresses beyond those of a process that has read good files
WIDER = re.compile("MemoryError|nable to allocate|bad_alloc|out of memory|malloc", re.IGNORECASE)


def memory(word: str) -> int:
    """Bytes, by a word of /proc/self/status."""
    found = re.search(rf"{word}:\s+(\d+) kB", Path("/proc/self/status").read_text("ascii"))
    return int(found[1]) * 1024 if found else 0


def put(work: Path, folder: dict[str, bytes]) -> Path:
    """The files of a folder; the first is to be read."""
    for name, data in folder.items():
        place = work / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(data)
    return work / next(iter(folder))


def left_over(work: Path, folder: dict[str, bytes]) -> list[str]:
    """Files that reading has made."""
    there = {os.path.join(top, name) for top, _, names in os.walk(work) for name in names}
    return sorted(there - {str(work / name) for name in folder})


class Told:
    """What was met."""

    def __init__(self) -> None:
        self.loaded = self.refused = 0
        self.last = ""
        self.slowest: tuple[float, int] = (0.0, -1)
        self.widest: tuple[int, int] = (0, -1)
        self.failures: list[tuple[int, str]] = []

    def line(self) -> str:
        return json.dumps(vars(self))


def try_one(k: int, entry: Any, work: Path, folder: dict[str, bytes], told: Told, seconds: float = SECONDS) -> None:
    path = put(work, folder)
    Path("/proc/self/clear_refs").write_text("5", "ascii")  # the peak is counted from here
    before, start = memory("VmRSS"), time.perf_counter()
    faulthandler.dump_traceback_later(seconds, exit=True)
    try:
        entry.read(path)
        told.loaded += 1
    except entry.refusals as error:
        told.refused += 1
        told.last = str(error)
        if WIDER.search(str(error)):
            told.failures.append((k, f"memory: {error}"))
        if not str(error).strip():
            told.failures.append((k, "a refusal without a sentence"))
    except BaseException:
        told.failures.append((k, traceback.format_exc()[-3000:]))
    faulthandler.cancel_dump_traceback_later()
    told.slowest = max(told.slowest, (time.perf_counter() - start, k))
    wide = memory("VmHWM") - before
    told.widest = max(told.widest, (wide, k))
    if wide > MEMORY:
        told.failures.append((k, f"took {wide / 2**20:.0f} MiB"))
    made = left_over(work, folder)
    for name in folder:
        (work / name).unlink()
    if made:
        shutil.rmtree(work)
        told.failures.append((k, f"wrote {made}"))


def main(name: str, seeds: Path, work: Path, first: int, count: int) -> None:
    """Mutants `first` to `first + count` of one format."""
    from tests.fuzz.fuzz_formats import FORMATS, kept_seeds, mutant

    entry, folders = FORMATS[name], kept_seeds(seeds, name)
    strangers = [file.read_bytes() for file in sorted(seeds.rglob("*")) if file.is_file()]
    work.mkdir(parents=True, exist_ok=True)
    inside = work / "files"
    warnings.resetwarnings()
    resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    warm = Told()
    for folder in folders:
        try_one(-1, entry, inside, folder, warm, FIRST_SECONDS)
    assert warm.loaded == len(folders), f"a good file of {name} is refused: {warm.last}{warm.failures}"
    rooms = memory("VmSize") + ROOM
    resource.setrlimit(resource.RLIMIT_AS, (rooms, resource.RLIM_INFINITY))
    warnings.simplefilter("error")
    warnings.simplefilter("ignore", DeprecationWarning)
    told = Told()
    at = os.open(work / "at", os.O_WRONLY | os.O_CREAT)
    for k in range(first, first + count):
        with warnings.catch_warnings(action="ignore"):  # numbers are broken on purpose
            folder = mutant(random.Random(f"{name} {k}"), folders, strangers)
        os.pwrite(at, f"{k:10d}".encode(), 0)
        try_one(k, entry, inside, folder, told)
    print(told.line(), flush=True)


if __name__ == "__main__":
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    for word in sys.argv[1].split(","):
        main(word, Path(sys.argv[2]), Path(sys.argv[3]), int(sys.argv[4]), int(sys.argv[5]))
