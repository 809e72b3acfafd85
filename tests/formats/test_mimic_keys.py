"""`mimic` of run and task files, and of the command line: mimic joints follow, or move freely."""

import pytest
from typer.testing import CliRunner

import lissom as ls
from lissom.cli.main import app
from lissom.motion.task_file import read_task_file
from lissom.simulation.run_file import read_run_file

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


def test_the_command_line(folder):
    arm = str(folder / "pair.urdf")
    assert "1 joints, 1 mimic joint" in CliRunner().invoke(app, ["info", arm]).output
    assert "2 joints, 2 coordinates" in CliRunner().invoke(app, ["info", arm, "--mimic", "free"]).output
    refused = CliRunner().invoke(app, ["info", arm, "--mimic", "ignore"])
    assert refused.exit_code == 1
    assert "expected 'follow' or 'free'" in refused.output
