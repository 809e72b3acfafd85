"""Mutants of a format in processes that may be lost; whatever happens to them is counted, and kept for replay."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

TOP = Path(__file__).parents[2]
MOST_LOST = 50  # processes; then something is wrong beyond single files


class Outcome(NamedTuple):
    """Of many mutants of a format: how many loaded and were refused, (seconds, number) of the slowest, (bytes,
    number) of the widest, and (number, story) of all that broke the promise."""

    loaded: int
    refused: int
    slowest: tuple[float, int]
    widest: tuple[int, int]
    failures: list[tuple[int, str]]

    def __str__(self) -> str:
        return (
            f"{self.loaded} loaded, {self.refused} refused, {len(self.failures)} failed; "
            f"slowest {self.slowest[0]:.2f} s (#{self.slowest[1]}), "
            f"most memory {self.widest[0] / 2**20:.0f} MiB (#{self.widest[1]})"
        )


NOTHING = Outcome(0, 0, (0.0, -1), (0, -1), [])


def tried(name: str, seeds: Path, work: Path, first: int, count: int, keep: Path | None = None) -> Outcome:
    """Mutants `first` to `first + count`; those that end a process are saved below `keep`."""
    total, at, stop = NOTHING, first, first + count
    while at < stop:
        done = _child(name, seeds, work, at, stop - at)
        lines = done.stdout.strip().splitlines()
        if done.returncode == 0 and lines:
            return _sum(total, json.loads(lines[-1]))
        said = (work / "at").read_text("ascii") if (work / "at").exists() else ""
        if not said:
            raise AssertionError(f"the process did not begin: {done.stderr[-3000:]}")
        lost = int(said)
        why = signal.Signals(-done.returncode).name if done.returncode < 0 else f"exit {done.returncode}"
        story = (lost, f"the process was lost ({why}): {done.stderr[-3000:]}")
        total = total._replace(failures=[*total.failures, story])
        if keep is not None:
            shutil.copytree(work / "files", keep / f"{name}-{lost}", dirs_exist_ok=True)
        if len(total.failures) > MOST_LOST:
            return total
        if lost > at:  # the numbers of those before were lost with it
            total = _again(name, seeds, work, at, lost - at, total)
        at = lost + 1
    return total


def tried_together(names: Iterable[str], seeds: Path, work: Path, count: int) -> dict[str, Outcome]:
    """A few mutants of several formats in one process, which is quick; a lost process is an error."""
    words = list(names)
    done = _child(",".join(words), seeds, work, 0, count)
    lines = done.stdout.strip().splitlines()
    at = (work / "at").read_text("ascii").strip() if done.returncode else ""
    assert done.returncode == 0, f"lost at mutant {at} of {words[len(lines)]}: {done.stderr[-3000:]}"
    return {word: _sum(NOTHING, json.loads(line)) for word, line in zip(words, lines, strict=True)}


def _again(name: str, seeds: Path, work: Path, first: int, count: int, total: Outcome) -> Outcome:
    more = tried(name, seeds, work, first, count)
    return _sum(total, more._asdict())


def _child(name: str, seeds: Path, work: Path, first: int, count: int) -> subprocess.CompletedProcess[str]:
    (work / "at").unlink(missing_ok=True)
    paths = os.pathsep.join([str(TOP), str(TOP / "src"), os.environ.get("PYTHONPATH", "")])
    words = [sys.executable, "-m", "tests.fuzz.fuzz_child", name, str(seeds), str(work), str(first), str(count)]
    return subprocess.run(
        words, cwd=work, env=os.environ | {"PYTHONPATH": paths, "OMP_NUM_THREADS": "1"}, capture_output=True, text=True,
        errors="replace", check=False,
    )  # fmt: skip


def _sum(total: Outcome, told: dict[str, Any]) -> Outcome:
    return Outcome(
        total.loaded + told["loaded"],
        total.refused + told["refused"],
        max(total.slowest, tuple(told["slowest"])),
        max(total.widest, tuple(told["widest"])),
        [*total.failures, *(tuple(story) for story in told["failures"])],
    )
