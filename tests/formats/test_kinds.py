"""A file that is given to the wrong reader is recognised: the message says what it is and what reads it."""

import os
from pathlib import Path

import pytest
from tests.fuzz import good_files as good

import lissom as ls
from lissom.formats.kinds import KINDS, RECORDS, RUN_TABLE, VARIABLES, kind_of
from lissom.formats.strict import parse
from lissom.motion.run_file import read_run_file
from lissom.motion.task_file import read_task_file
from lissom.simulation.trajectory import read_trajectory
from lissom.studies.study_file import read_study_file

STUDY = 'evaluate = "modes"\narm = "two_link"\n[parameters]\nx = { path = "arm.gravity[1]", values = [1.0] }\n'
RUN = 'arm = "two_link"\nuntil = 0.1\n'
SIDE = '[[links]]\nname = "fore"\nend = [0.4, 0, 0]\nbeam = { EI = 1.0 }\n'
FILES = {"arm": good.ARM_TOML, "run": RUN, "task": good.TASK_TOML, "study": STUDY, "side": SIDE}
READERS = {
    "arm": ls.load,
    "run": read_run_file,
    "task": read_task_file,
    "study": read_study_file,
    "side": lambda path: ls.load("two_link", flexible=path),
}


@pytest.mark.parametrize("marked", [False, True])
@pytest.mark.parametrize("kind", FILES)
def test_every_kind_is_known_with_and_without_its_version(kind, marked):
    lines = [line for line in FILES[kind].splitlines() if not line.startswith("lissom")]
    text = "\n".join([f"{KINDS[kind].marker} = 1"] * marked + lines)
    assert kind_of(parse("x.toml", text.encode())[1]) == kind


@pytest.mark.parametrize(("kind", "reader"), [(kind, reader) for kind in FILES for reader in READERS if kind != reader])
def test_a_file_of_another_kind_is_refused_with_what_reads_it(kind, reader, tmp_path):
    path = tmp_path / "file.toml"
    path.write_text(FILES[kind])
    with pytest.raises(ls.ModelError) as caught:
        READERS[reader](path)
    message = str(caught.value)
    assert message.startswith(str(path))
    assert f"it is {KINDS[kind].what}, not {KINDS[reader].what}: {KINDS[kind].read_by}." in message


@pytest.mark.parametrize("reader", [word for word in READERS if word != "arm"])
@pytest.mark.parametrize("ending", [".urdf", ".xml", ".nc", ".csv", ".parquet"])
def test_a_file_with_another_ending_is_refused_before_it_is_read(ending, reader, tmp_path):
    path = tmp_path / f"file{ending}"
    path.write_bytes(b"\xff<robot/>")
    robot, results = "a robot description; `ls.load`", "a table of results; `ls.load_run`"
    what = {".urdf": robot, ".xml": robot, ".csv": "a table of numbers; with columns t and q"}.get(ending, results)
    with pytest.raises(ls.ModelError, match=f"it is {what}.*; expected {KINDS[reader].what} "):
        READERS[reader](path)


@pytest.mark.parametrize("reader", [word for word in READERS if word != "arm"])
def test_the_name_of_a_shipped_arm_is_no_file(reader, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ls.ModelError) as caught:
        READERS[reader](Path("puma560"))
    use = "" if reader == "side" else ', in which arm = "puma560" names it'
    assert str(caught.value) == f"puma560: it is a shipped arm; expected {KINDS[reader].what} (.toml){use}."
    Path("arm.toml").write_text(good.ARM_TOML)
    Path("puma560").write_text(FILES[reader])
    READERS[reader](Path("puma560"))  # a file of this name is read


@pytest.mark.parametrize("kind", FILES)
def test_a_file_of_any_kind_is_no_table(kind, tmp_path):
    path = tmp_path / "file.toml"
    path.write_text(FILES[kind])
    with pytest.raises(ls.ModelError) as caught:
        read_trajectory(path, ls.load("two_link"))
    sentence = f"it is not a table of numbers. It is {KINDS[kind].what}: {KINDS[kind].read_by}."
    assert str(caught.value) == f"{path}: {sentence}"


def test_what_is_no_number_in_a_table_is_named_with_one_full_stop(tmp_path):
    path = tmp_path / "m.csv"
    path.write_text("t,upper,fore\n0,1,x\n")
    with pytest.raises(ls.ModelError, match=r"not a table of numbers: line 2, column 'fore': the cell is 'x'.*[^.]\.$"):
        read_trajectory(path, ls.load("two_link"))


def test_results_are_not_arms_and_arms_are_not_results(tmp_path):
    with pytest.raises(ls.ModelError, match="it is a table of results; `ls"):
        ls.load("run.nc")
    path = tmp_path / "task.toml"
    path.write_text(good.TASK_TOML)
    for read in (ls.load_run, ls.load_motion, ls.load_study):
        with pytest.raises(ls.LissomError, match="It is a task file: `lissom predict` finds its motion"):
            read(path)


@pytest.fixture(scope="module")
def records(tmp_path_factory):
    """Files and folders of results, by kind; of NetCDF files the variables are what counts."""
    import h5py

    folder = tmp_path_factory.mktemp("records")
    for kind, name in VARIABLES.items():
        with h5py.File(folder / f"{kind}.nc", "w") as file:
            file[name] = [1.0]
    (folder / "run.csv").write_bytes(RUN_TABLE + b' 2"}\n')
    (folder / "table.csv").write_text('# arm: "a"\n# digest: "b"\nt,x\n0,1\n')
    for kind, name in (("study", "_study.json"), ("parts", "part-000000.nc")):
        (folder / kind).mkdir()
        (folder / kind / name).write_text("{}")
    names = {"motion": "motion.nc", "run": "run.nc", "table": "table.csv", "study": "study", "parts": "parts"}
    return {kind: folder / name for kind, name in names.items()}


OF_RECORDS = {"motion": ls.load_motion, "run": ls.load_run, "study": ls.load_study}
ALL_READERS = {f"{word} file": read for word, read in READERS.items()} | OF_RECORDS


@pytest.mark.parametrize("reader", ALL_READERS)
@pytest.mark.parametrize("kind", ["motion", "run", "table", "study", "parts"])
def test_results_are_recognised_by_their_contents(kind, reader, records):
    if ALL_READERS[reader] is {**OF_RECORDS, "parts": ls.load_run}.get(kind):
        return
    with pytest.raises(ls.LissomError) as caught:
        ALL_READERS[reader](records[kind])
    assert RECORDS[kind] in str(caught.value)
    assert records[kind].name in str(caught.value)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes are those of POSIX")
@pytest.mark.parametrize("ending", [".nc", ".csv", ".parquet"])
def test_a_pipe_is_not_waited_for(ending, tmp_path):
    os.mkfifo(tmp_path / f"pipe{ending}")
    for read in ALL_READERS.values():
        with pytest.raises(ls.LissomError):
            read(tmp_path / f"pipe{ending}")


def test_a_run_in_a_table_is_a_run(records):
    with pytest.raises(ls.ModelError, match=r"it is a run; `ls\.load_run` reads it"):
        ls.load(records["run"].with_suffix(".csv"))


def test_a_key_that_does_not_belong_does_not_change_the_kind(tmp_path):
    path = tmp_path / "run.toml"
    path.write_text(RUN + "goal = [1, 2]\n")
    with pytest.raises(ls.ModelError, match="goal is not a key of the file"):
        read_run_file(path)
    path.write_text("controller = 3\n" + good.ARM_TOML)
    with pytest.raises(ls.ModelError, match="controller is not a key of the file"):
        ls.load(path)
