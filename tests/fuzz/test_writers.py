"""Files that cannot be written: a sentence, the old file as it was, and nothing left behind."""

from __future__ import annotations

import contextlib
import os
import subprocess
from pathlib import Path

import matplotlib
import pytest
from tests.fuzz.fuzz_formats import run, small_arm

import lissom as ls
from lissom.cli.common import save_figure
from lissom.formats import files

OLD = b"what was there before\n"


@pytest.fixture(scope="module")
def motion():
    return ls.predict_motion(
        small_arm(), start=[0, -1], goal=[0.5, 0.2], segments=5, duration=1.0, minimise="torque_squared"
    )


@pytest.fixture(scope="module")
def writers(motion):
    """What writes a file, by its name."""
    matplotlib.use("Agg")
    record = run()
    soft = ls.load("two_link_flexible")
    table = ls.ConfigurationTable.build(small_arm(), points=40)
    return {
        "arm.toml": lambda path: ls.save(small_arm(), path),
        "arm.urdf": lambda path: ls.save(small_arm(), path, lossy=True),
        "run.nc": record.save,
        "run.csv": record.save,
        "run.parquet": record.save,
        "motion.nc": motion.save,
        "motion.csv": motion.to_csv,
        "figure.png": lambda path: save_figure(ls.plot(record), path),
        "figure.svg": lambda path: save_figure(ls.plot(record), path),
        "film.gif": lambda path: ls.animate(record, path, fps=100),
        "film.html": lambda path: ls.animate(record, path, fps=100),
        "report.html": lambda path: ls.write_report(record, path),
        "table.npz": lambda path: table.save(path),
        "planar.c": lambda path: ls.planar_model(soft).c(path),
    }


NAMES = (
    "arm.toml", "arm.urdf", "run.nc", "run.csv", "run.parquet", "motion.nc", "motion.csv", "figure.png", "figure.svg",
    "film.gif", "film.html", "report.html", "table.npz", "planar.c",
)  # fmt: skip


def held(folder: Path) -> dict[str, bytes]:
    return {str(place.relative_to(folder)): place.read_bytes() for place in folder.rglob("*") if place.is_file()}


@pytest.fixture(scope="module")
def full_disk(tmp_path_factory):
    """A disk of 64 KiB with 4 left."""
    if os.geteuid() != 0:
        pytest.skip("only root can mount a small disk")
    folder = tmp_path_factory.mktemp("disk")
    done = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(folder)], capture_output=True, check=False
    )
    if done.returncode:
        pytest.skip(f"a small disk cannot be mounted here: {done.stderr.decode().strip()}")
    (folder / "filling").write_bytes(bytes(52 * 1024))
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


@pytest.mark.parametrize("name", NAMES)
def test_a_full_disk(name, writers, full_disk):
    for place in full_disk.iterdir():
        if place.name != "filling":
            place.unlink()
    (full_disk / name).write_bytes(OLD)
    # files that are small enough are written; so that all meet the end, fill it up
    with contextlib.suppress(OSError), (full_disk / "filling").open("ab", buffering=0) as stream:
        while True:
            stream.write(bytes(512))
    before = held(full_disk)
    with pytest.raises(ls.LissomError, match=r"cannot be written.*No space left on device|cannot be written"):
        writers[name](full_disk / name)
    assert held(full_disk) == before


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.some(5)
def test_a_folder_in_its_place(name, writers, tmp_path):
    (tmp_path / name).mkdir()
    with pytest.raises(ls.LissomError, match="folder"):
        writers[name](tmp_path / name)
    assert list(tmp_path.iterdir()) == [tmp_path / name]
    assert not any((tmp_path / name).iterdir())


@pytest.mark.parametrize("name", NAMES)
def test_a_name_that_is_too_long(name, writers, tmp_path):
    place = tmp_path / f"{'x' * 300}{Path(name).suffix}"
    with pytest.raises(ls.LissomError, match="File name too long"):
        writers[name](place)
    assert not any(tmp_path.iterdir())


@pytest.mark.parametrize("name", ["arm.toml", "run.nc", "figure.png", "film.gif"])
def test_the_longest_name_is_written(name, writers, tmp_path):
    """What is written first beside it has a name of its own, which is shorter."""
    place = tmp_path / f"{'x' * (255 - len(Path(name).suffix))}{Path(name).suffix}"
    writers[name](place)
    assert [path.name for path in tmp_path.iterdir()] == [place.name]


@pytest.mark.parametrize("name", [name for name in NAMES if name != "report.html"])
def test_a_folder_that_may_not_be_written_to(name, writers, tmp_path, monkeypatch):
    """Root may write everywhere, so the system's answer is given here."""

    def refuse(*_args, **_more):
        raise PermissionError(13, "Permission denied")

    (tmp_path / name).write_bytes(OLD)
    monkeypatch.setattr(files.tempfile, "mkstemp", refuse)
    with pytest.raises(ls.LissomError, match="Permission denied"):
        writers[name](tmp_path / name)
    monkeypatch.undo()
    assert held(tmp_path) == {name: OLD}


@pytest.mark.parametrize("name", NAMES)
def test_protected_files_and_devices_are_not_replaced(name, writers, tmp_path, monkeypatch):
    (tmp_path / name).write_bytes(OLD)
    monkeypatch.setattr(files.os, "access", lambda *_: False)
    with pytest.raises(ls.LissomError, match="it is protected"):
        writers[name](tmp_path / name)
    monkeypatch.undo()
    os.mkfifo(tmp_path / f"pipe{Path(name).suffix}")
    with pytest.raises(ls.LissomError, match="it is not a file"):
        writers[name](tmp_path / f"pipe{Path(name).suffix}")
    assert (tmp_path / name).read_bytes() == OLD


def test_links_are_written_through(tmp_path):
    (tmp_path / "real.toml").write_bytes(OLD)
    (tmp_path / "arm.toml").symlink_to("real.toml")
    ls.save(small_arm(), tmp_path / "arm.toml")
    assert (tmp_path / "arm.toml").is_symlink()
    assert ls.load(tmp_path / "real.toml") == small_arm()


def test_what_is_in_place_is_on_the_disk(tmp_path, monkeypatch):
    """First the new file is settled, then it gets its name, then the name is settled."""
    told = []
    sync, replace = os.fsync, os.replace
    monkeypatch.setattr(files.os, "fsync", lambda handle: (told.append("sync"), sync(handle))[1])
    monkeypatch.setattr(files.os, "replace", lambda *names: (told.append("replace"), replace(*names))[1])
    ls.save(small_arm(), tmp_path / "arm.toml")
    assert told == ["sync", "replace", "sync"]


def test_an_interruption_leaves_nothing(tmp_path):
    def write(place):
        place.write_bytes(b"half")
        raise KeyboardInterrupt

    (tmp_path / "x").write_bytes(OLD)
    with pytest.raises(KeyboardInterrupt):
        files.write_whole(tmp_path / "x", write)
    assert held(tmp_path) == {"x": OLD}


def test_an_export_to_a_full_disk(full_disk):
    before = held(full_disk)
    with pytest.raises(ls.LissomError, match=r"cannot be (written|made)"):
        ls.export_c(small_arm(), "inverse_dynamics", into=full_disk)
    assert held(full_disk) == before
