"""What notebooks show of records."""

import sys
from html.parser import HTMLParser
from types import SimpleNamespace

import numpy as np

import lissom as ls
from lissom.listing import Listing
from lissom.markup import Markup, spark, tag


class Text(HTMLParser):
    def __init__(self):
        super().__init__()
        self.words = []

    def handle_data(self, data):
        self.words.append(data)


def words(text):
    parser = Text()
    parser.feed(text)
    return " ".join(parser.words)


def test_an_arm_shows_every_link():
    arm = ls.load("puma560")
    assert all(link.name in words(arm._repr_html_()) for link in arm.links)


def test_long_arms_are_folded():
    links = [ls.Link(f"part{k}", f"part{k - 1}" if k else None, mass=0.3, inertia=0.01) for k in range(70)]
    assert "<details>" in ls.Arm("long", links)._repr_html_()


def test_a_run_shows_curves_and_its_audit():
    run = ls.simulate(ls.load("two_link"), [0.3, -0.2], until=0.2)
    text = run._repr_html_()
    assert text.count("<polyline") == 4  # position and torque of two joints
    assert "Energy balance: " in words(text)


def test_a_motion_shows_how_it_was_found():
    motion = ls.predict_motion(
        ls.load("two_link"), start=[0.1, -2.0], goal=[0.9, -1.2], duration=0.7, segments=6, minimise="torque_squared"
    )
    shown = words(motion._repr_html_())
    assert "solver report" in shown
    assert "solved" in shown


def test_markup_is_escaped_once():
    assert tag("p", "a < b", Markup("<b>c</b>"), title='"') == '<p title="&quot;">a &lt; b<b>c</b></p>'


def test_curves_skip_what_is_unknown():
    t = np.linspace(0, 1, 400)
    y = np.where(t < 0.5, t, np.nan)
    text = spark(t.tolist(), y.tolist())
    assert "nan" not in text
    assert 40 < text.count(",") <= 125
    assert spark([0.0], [1.0]) == ""


def test_numbers_stand_to_the_right():
    listing = Listing.of(("name", "value"), [("a", "1.5 N"), ("b", "+-3")])
    assert listing.numeric(1)
    assert not listing.numeric(0)
    assert listing.html().count("text-align:right") == 3  # with the head of the column
    assert listing.lines()[0] == "name  value"


def test_sentences_that_begin_with_a_number_are_text():
    for cell in ("22 control points per joint", "0.4 s is the shortest time", "a", "x 3"):
        assert not Listing.of(("claim",), [(cell,)]).numeric(0)
    for cell in ("3", "-0.5", "+-171.9 deg/s", "-114.6 .. 28.65 deg", "1.5 N m", "4e-05 m", "0.3, 0.5, 0.7 rad", "nan",
                 "< 0.001 mm", "98 %"):  # fmt: skip
        assert Listing.of(("value", "none"), [(cell, "-"), ("-", "")]).numeric(0), cell


class Kernel:
    """What IPython gives in a notebook, as far as progress looks at it."""

    kernel = object()

    def __init__(self):
        self.shown = []

    def get_ipython(self):
        return self

    def display(self, made, display_id):
        assert display_id
        self.shown.append(made)
        return self

    def update(self, made):
        self.shown.append(made)


def test_progress_in_a_notebook(monkeypatch):
    kernel = Kernel()
    monkeypatch.setattr("lissom.progress.PAUSE", 0.0)
    monkeypatch.setitem(sys.modules, "IPython", kernel)
    monkeypatch.setitem(sys.modules, "IPython.display", SimpleNamespace(HTML=str, display=kernel.display))
    ls.simulate(ls.load("two_link"), [0.3, -0.2], until=0.2, progress=True)
    assert 'simulating <progress value="' in kernel.shown[0]
    assert kernel.shown[-1] == ""  # it leaves nothing behind
    ls.predict_motion(
        ls.load("two_link"), start=[0.1, -2.0], goal=[0.9, -1.2], duration=0.7, segments=6, minimise="torque_squared",
        progress=True,
    )  # fmt: skip
    assert any("iteration" in str(made) for made in kernel.shown)
