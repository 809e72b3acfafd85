"""Options that every command with an arm has: locked joints, payloads and the link that carries them."""

import json
import math

import pytest
from tests.arms import gripper_arm
from typer.testing import CliRunner

import lissom as ls
from lissom.cli.arm_options import ArmOptions
from lissom.cli.group import VERBS, loaded
from lissom.cli.main import app

ARMS = ("info", "check", "convert", "torques", "modes", "linearise", "export-c", "draw", "view", "report")


def lissom(*words):
    return CliRunner().invoke(app, [str(word) for word in words])


@pytest.fixture
def gripper(tmp_path):
    file = tmp_path / "gripper.toml"
    ls.save(gripper_arm(), file)
    return file


@pytest.mark.parametrize("name", ARMS)
def test_every_command_with_an_arm_has_the_options(name):
    (verb,) = [each for each in VERBS if each.name == name]
    found = {option for param in loaded(verb).params for option in param.opts}
    assert {"--lock", "--deg", "--payload", "--payload-link", "--flexible", "--mimic", "--merge-fixed"} <= found


def test_reports_are_about_the_arm_that_the_options_describe(tmp_path):
    page = tmp_path / "arm.html"
    done = lissom("report", "puma560", "--lock", "elbow=0.5", "--output", page)
    assert done.exit_code == 0, done.output
    assert "locked at 0.5 rad" in page.read_text(encoding="utf-8")


def test_reports_refuse_options_of_an_arm_for_files_that_name_theirs(tmp_path):
    file = tmp_path / "task.toml"
    file.write_text('arm = "two_link"\nstart = [0, 0]\ngoal = [1, 1]\n', encoding="utf-8")
    done = lissom("report", file, "--payload", "1")
    assert done.exit_code == 1
    assert "names its arm itself; omit --payload" in done.output


@pytest.mark.parametrize("command", ["draw", "modes", "linearise"])
def test_positions_in_degrees_without_the_option_are_warned_of(command, tmp_path):
    more = ["--output", tmp_path / "a.png"] if command == "draw" else ["--joints", "free"] if command == "modes" else []
    done = lissom(command, "puma560", "--q", "0,45,-90,0,0,0", *more)
    assert "warning: --q: joint 'waist'" not in done.output
    assert "looks like degrees: use --deg" in done.output
    quiet = lissom(command, "puma560", "--q", "0,45,-90,0,0,0", "--deg", *more)
    assert "warning" not in quiet.output


def test_locked_joints_are_no_coordinates():
    found = json.loads(lissom("info", "puma560", "--lock", "elbow=0.5", "--lock", "wrist_bend=0", "--json").stdout)
    assert found["dof"] == 4
    assert "joint 'elbow' locked at 0.5 rad" in "\n".join(found["notes"])


def test_degrees_are_of_angles_only():
    arm = ArmOptions("stanford", lock=[f"{joint.name}=30" for joint in ls.load("stanford").joints[:1]], deg=True).load()
    assert any(f"locked at {math.radians(30):g} rad" in note for note in arm.notes)
    arm = ArmOptions("stanford", lock=["boom=0.5"], deg=True).load()
    assert any("locked at 0.5 m" in note for note in arm.notes)


@pytest.mark.parametrize(
    ("lock", "message"),
    [
        (["elbo=0.5"], "there is no joint 'elbo'; did you mean 'elbow'"),
        (["elbow"], "--lock is 'elbow'; expected a joint and its position"),
        (["elbow=bent"], "--lock is 'bent'; expected numbers"),
        (["elbow=1,2"], "--lock is 'elbow=1,2'; expected a joint and its position"),
        (["elbow=1", "elbow=2"], "--lock names joint 'elbow' twice"),
        (["elbow=99"], "outside its limits"),
    ],
)
def test_wrong_locks_are_refused(lock, message):
    done = lissom("info", "puma560", *(word for text in lock for word in ("--lock", text)))
    assert done.exit_code == 1
    assert message in done.stderr


def test_a_payload_on_a_gripper_needs_its_link(gripper):
    refused = lissom("info", gripper, "--payload", 2)
    assert refused.exit_code == 1
    assert (
        "2 ends ('left', 'right'), all carried by 'hand'; name the link that carries the payload with --payload-link"
        in refused.stderr
    )
    for more in (["--payload-link", "hand"], ["--lock", "left=0", "--lock", "right=0"]):
        found = json.loads(lissom("info", gripper, "--payload", 2, *more, "--json").stdout)
        assert {link["name"]: link["payload"] for link in found["links"]}["hand"] == 2.0
    assert "--payload-link needs --payload" in lissom("info", gripper, "--payload-link", "hand").stderr


@pytest.mark.parametrize("name", ["draw", "plot"])
def test_commands_whose_result_is_a_figure_call_it_output(name, tmp_path):
    (verb,) = [each for each in VERBS if each.name == name]
    (option,) = [param for param in loaded(verb).params if "--output" in param.opts]
    assert {"-o", "--figure"} <= set(option.opts)


def test_draw_writes_its_output(tmp_path):
    assert lissom("draw", "two_link", "-o", tmp_path / "arm.png").exit_code == 0
    assert (tmp_path / "arm.png").stat().st_size > 1000


def test_tables_in_a_pipe_are_not_cut(tmp_path, monkeypatch):
    monkeypatch.delenv("COLUMNS", raising=False)
    name = "a_joint_with_a_very_long_name_" * 4
    arm = ls.load("two_link").with_joint("fore", name=name)
    ls.save(arm, tmp_path / "arm.toml")
    (tmp_path / "move.csv").write_text(f"t,q[upper],q[{name}]\n0,0,0\n0.5,0.1,0.1\n1,0.2,0.2\n1.5,0.2,0.2\n")
    done = lissom("torques", tmp_path / "arm.toml", tmp_path / "move.csv")
    assert done.exit_code == 0
    assert name in done.stdout
