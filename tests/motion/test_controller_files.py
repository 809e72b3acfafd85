"""Motions as files for robot controllers, read back by other parsers."""

import re

import numpy as np
import pytest
from typer.testing import CliRunner

import lissom as ls
from lissom.cli.main import app
from lissom.motion.result.files import joint_trajectory
from lissom.motion.result.files.export import check_export
from lissom.motion.result.files.table import MotionTable

yaml = pytest.importorskip("yaml")


@pytest.fixture(scope="module")
def six():
    goal = np.linspace(0.3, 0.6, 6)
    return ls.predict_motion(
        ls.load("ur5"), start=np.zeros(6), goal=goal, duration=0.8, minimise="torque_squared", segments=6
    )


def read(path):
    message = yaml.safe_load(path.read_text())
    points = message["points"]
    t = np.array([p["time_from_start"]["sec"] + 1e-9 * p["time_from_start"]["nanosec"] for p in points])
    return message, t, {word: np.array([p[word] for p in points]) for word in points[0] if word != "time_from_start"}


def test_a_trajectory_of_ros_has_the_samples_of_the_table(six, tmp_path):
    six.export(tmp_path / "m.yaml", rate_hz=40, effort=True)
    message, t, values = read(tmp_path / "m.yaml")
    table = six.table(40)
    assert message["joint_names"] == list(six.arm.coordinates)
    assert message["header"] == {"stamp": {"sec": 0, "nanosec": 0}, "frame_id": ""}
    assert np.abs(t - table.t).max() <= 1e-9  # nanoseconds
    assert (np.diff(t) > 0).all()
    for word, want in {"positions": "q", "velocities": "qd", "accelerations": "qdd", "effort": "tau"}.items():
        assert values[word].dtype == float  # no number became text
        assert np.array_equal(values[word], getattr(table, want))


def test_efforts_are_left_out_by_default_and_the_rate_is_100(six, tmp_path):
    six.export(tmp_path / "m.yml")
    _, t, values = read(tmp_path / "m.yml")
    assert list(values) == ["positions", "velocities", "accelerations"]
    assert t[1] == pytest.approx(0.01)


def test_of_flexible_arms_only_motors_are_commanded():
    arm, t = ls.load("two_link_flexible"), np.arange(3) / 100
    values = np.random.default_rng(0).normal(size=(4, 3, arm.dof))
    message = yaml.safe_load(joint_trajectory.text(MotionTable(arm, 100.0, t, *values), effort=True))
    assert message["joint_names"] == [link.joint.name for link in arm.links]
    for word, want in zip(("positions", "velocities", "accelerations", "effort"), values, strict=True):
        assert np.array_equal([point[word] for point in message["points"]], want[:, arm.joint_index])
    assert arm.dof > 2


@pytest.mark.parametrize("value", [0.0, -0.0, 1e-5, -3e-17, 2.5e-9, 1e22, 0.1, -1234.5])
def test_numbers_are_numbers_in_yaml(value):
    read_back = yaml.safe_load(joint_trajectory.number(value))
    assert read_back == value
    assert isinstance(read_back, float)


def test_urscript_has_one_position_per_cycle(six, tmp_path):
    six.export(tmp_path / "m.script", rate_hz=250)
    lines = [line.strip() for line in (tmp_path / "m.script").read_text().splitlines() if not line.startswith("  #")]
    assert [lines[0], *lines[-2:]] == ["def lissom_motion():", "stopj(2)", "end"]
    rows = [[float(x) for x in re.search(r"\[(.*)\]", line)[1].split(",")] for line in lines[1:-2]]
    assert lines[1].startswith("movej([")
    assert all(re.fullmatch(r"servoj\(\[.*\], 0, 0, 0.004, 0.1, 300\)", line) for line in lines[2:-2])
    table = six.table(250)
    assert np.abs(np.array(rows) - table.q).max() <= 5.1e-10  # nine decimals, radians
    assert (len(rows) - 1) * 0.004 == pytest.approx(table.t[-1])


@pytest.mark.parametrize("rate", [500, 250, 125, 62.5, 100])
def test_rates_of_whole_control_cycles_are_accepted(six, tmp_path, rate):
    six.export(tmp_path / "m.script", rate_hz=rate)


@pytest.mark.parametrize("rate", [1000, 300, 501])
def test_other_rates_are_refused(six, tmp_path, rate):
    with pytest.raises(ls.InputError, match="whole control cycles of 2 ms"):
        six.export(tmp_path / "m.script", rate_hz=rate)


def test_urscript_is_for_six_revolute_joints(tmp_path):
    for name, kinds in {"stanford": "5 revolute, 1 prismatic", "two_link_flexible": "2 revolute"}.items():
        with pytest.raises(ls.UnsupportedError, match=rf"six revolute joints; arm .* has actuated joints: {kinds}\."):
            check_export(ls.load(name), tmp_path / "m.script")


def test_files_are_chosen_by_their_ending_or_by_name(six, tmp_path):
    six.export(tmp_path / "m.csv", rate_hz=100)
    six.to_csv(tmp_path / "same.csv", 100)
    assert (tmp_path / "m.csv").read_text() == (tmp_path / "same.csv").read_text()
    six.export(tmp_path / "m.txt", "urscript")
    assert (tmp_path / "m.txt").read_text().startswith("def ")
    for given, why in [
        ({"path": "m.xyz"}, r"expected .csv, .yaml, .yml, .script"),
        ({"path": "m.yaml", "format": "urscrip"}, "urscript"),
        ({"path": "m.csv", "effort": True}, "effort=True is for joint_trajectory"),
        ({"path": "m.yaml", "rate_hz": 0}, "rate_hz is 0; expected a number above 0"),
        ({"path": "none/m.yaml"}, "no folder"),
    ]:
        with pytest.raises((ls.InputError, ls.LissomError), match=why):
            six.export(tmp_path / given["path"], **{word: x for word, x in given.items() if word != "path"})


def test_motions_for_robots_rest_at_both_ends_and_are_solved(tmp_path):
    arm = ls.load("two_link").with_gravity((0, 0, 0))
    moving = ls.predict_motion(arm, start=[0, -2], goal=[1, -1], goal_velocity=[1, 0], segments=6)
    with pytest.raises(ls.InputError, match=r"ends with moving joints \(upper"):
        moving.export(tmp_path / "m.yaml")
    moving.export(tmp_path / "m.csv")
    failed = moving.with_verdict(ok=False, status="no solution")
    with pytest.raises(ls.InputError, match=r"not solved \(no solution\)"):
        failed.export(tmp_path / "f.yaml")
    assert not (tmp_path / "f.yaml").exists()


def test_the_terminal_writes_them(tmp_path):
    task = 'arm = "two_link"\nstart = [0, 0]\ngoal = [1, 0]\nsegments = 6\noutput = "a.yaml"\n'
    (tmp_path / "t.toml").write_text(task)
    done = CliRunner().invoke(app, ["predict", str(tmp_path / "t.toml"), "--quiet", "--rate", "20"])
    assert done.exit_code == 0, done.output
    _, t, _ = read(tmp_path / "a.yaml")
    assert t[1] == pytest.approx(0.05)
    done = CliRunner().invoke(app, ["predict", str(tmp_path / "t.toml"), "-o", str(tmp_path / "a.script")])
    assert done.exit_code != 0  # before any search
    assert "six revolute joints" in " ".join(done.output.split())
