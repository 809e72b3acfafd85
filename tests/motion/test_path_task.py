"""Task files whose frame follows a path: the motion that Python makes, its report, and what is refused."""

import html
import re

import numpy as np
import pytest
from typer.testing import CliRunner

import lissom as ls
from lissom.cli.main import app

TASK = """
lissom_task = 1
arm = "two_link_flexible"
start = [0.2, 1.2]
output = "draw.nc"

[path]
frame = "link2.tip"
t = [0.0, 1.0, 2.0]
x = [0.575, 0.50, 0.40]
y = [0.592, 0.65, 0.70]
before = 0.2

[limits]
torque = 2.0

[[bending]]
link = "link1"
deflection = 0.06
"""
POSES = """
lissom_task = 1
arm = "puma560"
start_deg = [5, -35, 20, 15, 40, -10]

[[path.poses]]
t = 0.0
link = "flange"
position = [0.5, 0.1, 0.2]

[[path.poses]]
t = 1.5
link = "flange"
position = [0.45, 0.3, 0.3]
"""


@pytest.fixture
def draw(tmp_path):
    path = tmp_path / "draw.toml"
    path.write_text(TASK)
    return path


def test_a_task_file_gives_the_motion_of_python(draw, monkeypatch):
    given = ls.load_task(draw)
    motion = given.planned()
    rows = np.array([[0.575, 0.592], [0.5, 0.65], [0.4, 0.7]])
    same = ls.track_motion(
        given.arm, ([0, 1, 2], rows), "link2.tip", "xy", before=0.2, start=[0.2, 1.2], limits=ls.Limits(torque=2.0),
        bending=ls.BendingLimit("link1", deflection=0.06),
    )  # fmt: skip
    assert np.array_equal(motion.q, same.q)
    assert {peak.quantity for peak in motion.report.peaks} >= {"torque", "deflection"}
    monkeypatch.chdir(draw.parent)
    done = CliRunner().invoke(app, ["predict", "draw.toml", "--quiet"])
    assert done.exit_code == 0, done.output
    assert np.array_equal(ls.load_motion("draw.nc").q, motion.q)


def test_the_path_may_be_a_table_in_a_file(draw):
    draw.with_name("curve.csv").write_text("t,x,y\n0,0.575,0.592\n1,0.5,0.65\n2,0.4,0.7\n")
    other = draw.with_name("other.toml")
    other.write_text(re.sub(r"x = .*\ny = .*\n", "", TASK).replace("t = [0.0, 1.0, 2.0]", 'file = "curve.csv"'))
    (t, values), (wanted_t, wanted) = (ls.load_task(file).task.path for file in (other, draw))
    assert np.array_equal(t, wanted_t)
    assert np.array_equal(values, wanted)


def test_poses_to_reach(tmp_path):
    path = tmp_path / "poses.toml"
    path.write_text(POSES)
    motion = ls.load_task(path).planned()
    assert motion.ok
    for t, want in ((0.0, [0.5, 0.1, 0.2]), (1.5, [0.45, 0.3, 0.3])):
        assert np.allclose(ls.pose(motion.arm, motion.at(t)[0], "flange")[:3, 3], want, atol=1e-8)
    assert not motion.qd[:, 3:].any()  # the wrist need not move: exactly, or its friction would have a sign
    assert np.abs(motion.tau[:, 3:]).max() < 0.1


def test_the_report_of_a_motion_makes_it_again(draw):
    motion = ls.load_task(draw).planned()
    motion.save(draw.with_name("motion.nc"))
    page = draw.with_name("page.html")
    ls.write_report(motion, page, verify=False)
    found = re.search(r"motion = ls\.load_motion.*?(?=</pre>|</code>)", page.read_text(), re.DOTALL)
    code = html.unescape(found[0]).replace("'motion.nc'", repr(str(draw.with_name("motion.nc"))))
    known = {"ls": ls}
    exec(code, known)
    assert np.abs(known["again"].q - motion.q).max() < 1e-8


REFUSED = [
    ("before = 0.2", "goal = [1, 2]", r"draw.toml:12: goal is not a key of \[path\]"),
    ("start = [0.2, 1.2]", "goal = [1, 2]", "goal is not a key of the file; known: .*path"),
    ("x = [0.575, 0.50, 0.40]", "x = [1, 2]", "x has 2 numbers, and t has 3; expected as many"),
    ("before = 0.2", 'file = "a.csv"', r"\[path\] has file and t; expected one of file, poses, or t with columns"),
    ("t = [0.0, 1.0, 2.0]", "", "its columns are x, y; expected t and some of x, y, z"),
]


@pytest.mark.parametrize(("old", "new", "sentence"), REFUSED)
def test_files_that_do_not_fit_are_refused(draw, old, new, sentence):
    draw.write_text(TASK.replace(old, new))
    with pytest.raises(ls.ModelError, match=sentence):
        ls.load_task(draw)


def test_options_without_use_are_refused(draw):
    done = CliRunner().invoke(app, ["predict", str(draw), "--scheduler", "tcp://127.0.0.1:1"])
    assert done.exit_code == 1
    assert "--scheduler has no use for a task with [path]" in " ".join(done.stderr.split())
