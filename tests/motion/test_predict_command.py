"""`lissom predict` and task files."""

import json
import os
import signal
from contextlib import contextmanager

import numpy as np
import pytest
from typer.testing import CliRunner

import lissom as ls
from lissom.cli.main import app
from lissom.motion import progress
from lissom.motion.task_file import read_task_file
from lissom.work import cluster

TEXT = """
arm = "two_link"
start = [1.32, -2.37]
goal = [2.80, -2.37]

[limits]
torque = 10

[minimise]
time = 0.99
torque_squared = 0.01

[[loads]]
link = "fore"
force = [0, -10, 0]
"""


@pytest.fixture
def task(tmp_path):
    (tmp_path / "lift.toml").write_text(TEXT)
    return tmp_path / "lift.toml"


def run(*arguments):
    return CliRunner().invoke(app, ["predict", *map(str, arguments)])


def test_everything_at_once(task, tmp_path):
    names = {word: tmp_path / f"m.{word}" for word in ("nc", "csv", "png", "gif")}
    done = run(task, "--output", names["nc"], "--csv", names["csv"], "--rate", 250, "--figure", names["png"], "--kind",
               "torques", "--film", names["gif"], "--speed", 2, "--verify")  # fmt: skip
    assert done.exit_code == 0, done.output
    assert "two_link: 0.519" in done.output
    assert "verified" in done.output
    assert all(path.stat().st_size for path in names.values())
    motion = ls.load_motion(names["nc"])
    assert 0.5187 < motion.duration < 0.5204  # Xiang, Arora and Abdel-Malek: 0.520 s
    lines = [line for line in names["csv"].read_text().splitlines() if not line.startswith("#")]
    assert len(lines) == 1 + len(motion.table(250))
    drawn = CliRunner().invoke(app, ["plot", str(names["nc"]), "--kind", "poses", "--figure", str(tmp_path / "s.png")])
    assert drawn.exit_code == 0, drawn.output


def test_a_cluster_takes_the_place_of_workers(task, monkeypatch):
    pytest.importorskip("distributed")
    monkeypatch.setattr(cluster, "REACH", 0.2)
    task.write_text("workers = 2\nstarts = 2\n" + TEXT)
    done = run(task, "--scheduler", "tcp://127.0.0.1:9")
    assert done.exit_code == 1
    assert "predict_motion: there is no scheduler at 'tcp://127.0.0.1:9'" in " ".join(done.output.split())


def test_json(task):
    done = run(task, "--json", "--verify")
    assert done.exit_code == 0, done.output
    told = json.loads(done.stdout)
    assert told["status"] == "solved"
    assert told["verification"]["ok"]
    assert max(told["verification"]["joint_error"]) < 1e-6
    assert told["joints"]["upper"]["units"]["tau"] == "N m"
    assert told["peaks"][0]["quantity"] == "torque"


def test_outputs_of_the_file(tmp_path):
    (tmp_path / "t.toml").write_text('output = ["a.nc", "a.csv"]\n' + TEXT)
    done = run(tmp_path / "t.toml")
    assert done.exit_code == 0, done.output
    assert {path.name for path in tmp_path.iterdir()} == {"t.toml", "a.nc", "a.csv"}


