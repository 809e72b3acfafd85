"""Every robot of the test extra through everyday work: python benchmarks/gauntlet.py [--only WORD] [--seed N] [--save]

Each robot has a process of its own, so that a crash costs one trial; two run at a time. Results are written to
`out/gauntlet/` as they come, and an interrupted gauntlet continues from there with --resume.

A trial ends in one of four ways: it succeeds; it misses its expectation; lissom refuses, with a sentence; or something
else happens (another exception, a crash, no end), which is a fault of lissom whatever the input was.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import results
from rich.progress import Progress
from trials import dynamics, motion, simulation
from trials.subject import ROBOTS, Outcome, Subject

import lissom as ls

OUT = Path(__file__).parents[1] / "out/gauntlet"
NO_ROBOT = "ur_description/urdf/ur3.urdf"  # a file without links
PATIENCE = 900.0  # seconds for one robot
REPEATED = 5.0  # CPU seconds of a trial from which it is repeated with all code compiled
PROCESSES = 2
ROOMS = {"dynamics": dynamics.TRIALS, "simulation": simulation.TRIALS, "motion": motion.TRIALS}
WHAT = (
    "Every robot of the package example-robot-data with default options and random states and tasks. Time is CPU "
    "seconds of one trial, with all code compiled; a robot's first trial compiles."
)


def files(word: str = "") -> list[str]:
    """Paths of the robots whose path contains a word."""
    found = sorted(path.relative_to(ROBOTS).as_posix() for path in ROBOTS.rglob("*.urdf"))
    return [file for file in found if word in file and file != NO_ROBOT]


# ---- one robot, in a process of its own ----------------------------------------------------------


def trials_for(subject: Subject) -> dict[tuple[str, str], Any]:
    """The trials that suit the size of an arm; motions only where limits leave its joints room."""
    lower, upper = subject.range
    if not subject.arm.dof:  # a single body
        return {}
    most = {"dynamics": 10**9, "simulation": simulation.MOST, "motion": motion.MOST if (upper > lower).any() else 0}
    return {(room, name): trial for room, trials in ROOMS.items() if subject.arm.dof <= most[room]
            for name, trial in trials.items()}  # fmt: skip


def attempt(trial: Any, subject: Subject) -> dict[str, Any]:
    """One trial as a row: how it ended, its error, its CPU seconds."""
    start = time.process_time()
    try:
        found, how = trial(subject), ""
    except ls.LissomError as error:
        found, how = Outcome(False, None, str(error)), "refused"
    except Exception as error:
        found, how = Outcome(False, None, f"{type(error).__name__}: {error}"), "exception"
    how = how or ("succeeded" if found.ok else "missed")
    return {"how": how, "error": found.error, "note": found.note, "cpu": time.process_time() - start}


def work(file: str, seed: int, place: Path) -> None:
    """Try a robot and append a line for each trial; trials that have a line are left out."""
    subject, done = Subject(file, seed), rows_of(place)
    with place.open("a") as out:

        def write(row: dict[str, Any]) -> None:
            note = row.get("note", "").replace(f"{ROBOTS}{os.sep}", "")
            print(json.dumps({"file": file, "robot": subject.name} | row | {"note": note}), file=out, flush=True)

        start = time.process_time()
        try:
            arm = subject.arm
        except ls.LissomError as error:
            write({"room": "load", "trial": "load", "how": "refused", "error": None, "note": str(error), "cpu": 0.0})
            return
        if not done:
            row = {"room": "load", "trial": "load", "how": "succeeded", "error": None, "note": "", "dof": arm.dof}
            write(row | {"cpu": time.process_time() - start})
        tried = {(row["room"], row["trial"]) for row in done}
        for (room, name), trial in trials_for(subject).items():
            if (room, name) in tried:
                continue
            write({"room": room, "trial": name, "how": "started"})
            row = attempt(trial, subject)
            if row["how"] == "succeeded" and row["cpu"] > REPEATED:
                row["cpu"] = attempt(trial, subject)["cpu"]
            write({"room": room, "trial": name} | row)


def rows_of(place: Path) -> list[dict[str, Any]]:
    """The last line of each trial."""
    if not place.exists():
        return []
    lines = [json.loads(line) for line in place.read_text().splitlines() if line.endswith("}")]
    return list({(row["room"], row["trial"]): row for row in lines}.values())


# ---- all robots ----------------------------------------------------------------------------------


def try_robot(file: str, seed: int, folder: Path) -> list[dict[str, Any]]:
    """Rows of one robot; a process that ends early costs the trial it was in, and another one does the rest."""
    place = folder / f"{file.replace('/', '-')}.jsonl"
    command = [sys.executable, __file__, "--robot", file, "--seed", str(seed), "--into", str(place)]
    while True:
        try:
            ended = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE)
            how, words = "crash", f"exit {ended.returncode}: {ended.stderr[-300:]}"
        except subprocess.TimeoutExpired:
            how, words = "no end", f"not done after {PATIENCE:g} s"
        rows = rows_of(place)
        under_way = [row for row in rows if row["how"] == "started"]
        if not under_way:
            if rows and how == "crash" and ended.returncode == 0:
                return rows
            raise RuntimeError(f"{file}: {words}")
        lost = under_way[0] | {"how": how, "error": None, "note": words, "cpu": PATIENCE if how == "no end" else 0.0}
        with place.open("a") as out:
            print(json.dumps(lost), file=out)


def run(word: str = "", seed: int = 0, resume: bool = False, folder: Path = OUT) -> list[dict[str, Any]]:
    """Try all robots whose path contains a word; one row per trial."""
    folder.mkdir(parents=True, exist_ok=True)
    if not resume:
        for old in folder.glob("*.jsonl"):
            old.unlink()
    os.environ.setdefault("OMP_NUM_THREADS", "1")  # two processes share two cores
    with Progress() as progress, ThreadPoolExecutor(PROCESSES) as pool:
        task = progress.add_task("robots", total=len(files(word)))

        def one(file: str) -> list[dict[str, Any]]:
            rows = try_robot(file, seed, folder)
            progress.advance(task)
            return rows

        return [row for rows in pool.map(one, files(word)) for row in rows]


# ---- what was found ------------------------------------------------------------------------------

FAULTS = ("exception", "crash", "no end")


def summary(rows: list[dict[str, Any]]) -> results.Table:
    """One line per trial."""
    lines = []
    for room, trials in {"load": ["load"], **ROOMS}.items():
        for name in trials:
            some = [row for row in rows if (row["room"], row["trial"]) == (room, name)]
            if not some:
                continue
            ended = [row["how"] for row in some]
            errors = [row["error"] for row in some if row["error"] is not None and row["how"] == "succeeded"]
            cpu = [row["cpu"] for row in some]
            faults = sum(ended.count(how) for how in FAULTS)
            lines.append([room, name, len(some), ended.count("succeeded"), ended.count("missed"),
                          ended.count("refused"), faults, max(errors, default=None),
                          statistics.median(cpu), max(cpu)])  # fmt: skip
    columns = ["", "trial", "robots", "succeeded", "missed", "refused", "faults", "worst error"]
    columns += ["median s", "longest s"]
    return results.Table("All trials", columns, lines)


def by_robot(rows: list[dict[str, Any]]) -> results.Table:
    """One line per robot."""
    lines = []
    for file in dict.fromkeys(row["file"] for row in rows):
        mine = [row for row in rows if row["file"] == file]
        counts = []
        for room in ROOMS:
            some = [row["how"] for row in mine if row["room"] == room]
            counts.append(f"{some.count('succeeded')} of {len(some)}" if some else "")
        dof = next((row["dof"] for row in mine if "dof" in row), None)
        lines.append([mine[0]["robot"], dof, *counts, sum(row["cpu"] for row in mine)])
    return results.Table("All robots", ["robot", "coordinates", *ROOMS, "s"], lines)


def misses(rows: list[dict[str, Any]]) -> results.Table:
    """All that did not succeed, with what was said."""
    lines = [[row["robot"], f"{row['room']}: {row['trial']}", row["how"], row["note"].replace("|", "/")[:300]]
             for row in rows if row["how"] != "succeeded"]  # fmt: skip
    return results.Table("What did not succeed", ["robot", "trial", "how it ended", "what was said"], lines)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default="", metavar="WORD", help="robots whose path contains it")
    parser.add_argument("--seed", type=int, default=0, help="of states and tasks")
    parser.add_argument("--resume", action="store_true", help="go on from what was found before")
    parser.add_argument("--robot", help=argparse.SUPPRESS)
    parser.add_argument("--into", type=Path, help=argparse.SUPPRESS)
    results.add_option(parser)
    options = parser.parse_args()
    if options.robot:
        work(options.robot, options.seed, options.into)
        return 0
    rows = run(options.only, options.seed, options.resume)
    tables = [summary(rows), by_robot(rows), misses(rows)]
    for table in tables:
        print(f"\n{table.title}")
        for line in (table.columns, *table.rows):
            print(*line, sep="  ")
    if options.save:
        results.save("gauntlet", WHAT, tables)
    return int(any(row["how"] in FAULTS for row in rows))


if __name__ == "__main__":
    sys.exit(main())
