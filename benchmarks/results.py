"""Where benchmarks keep what they measured: one file each in `benchmarks/results/`, which the performance page shows.

    results.save("rigid", tables, options)      # where options.save was given

A file holds the command, the day, the machine, the versions, and tables: a title, columns, rows, and perhaps a note.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import platform
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, NamedTuple

FOLDER = Path(__file__).parent / "results"
PACKAGES = (
    "lissom",
    "numpy",
    "scipy",
    "casadi",
    "llvmlite",
    "pin",
    "mujoco",
    "exudyn",
    "toppra",
    "roboticstoolbox-python",
)


class Table(NamedTuple):
    """Rows of text and numbers; numbers are kept as they were measured."""

    title: str
    columns: list[str]
    rows: list[list[Any]]
    note: str = ""


def machine() -> dict[str, Any]:
    """What it ran on, and how busy that was."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return {"cpu": names[0] if names else platform.processor() or platform.machine(), "cores": os.cpu_count(),
            "system": f"{platform.system()} {platform.machine()}", "load": round(os.getloadavg()[0], 1)}  # fmt: skip


def versions() -> dict[str, str]:
    found = {"python": platform.python_version()}
    for name in PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def add_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--save", action="store_true", help=f"keep the tables for the docs, in {FOLDER.name}/")


def save(name: str, what: str, tables: list[Table]) -> Path:
    """Write `results/NAME.json`; `what` says in a sentence what was measured and how."""
    command = " ".join(["python", f"benchmarks/{Path(sys.argv[0]).name}", *sys.argv[1:]])
    report = {
        "command": command,
        "date": datetime.date.today().isoformat(),
        "machine": machine(),
        "versions": versions(),
        "what": what,
        "tables": [table._asdict() for table in tables],
    }
    FOLDER.mkdir(exist_ok=True)
    path = FOLDER / f"{name}.json"
    path.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    print(f"wrote {path.relative_to(FOLDER.parent.parent)}; now run python tools/page_tables.py")
    return path
