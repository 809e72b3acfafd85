"""Rows on disk: whole or not there, whatever happens."""

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import lissom as ls
from lissom.studies.rows.block import Block, Row
from lissom.studies.store.about import read_about
from lissom.studies.store.folder import MANY, Folder
from lissom.studies.store.parts import PART, parts, read_part, rows_in

P = ls.StudyParameter

SLOW = """
import sys, time
import lissom as ls

def evaluate(case):
    time.sleep({pause})
    return {{"y": 3.0 * case["x"] + case.seed % 7}}

study = ls.Study(evaluate, parameters={{"x": ls.StudyParameter(grid=(0, {last}, {rows}))}})
print("ready", flush=True)
result = study.run(sys.argv[1], workers=int(sys.argv[2]), resume=True)
print(result.status)
"""


def square(case):
    return {"y": case["x"] ** 2, "z": [case["x"], -case["x"]]}


def square_study(rows=40, **more):
    return ls.Study(square, parameters={"x": P(grid=(0, rows - 1, rows), unit="m")}, title="squares", **more)


def test_rows_come_back_as_they_were(tmp_path):
    study = square_study()
    result = study.run(tmp_path / "s", workers=1)
    again = ls.load_study(tmp_path / "s")
    assert list(again.table) == list(result.table)
    for name in result.table:
        assert np.array_equal(again[name], result[name]), name
    assert (again.status, again.rows, again.parameters, again.outputs) == ("done", 40, ("x",), ("y", "z[0]", "z[1]"))
    assert again.unit("x") == "m"
    assert again.headline == "squares: 40 of 40 rows; done"
    with pytest.raises(ls.InputError, match="has the table only"):
        again.case(3)


def test_other_programs_can_read_it(tmp_path):
    import pyarrow.parquet

    square_study().run(tmp_path / "s", workers=1)
    table = pyarrow.parquet.read_table(tmp_path / "s").to_pydict()
    assert sorted(table["row"]) == list(range(40))
    assert set(table["outcome"]) == set(table["status"]) == {"ok"}


def test_only_missing_rows_are_done_again(tmp_path):
    folder = tmp_path / "s"
    whole = square_study().run(folder, workers=1)
    lost = sorted(parts(folder))[1]
    gone = set(read_part(lost)["row"].tolist())
    lost.unlink()
    assert len(ls.load_study(folder)) == 40 - len(gone)
    assert ls.load_study(folder).status == f"incomplete: {40 - len(gone)} of 40 rows are evaluated"
    seen = []
    study = square_study()
    result = study.run(folder, workers=1, resume=True, progress=lambda done, _all: seen.append(done))
    assert seen[0] == 40 - len(gone)
    for name in whole.table:
        assert np.array_equal(result[name], whole[name])
    again = square_study().run(folder, workers=1, resume=True)  # nothing is left to do
    assert again.complete


def test_a_store_is_not_begun_twice_nor_mixed(tmp_path):
    folder = tmp_path / "s"
    square_study().run(folder, workers=1)
    with pytest.raises(ls.InputError, match="it already has 40 rows of a study\\. Continue with resume=True"):
        square_study().run(folder, workers=1)
    with pytest.raises(ls.InputError, match="it has rows of a different study \\(parameters, rows differ\\)"):
        square_study(41).run(folder, workers=1, resume=True)
    with pytest.raises(ls.InputError, match="a different study \\(seed differ"):
        square_study(seed=1).run(folder, workers=1, resume=True)
    other = ls.Study(lambda case: {"y": case["x"] ** 3}, parameters=square_study().parameters, title="squares")
    object.__setattr__(other.evaluate, "__qualname__", "square")
    with pytest.raises(ls.InputError, match="a different study \\(what it evaluates, or values that it uses, differ"):
        other.run(folder, workers=1, resume=True)
    with open(folder / "_study.json") as stream:
        unseen = ls.Study(lambda case: {"y": stream.name and 1.0}, parameters=square_study().parameters)
        with pytest.raises(ls.InputError, match=r"cannot be resumed: the content of <lambda>: stream \(_io.Text"):
            unseen.run(folder, workers=1, resume=True)
    about = read_about(folder)
    about["made"]["versions"]["numpy"] = "1.0"
    (folder / "_study.json").write_text(json.dumps(about))
    with pytest.raises(ls.InputError, match=r"its rows were computed with numpy 1.0 \(here "):
        square_study().run(folder, workers=1, resume=True)


