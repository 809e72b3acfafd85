"""simulate, plot and torques on the command line."""

import json

import numpy as np
import pytest
from typer.testing import CliRunner

import lissom as ls
from lissom.cli.main import app

RUN = """
arm = "two_link"
until = 0.5
[start]
q = [0.3, 0.1]
[controller]
kind = "pd"
q_deg = [40, -20]
kp = 20.0
kd = 4.0
"""


def lissom(*arguments):
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "run.toml"
    path.write_text(RUN)
    return path


def test_simulate_writes_a_run_and_pictures(file, tmp_path):
    done = lissom("simulate", file, "--figure", tmp_path / "a.png", "--film", tmp_path / "a.gif")
    assert done.exit_code == 0, done.output + done.stderr
    assert "two_link: done" in done.output
    assert "dop853: adaptive" in done.output
    run = ls.load_run(tmp_path / "run.nc")
    same = ls.simulate(ls.load("two_link"), [0.3, 0.1], tau=ls.PD(np.radians([40, -20]), 20, 4), until=0.5)
    assert (run.q == same.q).all()
    assert (tmp_path / "a.png").stat().st_size > 10_000
    assert (tmp_path / "a.gif").read_bytes()[:6] == b"GIF89a"


def test_simulate_json(file, tmp_path):
    data = json.loads(lissom("simulate", file, "-o", tmp_path / "b.csv", "--json").stdout)
    assert data["status"] == "done"
    assert data["coordinates"]["upper"]["largest_torque"] > 0
    assert ls.load_run(tmp_path / "b.csv").ok


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ('arm = "two_link"', "until is missing from the file"),
        (RUN.replace("until", "untill"), "run.toml:3: untill is not a key of the file; did you mean 'until'?"),
        (RUN.replace('"pd"', '"ppd"'), "kind is 'ppd'; did you mean 'pd'?"),
        (RUN.replace("kd = 4.0", ""), "kd is missing from [controller] of kind 'pd'"),
        (RUN.replace("kd = 4.0", "kd = -4.0"), "a negative gain"),
        (RUN.replace("kd = 4.0", "kdd = 4.0"), "kdd is not a key of [controller]; did you mean"),
        (RUN.replace("two_link", "two_lnk"), "did you mean 'two_link'"),
        (RUN + "torque = [1, 2]", "torque is not a key of [controller]"),
        ("torque = [1, 2]" + RUN, "torque and controller are both given"),
        (RUN + "[[events]]\ncoordinate = 'upp'\n", "coordinate is 'upp'; did you mean 'upper'"),
        (RUN + "[[loads]]\nlink = 'fore'\nfrce = [1, 0, 0]\n", "frce is not a key of [[loads]]; did you mean 'force'"),
        (RUN + "[prescribed]\nfore = 'fast'\n", "prescribed.fore is 'fast'; expected a table"),
        (RUN + "[ensemble]\nruns = 0\n", "runs is 0; expected a whole number from 1"),
        ("output = 'run.xls'\n" + RUN, "expected files that end in .nc, .csv or .parquet"),
        ("lissom_run = 2\n" + RUN, "lissom_run is 2; this version of lissom reads format 1"),
        ("until = [", "not TOML"),
    ],
)
def test_bad_run_files(change, message, tmp_path):
    path = tmp_path / "run.toml"
    path.write_text(change)
    done = lissom("simulate", path)
    assert done.exit_code == 1
    assert message in done.stderr, done.stderr
    assert "Traceback" not in done.output + done.stderr
    assert list(tmp_path.iterdir()) == [path]


def test_a_failed_run_is_kept(tmp_path):
    path = tmp_path / "run.toml"
    path.write_text(RUN.replace("kd = 4.0", "kd = 2000.0").replace("until = 0.5", "until = 0.5\ndt = 0.01"))
    done = lissom("simulate", path)
    assert done.exit_code == 1
    assert "s are unstable" in done.stderr
    assert "diverged" in ls.load_run(tmp_path / "run.nc").status


