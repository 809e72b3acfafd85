"""Durations are measured with clocks that do not jump; the date is asked only for stamps of provenance."""

import ast
from pathlib import Path

import lissom

SOURCE = Path(lissom.__file__).parent
DATED = {"simulation/recording.py", "studies/described.py"}  # when a record was made
JUMPING = {"time.time", "time.time_ns", "time.localtime", "time.gmtime", "time.ctime", "time.clock_gettime"}
DATES = {"now", "utcnow", "today"}


def jumping(path):
    """Uses of the clock on the wall in a file."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Attribute):
            whole = ast.unparse(node)
            if whole in JUMPING or (node.attr in DATES and whole.split(".")[0] in ("datetime", "date")):
                yield whole
        if isinstance(node, ast.ImportFrom) and node.module == "time":
            yield from (f"time.{alias.name}" for alias in node.names if f"time.{alias.name}" in JUMPING)


def test_only_stamps_ask_for_the_date():
    found = {path.relative_to(SOURCE).as_posix(): list(jumping(path)) for path in SOURCE.rglob("*.py")}
    assert {path for path, uses in found.items() if uses} == DATED, {k: v for k, v in found.items() if v}


def test_the_look_finds_them(tmp_path):
    path = tmp_path / "late.py"
    path.write_text(
        "import time\nfrom time import time_ns\nfrom datetime import datetime\ntime.time(); datetime.now()\n"
    )
    assert sorted(jumping(path)) == ["datetime.now", "time.time", "time.time_ns"]
