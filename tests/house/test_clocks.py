"""Durations are measured with clocks that do not jump; the date is asked only for stamps of provenance.

Tests assert on CPU time or on counts: wall time is that of everything else on the machine, too.
"""

import ast
from pathlib import Path

import lissom

SOURCE = Path(lissom.__file__).parent
DATED = {"simulation/recording.py", "studies/described.py"}  # when a record was made
JUMPING = {"time.time", "time.time_ns", "time.localtime", "time.gmtime", "time.ctime", "time.clock_gettime"}
DATES = {"now", "utcnow", "today"}
WALL = {"time.time", "time.perf_counter", "time.monotonic"}
TESTS = Path(__file__).parents[1]


def dotted(node):
    """The name of an attribute of a module or class, "" for other nodes."""
    return (
        f"{node.value.id}.{node.attr}" if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) else ""
    )


def tree_of(path, words):
    """A file's syntax tree; an empty one where none of the words occurs, since parsing takes time."""
    text = path.read_text(encoding="utf-8")
    return ast.parse(text if any(word in text for word in words) else "")


def jumping(path):
    """Uses of the clock on the wall in a file."""
    for node in ast.walk(tree_of(path, ("import time", "from time", "datetime"))):
        whole = dotted(node)
        if whole in JUMPING or (whole.startswith(("datetime.", "date.")) and node.attr in DATES):
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


def wall_clock_assertions(tree):
    """Lines of assertions about wall time; a loop that waits for something may give up in time."""
    for scope in [tree, *(node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))]:
        durations = [node for node in ast.walk(scope) if isinstance(node, ast.Assign) and is_duration(node.value)]
        timed = {word for node in durations for target in node.targets for word in names_in(target)}
        yield from asserted(scope, timed)


def names_in(node):
    return {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}


def is_duration(node):
    """A difference of times; the order of two moments may be asserted."""
    return isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub) and asks_clock(node, set())


def asks_clock(node, timed):
    """An expression uses the clock, or a name that was measured with it."""
    return any(dotted(part) in WALL for part in ast.walk(node)) or bool(names_in(node) & timed)


def asserted(node, timed):
    """Lines of assertions in a function, without those of loops that wait and of functions inside."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Assert) and asks_clock(child.test, timed):
            yield child.lineno
        elif not isinstance(child, ast.While | ast.FunctionDef):
            yield from asserted(child, timed)


def test_no_test_asserts_wall_time():
    found = {
        path.relative_to(TESTS).as_posix(): list(wall_clock_assertions(tree_of(path, WALL)))
        for path in TESTS.rglob("*.py")
    }
    assert not {path: lines for path, lines in found.items() if lines}


def test_the_look_at_tests_finds_them():
    text = "def test():\n    while wait():\n        assert time.monotonic() < end\n    assert time.perf_counter() < 1\n"
    text += "    took = time.perf_counter() - start\n    assert took < 2\n"
    assert list(wall_clock_assertions(ast.parse(text))) == [4, 6]
