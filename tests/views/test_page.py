"""Exported pages: what is in them, and that they play in a browser, from disk, without a network and without viser."""

import base64
import json
import re
import sys

import numpy as np
import pytest
from tests.loops.mechanisms import four_bar
from tests.views.browser import Page, changed, needs_browser
from tests.views.test_viewer import BENT, CRANE

import lissom as ls
from lissom.spatial.frames import pose
from lissom.views.followed import followed_frame

SOFT = ls.load("two_link_flexible")
HOSTILE = '</script><img src=x onerror="window.broken=1">&amp;'
SCENE = ".player canvas.scene"
NO_WEBGL = "HTMLCanvasElement.prototype.getContext = function () { return null }"
MOVE = """values => document.querySelectorAll(".joints input").forEach((slider, k) => {
    slider.value = values[k]
    slider.dispatchEvent(new Event("input"))
})"""
TIP = """() => { const [pane] = document.querySelector(".player").player.panes; return pane.tip(pane.frames(0)) }"""


@pytest.fixture(autouse=True)
def without_viser(monkeypatch):
    monkeypatch.setitem(sys.modules, "viser", None)


@pytest.fixture(scope="module")
def run():
    return ls.simulate(SOFT, [0.0, 0.5], tau=[1.0, 0.3], until=0.8)


def hostile_crane():
    """The crane with a gripper, of which one joint mimics the other, and names that look like HTML."""
    body = {"mass": 0.1, "com": (0.0, 0.0, -0.05), "inertia": 1e-4}
    mimic = ls.Joint(axis=(0, 1, 0), placement=pose(p=(0, 0, -0.1)), mimic=ls.Mimic(HOSTILE, -3.0, 0.1))
    links = [
        *CRANE.links,
        ls.Link("finger", "trolley", ls.Joint("prismatic", axis=(1, 0, 0), name=HOSTILE), **body),
        ls.Link("nail", "finger", mimic, **body, tools={"end": pose(p=(0.01, 0.02, -0.1))}),
    ]
    return ls.Arm(f"<b>{HOSTILE}", links)


def data_of(path):
    """The JSON document of a page."""
    (text,) = re.findall(r'<script type="application/json">(.*?)</script>', path.read_text(), flags=re.DOTALL)
    return json.loads(text)


def floats(text):
    return np.frombuffer(base64.b64decode(text), "<f4")


# ---- without a browser -----------------------------------------------------------------------------


def test_a_page_holds_the_record_as_it_went(run, tmp_path):
    ls.view(SOFT, {"one": run, "two": run}, goal=run.q[-1], exaggerate=2.0, export=tmp_path / "run.html")
    assert (tmp_path / "run.html").stat().st_size < 1_000_000
    data = data_of(tmp_path / "run.html")
    one, two = data["panes"]
    assert (one["title"], two["title"], one["start"], one["end"]) == ("one", "two", 0.0, 0.8)
    assert one["note"] == "Deflections are drawn 2 times as large as they are."
    assert {solid["mesh"] for solid in one["solids"]} == {solid["mesh"] for solid in two["solids"]}  # stored once
    t, poses = floats(one["times"]), floats(one["poses"]).reshape(len(floats(one["times"])), one["frames"], 7)
    larger = np.array(run.at(np.minimum(t.astype(float), run.t[-1])).q)
    larger[:, SOFT.mode_index] *= 2
    assert poses[:, one["tip"], :3] == pytest.approx(ls.pose(SOFT, larger, run.tip_frame)[:, :3, 3], abs=1e-6)
    assert {row["label"] for row in one["legend"]} >= {"payload", "goal", "path of the tip"}
    curve = one["curves"][0]
    assert (curve["label"], curve["unit"]) == ("tip deflection along y", "mm")
    straight = np.where(np.isin(np.arange(SOFT.dof), SOFT.mode_index), 0.0, run.q[-1])
    apart = ls.pose(SOFT, run.q[-1], run.tip_frame)[:3, 3] - ls.pose(SOFT, straight, run.tip_frame)[:3, 3]
    across = ls.pose(SOFT, straight, run.tip_frame)[:3, 1]
    assert floats(curve["series"][0]["y"])[-1] == pytest.approx(1e3 * apart @ across, abs=1e-2)
    assert [row["unit"] for row in one["curves"][1:]] == ["deg", "deg/s", "N m"]


def test_meshes_are_stored_to_a_hundredth_of_a_millimetre(tmp_path):
    arm = ls.load("stanford")
    ls.view(arm, export=tmp_path / "arm.html")
    data = data_of(tmp_path / "arm.html")
    for row in data["meshes"]:
        span = np.subtract(row["high"], row["low"])
        assert (span / 65535 / 2 < 1e-5).all()  # rounded to the nearest step
        faces = np.frombuffer(base64.b64decode(row["faces"]), "<u2")
        assert faces.max() < len(base64.b64decode(row["vertices"])) // 6
    assert [joint["unit"] for joint in data["panes"][0]["joints"]] == ["deg", "deg", "m", "deg", "deg", "deg"]


