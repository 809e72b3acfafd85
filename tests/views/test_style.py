"""The style sheet of figures, names at the ends of curves, and curves that are the splines themselves."""

from itertools import combinations

import matplotlib as mpl
import matplotlib.style
import numpy as np
import pytest
from matplotlib.colors import to_rgb

import lissom as ls
from lissom.views.figures.curves import draw_curves, name_ends, spread
from lissom.views.figures.figure import new_figure
from lissom.views.figures.palette import DARK, LIGHT

ARM = ls.load("two_link")


@pytest.fixture(scope="module")
def run():
    return ls.simulate(ARM, [0.3, 0.1], until=0.2)


@pytest.fixture(scope="module")
def motion():
    return ls.predict_motion(ARM.with_gravity((0, 0, 0)), start=[0, -2], goal=[1, -1])


def test_figures_have_a_background_of_their_own(run):
    for theme, own in ((None, LIGHT), ("light", LIGHT), ("dark", DARK)):
        figure = ls.plot(run, theme=theme)
        assert figure.get_facecolor()[:3] == to_rgb(own.ground)
        assert figure.axes[0].lines[0].get_color() == own.curves[0]
    with pytest.raises(ls.InputError, match="theme is 'blue'; expected one of light, dark"):
        ls.plot(run, theme="blue")


def test_settings_of_the_user_are_kept(run):
    """Fonts by hand, and a dark style of matplotlib, which gives dark figures; nothing is left behind."""
    with mpl.rc_context({"axes.labelsize": 17.0}):
        assert ls.plot(run).axes[0].yaxis.label.get_fontsize() == 17.0
    before = dict(mpl.rcParams)
    with mpl.style.context("dark_background"):
        figure = ls.draw(ARM)
    assert figure.get_facecolor()[:3] == (0.0, 0.0, 0.0)
    assert DARK.link in {line.get_color() for line in figure.axes[0].lines}
    assert dict(mpl.rcParams) == before


def test_torques_are_exact_between_samples(motion):
    """Curves are finer than the samples of the record, and are inverse dynamics of the splines at these times."""
    (ax,) = ls.plot(motion, "torques").axes
    for c, name in enumerate(ARM.coordinates):
        (line,) = [line for line in ax.lines if line.get_label() == name]
        t, tau = line.get_data()
        assert len(t) > 5 * len(motion.t)
        assert np.allclose(tau, motion.torques(t)[:, c], rtol=1e-12)
    limits = sorted(line.get_ydata()[0] for line in ax.lines if line.get_label().startswith("_"))
    assert limits == [-10.0, 10.0]


def test_titles_say_task_and_result(motion):
    title = ls.plot(motion, "torques").get_suptitle()
    assert title.startswith(f"two_link: {motion.duration:.4g} s minimum time")
    assert "torque limit reached by upper, fore" in title


def test_films_have_clock_goal_and_path(motion):
    film = ls.animate(motion, fps=10)
    film.show(len(film) - 1)
    assert film.clock.get_text() == f"t = {motion.duration:.3f} s of {motion.duration:.3f} s"
    (ax,) = film.figure.axes
    assert [text.get_text() for text in film.figure.legends[0].get_texts()] == ["goal", "path of the tip"]
    (goal,) = [line for line in ax.lines if line.get_label() == "goal"]
    assert np.allclose(np.column_stack(film.line.get_data())[-1], motion.tip[-1, :2])
    assert np.allclose(np.column_stack(goal.get_data()), np.column_stack(film.lines.rigid.get_data()), equal_nan=True)


@pytest.mark.parametrize("speed", [1.0, 0.5])
def test_words_of_films_are_whole_and_apart(motion, speed):
    film = ls.animate(motion, fps=10, speed=speed)
    assert ("shown at 0.5 times real time" in film.figure.get_suptitle()) == (speed == 0.5)
    ax = film.figure.axes[0]
    words = [film.figure._suptitle, film.clock, ax.xaxis.label, *film.figure.legends]
    boxes = [word.get_window_extent() for word in words]
    for box in boxes:
        assert film.figure.bbox.padded(1).contains(*box.min)
        assert film.figure.bbox.padded(1).contains(*box.max)
    assert not any(a.overlaps(b.padded(-1)) for a, b in combinations(boxes, 2))


def test_of_many_curves_few_are_named_and_none_is_left_out():
    t = np.linspace(0.0, 1.0, 5)
    ax = new_figure(6, 3).add_subplot()
    draw_curves(ax, t, {f"joint{k}": k * t for k in range(30)})
    name_ends(ax)
    assert len(ax.lines) == 30
    assert {text.get_text() for text in ax.texts} == {f"joint{k}" for k in range(23, 30)}


def test_names_do_not_overlap():
    ends = np.array([0.5, 0.5, 0.52, 0.0, 0.98, 1.0])
    placed = spread(ends, 0.1)
    assert np.diff(np.sort(placed)).min() > 0.1 - 1e-12
    assert placed.min() >= 0.0
    assert placed.max() <= 1.0
    assert (np.argsort(placed) == np.argsort(ends, kind="stable")).all()
    far = np.array([0.1, 0.5, 0.9])
    assert np.allclose(spread(far, 0.1), far)
