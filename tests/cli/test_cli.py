"""The command line: output, exit codes, JSON, errors in one sentence."""

import json
import subprocess
import sys

import numpy as np
import pytest
from typer.testing import CliRunner

import lissom as ls
from lissom.cli.main import app


def lissom(*arguments):
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


@pytest.fixture
def bad_urdf(tmp_path):
    path = tmp_path / "bad.urdf"
    path.write_text(
        '<robot name="bad">\n  <link name="forearm">\n    <inertial>\n      <mass value="1"/>\n'
        '      <inertia ixx="0.02" ixy="0" ixz="0" iyy="0.03" iyz="0" izz="0.09"/>\n'
        "    </inertial>\n  </link>\n</robot>\n"
    )
    return path


def test_help_lists_the_verbs():
    text = lissom("--help").output
    for verb in ("info", "check", "convert", "draw", "robots"):
        assert verb in text
    assert lissom().exit_code == 2  # nothing asked: the help, and "wrong usage"


@pytest.mark.parametrize("verb", ["info", "check", "convert", "draw", "robots"])
def test_every_verb_has_help(verb):
    done = lissom(verb, "--help")
    assert done.exit_code == 0
    assert "Usage" in done.output


def test_version():
    assert lissom("--version").output == f"lissom {ls.__version__}\n"


def test_info_is_the_table():
    done = lissom("info", "puma560")
    assert done.exit_code == 0
    assert done.output == ls.load("puma560").describe() + "\n"


def test_wide_tables_of_arms_are_two(tmp_path):
    text = ls.load("kinova_gen3").describe()
    assert max(map(len, text.splitlines())) <= 110
    assert [line.split()[0] for line in text.splitlines() if "  max effort" in line] == ["joint"]


def test_joints_are_named_or_said_to_be_named_like_links():
    assert "Joints have the names of their links." in ls.load("two_link").describe()
    assert "Joints have the names" not in ls.load("panda").describe()
    arm = ls.load("two_link").with_joint("fore", name="elbow")
    assert [line.split()[2] for line in arm.describe().splitlines()[4:6]] == ["upper", "elbow"]


def test_info_json():
    data = json.loads(lissom("info", "stanford", "--json").output)
    arm = ls.load("stanford")
    assert data["digest"] == arm.digest
    assert data["links"][2]["joint"]["type"] == "prismatic"
    assert data["links"][2]["joint"]["position_limits"] == [0.3048, 1.27]
    assert data["links"][0]["inertia"] == arm.links[0].inertia.tolist()


def test_info_refuses_with_one_sentence(bad_urdf):
    done = lissom("info", bad_urdf)
    assert done.exit_code == 1
    assert f"{bad_urdf}:5 link 'forearm': inertia is not physical" in done.stderr
    assert "Traceback" not in done.output + done.stderr


def test_info_of_an_unknown_arm_suggests():
    done = lissom("info", "puma650")
    assert done.exit_code == 1
    assert "did you mean 'puma560'?" in done.stderr


def test_unknown_option_is_wrong_usage():
    assert lissom("info", "puma560", "--jsn").exit_code == 2


def test_check(bad_urdf):
    good = lissom("check", "tree_demo")
    assert good.exit_code == 0
    assert "physical, 0 warnings" in good.output
    assert lissom("check", bad_urdf).exit_code == 1
    assert lissom("check", bad_urdf, "--repair").exit_code == 0


def test_check_warns_of_joints_that_cannot_move(tmp_path):
    arm = ls.load("two_link").with_joint("fore", limits=ls.Limits(position=(0.0, 0.0)))
    ls.save(arm, tmp_path / "a.toml")
    done = lissom("check", str(tmp_path / "a.toml"))
    assert "warning: joint 'fore': its position limits are both 0 rad, so it cannot move." in done.stdout
    assert "--lock fore=0" in done.stdout