def test_everything_a_run_file_can_say(tmp_path):
    path = tmp_path / "run.toml"
    (tmp_path / "tau.csv").write_text("t,tau[upper],tau[fore]\n0,1,0\n0.2,2,-1\n")
    path.write_text("""
arm = "two_link"
until = 0.2
dt = 1e-3
every = 0.01
title = "all of it"
payload = { mass = 0.3, com = [0.1, 0, 0] }
torque = { file = "tau.csv" }
output = "a.parquet"
[start]
q = [0.3, 0.1]
qd_deg = [10, 20]
[[loads]]
link = "fore"
force = [1, 2, 3]
[[loads]]
link = "upper"
t = [0, 0.1]
moment = [[0, 0, 0], [0, 0, 1]]
kind = "hold"
[base]
t = [0, 0.2]
linear_acceleration = [[0, 0, 0], [1, 0, 0]]
[prescribed]
fore = { t = [0, 0.2], acceleration = [0, 1] }
[[events]]
coordinate = "upper"
quantity = "qd"
value = 0.1
name = "slow"
""")
    done = lissom("simulate", path)
    assert done.exit_code == 0, done.stderr
    run = ls.load_run(tmp_path / "a.parquet")
    arm = ls.load("two_link").with_payload(ls.Payload(0.3, (0.1, 0, 0)))
    turn = ls.Profile([0, 0.1], [[0, 0, 0], [0, 0, 1]], "hold")
    shake = ls.Profile([0, 0.2], [[0, 0, 0], [1, 0, 0]])
    same = ls.simulate(
        arm, [0.3, 0.1], np.radians([10, 20]), ls.Profile([0, 0.2], [[1, 0], [2, -1]]), until=0.2, dt=1e-3, every=0.01,
        loads=lambda t: [ls.Load("fore", force=[1, 2, 3]), ls.Load("upper", moment=turn(t))],
        base=lambda t: ls.BaseMotion(linear_acceleration=shake(t)),
        prescribed={"fore": ls.Profile([0, 0.2], [0, 1])},
    )  # fmt: skip
    assert np.abs(run.q - same.q).max() < 1e-4  # a function does not tell where it jumps
    assert run.arm == arm


def test_ensembles_from_a_file(tmp_path):
    path = tmp_path / "run.toml"
    path.write_text(RUN + "[ensemble]\nruns = 12\nseed = 4\nq = [0.1, 0.0]\nkp = 0.2\npayload = { mass = [0, 1] }\n")
    assert lissom("simulate", path, "-o", tmp_path / "a.nc", "--figure", tmp_path / "a.png").exit_code == 0
    assert lissom("simulate", path, "-o", tmp_path / "b.nc", "--save-every", 5, "--threads", 1).exit_code == 0
    a, b = ls.load_run(tmp_path / "a.nc"), ls.load_run(tmp_path / "b.nc")
    assert a.count == 12
    assert (a.q == b.q).all()
    assert [run.report.provenance["run_file"] for run in (a, b)] == [path.read_text()] * 2
    assert np.ptp(a.q[:, 0, 0]) > 0.05
    assert np.ptp(a.q[:, 0, 1]) == 0


@pytest.mark.parametrize("kind", ["motion", "tip", "energy", "phase"])
def test_plot(kind, file, tmp_path):
    lissom("simulate", file)
    done = lissom("plot", tmp_path / "run.nc", "--kind", kind, "--figure", tmp_path / "a.svg")
    assert done.exit_code == 0, done.stderr
    assert (tmp_path / "a.svg").stat().st_size > 10_000


def test_plot_refuses(file, tmp_path):
    lissom("simulate", file)
    assert "expected one of motion" in lissom("plot", tmp_path / "run.nc", "--kind", "speed").stderr
    assert "unknown ending" in lissom("plot", tmp_path / "run.nc", "--film", "a.avi").stderr
    assert "does not exist" in lissom("plot", tmp_path / "no.nc").stderr