def test_other_gains_are_another_study(tmp_path):
    def study(gain):
        arguments = {"q0": [0.1, 0.2], "tau": ls.PD([0, 0], gain, 1.0), "until": 0.1, "dt": 0.01}
        return ls.Study("simulate", "two_link", arguments, {"x": P("q0[0]", values=[0.1, 0.2])})

    study(5.0).run(tmp_path / "s", workers=1)
    assert study(5.0).run(tmp_path / "s", workers=1, resume=True).complete
    with pytest.raises(ls.InputError, match=r"it has rows of a different study \(arguments differ\)"):
        study(6.0).run(tmp_path / "s", workers=1, resume=True)


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda p: p.write_text("x"), "it is a file; expected a folder for the store"),
        (lambda p: p.symlink_to("nowhere"), "it is a file; expected a folder for the store"),
        (lambda p: (p.mkdir(), (p / "x").write_text("x")), "it has files that are not of a study"),
    ],
)
def test_places_that_are_no_store_are_refused(tmp_path, make, sentence):
    make(tmp_path / "s")
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(ls.InputError, match=sentence):
        square_study().run(tmp_path / "s", workers=1)
    assert sorted(tmp_path.rglob("*")) == before
    with pytest.raises(ls.InputError, match="there is no folder"):
        square_study().run(tmp_path / "none" / "s", workers=1)


def test_one_process_writes_at_a_time(tmp_path):
    first, second = (Folder(tmp_path / "s", square_study()) for _ in range(2))
    with first.opened(resume=False):
        first.add([])
        with pytest.raises(ls.InputError, match="another process is writing to it"), second.opened(resume=True):
            pass
    with second.opened(resume=True):
        assert len(second.missing()) == 40


def test_many_small_files_become_few(tmp_path):
    study = square_study(200)
    folder = Folder(tmp_path / "s", study)
    with folder.opened(resume=False):
        for k in range(100):
            rows = np.array([2 * k, 2 * k + 1])
            folder.add([Block.of(rows, [Row({"y": k**2.0}) for k in rows])])
    assert len(parts(tmp_path / "s")) <= 2 * MANY
    result = ls.load_study(tmp_path / "s")
    assert result.complete
    assert np.array_equal(result["y"], np.arange(200.0) ** 2)


def test_a_merge_that_was_cut_off_leaves_rows_twice_which_nobody_sees(tmp_path):
    folder = tmp_path / "s"
    square_study().run(folder, workers=1)
    some = sorted(parts(folder))
    shutil.copy(some[0], folder / "rows-1-000099.parquet")
    (folder / ".lissom-x.parquet").write_bytes(b"half")
    assert len(ls.load_study(folder)) == 40
    square_study().run(folder, workers=1, resume=True)
    assert not list(folder.glob(".lissom*"))