def test_check_prints_warnings_first_and_notes_of_one_wording_once():
    from lissom.cli.commands.describe.check import _notes
    from lissom.model.plausibility import ModelFinding

    notes = [ModelFinding("note", "arm 'a'", f"fixed joint 'j{k}': its limit ignored.") for k in range(7)]
    other = ModelFinding("note", "link 'b'", "its mass is a point.")
    assert list(_notes([*notes, other], "a")) == [
        "fixed joint 'j0': its limit ignored. The same of 'j1', 'j2', 'j3', 'j4' and 2 more.",
        "link 'b': its mass is a point.",
    ]


def test_check_strict_fails_on_warnings(tmp_path):
    arm = ls.load("two_link").with_link("fore", com=(-200.0, 0, 0))
    ls.save(arm, tmp_path / "mm.toml")
    assert lissom("check", tmp_path / "mm.toml").exit_code == 0
    assert lissom("check", tmp_path / "mm.toml", "--strict").exit_code == 1
    found = json.loads(lissom("check", tmp_path / "mm.toml", "--json").output)["findings"]
    assert any(f["level"] == "warning" and "200 m" in f["message"] for f in found)


def test_convert_there_and_back(tmp_path):
    assert lissom("convert", "tree_demo", tmp_path / "t.toml").exit_code == 0
    assert ls.load(tmp_path / "t.toml") == ls.load("tree_demo")
    refused = lissom("convert", "tree_demo", tmp_path / "t.urdf")
    assert refused.exit_code == 1
    assert "URDF cannot represent" in refused.stderr
    assert not (tmp_path / "t.urdf").exists()
    assert lissom("convert", "tree_demo", tmp_path / "t.urdf", "--lossy").exit_code == 0
    assert ls.load(tmp_path / "t.urdf").dof == 7


def test_convert_does_not_overwrite(tmp_path):
    target = tmp_path / "a.toml"
    target.write_text("mine")
    assert lissom("convert", "two_link", target).exit_code == 1
    assert target.read_text() == "mine"
    assert lissom("convert", "two_link", target, "--overwrite").exit_code == 0
    assert ls.load(target) == ls.load("two_link")


def test_draw_shows_the_pose_that_its_help_names(tmp_path, monkeypatch):
    shown = []
    monkeypatch.setattr("lissom.views.scene.draw.draw", lambda arm, q, **_: shown.append(q))
    monkeypatch.setattr("lissom.cli.commands.show.draw.save_figure", lambda *_: None)
    assert lissom("draw", "panda", "--output", str(tmp_path / "a.png")).exit_code == 0
    assert (shown[0] == ls.load("panda").ready).all()
    assert "pose 'ready'" in " ".join(lissom("draw", "--help").stdout.replace("│", " ").split())


def test_draw_writes_a_picture(tmp_path):
    target = tmp_path / "puma.png"
    done = lissom("draw", "puma560", "--q", "0,45,-30,0,20,0", "--deg", "--figure", target)
    assert done.exit_code == 0, done.output
    assert target.read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("q", "message"), [("0,1", "--q has 2 numbers, arm 'puma560' has 6 joints"), ("0,x", "expected numbers")]
)
def test_draw_explains_wrong_positions(q, message, tmp_path):
    done = lissom("draw", "puma560", "--q", q, "--figure", tmp_path / "x.png")
    assert done.exit_code == 1
    assert message in done.stderr


def test_draw_explains_an_unwritable_figure(tmp_path):
    done = lissom("draw", "two_link", "--figure", tmp_path / "no" / "x.png")
    assert done.exit_code == 1
    assert "there is no folder" in done.stderr
    assert lissom("draw", "two_link", "--figure", tmp_path / "x.nonsense").exit_code == 1


def test_robots():
    done = lissom("robots")
    assert all(name in done.output for name in ls.shipped())
    data = json.loads(lissom("robots", "--json").output)
    assert {row["name"]: row["dof"] for row in data}["two_link_flexible"] == 6