def test_torques(tmp_path):
    """A motion known in closed form: only positions are given, the rest comes from splines."""
    t = np.linspace(0, 1, 201)
    q = np.stack([0.5 * np.sin(2 * t), 0.3 * np.cos(3 * t)], axis=1)
    rows = "\n".join(f"{a!r},{float(b)!r},{float(c)!r}" for a, (b, c) in zip(t.tolist(), q, strict=True))
    (tmp_path / "m.csv").write_text(f"# measured\nt, upper, fore\n{rows}\n")
    done = lissom("torques", "two_link", tmp_path / "m.csv", "-o", tmp_path / "tau.csv", "--figure", tmp_path / "t.png")
    assert done.exit_code == 0, done.stderr
    assert "derivatives of cubic splines" in done.output
    values = np.loadtxt(tmp_path / "tau.csv", delimiter=",", skiprows=1)
    qd = np.stack([np.cos(2 * t), -0.9 * np.sin(3 * t)], axis=1)
    qdd = np.stack([-2 * np.sin(2 * t), -2.7 * np.cos(3 * t)], axis=1)
    want = ls.inverse_dynamics(ls.load("two_link"), q, qd, qdd)
    assert np.abs(values[5:-5, 1:] - want[5:-5]).max() < 1e-3
    data = json.loads(lissom("torques", "two_link", tmp_path / "m.csv", "--json").stdout)
    assert data["derived"] == ["qd", "qdd"]


def test_torques_of_a_saved_run_are_its_torques(file, tmp_path):
    lissom("simulate", file, "-o", tmp_path / "run.csv")
    run = ls.load_run(tmp_path / "run.csv")
    done = lissom("torques", "two_link", tmp_path / "run.csv", "-o", tmp_path / "tau.csv")
    assert done.exit_code == 0, done.stderr
    values = np.loadtxt(tmp_path / "tau.csv", delimiter=",", skiprows=1)
    assert np.abs(values[:, 1:] - run.tau).max() < 1e-9


PUSHED = """
arm = "stanford"
until = 0.4
every = 0.01
output = "run.csv"
[start]
q = [0.3, 0.4, 0.5, 0.1, 0.2, 0.3]
[controller]
kind = "pd"
q_deg = [20, 30, 0.6, 5, 10, 12]
kp = [50, 60, 300, 5, 5, 2]
kd = [9, 9, 40, 1, 1, 0.4]
[[loads]]
link = "hand"
t = [0.0, 0.15, 0.4]
force = [[1, 2, 0], [-3, 1, 2.5], [0, 0, 4]]
[[loads]]
link = "boom"
moment = [0.2, -0.7, 0.3]
point = [0.1, 0, 0.05]
"""


def test_torques_under_the_loads_of_a_run_are_its_torques(tmp_path):
    """A run names its loads, which are used; the same loads from the run file, or from a file with nothing else."""
    run_file, motion = tmp_path / "run.toml", tmp_path / "run.csv"
    run_file.write_text(PUSHED)
    assert lissom("simulate", run_file, "-q").exit_code == 0
    run = ls.load_run(motion)
    alone = tmp_path / "loads.toml"
    alone.write_text(PUSHED[PUSHED.index("[[loads]]") :])
    scale = np.abs(run.tau).max()
    for options in ((), ("--loads", run_file), ("--loads", alone)):
        done = lissom("torques", "stanford", motion, "-o", tmp_path / "a.csv", *options)
        assert done.exit_code == 0, done.stderr
        assert ("loads of the motion's run file act" in done.stderr) == (not options)
        assert "warning" not in done.stderr
        values = np.loadtxt(tmp_path / "a.csv", delimiter=",", skiprows=1)[:, 1:]
        assert np.abs(values - run.tau).max() < 1e-9 * scale


def test_torques_refuses_files_without_loads(file, tmp_path):
    lissom("simulate", file, "-o", tmp_path / "run.csv", "-q")
    assert "there are no [[loads]]" in lissom("torques", "two_link", tmp_path / "run.csv", "--loads", file).stderr
    (tmp_path / "l.toml").write_text("[[loads]]\nlink = 'fore'\nforse = [1, 2, 3]\n")
    wrong = lissom("torques", "two_link", tmp_path / "run.csv", "--loads", tmp_path / "l.toml").stderr
    assert "l.toml:3 load 1: forse is not a key of [[loads]]; did you mean 'force'?" in wrong
    (tmp_path / "l.toml").write_text("[[loads]]\nlink = 'hand'\n")
    wrong = lissom("torques", "two_link", tmp_path / "run.csv", "--loads", tmp_path / "l.toml").stderr
    assert "there is no link or tool 'hand'" in wrong


