"""Durations are measured with clocks that do not jump; the date is asked only for stamps of provenance.

Tests assert on CPU time or on counts: wall time is that of everything else on the machine, too.
"""

import ast
from pathlib import Path

import pytest

import lissom

SOURCE = Path(lissom.__file__).parent
DATED = {"simulation/recording.py", "studies/plan/described.py"}  # when a record was made
JUMPING = {"time.time", "time.time_ns", "time.localtime", "time.gmtime", "time.ctime", "time.clock_gettime"}
DATES = {"now", "utcnow", "today"}
WALL = {f"time.{clock}{unit}" for clock in ("time", "perf_counter", "monotonic") for unit in ("", "_ns")}
WALL |= {"timeit.default_timer"}
PATIENCE = 60
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


class Clocks:
    """What a module calls the clocks on the wall, and its functions that return durations."""

    def __init__(self, tree):
        self.called = {}  # what a name stands for
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                self.called |= {alias.asname or alias.name: alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                self.called |= {alias.asname or alias.name: f"{node.module}.{alias.name}" for alias in node.names}
        self.timers = set()
        self.timers = {
            node.name
            for node in ast.walk(tree)
            if isinstance(node, ast.FunctionDef)
            for part in ast.walk(node)
            if isinstance(part, ast.Return) and part.value and self.is_duration(part.value, self.moments(node))
        }

    def reads(self, node):
        """A name or attribute that is a clock."""
        whole = self.called.get(node.id, node.id) if isinstance(node, ast.Name) else dotted(node)
        first, _, rest = whole.partition(".")
        return (f"{self.called.get(first, first)}.{rest}" if isinstance(node, ast.Attribute) else whole) in WALL

    def read_in(self, node):
        return any(self.reads(part) for part in ast.walk(node))

    def moments(self, scope):
        """Names for times that were read in a function."""
        return {
            word
            for node in ast.walk(scope)
            if isinstance(node, ast.Assign)
            for target, value in assigned(node)
            if self.read_in(value)
            for word in names_in(target)
        }

    def is_duration(self, node, moments):
        """A difference of times; the order of two moments may be asserted."""
        return any(
            isinstance(part, ast.BinOp) and isinstance(part.op, ast.Sub)
            and (self.read_in(part) or bool(names_in(part) & moments))
            for part in ast.walk(node)
        )  # fmt: skip

    def durations(self, scope, moments):
        """Names for durations in a function."""
        return self.timers | {
            word
            for node in ast.walk(scope)
            if isinstance(node, ast.Assign) and self.is_duration(node.value, moments)
            for target in node.targets
            for word in names_in(target)
        }


def assigned(node):
    """Targets of an assignment with their values, one by one where both are listed."""
    for target in node.targets:
        if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
            yield from zip(target.elts, node.value.elts)
        else:
            yield target, node.value


def names_in(node):
    return {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}


def wall_clock_verdicts(tree):
    """Lines where wall time is compared with something; a loop that waits for something may give up in time."""
    clocks = Clocks(tree)
    for scope in [tree, *(node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))]:
        moments = clocks.moments(scope) if scope is not tree else set()
        yield from compared(scope, clocks, moments, clocks.durations(scope, moments) if scope is not tree else set())


def compared(node, clocks, moments, durations):
    """Lines of comparisons in a function, without those of loops that wait and of functions inside."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Compare) and (
            clocks.read_in(child) or clocks.is_duration(child, moments) or names_in(child) & durations
        ):
            yield child.lineno
        elif not isinstance(child, ast.While | ast.FunctionDef):
            yield from compared(child, clocks, moments, durations)


def impatient(tree):
    """Lines that give something else less than `PATIENCE` seconds: on a busy machine that is a verdict on its load."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and getattr(node.func, "attr", "") != "create_connection":
            given = [word.value.value for word in node.keywords
                     if word.arg == "timeout" and isinstance(word.value, ast.Constant)]  # fmt: skip
            if any(seconds is not None and 0 < seconds < PATIENCE for seconds in given):
                yield node.lineno


def found_in_tests(words, look):
    found = {
        path.relative_to(TESTS).as_posix(): sorted(set(look(tree_of(path, words)))) for path in TESTS.rglob("*.py")
    }
    return {path: lines for path, lines in found.items() if lines}


def test_no_test_asserts_wall_time():
    assert not found_in_tests(("time", "datetime"), wall_clock_verdicts)


def test_tests_have_patience():
    assert not found_in_tests(("timeout=",), impatient)


@pytest.mark.parametrize("line", [
    "assert time.perf_counter() < 1",
    "took = time.perf_counter() - start; assert took < 2",
    "begin = time.time(); end = time.time(); assert end - begin < 2",
    "ok = time.monotonic() - start < 2",
    "from time import monotonic; assert monotonic() - start < 2",
    "import time as clock; assert clock.monotonic_ns() - start < 2",
    "from timeit import default_timer as now; assert now() - start < 2",
    "assert seconds() < 2",
    "assert seconds(10) == pytest.approx(2)",
    "if time.monotonic() > end: pytest.fail()",
])  # fmt: skip
def test_the_look_at_tests_finds_verdicts(line):
    timer = "def seconds(n=1):\n    start = time.perf_counter()\n    return time.perf_counter() - start\n"
    text = f"import time\n{timer}def test():\n    {line}\n"
    assert set(wall_clock_verdicts(ast.parse(text))) == {6}


@pytest.mark.parametrize("line", [
    "while time.monotonic() < end: assert time.monotonic() < end",
    "begin = time.time(); end = time.time(); assert begin <= end",
    "assert time.process_time() - start < 2",
    "took = time.perf_counter() - start; print(took)",
    "before, start = size(), time.monotonic(); assert size() - before < 2",
])  # fmt: skip
def test_the_look_at_tests_lets_the_rest_pass(line):
    assert not list(wall_clock_verdicts(ast.parse(f"import time\ndef test():\n    {line}\n")))


def test_the_look_at_patience_finds_short_ones():
    text = "run(a, timeout=30)\nrun(a, timeout=600)\nrun(a, timeout=None)\ncreate_connection(a, timeout=5)\n"
    text += "socket.create_connection(a, timeout=5)\n"
    assert list(impatient(ast.parse(text.replace("\ncreate", "\nsocket.create")))) == [1]
