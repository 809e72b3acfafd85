"""Pages that a user puts together."""

import json
import re

import numpy as np
import pytest
from matplotlib.figure import Figure

import lissom as ls
from lissom.motion.result.replay import follow

BEAM = ls.Beam(length=1.0, mass_per_length=0.3, EI=2.0, modes=ls.Modes(bending_z=1))
SOFT = ls.Arm("boom", [ls.Link("boom", joint=ls.Joint("revolute", axis=(0, 0, 1), name="turn"), beam=BEAM)])
RIGID = ls.load("two_link")


@pytest.fixture(scope="module")
def motion():
    return ls.predict_motion(SOFT, start=[0], goal=[0.8], duration=1.5, minimise="torque_squared", starts=1)


@pytest.fixture(scope="module")
def compared(motion, tmp_path_factory):
    page = ls.WebPage("Two plans", "One arm.")
    swings = page.add_comparison(motion, after=2.0)
    return swings, page.save(tmp_path_factory.mktemp("page") / "plans.html")


def test_a_comparison_shows_both_plans_and_how_far_the_tip_swings(motion, compared):
    swings, path = compared
    assert list(swings) == ["plan for rigid links", "lissom's plan"]
    assert swings["plan for rigid links"] > 0.01
    assert swings["lissom's plan"] < 1e-6
    text = path.read_text(encoding="utf-8")
    (data,) = re.findall(r'<script type="application/json">(.*?)</script>', text, flags=re.DOTALL)
    panes = json.loads(data)["panes"]
    assert [pane["end"] for pane in panes] == pytest.approx([3.5, 3.5], abs=0.01)
    assert all(pane["ghost"] for pane in panes)
    swing = f"{1e3 * swings['plan for rigid links']:.2g} mm"
    assert panes[0]["title"] == f"plan for rigid links: the tip swings by {swing}"
    assert panes[1]["title"] == "lissom's plan: the tip swings by < 0.001 mm"
    assert f'<td class="number" style="text-align:right">{swing}</td>' in text


def test_the_table_has_the_torques_that_arrows_show(compared):
    """Those that following the rigid plan takes, beside those that were planned for rigid links."""
    _, path = compared
    text = path.read_text(encoding="utf-8")
    (longest,) = set(re.findall(r"motor torque \(longest arrow: ([\d.e-]+) N m\)", text))
    rows = re.findall(r"<tr><td[^>]*>(plan for rigid links|lissom&#x27;s plan)</td>(.*?)</tr>", text)
    torques = [[float(x) for x in re.findall(r">([\d.e-]+) N m<", row)] for _, row in rows]
    assert [len(row) for row in torques] == [2, 2]
    (rigid, needed), (ours, same) = torques
    assert needed > 1.2 * rigid  # the flexible arm resists otherwise than the rigid one
    assert same == pytest.approx(ours, rel=2e-2)  # samples differ
    assert max(needed, same) == pytest.approx(float(longest), rel=2e-2)


def test_a_followed_plan_is_followed_exactly_and_then_stands_still(motion):
    """Also where segments and samples would not fall together: a small rate would be left, and the arm would drift."""
    run = follow(motion, SOFT, after=1.234, rate=77.0)
    assert run.t[-1] >= motion.duration + 1.234
    moving = run.t <= motion.duration
    joints = SOFT.joint_index
    assert run.q[moving][:, joints] == pytest.approx(motion.at(run.t[moving])[0][:, joints], abs=1e-7)
    assert np.abs(run.qd[~moving][:, joints]).max() < 1e-8
    assert np.diff(run.t) == pytest.approx(run.t[1])


def test_parts_stand_in_their_order(tmp_path):
    page = ls.WebPage("An arm <b>falls</b>", "Without & torques.")
    page.add_text("before any section")
    page.add_section("One")
    page.add_text("first < second")
    page.add_code("x = [1 & 2]")
    page.add_table(["joint", "kg"], [("upper", np.float64(1.23456789)), ("fore", 2)])
    page.add_section("Two")
    page.add_figure(Figure(figsize=(1, 1)), "a caption")
    page.add_scene(RIGID, ls.simulate(RIGID, [0.3, 0.1], until=0.2), goal=[0.2, 0.2])
    assert repr(page) == "<WebPage 'An arm <b>falls</b>': 6 parts; use save(path) to write it>"
    text = page.save(tmp_path / "page.html").read_text(encoding="utf-8")
    parts = ["An arm &lt;b&gt;falls", "Without &amp; torques", 'href="#part-2"', "before any section", "<h2>One",
             "first &lt; s", "x = [1 &amp; 2]", "1.2346", "<h2>Two", "a caption", '<div class="player">']  # fmt: skip
    at = [text.index(part) for part in parts]
    assert at == sorted(at)
    assert "http" not in re.sub(r"http-equiv", "", text)


def test_a_page_without_lead_and_sections_has_neither(tmp_path):
    page = ls.WebPage("Short")
    page.add_text("words")
    text = page.save(tmp_path / "page.html").read_text(encoding="utf-8")
    assert "<h2>" not in text
    assert "<nav>" not in text
    assert 'class="lead"' not in text


def test_what_is_refused(motion, tmp_path):
    page = ls.WebPage("x")
    with pytest.raises(ls.InputError, match="a row has 1 cells; expected 2"):
        page.add_table(["a", "b"], [[1]])
    with pytest.raises(ls.InputError, match=r"add_figure: figure is 'a\.png'; expected a figure"):
        page.add_figure("a.png")
    with pytest.raises(ls.InputError, match="add_comparison: got 3; expected a Motion"):
        page.add_comparison(3)
    with pytest.raises(ls.InputError, match="after is -1"):
        page.add_comparison(motion, after=-1)
    still = ls.predict_motion(RIGID, start=[0, 0], goal=[0.1, 0.1], duration=1.0, minimise="torque_squared", starts=1)
    with pytest.raises(ls.UnsupportedError, match="add_comparison: a comparison needs a flexible arm"):
        page.add_comparison(still)
    with pytest.raises(ls.InputError, match=r"page\.txt is not a page"):
        page.save(tmp_path / "page.txt")
    with pytest.raises(ls.InputError, match="there is no folder"):
        page.save(tmp_path / "none" / "page.html")
    with pytest.raises(ls.InputError, match="load_task: path is 3"):
        ls.load_task(3)
