"""Object code on disk: kept, shared, and never believed when it is not intact."""

import ctypes
import multiprocessing
import os
import stat
import sys

import numpy as np
import pytest

from lissom.engine import cache, native, shipped
from lissom.engine.compile import Loaded
from lissom.engine.kernel import graph_of, straight_kernel


def double(run):
    x = run.input(2)
    run.output([x[0] + x[0], x[0] * x[1]])


def answer(key="double", traced=None):
    def graph():
        if traced is not None:
            traced.append(1)
        return graph_of(double)

    kernel = straight_kernel(key, (2,), (2,), graph)
    out = np.zeros((5, 2))
    assert kernel.run([np.tile([1.5, -2.0], (5, 1))], [out], 1)
    return out[0].tolist()


@pytest.fixture
def folder(tmp_path, monkeypatch):
    native._definition("rows")  # an entry of its own; have it elsewhere
    monkeypatch.setenv("LISSOM_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def entries(folder):
    return sorted(folder.glob("*.o"))


def test_second_time_comes_from_disk_without_tracing(folder):
    traced = []
    assert answer(traced=traced) == [3.0, -3.0]
    assert traced == [1]
    assert len(entries(folder)) == 1  # of four lanes: nobody asked for one state
    assert answer(traced=traced) == [3.0, -3.0]
    assert traced == [1]


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: b"",
        lambda data: data[:-1],
        lambda data: data[: len(data) // 2],
        lambda data: data[:60] + bytes([data[60] ^ 1]) + data[61:],
        lambda data: b"#!/bin/sh\nexit 1\n",
        lambda data: b"x" + data,
        lambda data: data + b"x",
    ],
    ids=["empty", "cut", "half", "one bit", "foreign", "shifted", "longer"],
)
def test_damaged_entries_are_compiled_again(folder, damage):
    answer()
    before = [path.read_bytes() for path in entries(folder)]
    for path in entries(folder):
        path.write_bytes(damage(path.read_bytes()))
    traced = []
    assert answer(traced=traced) == [3.0, -3.0]
    assert traced == [1]
    assert [path.read_bytes() for path in entries(folder)] == before  # and mended


def test_swapped_entries_are_not_possible_by_name(folder):
    answer("a")
    first = set(entries(folder))
    answer("b")
    assert len(set(entries(folder)) - first) == 1


@pytest.mark.filterwarnings("ignore:LISSOM_CACHE")
@pytest.mark.skipif(not hasattr(os, "getuid"), reason="permissions are POSIX")
def test_a_directory_others_can_write_to_is_not_used(folder):
    folder.mkdir()
    folder.chmod(0o777)
    assert cache.directory() is None
    assert answer() == [3.0, -3.0]
    assert entries(folder) == []


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="permissions are POSIX")
def test_entries_that_are_links_or_writable_by_others_are_not_believed(folder, tmp_path):
    answer()
    path = entries(folder)[0]
    path.chmod(0o666)
    traced = []
    answer(traced=traced)
    assert traced == [1]
    path = entries(folder)[0]
    elsewhere = tmp_path / "elsewhere.o"
    path.rename(elsewhere)
    path.symlink_to(elsewhere)
    answer(traced=traced)
    assert traced == [1, 1]


def test_the_directory_is_private(folder):
    answer()
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def returning(number, made=None):
    """A key and the code of a function that returns a number."""

    def ir():
        if made is not None:
            made.append(number)
        return f"declare double @llvm.fabs.f64(double)\ndefine i64 @give_{number}() {{\n  ret i64 {number}\n}}"

    return f"give {number}", ir


def given(number, code):
    return ctypes.CFUNCTYPE(ctypes.c_int64)(Loaded(code).address(f"give_{number}"))()


def test_what_is_missing_is_compiled_together_and_found_one_by_one(folder):
    made = []
    first = cache.codes([returning(k, made) for k in (1, 2)])
    assert first[0] == first[1]
    assert len(entries(folder)) == 3  # the code, and one for each key that names it
    both = cache.codes([returning(k, made) for k in (2, 3)])
    assert made == [1, 2, 3]
    assert both[0] == first[0] != both[1]
    assert [given(k, code) for k, code in zip((1, 2, 2, 3), (*first, *both), strict=True)] == [1, 2, 2, 3]


@pytest.mark.parametrize("what", ["gone", "damaged", "names another"])
def test_code_that_was_compiled_together_and_is_lost_is_compiled_again(folder, what):
    names, made = ["give 1", "give 2"], []
    cache.codes([returning(k) for k in (1, 2)])
    (together,) = [path for path in entries(folder) if path.name not in map(cache._file, names)]
    if what == "gone":
        together.unlink()
    elif what == "damaged":
        together.write_bytes(together.read_bytes()[:-1])
    else:  # round and round
        cache._write(together, cache.IN + together.name.encode())
    (code,) = cache.codes([returning(2, made)])
    assert made == [2]
    assert given(2, code) == 2
    assert cache.codes([returning(2, made)]) == [code]
    assert made == [2]


def test_empty_name_turns_the_cache_off(monkeypatch):
    monkeypatch.setenv("LISSOM_CACHE", "")
    assert cache.directory() is None
    assert answer() == [3.0, -3.0]


@pytest.mark.filterwarnings("ignore:LISSOM_CACHE")
def test_a_place_that_cannot_be_made_costs_only_time(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("not a folder")
    monkeypatch.setenv("LISSOM_CACHE", str(tmp_path / "file" / "cache"))
    assert answer() == [3.0, -3.0]


def test_concurrent_writers(folder):
    context = multiprocessing.get_context("spawn")
    with context.Pool(4) as pool:
        results = pool.map(answer, ["double"] * 8)
    assert results == [[3.0, -3.0]] * 8
    builtins = shipped.code(native.part("rows")[0]) is None  # unless this folder has them for a wheel
    assert len(entries(folder)) == 1 + builtins
    assert not list(folder.glob(".new-*"))


def test_a_cached_kernel_needs_no_casadi(folder):
    import subprocess

    code = """
import sys, numpy as np, lissom as ls
arm = ls.load("two_link")
print(ls.inverse_dynamics(arm, np.zeros(2), np.zeros(2), np.ones(2)).tolist(), "casadi" in sys.modules)
"""
    runs = [subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True) for _ in range(2)]
    first, second = (run.stdout.rsplit(" ", 1) for run in runs)
    assert first[0] == second[0]
    assert first[1].strip() == "True"
    assert second[1].strip() == "False"


def test_an_entry_under_another_name_is_not_executed(tmp_path, monkeypatch):
    """Intact code, but of another function."""
    monkeypatch.setenv("LISSOM_CACHE", str(tmp_path))

    def wide(run):
        x = run.input(2)
        run.output([x[0] - x[1]] * 9)

    want = answer()
    own = {path.name for path in tmp_path.glob("*.o")}
    straight_kernel("wide", (2,), (9,), lambda: graph_of(wide)).code(4)
    foreign = next(path for path in sorted(tmp_path.glob("*.o")) if path.name not in own).read_bytes()
    for name in own:
        (tmp_path / name).write_bytes(foreign)
    assert np.array_equal(answer(), want)


def test_a_cache_asked_for_by_name_that_cannot_be_used_is_said(tmp_path, monkeypatch):
    place = tmp_path / "file"
    place.write_text("not a directory")
    monkeypatch.setenv("LISSOM_CACHE", str(place))
    with pytest.warns(RuntimeWarning, match="compiled code is not stored"):
        assert cache.directory() is None
