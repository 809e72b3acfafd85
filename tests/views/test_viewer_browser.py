"""The viewer in a real browser: it loads without complaint, its sliders move the arm, its page plays by itself."""

import base64
import io
import shutil
import sysconfig
import time
from pathlib import Path

import numpy as np
import pytest

import lissom as ls

pytest.importorskip("viser")
PIL = pytest.importorskip("PIL.Image")
playwright = pytest.importorskip("playwright.sync_api")

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome", "chrome"))), None)
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no chromium on the path (Debian: apt install chromium)")

# a machine without a display or graphics card draws on its processor
FLAGS = ["--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist", "--no-sandbox"]
PATIENCE = 90  # s; on a busy machine a frame takes long
# drawn pictures stay where they can be read, which is far quicker than a picture of the page
KEPT = """
const get = HTMLCanvasElement.prototype.getContext
HTMLCanvasElement.prototype.getContext = function (kind, options) {
    return get.call(this, kind, kind.startsWith("webgl") ? {...options, preserveDrawingBuffer: true} : options)
}
"""
SOFT = ls.load("two_link_flexible")
ROBOTS = Path(sysconfig.get_path("purelib"), "cmeel.prefix", "share", "example-robot-data", "robots")
PANDA = ROBOTS / "panda_description" / "urdf" / "panda.urdf"


@pytest.fixture(scope="module")
def browser():
    with playwright.sync_playwright() as tools:
        started = tools.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield started
        started.close()


@pytest.fixture(scope="module")
def run():
    return ls.simulate(SOFT, [0.0, 0.5], tau=[1.0, 0.3], until=0.8)


class Page:
    """A page of the browser, with all that it complained about and asked for."""

    def __init__(self, browser, url, size=(400, 280)):
        self.complaints, self.requests = [], []
        self.page = browser.new_page(viewport={"width": size[0], "height": size[1]})
        self.page.set_default_timeout(1000 * PATIENCE)
        self.page.on("console", lambda said: said.type == "error" and self.complaints.append(said.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.add_init_script(KEPT)
        self.page.goto(url)
        self.canvas = self.page.locator("canvas[data-engine]").first
        self.canvas.wait_for(state="attached")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.page.close()

    def picture(self):
        """(height, width, 3) of the arm's canvas."""
        shot = self.canvas.evaluate("canvas => canvas.toDataURL()").split(",", 1)[1]
        seen = PIL.open(io.BytesIO(base64.b64decode(shot))).convert("RGBA")
        white = PIL.new("RGBA", seen.size, "white")
        return np.asarray(PIL.alpha_composite(white, seen).convert("RGB"), float)

    def still(self):
        """The picture once it has come to rest."""
        last = self.picture()
        while changed(last, now := self.picture()):
            last = now
            self.page.wait_for_timeout(300)
        return now

    def shows_an_arm(self):
        """Something dark or coloured is in the picture: the floor and the background are light and grey."""
        return int((self.picture().min(axis=-1) < 130).sum()) > 20

    def until(self, condition, what):
        begin = time.monotonic()
        while not condition():
            assert time.monotonic() - begin < PATIENCE, f"{what}; complaints: {self.complaints}"
            self.page.wait_for_timeout(200)

    def slider(self, label):
        row = self.page.get_by_text(label, exact=True).locator("xpath=ancestor::*[.//*[@role='slider']][1]")
        return row.locator("[role=slider]").first

    def press(self, label, key):
        thumb = self.slider(label)
        thumb.focus()
        thumb.press(key)

    def click(self, button):
        self.page.get_by_role("button", name=button).dispatch_event("click")

    def check_alone(self, *own):
        """No complaint, and nothing from elsewhere."""
        assert self.complaints == []
        foreign = [url for url in self.requests if not url.startswith((*own, "data:", "blob:"))]
        assert foreign == []


def changed(a, b):
    """How many pixels of two pictures differ clearly."""
    return int((np.abs(a - b).max(axis=-1) > 40).sum())


def test_sliders_move_the_arm_and_time(browser, run):
    with ls.view(SOFT, run, open=False) as viewer, Page(browser, viewer.url, (800, 320)) as page:
        page.until(page.shows_an_arm, "no arm is seen")
        page.click("pause")
        page.press("time [s]", "Home")
        page.until(lambda: np.array_equal(viewer.q, run.q[0]), "the time slider does not lead to the start")
        before = page.still()
        page.press("joint1 [deg]", "End")
        page.until(lambda: viewer.q[0] > 3.1, "the joint's slider does not move the joint")
        page.until(lambda: changed(before, page.picture()) > 100, "the picture stays as it was")
        assert viewer.q[1:] == pytest.approx(run.q[0][1:])
        page.check_alone(viewer.url)


@pytest.mark.slow
def test_a_page_plays_without_network(browser, run, tmp_path):
    viewer = ls.view(SOFT, run, exaggerate=2.0, export=tmp_path / "run.html")
    size = (tmp_path / "run.html").stat().st_size
    assert size < 2_000_000
    with Page(browser, viewer.url) as page:
        page.until(page.shows_an_arm, "no arm is seen")
        first = page.picture()
        page.until(lambda: changed(first, page.picture()) > 100, "nothing moves")
        page.check_alone(viewer.url)


@pytest.mark.slow
def test_modes_are_chosen_and_swing(browser):
    with ls.view(SOFT, ls.modes(SOFT, [0.0, 0.5]), open=False) as viewer, Page(browser, viewer.url, (800, 320)) as page:
        page.until(page.shows_an_arm, "no arm is seen")
        rest = viewer.q[SOFT.joint_index]
        page.press("mode amplitude", "Home")
        page.until(lambda: np.abs(viewer.q[SOFT.mode_index]).max() == 0, "the amplitude does not go to nothing")
        page.press("mode amplitude", "End")
        page.until(lambda: np.abs(viewer.q[SOFT.mode_index]).max() > 0.05, "nothing swings")
        assert viewer.q[SOFT.joint_index] == pytest.approx(rest)
        with page.page.expect_download() as download:
            page.click("save a screenshot")
        assert PIL.open(download.value.path()).size == (page.canvas.evaluate("c => c.clientWidth"), 320)
        page.click("modes at this pose")
        page.until(lambda: page.page.get_by_text("mode 1").count() > 0, "the first mode is not shown")
        page.check_alone(viewer.url)


@pytest.mark.slow
def test_a_urdf_arm_comes_with_its_meshes(browser):
    if not PANDA.is_file():
        pytest.skip("example-robot-data is not installed")
    arm = ls.load(PANDA)
    with ls.view(arm, open=False) as viewer, Page(browser, viewer.url, (800, 320)) as page:
        page.until(page.shows_an_arm, "no arm is seen")
        before = page.still()
        page.press("panda_joint2 [deg]", "End")
        page.until(lambda: changed(before, page.picture()) > 1000, "the picture stays as it was")
        page.check_alone(viewer.url)


def test_the_command_line_writes_a_page(run, tmp_path):
    from typer.testing import CliRunner

    from lissom.cli.main import app

    run.save(tmp_path / "run.nc")
    done = CliRunner().invoke(
        app, ["view", "two_link_flexible", str(tmp_path / "run.nc"), "--output", str(tmp_path / "page.html")]
    )
    assert done.exit_code == 0, done.output
    assert (tmp_path / "page.html").stat().st_size > 100_000
    done = CliRunner().invoke(app, ["view", "two_link", str(tmp_path / "run.nc"), "--no-open"])
    assert (done.exit_code, "the run is of arm 'two_link_flexible'" in done.output) == (1, True)