@pytest.fixture
def listening():
    """Ctrl-C is heard, also where the tests run in the background, which begins with it ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def test_interrupted_searches_are_kept(task, tmp_path, monkeypatch, listening):
    @contextmanager
    def impatient(*_given):
        yield lambda step: os.kill(os.getpid(), signal.SIGINT) if step.number == 3 else None

    monkeypatch.setattr(progress, "reporter", impatient)
    done = run(task, "--output", tmp_path / "m.nc")
    assert done.exit_code == 130
    assert "interrupted" in done.output
    assert ls.load_motion(tmp_path / "m.nc").interrupted


def test_motions_that_are_not_found_are_written(tmp_path):
    (tmp_path / "t.toml").write_text("iterations = 3\n" + TEXT)
    done = run(tmp_path / "t.toml", "--output", tmp_path / "m.nc")
    assert done.exit_code == 1
    assert "iterations ran out: a feasible motion, not yet optimal" in done.output
    assert ls.load_motion(tmp_path / "m.nc").outcome is ls.MotionOutcome.OUT_OF_ITERATIONS


def test_why_a_motion_is_not_solved_is_printed_once(tmp_path):
    (tmp_path / "t.toml").write_text("iterations = 3\n" + TEXT)
    done = CliRunner().invoke(app, ["predict", str(tmp_path / "t.toml"), "-o", str(tmp_path / "m.nc"), "--verify"])
    assert done.exit_code == 1
    text = " ".join(done.output.split())
    assert text.count("raise `iterations` (3)") == 1
    assert "not solved: iterations ran out" in text
    assert "m.nc: the last iterate of the search, which is not solved" in text


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("arm =", "lissom = 1\narm =", "it is an arm, not a task"),
        ("goal =", "gaol =", "gaol is not a key of the file; did you mean 'goal'?"),
        ("torque = 10", "torqe = 10", "torqe is not a key of [limits]; did you mean 'torque'?"),
        ("force =", "farce =", "farce is not a key of [[loads]]; did you mean 'force'?"),
        ("time = 0.99", "thyme = 0.99", "minimise has 'thyme'"),
        ("goal = [2.80, -2.37]", "goal = [2.80]", "goal has 1 entries; expected 2"),
        ("goal = [2.80, -2.37]", "goal_deg = [2.80]", "goal_deg has 1 entries; expected 2, one per joint"),
        ("goal = [2.80, -2.37]", "goal = [1, 2]\ngoal_deg = [1, 2]", "goal is given twice, in rad and in deg"),
        ("goal = [2.80, -2.37]", "", "goal is missing; give start and goal"),
        ('arm = "two_link"', "", "arm is missing from the file"),
        ('arm = "two_link"', 'arm = "two_lynk"', "did you mean 'two_link'?"),
        ('arm = "two_link"', "arm = 3", "arm is 3; expected a file or the name of a shipped arm"),
        ("torque = 10", 'torque = "much"', "torque is 'much'"),
        ("torque = 10", "torque = { lower = -1, uper = 2 }", "uper is not a key of torque of [limits]"),
        ("torque = 10", "torque = 10\nvelocity = 1\nvelocity_deg = 1", "velocity is given twice"),
        ("torque = 10", "torque = [1, 2, 3]", "torque has 3 entries; expected 2"),
        ("torque = 10", "torque = 1e-3", "torque limits are"),
        ("[limits]", "[[via]]\nq = [1, 2]\n[limits]", "at is missing from [[via]]"),
        ("[limits]", "[[via]]\nat = 2\nq = [1, 2]\n[limits]", "at is 2; expected a fraction"),
        ("[limits]", "lissom_task = 7\n[limits]", "reads format 1"),
        ("[limits]", "segments = 1.5\n[limits]", "segments is 1.5"),
        ("[limits]", "starts = 0\n[limits]", "starts is 0; expected a whole number above 0"),
        ("[limits]", 'seconds = "soon"\n[limits]', "seconds is 'soon'"),
        ("[limits]", 'output = "m.xls"\n[limits]', "expected files that end in .nc, .csv, .yaml, .yml or .script"),
        ("[limits]", "duration = [2, 1]\n[limits]", "duration is [2, 1]"),
        ('link = "fore"', 'link = "hind"', "hind"),
    ],
)
def test_bad_task_files(task, old, new, sentence):
    task.write_text(TEXT.replace(old, new, 1))
    done = run(task)
    assert done.exit_code == 1
    assert sentence in " ".join(done.stderr.split()), done.stderr
    assert "Traceback" not in done.output


def test_errors_have_lines(task):
    task.write_text(TEXT.replace("torque = 10", "torqe = 10"))
    assert f"{task}:7" in run(task).stderr.replace("\n", "")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--kind", "energy"], "expected one of motion, joints"),
        (["--output", "m.txt"], "a motion is written as .nc or .csv"),
        (["--csv", "m.txt"], "written as .csv"),
        (["--csv", "no/m.csv"], "there is no folder"),
        (["--rate", "0"], "--rate is 0"),
        (["--figure", "m.xyz"], "a figure cannot be written"),
        (["--film", "m.xyz"], "unknown ending"),
    ],
)
def test_what_cannot_be_written_is_said_first(task, tmp_path, monkeypatch, arguments, sentence):
    monkeypatch.chdir(tmp_path)
    done = run(task, *arguments)
    assert done.exit_code == 1
    assert sentence in " ".join(done.stderr.split())
    assert "two_link" not in done.stdout


def test_units_and_fields_of_a_file(tmp_path):
    (tmp_path / "t.toml").write_text(
        """
