"""Code that a wheel has: used where it fits and is protected, else as if it were not there."""

import os

import numpy as np
import pytest
from tests.arms import random_arm, random_states
from tools import ship_steps

import lissom as ls
from lissom.engine import compile as compiler, machine, private, shipped
from lissom.kernels.verbs import VERBS

KEY = "a step"
POSIX = pytest.mark.skipif(not private.POSIX, reason="other systems have no owners and modes")


@pytest.fixture
def steps(tmp_path):
    path = tmp_path / "steps"
    shipped.write(path, {KEY: b"code of the step", "another": b"more"})
    return path


def tree():
    return random_arm(5, 14, kinds=("revolute", "prismatic"))


def forget(monkeypatch, archive=shipped.NONE):
    """No code in memory, none on disk, and this one in the package."""
    monkeypatch.setenv("LISSOM_CACHE", "")
    monkeypatch.setattr(machine, "_loaded", {})
    monkeypatch.setattr(shipped, "archive", lambda: archive)


def test_a_file_has_what_was_written(steps):
    archive = shipped.read(steps)
    assert archive.code(KEY) == b"code of the step"
    assert archive.code("another") == b"more"
    assert archive.code("a step of other sources") is None


def test_shipped_code_gives_the_same_bits_and_compiles_nothing(tmp_path, monkeypatch):
    """Of this machine, so that it can run wherever the tests do; a state and a batch."""
    states = random_states(tree(), 5)
    want = [ls.inverse_dynamics(tree(), *states[:, rows]) for rows in (0, slice(None))]
    parts = ship_steps.parts([tree()], [VERBS["inverse_dynamics"]])
    shipped.write(tmp_path / "steps", {part.key: compiler.object_code(part.ir()) for part in parts})
    forget(monkeypatch, shipped.read(tmp_path / "steps"))
    monkeypatch.setattr(compiler, "object_code", None)  # nothing can be compiled
    for rows, expected in zip((0, slice(None)), want, strict=True):
        assert np.array_equal(ls.inverse_dynamics(tree(), *states[:, rows]), expected)


def test_changed_bytes_are_not_used(steps):
    data = bytearray(steps.read_bytes())
    data[-1] ^= 1  # the last byte of the second object
    steps.write_bytes(data)
    assert shipped.read(steps).code("another") is None
    assert shipped.read(steps).code(KEY) == b"code of the step"
    data[len(shipped.HEADER) + shipped.SHA + 8 + 3] ^= 1  # the index
    steps.write_bytes(data)
    assert shipped.read(steps) == shipped.NONE


@pytest.mark.parametrize("data", [b"", b"lissom", shipped.HEADER, b"x" * 200, shipped.HEADER + bytes(200)])
def test_files_that_are_something_else(tmp_path, data):
    (tmp_path / "steps").write_bytes(data)
    assert shipped.read(tmp_path / "steps") == shipped.NONE
    assert shipped.read(tmp_path / "missing") == shipped.NONE


@POSIX
def test_files_that_others_can_write_to_are_not_read(steps, tmp_path):
    (tmp_path / "link").symlink_to(steps)
    assert shipped.read(tmp_path / "link") == shipped.NONE
    os.chmod(steps, 0o666)
    assert shipped.read(steps) == shipped.NONE
    os.chmod(steps, 0o644)
    assert shipped.read(steps) != shipped.NONE


def test_the_level_of_a_processor():
    v3, v4 = (",".join(f"+{word}" for word in shipped.LEVELS[level]) for level in ("x86-64-v3", "x86-64-v4"))
    linux = "x86_64-unknown-linux-gnu"
    assert shipped.level_of(linux, v4 + ",-amx") == "x86-64-v4"
    assert shipped.level_of(linux, v4.replace("+avx512dq", "-avx512dq")) == "x86-64-v3"
    assert shipped.level_of(linux, v3.replace("+fma", "-fma")) is None
    for other in ("aarch64-unknown-linux-gnu", "x86_64-pc-windows-msvc", "x86_64-apple-darwin"):
        assert shipped.level_of(other, v4) is None


def test_a_second_tree_compiles_nothing(monkeypatch):
    """Other joints, numbers and branches, one state and a batch: what the first tree compiled serves it."""

    def compute(arm):
        for rows in (0, slice(None)):
            q, qd, qdd = random_states(arm, 5)[:, rows]
            ls.inverse_dynamics(arm, q, qd, qdd), ls.mass_matrix(arm, q), ls.forward_dynamics(arm, q, qd, qdd)

    forget(monkeypatch)
    compute(random_arm(5, 19))
    count, compiled = [], compiler.object_code
    monkeypatch.setattr(compiler, "object_code", lambda *given: count.append(given) or compiled(*given))
    compute(random_arm(6, 16))
    assert not count