def test_no_name_ends_the_document(tmp_path):
    ls.view(hostile_crane(), export=tmp_path / "page.html")
    text = (tmp_path / "page.html").read_text()
    assert text.count("<script") == 2
    assert "<img" not in text
    assert "<b>" not in text


def test_loops_have_a_note_instead_of_sliders(tmp_path):
    ls.view(four_bar(), export=tmp_path / "page.html")
    (pane,) = data_of(tmp_path / "page.html")["panes"]
    assert pane["joints"] == []
    assert pane["note"].startswith("This arm has closed loops")


def test_what_a_page_refuses(run, tmp_path):
    page = tmp_path / "page.html"
    for options, why in (
        ({"record": {"a": run}}, "several records are shown side by side on a page only"),
        ({"record": {}, "export": page}, "empty mapping"),
        ({"record": {"a": 3}, "export": page}, "got int; expected a Run"),
        ({"goal": [1.0, 2.0, 3.0], "export": page}, "goal has 3 entries"),
    ):
        with pytest.raises(ls.LissomError, match=why if "export" in options else f"{why}|viser"):
            ls.view(SOFT, **options)
    assert not page.exists()


def test_meshes_without_their_reader_are_named(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "trimesh", None)
    (tmp_path / "a.stl").write_bytes(b"solid")
    shape = ls.LinkShape("mesh", (1.0, 1.0, 1.0), file="a.stl")
    link = ls.Link("a", mass=1.0, com=(0.2, 0, 0), inertia=0.1, shapes=[shape])
    with pytest.warns(UserWarning, match=r"needs trimesh: pip install '\.\[viewer\]' in your clone"):
        ls.view(ls.Arm("m", [link], folder=str(tmp_path)), export=tmp_path / "page.html")


# ---- in a browser ----------------------------------------------------------------------------------


@needs_browser
def test_a_page_plays_from_disk(browser, run, tmp_path):
    """A page as the demo writes it; `view` writes the same player, which the next test loads."""
    written = ls.WebPage("two_link_flexible")
    written.add_scene(SOFT, {"one": run, "two": run}, goal=run.q[-1])
    url = written.save(tmp_path / "run.html").absolute().as_uri()
    with Page(browser, url, (460, 420), SCENE) as page:
        page.until(page.shows_an_arm, "no arm is seen")
        first = page.picture()
        page.until(lambda: changed(first, page.picture()) > 50, "nothing moves")
        page.page.get_by_role("button", name="Pause").dispatch_event("click")
        page.page.locator("input.time").evaluate("s => { s.value = 0.4; s.dispatchEvent(new Event('input')) }")
        page.until(lambda: page.page.locator(".clock").text_content() == "0.40 s of 0.80 s", "the slider has no effect")
        assert page.page.locator(".pane").count() == 2
        page.page.get_by_role("button", name="Dark").dispatch_event("click")
        page.until(lambda: page.picture()[5, 5].mean() < 60, "the page does not become dark")
        with page.page.expect_download() as saved:
            page.page.get_by_role("button", name="Save picture").dispatch_event("click")
        assert saved.value.suggested_filename == "two_link_flexible.png"
        page.check_alone(url)


@needs_browser
def test_sliders_are_forward_kinematics(browser, tmp_path):
    """Revolute, prismatic and mimic joints behind a deflected link; names that look like HTML stay text."""
    arm = hostile_crane()
    q = np.append(BENT, 0.02)
    viewer = ls.view(arm, q=q, export=tmp_path / "page.html")
    with Page(browser, viewer.url, (420, 380), SCENE) as page:
        page.until(page.shows_an_arm, "no arm is seen")
        before = page.still()
        values = np.array([-0.9, 0.35, 0.11, 0.031])
        scales = [180 / np.pi if joint.kind == "revolute" else 1.0 for joint in arm.joints]
        page.page.evaluate(MOVE, (values * scales).tolist())
        q[arm.joint_index] = values
        tip = np.array(page.page.evaluate(TIP)).reshape(4, 4).T
        assert tip == pytest.approx(ls.pose(arm, q, followed_frame(arm)), abs=1e-5)
        page.until(lambda: changed(before, page.picture()) > 100, "the picture stays as it was")
        assert page.page.evaluate("window.broken") is None
        assert page.page.locator(".joints span").last.text_content() == HOSTILE
        assert "roll" in page.page.locator(".readout").text_content()
        page.check_alone(viewer.url)


@needs_browser
def test_a_browser_without_webgl_says_so(browser, tmp_path):
    viewer = ls.view(ls.load("two_link"), export=tmp_path / "page.html")
    with Page(browser, viewer.url, (420, 380), ".player", script=NO_WEBGL) as page:
        page.until(lambda: page.page.locator(".missing").count() == 1, "no sentence")
        assert "WebGL 2 is not available" in page.page.locator(".missing").text_content()
        page.page.evaluate(MOVE, [10.0, 20.0])
        assert page.complaints == []
