"""The cache keeps within its cap, whatever the clock says and whoever writes."""

import os
import random
import signal
import subprocess
import sys
import threading
import time

import pytest

from lissom.engine import cache

WRITER = """
import sys
from lissom.engine import cache
place, first, count, size = cache.directory(), *map(int, sys.argv[1:])
print("ready", flush=True)
for k in range(first, first + count):
    path, code = place / f"{k % 40:064x}.o", bytes([k % 251]) * size
    cache._write(path, code)
    found = cache._read(path)
    assert found is None or len(set(found)) == 1, k
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("LISSOM_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("LISSOM_CACHE_SIZE", "1")
    monkeypatch.setattr(cache, "_written", cache._Written())
    return cache.directory()


def put(folder, name, size, used=None):
    path = folder / f"{name}.o"
    cache._write(path, b"x" * size)
    if used is not None:
        os.utime(path, (used, used))
    return path


def size(folder):
    return sum(entry.size for entry in cache.entries(folder))


def test_the_cap(monkeypatch):
    monkeypatch.delenv("LISSOM_CACHE_SIZE", raising=False)
    assert cache.cap() == 512 * 2**20
    monkeypatch.setenv("LISSOM_CACHE_SIZE", "1.5")
    assert cache.cap() == 1.5 * 2**20
    monkeypatch.setenv("LISSOM_CACHE_SIZE", "inf")
    assert cache.cap() == float("inf")


@pytest.mark.parametrize("given", ["plenty", "-1", "nan"])
def test_a_cap_that_is_none_is_said(monkeypatch, given):
    monkeypatch.setenv("LISSOM_CACHE_SIZE", given)
    with pytest.warns(RuntimeWarning, match=f"LISSOM_CACHE_SIZE={given}: expected a number of MiB"):
        assert cache.cap() == 512 * 2**20


def test_it_never_grows_beyond_the_cap_and_what_is_written_between_looks(folder):
    for k in range(100):
        put(folder, k, 50_000)
        assert size(folder) <= cache.cap() * 1.125 + 51_000
    assert size(folder) > 0.7 * cache.cap()


def test_least_recently_used_ones_go(folder):
    """Reading is use."""
    old, read, new = (put(folder, name, 300_000, used) for name, used in (("old", 1e9), ("read", 1e8), ("new", 1.1e9)))
    assert cache._read(read) is not None
    cache.trim(put(folder, "now", 300_000))
    assert not old.exists()
    assert read.exists()
    assert new.exists()


@pytest.mark.parametrize("used", [0.0, 4e9], ids=["1970", "future"])
def test_strange_times_break_nothing(folder, used):
    """Times of a clock that was wrong say nothing about use: such entries go first."""
    put(folder, "good", 300_000)
    strange = [put(folder, f"strange {k}", 200_000, used) for k in range(3)]
    cache.trim(put(folder, "now", 200_000))
    assert (folder / "good.o").exists()
    assert not all(path.exists() for path in strange)
    assert size(folder) <= cache.cap()


def test_a_clock_that_went_back_breaks_nothing(folder):
    """All entries are of the future; the cap holds, and what was just written stays."""
    for k in range(5):
        put(folder, k, 250_000)
    now = put(folder, "now", 250_000, 10.0)
    cache.trim(now)
    assert now.exists()
    assert size(folder) <= cache.cap()


def test_what_writers_left_behind_is_cleaned_but_not_what_they_write(folder):
    stale, future, fresh, foreign = (folder / name for name in (".new-stale", ".new-future", ".new-fresh", "notes.txt"))
    for path in (stale, future, fresh, foreign):
        path.write_bytes(b"half")
    os.utime(stale, (1e9, 1e9))
    os.utime(future, (4e9, 4e9))
    os.utime(foreign, (1e9, 1e9))
    cache.trim(put(folder, "now", 10))
    assert [path.exists() for path in (stale, future, fresh, foreign)] == [False, False, True, True]


def test_a_writer_whose_temporary_file_was_cleaned_loses_only_its_entry(folder, monkeypatch):
    def cleaned(source, target):
        os.unlink(source)
        raise FileNotFoundError(source)

    monkeypatch.setattr(cache.os, "replace", cleaned)
    cache._write(folder / "x.o", b"code")
    assert list(cache.entries(folder)) == []


def test_what_is_larger_than_the_cap_is_not_kept(folder):
    assert not put(folder, "large", 2**20).exists()


def test_looks_are_rare(folder, monkeypatch):
    looks = []
    monkeypatch.setattr(cache, "trim", lambda newest: looks.append(newest))
    monkeypatch.setenv("LISSOM_CACHE_SIZE", "512")
    for k in range(400):
        put(folder, k % 8, 100_000)
    assert len(looks) == 3  # the first time, then every 16 MiB


def start_writer(*arguments):
    command = [sys.executable, "-c", WRITER, *map(str, arguments)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "ready\n"
    return process


def test_processes_that_write_and_remove_at_once(folder):
    """The same entries and others, far beyond the cap."""
    writers = [start_writer(first, 300, 60_000) for first in (0, 0, 20)]
    for writer in writers:
        _, said = writer.communicate(timeout=60)
        assert writer.returncode == 0, said
    assert size(folder) <= 1.5 * cache.cap()  # each of three may be an eighth beyond
    assert not list(folder.glob(".new-*"))


def test_threads_that_write_and_remove_at_once(folder):
    def work(first):
        for k in range(100):
            path = put(folder, f"{(first + k) % 30}", 60_000)
            found = cache._read(path)
            assert found is None or found == b"x" * 60_000
            done.append(k)

    done: list[int] = []
    threads = [threading.Thread(target=work, args=(first,)) for first in (0, 0, 15)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(done) == 300
    assert size(folder) <= 1.5 * cache.cap()


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="POSIX")
def test_killed_while_writing(folder):
    """At a dozen moments: what is found verifies, the next writer writes, and leftovers go."""
    rng = random.Random(7)
    for _ in range(3):  # four at a time, as starting takes longest
        writers = [start_writer(first, 10**6, 200_000) for first in range(0, 40, 10)]
        for writer in writers:
            time.sleep(rng.uniform(0.0, 0.02))
            writer.send_signal(signal.SIGKILL)
        for writer in writers:
            _, said = writer.communicate()
            assert writer.returncode == -signal.SIGKILL, said
        for entry in cache.entries(folder):
            if not entry.temporary:
                assert cache._read(entry.path) is not None
        path = put(folder, "f" * 64, 1000)
        assert cache._read(path) == b"x" * 1000
    for path in folder.glob(".new-*"):
        os.utime(path, (1e9, 1e9))
    cache.trim(put(folder, "now", 10))
    assert not list(folder.glob(".new-*"))
    assert size(folder) <= cache.cap()


def test_the_doctor_tells_size_and_cap(folder):
    from lissom.diagnosis import _cache

    put(folder, "one", 600_000)
    ok, found = _cache()
    assert ok
    assert found == f"{folder}: 1 entries, 0.6 of at most 1 MiB"
