"""Reports: everything on one page that needs nothing beside it."""

import re
from html.parser import HTMLParser

import numpy as np
import pytest
from matplotlib.figure import Figure
from tests.loops.mechanisms import four_bar
from typer.testing import CliRunner

import lissom as ls
from lissom.cli.main import app
from lissom.pages.report import _subject
from lissom.simulation.overview import coordinates, limits_used

VOID = {"meta", "img", "br"}
DRAWN = ("test_an_arm_with_its_modes", "test_saved_motions_and_runs", "test_names_are_no_formulas")


@pytest.fixture(autouse=True)
def rendering(request, monkeypatch):
    """Figures are made in every test, and rendered to pixels, which takes longest, in those that have them all."""
    if request.node.name not in DRAWN:
        monkeypatch.setattr(Figure, "savefig", lambda _figure, data, **_options: data.write(b"pixels"))


class Balanced(HTMLParser):
    """Every element is closed where it belongs, and nothing is fetched from elsewhere."""

    def __init__(self):
        super().__init__()
        self.open, self.sources, self.links, self.ids = [], [], [], []

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        self.sources += [given["src"]] if "src" in given else []
        self.links += [given["href"]] if "href" in given else []
        self.ids += [given["id"]] if "id" in given else []
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def looked_at(path):
    text = path.read_text(encoding="utf-8")
    parser = Balanced()
    parser.feed(text)
    assert parser.open == []
    assert all(source.startswith("data:image/png;base64,") for source in parser.sources)
    assert {link.removeprefix("#") for link in parser.links} <= set(parser.ids)
    assert "://" not in re.sub(r"<pre>.*?</pre>", "", text, flags=re.DOTALL)  # sources of arms may name a site
    return text, parser


def test_an_arm_with_its_modes(tmp_path):
    text, page = looked_at(ls.write_report("two_link_flexible", tmp_path / "arm.html"))
    first = ls.modes(ls.load("two_link_flexible")).frequencies_hz[0]
    assert f"{first:.5g}" in text
    assert len(page.sources) == 2  # modes locked and free; the arm itself is in 3-D
    assert text.count('<div class="player">') == 1
    assert "lissom_version" not in text
    assert ls.load("two_link_flexible").digest in text


def test_a_name_cannot_become_markup(tmp_path):
    arm = ls.load("two_link").replace(name='<script>alert("x")</script>')
    text, _ = looked_at(ls.write_report(arm, tmp_path / "arm.html"))
    assert "<script>alert" not in text
    assert text.count("<script") == 2  # the scene and its player


def test_a_closed_loop_is_drawn_closed(tmp_path):
    text, _ = looked_at(ls.write_report(four_bar(), tmp_path / "loop.html"))
    assert "its loops close, and leave 1 of 3 coordinates free" in text


@pytest.fixture(scope="module")
def task(tmp_path_factory):
    path = tmp_path_factory.mktemp("task") / "lift.toml"
    path.write_text(
        'arm = "two_link"\nstart = [0.1, -2.0]\ngoal = [0.9, -1.2]\n'
        'duration = 0.7\nminimise = "torque_squared"\nsegments = 6\n'
    )
    return path


def test_a_task_is_predicted_played_and_told(task, tmp_path):
    text, page = looked_at(ls.write_report(task, tmp_path / "lift.html"))
    assert "verified" in text
    assert "Verification by simulation" in text
    assert "goal = [0.9, -1.2]" in text  # the file itself, to do it again
    assert f"lissom report {task} --output" in text
    assert len(page.sources) >= 4