def test_module_runs():
    done = subprocess.run([sys.executable, "-m", "lissom", "--version"], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("lissom ")


def test_completion_knows_the_shipped_arms():
    from lissom.cli.arm_options import complete_arm

    assert complete_arm("two") == ["two_link", "two_link_flexible"]


def test_count():
    done = lissom("count")
    assert done.exit_code == 0
    assert "66271 51548" in done.output
    assert "106 1/2 n^2 + 620 1/2 n - 512" in done.output
    data = json.loads(lissom("count", "--arm", "stanford", "--json").output)
    rows = {row["method"]: row for row in data["counts"]}
    assert rows["waters"]["folded"][0] < rows["waters"]["dense"][0]
    assert data["times"] == []


@pytest.mark.slow
def test_count_on_a_tree_says_what_is_missing():
    done = lissom("count", "--arm", "tree_demo")
    assert done.exit_code == 0
    assert "covers serial arms only" in done.output
    assert lissom("count", "--arm", "two_link_flexible").exit_code == 1
    assert lissom("count", "--time", "--figure", "no/such/folder.png").exit_code == 1
    assert lissom("count", "--time", "--figure", "figure.xyz").exit_code == 1
    assert "32 1/2 n^4" in lissom("count", "--n", "40").output


@pytest.mark.slow
def test_count_measures_and_draws(tmp_path):
    done = lissom("count", "--time", "--most", 2, "--figure", tmp_path / "times.png")
    assert done.exit_code == 0, done.output
    assert "Nanoseconds per state" in done.output
    assert (tmp_path / "times.png").stat().st_size > 20_000


@pytest.mark.parametrize("width", [80, 160])
def test_reproduce(monkeypatch, tmp_path, width):
    """A short paper in the place of a long one, in a narrow terminal and in a wide one."""
    from lissom.cli.commands.prove import reproduce
    from lissom.papers import nasser
    from lissom.papers.claims import Drawing, Listing, Reproduction, judged
    from lissom.views.figures.panels import Curve, Panel

    claims = (judged("(1)", "one is one", "1.0", True), judged("(2)", "one is two", "1.0", False, "it is not"))
    drawing = Drawing("line", "A line", (Panel("title", "x", "y", (Curve("up", [0, 1], [0, 1]),)),))
    short = Reproduction(
        "nasser", "A short paper", claims, (drawing,), (Listing("Numbers", ("a", "b"), (("1", "2"),)),)
    )
    monkeypatch.setattr(nasser, "reproduce", lambda **_: short)
    monkeypatch.setattr(reproduce.out, "width", width)
    done = lissom("reproduce", "nasser", "--output", str(tmp_path / "figures"))
    assert done.exit_code == 0, done.output
    for words in ("A short paper", "one is two", "it is not", "Numbers", "2 claims: 1 reproduced, 1 not reproduced"):
        assert words in done.output
    assert (tmp_path / "figures" / "line.png").stat().st_size > 5_000
    data = json.loads(lissom("reproduce", "nasser", "--no-figures", "--json").output)
    assert [claim["verdict"] for claim in data["claims"]] == ["reproduced", "not reproduced"]
    assert data["verdicts"] == {"reproduced": 1, "not reproduced": 1}
    assert data["seconds"] >= 0
    assert data["listings"][0]["rows"] == [["1", "2"]]
    wrong = lissom("reproduce", "hollerbach")
    assert wrong.exit_code == 1
    assert "did you mean 'hollerbach1980'" in wrong.stderr


@pytest.mark.slow
def test_reproduce_draws(tmp_path):
    done = lissom("reproduce", "deluca1991", "--no-time", "--output", tmp_path / "figures")
    assert done.exit_code == 0, done.output
    drawn = {path.name for path in (tmp_path / "figures").iterdir()}
    assert {"figures_2_to_4.png", "figure_05.png", "figure_10.png", "definiteness.png"} <= drawn


def test_rounding_errors_are_no_unstable_poles():
    from lissom.cli.commands.compute.linearise import pole_cells, without_noise

    found = without_noise(np.array([1.97e-15, 6.4e-17 + 1e-9j, -2.0, -0.1 + 3.0j]))
    assert found.tolist() == [0, 0, -2.0, -0.1 + 3.0j]
    assert pole_cells(0j, None) == ("-", "-", "rigid body")
    assert pole_cells(-2 + 0j, None) == ("-", "-", "decays")
    assert pole_cells(2 + 0j, None) == ("-", "-", "unstable")
    assert pole_cells(3j, None)[2] == "undamped"
    assert pole_cells(1 + 1e-12 + 0j, 0.01)[2] == "rigid body"
    assert pole_cells(-0.1 + 3.0j, None) == ("0.47773", "0.0333", "decays")


def test_linearise(tmp_path):
    done = lissom("linearise", "two_link", "--q", "-1.57079632679,0", "--figure", tmp_path / "response.png")
    assert done.exit_code == 0, done.output
    assert "damping ratio" in done.output
    assert (tmp_path / "response.png").stat().st_size > 10_000
    data = json.loads(lissom("linearise", "puma560", "--frame", "flange", "--dt", "0.01", "--json").output)
    assert data["outputs"][0] == "flange.x"
    assert data["dt"] == 0.01
    assert len(data["A"]) == 12
    assert "no equilibrium" in lissom("linearise", "two_link", "--q", "0,0", "--tau", "0,0").output
    assert "At q = 0.2, 0.1" in lissom("linearise", "two_link", "--q", "0.2,0.1").output
    assert "no equilibrium" not in lissom("linearise", "two_link_flexible", "--sagging").output
    assert "--q has 1 number," in lissom("linearise", "two_link", "--q", "0").stderr


def test_named_files_are_replaced_and_the_message_says_so(tmp_path):
    target = tmp_path / "arm.png"
    assert f"wrote {target}" in lissom("draw", "two_link", "--output", target).stderr
    assert f"replaced {target}" in lissom("draw", "two_link", "--output", target).stderr


def test_default_names_replace_only_what_lissom_wrote(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for message in ("wrote two_link.png", "replaced two_link.png"):
        done = lissom("draw", "two_link")
        assert done.exit_code == 0
        assert message in done.stderr
    foreign = tmp_path / "two_link.png"
    for content in (b"a photograph", b""):
        foreign.write_bytes(content)
        done = lissom("draw", "two_link")
        assert done.exit_code == 1
        assert "lissom did not write it: it is not replaced. Name a file with --output" in done.stderr
        assert foreign.read_bytes() == content


def test_a_run_does_not_replace_a_foreign_file_with_its_default_name(tmp_path):
    run = tmp_path / "swing.toml"
    run.write_text('arm = "two_link"\nuntil = 0.01\n')
    (tmp_path / "swing.nc").write_bytes(b"weather data")
    done = lissom("simulate", run)
    assert done.exit_code == 1
    assert "lissom did not write it" in done.stderr
    (tmp_path / "swing.nc").unlink()
    assert lissom("simulate", run).exit_code == 0
    assert "replaced" in lissom("simulate", run).stderr


def test_linearise_shows_zeros(tmp_path):
    arm = ("linearise", "two_link_flexible", "--q", "0.2,1.2")
    found = lissom(*arm, "--frame", "link2.tip", "--rows", "xy", "--kind", "poles", "--figure", tmp_path / "poles.png")
    assert "minimum phase: no; relative degree [2, 2]" in found.output
    assert "rigid body" in found.output
    assert "Every mode is reached by the inputs; the weakest: pole" in found.output
    assert (tmp_path / "poles.png").stat().st_size > 10_000
    data = json.loads(lissom(*arm, "--encoders", "--json").output)
    assert data["minimum_phase"] == "marginal"
    assert len(data["zeros"]) == 8
    assert "zeros" not in json.loads(lissom(*arm, "--json").output)
    tip = json.loads(lissom(*arm, "--frame", "link2", "--point", "0.5,0,0", "--rows", "x,y", "--json").output)
    assert tip["outputs"] == ["link2@0.5,0,0.x", "link2@0.5,0,0.y"]
    along = lissom(*arm, "--along", "link2", "--rows", "xy", "--figure", tmp_path / "along.png")
    assert "Non-minimum phase everywhere" in along.output
    assert (tmp_path / "along.png").stat().st_size > 10_000
    assert "--along needs --rows" in lissom(*arm, "--along", "link2").stderr
    assert "name it with --frame" in lissom(*arm, "--rows", "xy").stderr
    assert "expected one of them" in lissom(*arm, "--encoders", "--frame", "link2").stderr
    assert "expected one of response, poles" in lissom(*arm, "--kind", "nonsense").stderr
