"""Messages at the terminal name options and keys, where the library names calls."""

import numpy as np
import pytest
from typer.testing import CliRunner

import lissom as ls
from lissom.cli.main import app
from lissom.cli.remedies import in_terminal


def run(*words):
    return CliRunner().invoke(app, [str(word) for word in words])


@pytest.fixture(scope="module")
def locked(tmp_path_factory):
    """A three-joint arm, and a motion of it with its last joint fixed."""
    folder = tmp_path_factory.mktemp("locked")
    links = [ls.Link(f"l{k}", f"l{k - 1}" if k else None, ls.Joint("revolute", axis=(0, 0, 1), name=f"j{k}"),
                     mass=1.0, com=(0.2, 0, 0), inertia=np.diag([0.01] * 3)) for k in range(3)]  # fmt: skip
    arm = ls.Arm("three", links)
    ls.save(arm, folder / "three.toml")
    motion = ls.retime_motion(arm.lock({"j2": 0.0}), [[0, 0], [0.5, 0.5]], limits=ls.Limits(torque=5.0))
    motion.save(folder / "motion.nc")
    motion.to_csv(folder / "motion.csv")
    return folder


@pytest.mark.parametrize(
    ("message", "words"),
    [
        ("lock it with arm.lock({'finger': 0.02}), or more", "lock it --lock finger=0.02, or more"),
        ("plan for arm.lock({'a': 0, 'b': -1.5})", "plan for --lock a=0 --lock b=-1.5"),
        ("lock the joint: --lock f=POSITION, or arm.lock({'f': position}).", "lock the joint: --lock f=POSITION."),
        ("lock a joint: arm.lock({...})", "lock a joint: --lock JOINT=POSITION"),
        ("raise `iterations` (500), or accept it with on_failure='return'",
         "raise `iterations` (500), or take it from the .nc file"),
        ("no mechanical stops. stop_at_limits=True ends a run there.",
         "no mechanical stops. stop_at_limits = true in the file ends a run there."),
        ("minimise has 'word'; expected time, energy, jerk, or a function.",
         "minimise has 'word'; expected time, energy or jerk."),
    ],
)  # fmt: skip
def test_calls_become_options(message, words):
    assert in_terminal(message) == words


def test_files_have_keys_instead_of_options():
    assert in_terminal("plan for arm.lock({'a': 0})", of_file=True) == "plan for lock = { a = 0 } in the file"


def test_too_few_positions_name_the_joints_to_lock(locked):
    done = run("modes", locked / "three.toml", "--q", "0,0")
    assert done.exit_code == 1
    assert "--q has 2 numbers, arm 'three' has 3 joints (j0, j1, j2)" in done.output
    assert "--lock j2=0" in done.output


@pytest.mark.parametrize("file", ["motion.nc", "motion.csv"])
def test_a_motion_of_an_arm_with_a_locked_joint_names_the_option(locked, file):
    done = run("torques", locked / "three.toml", locked / file)
    assert done.exit_code == 1
    assert "--lock j2=POSITION" in done.output
    assert run("torques", locked / "three.toml", locked / file, "--lock", "j2=0").exit_code == 0


def test_a_record_alone_is_viewed_with_its_arm(locked):
    done = run("view", locked / "motion.nc", "--output", locked / "page.html")
    assert done.exit_code == 0, done.output
    assert (locked / "page.html").stat().st_size > 10_000
    assert "omit --lock" in run("view", locked / "motion.nc", "--lock", "j2=0", "--output", locked / "p.html").output
    assert (
        "--lock j2=POSITION" in run("view", locked / "three.toml", locked / "motion.nc", "-o", locked / "p.html").output
    )


def test_check_counts_the_notes_that_it_prints():
    done = run("check", "panda")
    printed = sum(line.startswith("note: ") for line in done.output.splitlines())
    assert f"{printed} note" in done.output.splitlines()[-1]


def test_advice_about_degrees_is_that_of_the_command(tmp_path):
    (tmp_path / "task.toml").write_text('arm = "ur5"\nstart = [0, 0, 0, 0, 0, 0]\ngoal = [90, 0, 0, 0, 0, 0]\n')
    done = run("predict", tmp_path / "task.toml")
    assert "names that end in _deg, such as goal_deg" in " ".join(done.output.split())
    assert "np.deg2rad" not in done.output


def test_keys_of_other_words_and_lengths_are_explained(tmp_path):
    (tmp_path / "task.toml").write_text('robot = "ur5"\nstart = [0]\ngoal = [1]\n')
    assert "robot is not a key of the file; did you mean 'arm'?" in run("predict", tmp_path / "task.toml").output
    (tmp_path / "short.toml").write_text('arm = "ur5"\nstart = [0, 0, 0, 0, 0]\ngoal = [1, 0, 0, 0, 0]\n')
    done = " ".join(run("predict", tmp_path / "short.toml").output.split())
    assert "start has 5 entries; expected 6, one per joint of 'ur5' (shoulder_pan, shoulder_lift, elbow," in done
    assert "lissom plot FILE --film" in " ".join(run("animate").output.split())