def test_saved_motions_and_runs(task, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    arm = ls.load("two_link")
    motion = ls.predict_motion(
        arm, start=[0.1, -2.0], goal=[0.9, -1.2], duration=0.7, segments=6, minimise="torque_squared"
    )
    motion.save("move.nc")
    path = ls.write_report("move.nc", verify=False)
    assert path.name == "move.html"
    text, _ = looked_at(path)
    assert "segments=6" in text
    assert "Played" not in text
    ls.simulate(arm, [0.3, -0.4], until=0.2).save("run.nc")
    text, _ = looked_at(ls.write_report("run.nc"))
    assert "Energy balance: " in text
    # where it began, exactly: in the shortest digits that read back the same
    assert "first q</td><td>0.3, -0.4<" in path.with_name("run.html").read_text()


def test_what_a_toml_file_is_about(tmp_path):
    run = tmp_path / "swing.toml"
    run.write_text('arm = "two_link"\nuntil = 0.1\n[start]\nq = [0.2, 0.1]\n')
    subject = _subject(run, False)
    assert isinstance(subject.result, ls.Run)
    arm = tmp_path / "arm.toml"
    ls.save(ls.load("puma560"), arm)
    assert _subject(str(arm), False).result is None


def test_ensembles(tmp_path):
    q = np.array([[0.1, 0.2], [0.3, -0.2], [0.5, 0.9]])
    text, _ = looked_at(ls.write_report(ls.simulate(ls.load("two_link"), q, until=0.1), tmp_path / "many.html"))
    assert "min, median, max" in text


def test_a_task_without_an_answer_is_reported_and_refused(tmp_path):
    task = tmp_path / "far.toml"
    task.write_text(
        'arm = "two_link"\nstart = [0.1, -2.0]\ngoal = [0.9, -1.2]\nduration = 0.7\nminimise = "torque_squared"\n'
        "segments = 6\nlimits = { torque = 4.2 }\niterations = 3\n"
    )
    with pytest.raises(ls.SolveError, match=r"the report is in .*far.html"):
        ls.write_report(task, tmp_path / "far.html")
    text, _ = looked_at(tmp_path / "far.html")
    assert "ran out" in text


def test_names_are_no_formulas(tmp_path):
    """A dollar in a name is no mathematics."""
    links = [ls.Link("t$\\x$", joint=ls.Joint(name="$q_{0$"), mass=1.0, com=(0.2, 0, 0), inertia=0.02)]
    run = ls.simulate(ls.Arm("cash", links), [0.3], until=0.1)
    assert len(looked_at(ls.write_report(run, tmp_path / "cash.html"))[1].sources) >= 3


def test_a_name_nobody_chose_replaces_reports_only(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "two_link.html").write_text("mine")
    with pytest.raises(ls.InputError, match="not a report"):
        ls.write_report("two_link")
    assert (tmp_path / "two_link.html").read_text() == "mine"
    ls.write_report("two_link", "two_link.html")  # chosen
    text, _ = looked_at(ls.write_report("two_link"))
    assert "lissom report two_link --output two_link.html" in text


@pytest.mark.parametrize(
    ("what", "into", "words"),
    [
        ("two_link", "report.txt", "does not end in .html"),
        ("two_link", "nowhere/report.html", "no folder"),
        ("two_link", 3, "expected a path"),
        (3.0, "report.html", "expected an Arm, Run, Motion"),
        ("missing.nc", "report.html", "missing.nc"),
        ("no_such_arm", "report.html", "no_such_arm"),
    ],
)
def test_refusals(what, into, words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ls.LissomError, match=words):
        ls.write_report(what, into)
    assert list(tmp_path.iterdir()) == []


def test_loops_that_cannot_close_are_reported(tmp_path):
    arm = four_bar().replace(loops=[ls.Loop(("coupler", (9, 0, 0)), ("rocker", (0.6, 0, 0)))])
    text, _ = looked_at(ls.write_report(arm, tmp_path / "open.html"))
    assert "no position was found that closes" in text


def test_runs_that_have_hardly_begun_are_summarised_without_warnings():
    """An ensemble that was interrupted has no last state; what is not known is nan."""
    run = ls.simulate(ls.load("two_link"), np.zeros((3, 2)), until=0.1, every=0.05)
    run.q[:, 1:], run.qd[...], run.tau[:, 1:] = np.nan, np.nan, np.nan
    told = next(iter(coordinates(run).values()))
    assert np.isnan([*told["end"], told["fastest"]]).all()
    assert np.isfinite(told["largest_torque"])


def test_limits_on_one_side_and_of_zero():
    """No share of a limit is infinite or unknown."""
    arm = ls.load("two_link").with_joint("upper", limits=ls.Limits(torque=(0.0, 5.0)))
    arm = arm.with_joint("fore", limits=ls.Limits(torque=(-np.inf, 4.0)))
    found = limits_used(ls.simulate(arm, [0.1, 0.2], tau=[2.5, -3.0], until=0.1))
    assert found == {"upper": pytest.approx(0.5), "fore": 0.0}


def test_torques_beyond_their_limits_are_told(tmp_path):
    arm = ls.load("two_link")  # 10 N m each
    hard = ls.simulate(arm, [0.0, 0.0], tau=ls.PD([1.0, 0.5], 60.0, 5.0), until=0.2)
    text, _ = looked_at(ls.write_report(hard, tmp_path / "hard.html"))
    assert "the torque of upper reaches 600 % of its limit" in text
    kept = ls.simulate(arm, [0.0, 0.0], tau=ls.PD([1.0, 0.5], 60.0, 5.0, limit=True), until=0.2)
    assert "of its limit" not in ls.write_report(kept, tmp_path / "kept.html").read_text()


def test_a_report_says_which_meshes_are_missing(tmp_path):
    (tmp_path / "arm.urdf").write_text(
        '<robot name="bare"><link name="base"/><link name="upper"><inertial><mass value="1"/>'
        '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
        '<visual><geometry><mesh filename="package://nowhere/a.stl"/></geometry></visual></link>'
        '<joint name="j" type="continuous"><parent link="base"/><child link="upper"/>'
        '<axis xyz="0 1 0"/></joint></robot>'
    )
    text = ls.write_report(tmp_path / "arm.urdf", tmp_path / "page.html").read_text()
    assert "mesh package://nowhere/a.stl: file not found; a capsule is shown instead." in text


def test_a_report_of_a_task_file_advises_in_keys_at_the_terminal(tmp_path):
    task = tmp_path / "task.toml"
    task.write_text(
        'arm = "two_link"\nstart = [1.32, -2.37]\ngoal = [2.8, -2.37]\nsegments = 8\nstarts = 1\n[minimise]\n'
        "time = 0.99\ntorque_squared = 0.01\n"
    )
    page = tmp_path / "page.html"
    done = CliRunner().invoke(app, ["report", str(task), "-o", str(page), "--no-verify", "-q"])
    assert done.exit_code == 0, done.output
    assert "plan for lock = { fore = -2.37 } in the file" in page.read_text()
    assert "arm.lock(" not in page.read_text()
