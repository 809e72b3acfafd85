"""Whose code is executed: only what this user alone can have written."""

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from tests.engine.test_cache import answer, entries

from lissom.engine import cache, native, private

pytestmark = [
    pytest.mark.skipif(not hasattr(os, "getuid"), reason="owners and permissions are POSIX"),
    pytest.mark.filterwarnings("ignore:LISSOM_CACHE"),
]
NEEDS_ROOT = pytest.mark.skipif(getattr(os, "getuid", lambda: 1)() != 0, reason="only root can give files away")
SOMEBODY = 4321


def believed():
    """The entries of the cache are read, not compiled again."""
    traced = []
    assert answer(traced=traced) == [3.0, -3.0]
    return not traced


@pytest.fixture
def filled(tmp_path, monkeypatch):
    native._definition("rows")  # an entry of its own; have it elsewhere
    monkeypatch.setenv("LISSOM_CACHE", str(tmp_path / "cache"))
    answer()
    assert believed()
    return tmp_path / "cache"


# ---- the directory -------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", [0o770, 0o707, 0o777, 0o1777])
def test_a_directory_that_others_can_write_to_is_not_used(filled, mode):
    filled.chmod(mode)
    assert cache.directory() is None
    assert not believed()


def test_a_link_to_a_directory_is_not_used(filled, tmp_path, monkeypatch):
    (tmp_path / "link").symlink_to(filled)
    monkeypatch.setenv("LISSOM_CACHE", str(tmp_path / "link"))
    assert cache.directory() is None


def test_a_link_above_the_directory_is_followed(filled, tmp_path, monkeypatch):
    """As where the home directory is one; what it leads to is judged."""
    (tmp_path / "link").symlink_to(tmp_path)
    monkeypatch.setenv("LISSOM_CACHE", str(tmp_path / "link" / filled.name))
    assert cache.directory() == filled
    assert believed()


@pytest.mark.parametrize(("mode", "fine"), [(0o777, False), (0o707, False), (0o1777, True), (0o755, True)])
def test_the_directory_above_must_not_be_exchanged_by_others(tmp_path, monkeypatch, mode, fine):
    above = tmp_path / "above"
    above.mkdir()
    above.chmod(mode)
    for place in (above / "cache", above / "further" / "down"):
        monkeypatch.setenv("LISSOM_CACHE", str(place))
        assert cache.directory() == (place if fine else None)
        assert place.exists() == fine  # nothing is made where it would not be used


def test_a_group_of_ones_own_may_write_above(tmp_path, monkeypatch):
    above = tmp_path / "above"
    above.mkdir()
    above.chmod(0o775)
    monkeypatch.setenv("LISSOM_CACHE", str(above / "cache"))
    monkeypatch.setattr(private, "_alone_in", lambda group: group == above.stat().st_gid)
    assert cache.directory() == above / "cache"
    monkeypatch.setattr(private, "_alone_in", lambda group: False)
    assert cache.directory() is None


def test_what_a_group_of_ones_own_is(monkeypatch):
    import grp
    import pwd

    def group(name, members):
        monkeypatch.setattr(grp, "getgrgid", lambda number: grp.struct_group((name, "x", number, members)))
        return private._alone_in(99)

    me = pwd.getpwuid(os.getuid()).pw_name
    assert group(me, [])
    assert group(me, [me])
    assert not group(me, [me, "somebody"])
    assert not group("staff", [])
    monkeypatch.setattr(grp, "getgrgid", lambda number: {}[number])
    assert not private._alone_in(99)


@NEEDS_ROOT
def test_directories_of_others_are_not_used(filled, tmp_path, monkeypatch):
    os.chown(filled, SOMEBODY, SOMEBODY)
    assert cache.directory() is None
    theirs = tmp_path / "theirs"  # as with sudo, which keeps the home directory
    theirs.mkdir()
    os.chown(theirs, SOMEBODY, SOMEBODY)
    monkeypatch.setenv("LISSOM_CACHE", str(theirs / "cache"))
    assert cache.directory() is None
    assert not (theirs / "cache").exists()


def test_everything_made_on_the_way_is_private(tmp_path, monkeypatch):
    before = os.umask(0)
    try:
        monkeypatch.setenv("LISSOM_CACHE", str(tmp_path / "a" / "b" / "c"))
        assert cache.directory() == tmp_path / "a" / "b" / "c"
    finally:
        os.umask(before)
    for name in ("a", "a/b", "a/b/c"):
        assert stat.S_IMODE((tmp_path / name).stat().st_mode) == 0o700


@pytest.mark.parametrize("named", ["/dev/null", "/proc/self/nothing", 300 * "x", "~"])
def test_strange_names_cost_only_time(tmp_path, monkeypatch, named):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LISSOM_CACHE", named)
    assert answer() == [3.0, -3.0]


