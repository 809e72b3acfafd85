"""Keys of run, task and study files about their arm: `mimic`, `repair`, `lock`, `flexible`; `--mimic`."""

import numpy as np
import pytest
from typer.testing import CliRunner

import lissom as ls
from lissom.cli.main import app
from lissom.motion.run_file import read_run_file
from lissom.motion.task_file import read_task_file
from lissom.studies.study_file import read_study_file

BODY = """<inertial>
    <mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>
  </inertial>"""
URDF = f"""<robot name="pair">
  <link name="base"/>
  <link name="left">{BODY}</link>
  <link name="right">{BODY}</link>
  <joint name="a" type="continuous"><parent link="base"/><child link="left"/></joint>
  <joint name="b" type="continuous"><parent link="base"/><child link="right"/><mimic joint="a" multiplier="-1"/></joint>
</robot>
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "pair.urdf").write_text(URDF)
    return tmp_path


@pytest.mark.parametrize(("line", "dof"), [("", 1), ('mimic = "follow"', 1), ('mimic = "free"', 2)])
def test_files_that_name_an_arm(folder, line, dof):
    start = [0.0] * dof
    (folder / "run.toml").write_text(f'arm = "pair.urdf"\n{line}\nuntil = 0.1\n')
    (folder / "task.toml").write_text(f'arm = "pair.urdf"\n{line}\nstart = {start}\ngoal = {start}\n')
    assert read_run_file(folder / "run.toml").arm.dof == dof
    assert read_task_file(folder / "task.toml").arm.dof == dof


def test_another_word_is_refused_with_its_line(folder):
    (folder / "run.toml").write_text('arm = "pair.urdf"\nmimic = "ignore"\nuntil = 0.1\n')
    with pytest.raises(ls.ModelError, match=r"run\.toml:2: mimic is 'ignore'; expected 'follow' or 'free'"):
        read_run_file(folder / "run.toml")


PARAMETER = '[parameters.g]\npath = "arm.gravity[1]"\nvalues = [1.0]\n'
LOCKED = [
    ("", ("a", "b"), 0.0),
    ("lock = { a = 0.5 }", ("b",), 0.5),
    ("lock_deg = { a = 90 }", ("b",), np.pi / 2),
]


@pytest.mark.parametrize(("line", "coordinates", "angle"), LOCKED)
def test_joints_are_locked(folder, line, coordinates, angle):
    text = f'arm = "pair.urdf"\nmimic = "free"\n{line}\n'
    start = [0.0] * len(coordinates)
    (folder / "run.toml").write_text(f"{text}until = 0.1\n")
    (folder / "task.toml").write_text(f"{text}start = {start}\ngoal = {start}\n")
    (folder / "study.toml").write_text(f'{text}evaluate = "modes"\n{PARAMETER}')
    arms = [read_run_file(folder / "run.toml").arm, read_task_file(folder / "task.toml").arm]
    for arm in (*arms, read_study_file(folder / "study.toml").study.arm):
        assert arm.coordinates == coordinates
        if angle:
            assert arm == ls.load(folder / "pair.urdf", mimic="free").lock({"a": angle})


def test_unphysical_inertias_are_repaired_or_taken_as_written(folder):
    (folder / "pair.urdf").write_text(URDF.replace('izz="1"', 'izz="9"'))
    for line, words in (("", "inertia"), ("repair = 3", "repair is 3; expected true, false or 'as_written'")):
        (folder / "run.toml").write_text(f'arm = "pair.urdf"\n{line}\nuntil = 0.1\n')
        with pytest.raises(ls.ModelError, match=words):
            read_run_file(folder / "run.toml")
    for value, repair in (("true", True), ('"as_written"', "as_written")):
        (folder / "run.toml").write_text(f'arm = "pair.urdf"\nrepair = {value}\nuntil = 0.1\n')
        assert read_run_file(folder / "run.toml").arm == ls.load(folder / "pair.urdf", repair=repair)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("lock = { c = 1 }", "lock: .*'c'"),
        ("lock = 3", "lock is 3; expected a table"),
        ("lock = { a = 'x' }", "lock: position is 'x'; expected a number"),
        ("lock_deg = { a = 'x' }", "a is 'x'; expected a number"),
        ("lock = { a = 1 }\nlock_deg = { a = 1 }", "lock: .*'a'"),
    ],
)
def test_locks_that_are_refused(folder, line, words):
    (folder / "run.toml").write_text(f'arm = "pair.urdf"\n{line}\nuntil = 0.1\n')
    with pytest.raises(ls.ModelError, match=rf"run\.toml:\d.*: .*{words}"):
        read_run_file(folder / "run.toml")


def test_task_files_name_side_files(tmp_path):
    (tmp_path / "side.toml").write_text('[[links]]\nname = "fore"\nend = [0.4, 0, 0]\nbeam = { EI = 1.0 }\n')
    (tmp_path / "task.toml").write_text('arm = "two_link"\nflexible = "side.toml"\nstart = [0, 0]\ngoal = [1, 1]\n')
    assert read_task_file(tmp_path / "task.toml").arm.link("fore").flexible


def test_keys_of_an_arm_need_one(folder):
    (folder / "run.toml").write_text('arm = "pair.urdf"\nuntil = 0.1\n')
    (folder / "study.toml").write_text(f'evaluate = "simulate"\nrun = "run.toml"\nlock = {{ a = 1.0 }}\n{PARAMETER}')
    with pytest.raises(ls.ModelError, match=r"study\.toml:3: lock needs arm in the same file"):
        read_study_file(folder / "study.toml")


def test_the_command_line(folder):
    arm = str(folder / "pair.urdf")
    assert "1 joints, 1 mimic joint" in CliRunner().invoke(app, ["info", arm]).output
    assert "2 joints, 2 coordinates" in CliRunner().invoke(app, ["info", arm, "--mimic", "free"]).output
    refused = CliRunner().invoke(app, ["info", arm, "--mimic", "ignore"])
    assert refused.exit_code == 1
    assert "expected 'follow' or 'free'" in refused.output
