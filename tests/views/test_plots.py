"""Figures of results show what they should."""

from itertools import pairwise

import numpy as np
import pytest

import lissom as ls
from lissom.views.figures.panels import Curve, Panel, draw_panels


def test_frequency_response_of_a_sampled_and_a_continuous_plant():
    plant = ls.linearise(ls.load("two_link"), [-1.2, 0.3])
    figure = ls.plot(plant)
    gain, _, phase, _ = figure.axes
    curve = gain.lines[0]
    want = np.abs(plant.frequency_response(curve.get_xdata())[:, 0, 0])
    assert np.allclose(curve.get_ydata(), want)
    assert "rad/s" in phase.get_xlabel()
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["upper", "fore"]
    sampled = ls.plot(plant.discrete(0.05)).axes[0].lines[0]
    assert sampled.get_xdata()[-1] <= np.pi / 0.05 + 1e-9


def test_anything_else_is_refused():
    with pytest.raises(ls.InputError, match="plot: got str"):
        ls.plot("run.nc")


@pytest.fixture(scope="module")
def run():
    arm = ls.load("stanford")
    return ls.simulate(arm, tau=ls.PD(arm.home + 0.2, 20, 5), until=0.5)


@pytest.fixture(scope="module")
def runs():
    arm = ls.load("two_link")
    starts = np.random.default_rng(0).uniform(-0.5, 0.5, (30, 2))
    return ls.simulate(arm, starts, until=0.5, dt=1e-3)


def test_motion_of_a_run(run):
    """Turning and sliding joints apart, units on the axes, one curve per joint."""
    axes = ls.plot(run).axes
    assert [ax.get_ylabel() for ax in axes] == [
        "position [rad]", "rate [rad/s]", "torque [N m]", "position [m]", "rate [m/s]", "force [N]",
    ]  # fmt: skip
    assert np.array_equal(axes[3].lines[0].get_ydata(), run.q[:, 2])
    assert axes[-1].get_xlabel() == "time [s]"
    assert len([line for line in axes[0].lines if line.get_label()[0] != "_"]) == 5


def test_motion_of_many_runs(runs):
    axes = ls.plot(runs).axes
    assert np.allclose(axes[0].lines[0].get_ydata(), np.median(runs.q[..., 0], axis=0))
    assert len(axes[0].collections) == 4  # two bands for each of two joints
    assert "30 runs" in ls.plot(runs)._suptitle.get_text()


@pytest.mark.parametrize("which", ["run", "runs"])
def test_tip_energy_and_phase(which, request):
    made = request.getfixturevalue(which)
    space = ls.plot(made, "tip").axes[0]
    line = space.lines[0]
    if made.count is None:
        assert np.allclose(np.array(line.get_data_3d()).T, made.tip)
    else:  # a planar arm, in its plane
        assert np.allclose(np.array(line.get_data()).T, made.tip[0, :, :2])
    left = ls.plot(made, "energy").axes[2]
    assert left.get_yscale() == "log"
    worst = np.max(made.balance_error)
    assert (f"{worst:.2g}" if worst else "kept, but for rounding") in left.get_title()
    portrait = ls.plot(made, "phase").axes[0]
    assert np.allclose(portrait.lines[0].get_xdata(), made.q[:, 0] if made.count is None else made.q[0, :, 0])


def test_plots_of_a_run_that_failed(tmp_path):
    made = ls.simulate(
        ls.load("two_link"), [0.3, 0.1], tau=ls.PD([0, 0], 10, 2000), until=1.0, dt=0.01, on_failure="return"
    )
    for kind in ("motion", "tip", "energy", "phase"):
        ls.plot(made, kind).savefig(tmp_path / f"{kind}.png")
    with pytest.raises(ls.InputError, match="expected one of motion, tip, energy, phase"):
        ls.plot(made, "speed")


@pytest.mark.parametrize("ending", [".gif", ".html"])
def test_films(run, ending, tmp_path):
    told = []
    ls.animate(run, tmp_path / f"a{ending}", fps=8, speed=0.5, progress=told.append)
    data = (tmp_path / f"a{ending}").read_bytes()
    assert data.startswith(b"GIF89a") if ending == ".gif" else b"data:image/png;base64" in data
    assert len(told) == 9
    assert told[-1] == 1.0


