"""Ctrl-C at any moment of a command: what was found is shown, and a sentence says where it stands."""

import subprocess
import sys

import pytest
from typer.testing import CliRunner

import lissom as ls
from lissom.cli.group import VERBS, loaded
from lissom.cli.main import app
from lissom.motion import public, task_file
from lissom.motion.result.motion import Motion

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
    done = asked("predict", task, "--verify", "--output", str(tmp_path / "motion.nc"))
    assert done.exit_code == 130
    assert "fore " in done.output
    assert "interrupted; the motion is solved, but not verified" in done.output
    assert ls.load_motion(tmp_path / "motion.nc").ok


@pytest.mark.parametrize("verb", VERBS, ids=lambda verb: verb.name)
def test_any_command_ends_with_one_line(verb, monkeypatch, tmp_path):
    """Whatever a verb loads first is interrupted: one line, exit code 130."""
    monkeypatch.chdir(tmp_path)
    command = loaded(verb)
    needed = ["x"] * sum(1 for param in command.params if param.required)
    monkeypatch.setattr(command, "callback", interrupt)
    monkeypatch.setattr("lissom.cli.group.loaded", lambda _: command)
    done = asked(verb.name, *needed)
    assert done.exit_code == 130
    assert done.output == f"lissom {verb.name}: interrupted; nothing was written.\n"


def test_files_that_are_complete_are_named(monkeypatch, tmp_path):
    monkeypatch.setattr("lissom.views.films.animate.animate", interrupt)
    monkeypatch.chdir(tmp_path)
    done = asked("modes", "two_link_flexible", "--figure", "a.svg", "--film", "a.gif")
    assert done.exit_code == 130
    assert done.stderr.splitlines()[-1] == ("lissom modes: interrupted; a.svg is complete, nothing else was written.")


START = """
import builtins, sys
from lissom.cli.start import run
original = builtins.__import__
word, sys.argv = sys.argv[1], ["lissom", *sys.argv[2:]]
def interrupted(name, *rest, **more):
    if name == word:
        raise KeyboardInterrupt
    return original(name, *rest, **more)
builtins.__import__ = interrupted
run()
"""


@pytest.mark.parametrize("module", ["typer", "rich.console", "numpy", "lissom.formats.load", "lissom.cli.group"])
def test_imports_can_be_interrupted(module):
    done = subprocess.run(
        [sys.executable, "-c", START, module, "info", "two_link"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 130
    assert done.stdout == ""
    (line,) = done.stderr.splitlines()
    assert line.startswith("lissom")
    assert "interrupted" in line


def test_simulations_can_be_interrupted(tmp_path, monkeypatch):
    (tmp_path / "run.toml").write_text('arm = "two_link"\nuntil = 1.0\n', encoding="ascii")
    monkeypatch.setattr("lissom.simulation.simulate.simulate", interrupt)
    done = asked("simulate", str(tmp_path / "run.toml"))
    assert done.exit_code == 130
    assert "was interrupted before the first step; nothing was written." in done.stderr