@pytest.mark.parametrize("harm", ["cut", "empty", "garbage", "other"])
def test_a_damaged_file_is_named_and_can_be_done_again(tmp_path, harm):
    folder = tmp_path / "s"
    whole = square_study().run(folder, workers=1)
    file = sorted(parts(folder))[2]
    data = file.read_bytes()
    if harm == "other":
        import pyarrow
        import pyarrow.parquet

        pyarrow.parquet.write_table(pyarrow.table({"row": ["a", "b"]}), file)
    else:
        file.write_bytes({"cut": data[: len(data) // 2], "empty": b"", "garbage": b"\x93" * 500}[harm])
    with pytest.raises(ls.ModelError, match=f"{file.name}: its rows cannot be read .* Remove this file and resume"):
        ls.load_study(folder)
    file.unlink()
    assert np.array_equal(square_study().run(folder, workers=1, resume=True)["y"], whole["y"])


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"format": "lissom study 2"}', "[" * 100_000])
def test_a_damaged_description_is_refused(tmp_path, text):
    folder = tmp_path / "s"
    square_study().run(folder, workers=1)
    (folder / "_study.json").write_text(text)
    for act in (lambda: ls.load_study(folder), lambda: square_study().run(folder, workers=1, resume=True)):
        with pytest.raises(ls.ModelError, match="_study\\.json"):
            act()


def test_what_is_no_study_is_said(tmp_path):
    with pytest.raises(ls.ModelError, match="does not exist"):
        ls.load_study(tmp_path / "none")
    with pytest.raises(ls.ModelError, match="it has no _study\\.json"):
        ls.load_study(tmp_path)


def begun(folder, rows, pause, workers):
    """A study in a process of its own."""
    script = SLOW.format(pause=pause, rows=rows, last=rows - 1)
    command = [sys.executable, "-c", script, str(folder), str(workers)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "ready\n"
    return process


def right(result):
    return np.array_equal(result["y"], 3.0 * result["x"] + result["seed"] % 7)


@pytest.mark.parametrize(
    ("workers", "times"),
    [(1, 5), pytest.param(1, 20, marks=pytest.mark.slow), pytest.param(2, 20, marks=pytest.mark.slow)],
)
def test_killed_at_random_moments_it_stays_readable(tmp_path, workers, times):
    """Rows that were there stay there, none is wrong, and no chunk of rows is lost but those under way."""
    folder, rng, kept = tmp_path / "s", random.Random(workers), 0
    for _ in range(times):
        process = begun(folder, 1500, 0.001, workers)
        time.sleep(rng.uniform(0.0, 0.6))
        process.kill()
        process.wait()
        process.stdout.close()
        if (folder / "_study.json").exists():
            result = ls.load_study(folder)
            assert not len(result) or right(result)
            assert len(result) >= kept
            kept = len(result)
        if kept == 1500:
            break
    process = begun(folder, 1500, 0.001, workers)
    assert process.communicate(timeout=120)[0] == "done\n"
    result = ls.load_study(folder)
    assert result.complete
    assert np.array_equal(rows_in(folder), np.arange(1500))
    assert right(result)


def test_workers_end_with_the_process_that_began_them(tmp_path):
    process = begun(tmp_path / "s", 100_000, 0.01, 2)
    workers = []
    for _ in range(200):
        told = Path(f"/proc/{process.pid}/task")
        workers = [int(w) for task in told.iterdir() for w in (task / "children").read_text().split()]
        if len(workers) == 2 and (tmp_path / "s" / "_study.json").exists():
            break
        time.sleep(0.05)
    assert len(workers) == 2
    process.send_signal(signal.SIGKILL)
    process.wait()
    process.stdout.close()
    for _ in range(100):
        if not any(os.path.exists(f"/proc/{worker}") for worker in workers):
            return
        time.sleep(0.05)
    raise AssertionError("workers live on")


@pytest.mark.skipif(os.geteuid() != 0, reason="mounting a small file system needs root")
def test_a_full_disk_keeps_what_is_done(tmp_path):
    place = tmp_path / "small"
    place.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=128k", "tmpfs", place], check=False).returncode:
        pytest.skip("a small file system cannot be mounted here")
    try:
        study = ls.Study(lambda case: {"y": np.full(300, case["x"])}, parameters={"x": P(grid=(0, 999, 1000))})
        with pytest.raises(ls.ModelError, match=r"cannot be written .*No space left"):
            study.run(place / "s", workers=1)
        result = ls.load_study(place / "s")
        assert 0 < len(result) < 1000
        assert np.array_equal(result["y[7]"], result["x"])
        assert not list((place / "s").glob(".lissom*"))
    finally:
        subprocess.run(["umount", place], check=True)


# ---- overwriting ---------------------------------------------------------------------------------


def content(folder):
    """Every file of a folder, with its bytes."""
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def interrupted_at(row):
    """A study that is interrupted in one of its rows."""

    def evaluate(case):
        if case["x"] == row:
            raise KeyboardInterrupt
        return {"w": case["x"]}

    return ls.Study(evaluate, parameters={"x": P(grid=(0, 4, 5))}, title="interrupted")


@pytest.fixture
def filled(tmp_path):
    """A store with 40 rows, and a file of the user beside them."""
    folder = tmp_path / "s"
    square_study().run(folder, workers=1)
    (folder / "notes.txt").write_text("mine")
    return folder


def test_a_wrong_output_leaves_the_store_that_it_should_overwrite(filled):
    before = content(filled)
    wrong = ls.Study("modes", "two_link_flexible", {"count": 1}, outputs={"f": "frequencies"},
                     parameters={"payload": P("arm.links.link2.payload.mass", grid=(0.0, 0.2, 3))})  # fmt: skip
    with pytest.raises(ls.InputError, match="frequencies"):
        wrong.run(filled, workers=1, overwrite=True)
    assert content(filled) == before
    assert ls.load_study(filled).complete
    assert square_study().run(filled, workers=1, resume=True).effort["rows"] == 0


@pytest.mark.parametrize("workers", [1, None])
def test_an_early_interruption_leaves_the_store_that_it_should_overwrite(filled, workers):
    before = content(filled)
    result = interrupted_at(0).run(filled, workers=workers, overwrite=True)
    assert result.status == "interrupted: 0 of 5 rows are evaluated; the store still has its earlier rows"
    assert (len(result), result.interrupted) == (0, True)
    assert content(filled) == before
    assert ls.load_study(filled).complete


def test_the_first_new_rows_replace_the_earlier_ones(filled):
    result = interrupted_at(1).run(filled, workers=1, overwrite=True)  # its first row is evaluated alone
    assert result.status == "interrupted: 1 of 5 rows are evaluated; continue with resume=True (--resume)"
    again = ls.load_study(filled)
    assert (again.outputs, again.rows, again["row"].tolist()) == (("w",), 5, [0])
    assert (filled / "notes.txt").read_text() == "mine"
    assert square_study().run(filled, workers=1, overwrite=True).complete
    assert len(ls.load_study(filled)) == 40
    assert (filled / "notes.txt").read_text() == "mine"


def test_new_rows_that_cannot_be_written_leave_the_earlier_ones(filled, monkeypatch):
    before = content(filled)
    import pyarrow.parquet

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(pyarrow.parquet, "write_table", full)
    with pytest.raises(ls.ModelError, match="No space left on device"):
        square_study(3).run(filled, workers=1, overwrite=True)
    assert content(filled) == before


@pytest.mark.parametrize("moment", ["first unlink", "second unlink", "description", "rename"])
def test_a_crash_while_rows_are_replaced_leaves_rows_of_one_study(filled, monkeypatch, moment):
    count = len(parts(filled))
    assert count > 1
    calls, unlink, described, rename = [], Path.unlink, Folder._describe, os.replace

    class Crash(BaseException):
        pass

    def at_unlink(self, **more):
        if PART.fullmatch(self.name):
            calls.append(self)
            if len(calls) == {"first unlink": 1, "second unlink": 2}.get(moment):
                raise Crash
        unlink(self, **more)

    def at_description(self):
        if moment == "description":
            raise Crash
        described(self)

    def at_rename(old, new):
        if moment == "rename" and PART.fullmatch(Path(new).name):
            raise Crash
        rename(old, new)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "unlink", at_unlink)
        patch.setattr(Folder, "_describe", at_description)
        patch.setattr(os, "replace", at_rename)
        with pytest.raises(Crash):
            interrupted_at(None).run(filled, workers=1, overwrite=True)
    found = ls.load_study(filled)
    expected = (5, ()) if moment == "rename" else (40, () if moment == "description" else ("y", "z[0]", "z[1]"))
    assert (found.rows, found.outputs) == expected
    study = interrupted_at(None) if moment == "rename" else square_study()
    assert study.run(filled, workers=1, resume=True).complete
    assert (filled / "notes.txt").read_text() == "mine"


@pytest.mark.parametrize("text", ['{"format": "mine"}', "{}", "[1, 2]", "not JSON"])
def test_a_description_of_something_else_is_never_overwritten(tmp_path, text):
    folder = tmp_path / "s"
    folder.mkdir()
    (folder / "_study.json").write_text(text)
    (folder / "rows-0-000001.parquet").write_text("mine")
    before = content(folder)
    with pytest.raises(ls.ModelError, match=r"_study\.json"):
        square_study().run(folder, workers=1, overwrite=True)
    assert content(folder) == before


# ---- what others put there -----------------------------------------------------------------------


def test_a_store_whose_process_ended_before_its_first_row_is_gone_on_with(tmp_path):
    folder = tmp_path / "s"
    folder.mkdir()
    (folder / "_lock").touch()
    (folder / ".lissom-half.json").write_text("{")
    assert square_study().run(folder, workers=1, resume=True).complete
    assert not list(folder.glob(".lissom*"))


def test_rows_of_a_larger_study_are_refused(tmp_path):
    square_study().run(tmp_path / "s", workers=1)
    square_study(90).run(tmp_path / "large", workers=1)
    last = sorted(parts(tmp_path / "large"))[-1]
    shutil.copy(last, tmp_path / "s" / "rows-0-000777.parquet")
    for act in (ls.load_study, lambda folder: square_study().run(folder, workers=1, resume=True)):
        with pytest.raises(ls.ModelError, match="it has row 89 of a study of 40 rows"):
            act(tmp_path / "s")


def rewritten(file, **columns):
    """A file of rows with other columns."""
    import pyarrow
    import pyarrow.parquet

    table = pyarrow.parquet.read_table(file)
    kept = {name: table[name] for name in table.column_names} | columns
    pyarrow.parquet.write_table(pyarrow.table({n: x for n, x in kept.items() if x is not None}), file)


def test_a_small_file_of_very_many_rows_is_refused_before_it_is_unpacked(tmp_path):
    square_study().run(tmp_path / "s", workers=1)
    file = sorted(parts(tmp_path / "s"))[0]
    many = np.zeros(3_000_000, np.int64)
    rewritten(file, **dict.fromkeys(("x", "y", "z[0]", "z[1]", "outcome", "status")), row=many, seed=many)
    assert file.stat().st_size < 100_000
    with pytest.raises(ls.ModelError, match="3000000 rows are too many for its size"):
        ls.load_study(tmp_path / "s")


@pytest.mark.slow
def test_a_long_word_in_many_rows_is_kept_once(tmp_path):
    square_study(4000).run(tmp_path / "s", workers=1)
    file = max(parts(tmp_path / "s"), key=lambda part: part.stat().st_size)
    count = len(read_part(file)["row"])
    rewritten(file, status=["long " * 200_000] * count)
    found = read_part(file)["status"]
    assert len({id(word) for word in found}) == 1


@pytest.mark.parametrize(
    "columns",
    [
        {"outcome": None},
        {"status": None},
        {"seed": None},
        {"status": [1.0]},
        {"outcome": ["fine"]},
        {"y": ["a"]},
        {"x": [None]},
    ],
)
def test_columns_of_no_study_are_refused(tmp_path, columns):
    square_study().run(tmp_path / "s", workers=1)
    file = sorted(parts(tmp_path / "s"))[0]
    count = len(read_part(file)["row"])
    rewritten(file, **{name: x and x * count for name, x in columns.items()})
    with pytest.raises(
        ls.ModelError, match=r"do not have the columns of a study|'fine'|output 'y' is text|'x' holds neither"
    ):
        ls.load_study(tmp_path / "s")


@pytest.mark.parametrize(
    "change",
    [
        {"rows": "Infinity"}, {"rows": "0"}, {"rows": '"5"'}, {"fingerprint": "3"}, {"settings": '{"dt": "1"}'},
        {"settings": '{"until": 1}'}, {"units": '{"x": 3}'}, {"made": '{"versions": {"numpy": 2}}'}, {"sampling": "[]"},
    ],
)  # fmt: skip
def test_a_description_that_says_nothing_sensible_is_refused(tmp_path, change):
    square_study().run(tmp_path / "s", workers=1)
    told = json.loads((tmp_path / "s" / "_study.json").read_text()) | {k: json.loads(x) for k, x in change.items()}
    (tmp_path / "s" / "_study.json").write_text(json.dumps(told))
    for act in (ls.load_study, lambda folder: square_study().run(folder, workers=1, resume=True)):
        with pytest.raises(ls.ModelError, match=rf"_study\.json: .*its {next(iter(change))}"):
            act(tmp_path / "s")