def test_a_gif_has_the_colours_of_its_figure(run, tmp_path):
    """Frames share one palette of few colours, which keeps files small."""
    from PIL import Image

    film = ls.animate(run, tmp_path / "a.gif", fps=10, theme="light")
    with Image.open(tmp_path / "a.gif") as found:
        assert (found.n_frames, found.info["duration"], found.info["loop"]) == (len(film), 100, 0)
        size = found.size
        found.seek(len(film) - 1)
        last = np.asarray(found.convert("RGB"))
    film.figure.set_dpi(80)
    film.figure.canvas.draw()
    drawn = np.asarray(film.figure.canvas.buffer_rgba())[..., :3]
    assert drawn.shape == (*size[::-1], 3)
    assert (last[0, 0] == drawn[0, 0]).all()
    assert np.abs(last - drawn.astype(float)).mean() < 1.0
    assert (tmp_path / "a.gif").stat().st_size < 5_000 * len(film)


def test_films_that_cannot_be(run, tmp_path, monkeypatch):
    from matplotlib import animation

    with pytest.raises(ls.InputError, match=r"unknown ending; expected \.gif, \.mp4, \.html"):
        ls.animate(run, tmp_path / "a.avi")
    with pytest.raises(ls.InputError, match="speed is 0; expected a number above 0"):
        ls.animate(run, tmp_path / "a.gif", speed=0)
    with pytest.raises(ls.InputError, match="at most 2000"):
        ls.animate(run, tmp_path / "a.gif", speed=1e-4)
    monkeypatch.setattr(animation.writers, "is_available", lambda name: False)
    with pytest.raises(ls.UnsupportedError, match=r"needs ffmpeg on the path; write \.gif or \.html"):
        ls.animate(run, tmp_path / "a.mp4")


def test_motion_of_flexible_arms_shows_joints_and_deflections():
    """Coordinates of joints by their units, not the first ones; what bends as deflection of its tip."""
    arm = ls.load("two_link_flexible")
    run = ls.simulate(arm, tau=[0.1, 0, 0, 0.1, 0, 0], until=0.2, dt=1e-3)
    axes = ls.plot(run).axes
    labels = ["position [rad]", "rate [rad/s]", "torque [N m]", "deflection of link ends [mm]"]
    assert [ax.get_ylabel() for ax in axes] == labels
    first, last = ({line.get_label(): line.get_ydata() for line in axes[k].get_lines()} for k in (0, 3))
    assert set(first) == {"joint1", "joint2"}
    assert np.array_equal(first["joint2"], run.q[:, 3])
    assert set(last) == {f"{link} {axis}" for link in ("link1", "link2") for axis in "xy"}
    assert np.allclose(last["link1 y"], 1e3 * run.deflection("link1")[:, 1])
    phases = [ax.get_xlabel() for ax in ls.plot(run, kind="phase").axes if ax.get_visible()]
    assert phases[:2] == ["joint1 [rad]", "link1.bending_z1 [m]"]


def test_a_panel_names_the_values_that_it_does_not_show():
    y = np.array([0.0, 7.25, -1.0])
    cases = [((-2.0, 8.0), y, []), ((-2.0, 2.0), y, ["values from -1 to 7.25"]),
             (None, y, []), (None, np.append(y, np.nan), ["not finite everywhere"])]  # fmt: skip
    for limits, values, notes in cases:
        panel = Panel("", "x", "y", (Curve("", np.arange(len(values)), values),), range=limits)
        assert draw_panels([panel]).axes[0].get_xlabel().split("\n")[1:] == notes  # under the axis


def test_labels_of_a_logarithmic_axis_do_not_overlap():
    """Less than a decade, where each minor tick would be labelled."""
    x = np.array([0.00625, 0.0125, 0.025, 0.05])
    figure = draw_panels([Panel("drift", "slope [rad]", "energy", (Curve("a", x, x**2, "o-"),), ("log", "log"))])
    figure.draw_without_rendering()
    (ax,) = figure.axes
    labels = [text for text in (*ax.get_xticklabels(), *ax.get_xticklabels(minor=True)) if text.get_text()]
    seen = [text for text in labels if x[0] <= text.get_position()[0] <= x[-1]]
    assert [text.get_text() for text in seen] == ["0.01", "0.03"]
    boxes = sorted(((b := text.get_window_extent()).x0, b.x1) for text in seen)
    assert all(left[1] < right[0] for left, right in pairwise(boxes))
