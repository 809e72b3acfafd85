"""The viewer in a real browser: it loads without complaint, its sliders move the arm."""

import sysconfig
from pathlib import Path

import numpy as np
import pytest
from tests.views.browser import PIL, Page, changed, needs_browser

import lissom as ls

pytest.importorskip("viser")
pytestmark = needs_browser
SOFT = ls.load("two_link_flexible")
ROBOTS = Path(sysconfig.get_path("purelib"), "cmeel.prefix", "share", "example-robot-data", "robots")
PANDA = ROBOTS / "panda_description" / "urdf" / "panda.urdf"


@pytest.fixture(scope="module")
def run():
    return ls.simulate(SOFT, [0.0, 0.5], tau=[1.0, 0.3], until=0.8)


def slider(page, label):
    row = page.page.get_by_text(label, exact=True).locator("xpath=ancestor::*[.//*[@role='slider']][1]")
    return row.locator("[role=slider]").first


def press(page, label, key):
    thumb = slider(page, label)
    thumb.focus()
    thumb.press(key)


def click(page, button):
    page.page.get_by_role("button", name=button).dispatch_event("click")


def test_sliders_move_the_arm_and_time(browser, run):
    with ls.view(SOFT, run, open=False) as viewer, Page(browser, viewer.url, (800, 320)) as page:
        page.until(page.shows_an_arm, "no arm is seen")
        click(page, "pause")
        press(page, "time [s]", "Home")
        page.until(lambda: np.array_equal(viewer.q, run.q[0]), "the time slider does not lead to the start")
        before = page.still()
        press(page, "joint1 [deg]", "End")
        page.until(lambda: viewer.q[0] > 3.1, "the joint's slider does not move the joint")
        page.until(lambda: changed(before, page.picture()) > 100, "the picture stays as it was")
        assert viewer.q[1:] == pytest.approx(run.q[0][1:])
        page.check_alone(viewer.url)


@pytest.mark.slow
def test_modes_are_chosen_and_swing(browser):
    with ls.view(SOFT, ls.modes(SOFT, [0.0, 0.5]), open=False) as viewer, Page(browser, viewer.url, (800, 320)) as page:
        page.until(page.shows_an_arm, "no arm is seen")
        rest = viewer.q[SOFT.joint_index]
        press(page, "mode amplitude", "Home")
        page.until(lambda: np.abs(viewer.q[SOFT.mode_index]).max() == 0, "the amplitude does not go to nothing")
        press(page, "mode amplitude", "End")
        page.until(lambda: np.abs(viewer.q[SOFT.mode_index]).max() > 0.05, "nothing swings")
        assert viewer.q[SOFT.joint_index] == pytest.approx(rest)
        with page.page.expect_download() as download:
            click(page, "save a screenshot")
        assert PIL.open(download.value.path()).size == (page.canvas.evaluate("c => c.clientWidth"), 320)
        click(page, "modes at this pose")
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
        press(page, "panda_joint2 [deg]", "End")
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
    assert (tmp_path / "page.html").stat().st_size > 50_000
    done = CliRunner().invoke(app, ["view", "two_link", str(tmp_path / "run.nc"), "--no-open"])
    assert (done.exit_code, "it has other joints than arm 'two_link'" in done.output) == (1, True)