def test_tables_show_units_of_every_joint(tmp_path):
    """The third joint of the Stanford arm slides."""
    (tmp_path / "run.toml").write_text('arm = "stanford"\nuntil = 0.02\noutput = "run.csv"\n')
    shown = lissom("simulate", tmp_path / "run.toml", "-q").output
    cells = [line.split("│")[2:5] for line in shown.splitlines() if "│" in line]
    found = [[cell.split(None, 1)[1].strip() for cell in row] for row in cells]
    assert found == [["rad", "rad/s", "N m"]] * 2 + [["m", "m/s", "N"]] + [["rad", "rad/s", "N m"]] * 3
    rows = json.loads(lissom("torques", "stanford", tmp_path / "run.csv", "--json").stdout)["torques"]
    assert [row["unit"] for row in rows] == ["N m", "N m", "N", "N m", "N m", "N m"]
    table = lissom("torques", "stanford", tmp_path / "run.csv").output
    assert [line.split("│")[2].split(None, 1)[1].strip() for line in table.splitlines() if "│" in line] == [
        "N m", "N m", "N", "N m", "N m", "N m",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("t,upper\n0,1\n1,2\n", "q of joint 'fore' is missing"),
        ("upper,fore\n0,1\n", "there is no column t"),
        ("t,upper,fore\n0,1,2\n0,1,2\n", "times must increase; they do not at row 2"),
        ("t,upper,fore\n0,1,2\n1,1,2\n", "2 samples are too few"),
        ("t,upper,fore\n0,1,x\n", "not a table of numbers"),
        ("t,upper,fore\n0,1,nan\n", "column 'fore' has no number in row 1"),
        ("", "it is empty"),
        ("t,a,b\n0,1,2\n", "there are no positions; expected columns q[upper], q[fore]"),
    ],
)
def test_bad_motions(text, message, tmp_path):
    (tmp_path / "m.csv").write_text(text)
    done = lissom("torques", "two_link", tmp_path / "m.csv")
    assert done.exit_code == 1
    assert message in done.stderr


def test_a_run_that_means_nothing_exits_with_an_error(tmp_path):
    """Bent too far: the run is written, the command fails with the reason."""
    soft = ls.Arm("s", [ls.Link("r", beam=ls.Beam(1.0, 0.5, EI=0.5, modes=ls.Modes(2)))], gravity=(0, 0, 0))
    ls.save(soft, tmp_path / "soft.toml")
    text = 'arm = "soft.toml"\nuntil = 1.0\ntorque = [1.0, 0.0, 0.0]\n'
    (tmp_path / "run.toml").write_text(text, encoding="utf-8")
    done = lissom("simulate", tmp_path / "run.toml")
    assert done.exit_code == 1, done.output
    assert "small-deflection modes are not valid" in " ".join(done.stderr.split())
    assert (tmp_path / "run.nc").exists()


def test_tables_of_flexible_arms_show_deflections(tmp_path):
    text = 'arm = "two_link_flexible"\nuntil = 0.2\ntorque = [0.1, 0.0]\n'
    (tmp_path / "run.toml").write_text(text, encoding="utf-8")
    done = lissom("simulate", tmp_path / "run.toml")
    assert done.exit_code == 0, done.output
    assert "joint2" in done.output
    assert "bending_z1" not in done.output
    found = json.loads(lissom("simulate", tmp_path / "run.toml", "--json").stdout)["largest_deflection"]
    run = ls.load_run(tmp_path / "run.nc")
    assert found["link1"] == pytest.approx(np.linalg.norm(run.deflection("link1"), axis=1).max())
    words = f"largest deflection of the end of link2, relative to the undeflected link: {1e3 * found['link2']:.4g} mm"
    assert words in " ".join(done.output.split())