arm = "stanford"
gravity = [0, 0, -1.62]
payload = { mass = 0.5 }
title = "on the moon"
start_deg = [10, 60, 0.4, 0, 20, 0]
goal = [0.5, 1.2, 0.6, nan, 0.1, 0.2]
goal_velocity_deg = [nan, 9, 0.1, 0, 0, 0]
duration = [0.5, 4]
minimise = "time"
degree = 5
segments = 12
seed = 3
[limits]
velocity_deg = [90, 90, 0.5, 180, 180, 180]
torque = { lower = -20, upper = [20, 21, 22, 23, 24, 25] }
[[via]]
at = 0.25
velocity_deg = [nan, nan, 0.2, 90, nan, nan]
"""
    )
    arm, task, options, outputs = read_task_file(tmp_path / "t.toml")
    assert np.allclose(task.start, [np.radians(10), np.radians(60), 0.4, 0, np.radians(20), 0])  # the boom is in metres
    assert np.isnan(task.goal[3])
    assert np.allclose(task.goal_velocity[1:3], [np.radians(9), 0.1])
    assert np.allclose(task.limits.velocity[1], [np.pi / 2, np.pi / 2, 0.5, np.pi, np.pi, np.pi])
    assert task.limits.torque[0] == -20
    assert np.allclose(task.via[0].velocity[2:4], [0.2, np.pi / 2])
    assert (task.duration, task.degree, task.segments, options, outputs) == ((0.5, 4.0), 5, 12, {"seed": 3}, ())
    assert np.allclose(arm.gravity, [0, 0, -1.62])
    assert arm.link("hand").payload.mass == 0.5


def test_places_and_obstacles_of_a_file(tmp_path):
    """They come from the file, lead the motion, and come back from a saved one."""
    file = tmp_path / "around.toml"
    file.write_text(
        'lissom_task = 1\narm = "two_link"\nstart = [-0.6, 0.2]\nmargin = 0.01\n'
        '[goal]\nlink = "fore"\nposition = [0.2, 0.5, nan]\n'
        "[[obstacles]]\na = [0.62, 0.1, -1]\nb = [0.62, 0.1, 1]\nradius = 0.03\n"
        "[[obstacles]]\ncentre = [-3, 0, 0]\nradius = 0.5\n",
        encoding="utf-8",
    )
    found = read_task_file(file)
    assert isinstance(found.task.goal, ls.Reach)
    assert [type(obstacle).__name__ for obstacle in found.task.obstacles] == ["Capsule", "Sphere"]
    motion = ls.predict_motion(found.arm, found.task)
    assert ls.pose(found.arm, motion.q[-1], "fore")[:2, 3] == pytest.approx([0.2, 0.5], abs=1e-6)
    motion.save(tmp_path / "around.nc")
    assert ls.load_motion(tmp_path / "around.nc").task == motion.task
    file.write_text(file.read_text(encoding="utf-8").replace("centre", "center"), encoding="utf-8")
    with pytest.raises(ls.ModelError, match=r"center is not a key of .*did you mean 'centre'"):
        read_task_file(file)


SOFT = """
arm = "soft.toml"
start = [-1.5]
goal = [0.2]
duration = 0.8
minimise = "torque_squared"
residual = 1e-4
limits = { torque = 30 }
"""


@pytest.mark.slow
def test_an_elastic_arm_beside_other_plans(tmp_path):
    joint = ls.Joint(armature=0.05, elastic=ls.JointElasticity(60.0, 0.02))
    rod = ls.Link("rod", joint=joint, mass=1.3, com=(0.3, 0, 0), inertia=0.02)
    ls.save(ls.Arm("soft", [rod], gravity=(0, -9.81, 0)), tmp_path / "soft.toml")
    (tmp_path / "task.toml").write_text(SOFT)
    files = ("--output", tmp_path / "m.nc", "--figure", tmp_path / "r.png", "--kind", "residual")
    done = run(tmp_path / "task.toml", "--compare", *files)
    assert done.exit_code == 0, done.output
    assert "rigid plan, ZVD, joints tracked" in done.output
    motion = ls.load_motion(tmp_path / "m.nc")
    assert motion.report.residual_checks[-1].residual < 1e-4 < motion.compared["rigid plan"].residual
    told = json.loads(run(tmp_path / "task.toml", "--json", "--quiet", "--verify").stdout)
    assert told["compared"] is None
    assert told["residual_checks"][-1]["residual"] < 1e-4
    assert told["verification"]["residual"] < 1e-4
    with pytest.raises(ls.InputError, match="arm 'soft' has no flexible links"):
        ls.plot(motion, "deflection")
    with pytest.raises(ls.InputError, match="compare=True"):
        ls.plot(ls.predict_motion(ls.load("two_link"), start=[0, -2], goal=[1, -1]), "residual")


def test_task_files_know_bending_and_comparison(tmp_path):
    text = TEXT.replace('"two_link"', '"two_link_flexible"').replace('"fore"', '"link2"')
    text = "compare = true\nresidual = 1e-4\ncontinuity = 3\n" + text
    (tmp_path / "t.toml").write_text(text + '[[bending]]\nlink = "link1"\nstrain = 1e-4\nhalf_height = 0.002\n')
    asked = read_task_file(tmp_path / "t.toml")
    assert asked.task.bending == (ls.BendingLimit("link1", strain=1e-4, half_height=0.002),)
    assert asked.task.continuity == 3
    assert asked.options == {"compare": True, "residual": 1e-4}
    (tmp_path / "t.toml").write_text(text + '[[bending]]\nlink = "link1"\nstrain = 1e-4\n')
    with pytest.raises(ls.ModelError, match="half_height"):
        read_task_file(tmp_path / "t.toml")
    (tmp_path / "t.toml").write_text(text.replace("compare = true", "compare = 1"))
    with pytest.raises(ls.ModelError, match="true or false"):
        read_task_file(tmp_path / "t.toml")


def test_a_guess_in_the_file_and_at_the_command(task, tmp_path):
    """An earlier motion, from a file beside the task or given; and waypoints."""
    assert run(task, "--output", tmp_path / "first.nc", "--quiet").exit_code == 0
    again = tmp_path / "again.toml"
    again.write_text('guess = "first.nc"\n' + TEXT)
    assert read_task_file(again).options["guess"].duration == pytest.approx(0.519, abs=1e-3)
    done = run(task, "--guess", tmp_path / "first.nc", "--json")
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["starts"] == []
    again.write_text("guess = [[1.32, -2.37], [2.0, -2.0], [2.80, -2.37]]\n" + TEXT)
    assert run(again, "--quiet").exit_code == 0
    again.write_text("guess = [[1.32], [2.80]]\n" + TEXT)
    assert "guess has shape (2, 1)" in " ".join(run(again).output.split())