def test_no_home_costs_only_time(monkeypatch):
    monkeypatch.delenv("LISSOM_CACHE", raising=False)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr(Path, "home", lambda: (_ for _ in ()).throw(RuntimeError("no home")))
    assert cache.directory() is None


# ---- entries -------------------------------------------------------------------------------------


def becomes_link(path, tmp_path):
    path.rename(tmp_path / "elsewhere.o")
    path.symlink_to(tmp_path / "elsewhere.o")


def becomes_pipe(path, _tmp_path):
    path.unlink()
    os.mkfifo(path)


def becomes_endless(path, _tmp_path):
    path.unlink()
    path.symlink_to("/dev/zero")


def becomes_huge(path, _tmp_path):
    with path.open("r+b") as stream:
        stream.truncate(10 * cache.LARGEST)  # a hole: it takes no room on the disk


HARMS = {
    "link": becomes_link,
    "hard link": lambda path, tmp_path: os.link(path, tmp_path / "other name"),
    "group": lambda path, _: path.chmod(0o660),
    "world": lambda path, _: path.chmod(0o602),
    "pipe": becomes_pipe,
    "endless": becomes_endless,
    "huge": becomes_huge,
}


@pytest.mark.parametrize("harm", HARMS.values(), ids=HARMS)
def test_what_is_not_ones_own_file_is_compiled_again_and_mended(filled, tmp_path, harm):
    for path in entries(filled):
        harm(path, tmp_path)
        break
    assert not believed()
    assert believed()


def test_an_entry_that_is_a_directory_costs_only_time(filled):
    path = entries(filled)[0]
    path.unlink()
    path.mkdir()
    assert not believed()
    assert not list(filled.glob(".new-*"))


@NEEDS_ROOT
def test_entries_of_others_are_compiled_again(filled):
    os.chown(entries(filled)[0], SOMEBODY, SOMEBODY)
    assert not believed()


@NEEDS_ROOT
def test_a_device_is_not_read(filled):
    path = entries(filled)[0]
    path.unlink()
    os.mknod(path, 0o600 | stat.S_IFCHR, os.makedev(1, 5))  # /dev/zero under the entry's name
    assert not believed()
    assert believed()


def test_an_entry_exchanged_while_it_is_opened_is_judged_by_what_was_opened(filled, monkeypatch):
    """What the name says before or after does not count."""
    path = entries(filled)[0]
    data, opened = path.read_bytes(), os.open

    def exchange(name, *rest):
        handle = opened(name, *rest)
        if Path(name) == path:
            path.unlink()
            path.write_bytes(data)
            path.chmod(0o600)
        return handle

    path.chmod(0o666)
    monkeypatch.setattr(private.os, "open", exchange)
    assert cache._read(path) is None


# ---- disks ---------------------------------------------------------------------------------------


@pytest.fixture
def small_disk(tmp_path):
    """A file system of 64 KiB."""
    place = tmp_path / "disk"
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=64k,mode=700", "tmpfs", str(place)]
    if os.getuid() != 0 or sys.platform != "linux" or subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("no right to mount a file system")
    yield place
    subprocess.run(["umount", str(place)], check=True)


def test_a_full_disk_costs_only_time_and_nothing_is_left_behind(small_disk, monkeypatch):
    monkeypatch.setenv("LISSOM_CACHE", str(small_disk / "cache"))
    assert cache.directory() == small_disk / "cache"
    cache._write(small_disk / "cache" / "large.o", bytes(100_000))  # it breaks off in the middle
    assert os.listdir(small_disk / "cache") == []
    (small_disk / "filler").write_bytes(bytes(60_000))
    assert answer("on a full disk") == [3.0, -3.0]
    assert not list((small_disk / "cache").glob(".new-*"))
    (small_disk / "filler").unlink()
    assert answer() == [3.0, -3.0]
    assert believed()  # and goes on when there is room again


def test_a_disk_that_can_only_be_read_serves(small_disk, monkeypatch):
    monkeypatch.setenv("LISSOM_CACHE", str(small_disk / "cache"))
    answer()
    subprocess.run(["mount", "-o", "remount,ro", str(small_disk)], check=True)
    assert believed()
    assert answer("another") == [3.0, -3.0]


def test_writing_that_breaks_off_leaves_nothing(filled, monkeypatch):
    before = sorted(os.listdir(filled))
    for stopped in (OSError(28, "no space"), KeyboardInterrupt()):
        monkeypatch.setattr(cache.os, "replace", lambda *_, stopped=stopped: (_ for _ in ()).throw(stopped))
        try:
            cache._write(filled / "x.o", b"code")
        except KeyboardInterrupt:
            assert isinstance(stopped, KeyboardInterrupt)
    assert sorted(os.listdir(filled)) == before
