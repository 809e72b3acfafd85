"""Ctrl-C at any moment of a command: what was found is shown, and a sentence says where it stands."""

import pytest
from typer.testing import CliRunner

import lissom as ls
from lissom.cli.main import app
from lissom.motion import public, task_file
from lissom.motion.record import Motion

TASK = 'arm = "two_link"\nstart = [0, -2]\ngoal = [1, -1]\nduration = 1.0\nminimise = "torque_squared"\nsegments = 5\n'


@pytest.fixture
def task(tmp_path):
    (tmp_path / "task.toml").write_text(TASK, encoding="ascii")
    return str(tmp_path / "task.toml")


def interrupt(*_args, **_options):
    raise KeyboardInterrupt


def asked(*words):
    return CliRunner().invoke(app, list(words))


@pytest.mark.parametrize(("room", "name"), [(task_file, "read_task_file"), (public, "predict_motion")])
def test_predict_interrupted_before_a_motion_is_found(room, name, task, monkeypatch):
    monkeypatch.setattr(room, name, interrupt)
    done = asked("predict", task)
    assert done.exit_code == 130
    assert "interrupted" in done.output


def test_predict_interrupted_during_verification_shows_the_motion(task, monkeypatch, tmp_path):
    monkeypatch.setattr(Motion, "verify", interrupt)
    done = asked("predict", task, "--verify", "--save", str(tmp_path / "motion.nc"))
    assert done.exit_code == 1
    assert "fore " in done.output
    assert "interrupted; the motion is found, but not verified" in done.output
    assert ls.load_motion(tmp_path / "motion.nc").ok


def test_any_command_says_that_it_was_interrupted(monkeypatch):
    monkeypatch.setattr("lissom.cli.common.load", interrupt)
    done = asked("info", "two_link")
    assert done.exit_code == 130
    assert "error: interrupted" in done.output
