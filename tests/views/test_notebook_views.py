"""What a notebook shows, run by a real kernel: figures, films and the viewer as the last expression of a cell."""

import base64
import re
import struct

import matplotlib
import nbclient
import nbformat
import numpy as np
import pytest

import lissom as ls
from lissom.views.films import film as film_module

CELLS = {
    "import": "import numpy as np, lissom as ls\narm = ls.load('two_link_flexible')",
    "arm": "arm",
    "run": "run = ls.simulate(arm, [0.3, 0.1], until=0.5)\nrun",
    "figure": "ls.plot(run)",
    "drawing": "ls.draw(arm)",
    "magic": "%matplotlib inline\nls.plot(run, 'energy')",
    "film": "ls.animate(run, fps=10)",
    "view": "viewer = ls.view(arm, run)\nviewer",
    "page": "ls.view(arm, run, export='run.html')",
    "closed": "viewer.close()\nviewer",
    "motion": "motion = ls.predict_motion(ls.load('two_link'), start=[0, -2], goal=[1, -1])\nmotion",
    "verified": "motion.verify()",
}


@pytest.fixture(scope="module")
def shown(tmp_path_factory):
    """Outputs of every cell, by name."""
    cells = [nbformat.v4.new_code_cell(source) for source in CELLS.values()]
    book = nbformat.v4.new_notebook(cells=cells)
    resources = {"metadata": {"path": tmp_path_factory.mktemp("book")}}
    nbclient.NotebookClient(book, timeout=300, resources=resources).execute()
    return {name: cell.outputs for name, cell in zip(CELLS, book.cells, strict=True)}


def result_of(outputs) -> dict[str, str]:
    """What the last expression of a cell is shown as, by media type."""
    (found,) = [output for output in outputs if output.output_type == "execute_result"]
    return found.data


@pytest.mark.parametrize("name", ["figure", "drawing", "magic"])
def test_figures_are_pictures(shown, name):
    picture = base64.b64decode(result_of(shown[name])["image/png"])
    width, height = struct.unpack(">II", picture[16:24])
    assert width > 300
    assert height > 200
    assert len(shown[name]) == 1, "shown once, without anything else"


def test_an_exported_page_is_stored_in_the_notebook(shown):
    """A saved or converted notebook plays it without a server and without the file."""
    html = result_of(shown["page"])["text/html"]
    assert "<iframe" in html
    assert "srcdoc=" in html
    assert "&lt;script" in html
    assert 'src="http' not in html


def test_a_verification_shows_its_lines(shown):
    html = result_of(shown["verified"])["text/html"]
    assert "<p>verified: the plan obeys the equations of motion and keeps its limits</p>" in html
    assert html.count("<p>") > 3


def test_a_film_plays_in_its_cell(shown):
    page = result_of(shown["film"])["text/html"]
    frames = page.count("data:image/png;base64")
    assert frames == 6  # half a second, ten frames a second, both ends
    assert "<script" in page


def test_the_viewer_is_embedded_without_banners(shown):
    assert [output.output_type for output in shown["view"]] == ["execute_result"]
    page = result_of(shown["view"])["text/html"]
    assert '<iframe src="http://localhost:' in page
    assert "<iframe" not in result_of(shown["closed"])["text/html"]


@pytest.mark.parametrize("name", ["arm", "run", "motion"])
def test_records_are_tables(shown, name):
    assert "<table" in result_of(shown[name])["text/html"]


def test_long_films_keep_few_frames(monkeypatch):
    """A notebook keeps what it shows: long films leave frames out and last as long."""
    monkeypatch.setattr(film_module, "MOST_IN_A_CELL", 15)
    run = ls.simulate(ls.load("two_link"), [0.3, 0.1], until=0.2)
    film = ls.animate(run, fps=100)
    assert len(film) == 21
    page = film._repr_html_()
    assert page.count("data:image/png;base64") == 11
    assert "http" not in page.replace("http://www.w3.org", "")  # icons of buttons would be fetched
    assert page.count("<button") >= page.count("&#9654;") == 1
    assert "<script" in page


def test_a_saved_page_has_all_frames(tmp_path):
    run = ls.simulate(ls.load("two_link"), [0.1, 0.2], until=0.5)
    film = ls.animate(run, fps=40)
    with matplotlib.rc_context({"animation.embed_limit": 0.05}):  # MB, fewer than the frames have
        film.save(tmp_path / "run.html")
    page = (tmp_path / "run.html").read_text()
    assert len(page) > 0.1 * 2**20
    assert len(set(re.findall(r"frames\[(\d+)\] = \"data:image", page))) == len(film) == 21


def test_a_film_is_saved_later(tmp_path):
    run = ls.simulate(ls.load("two_link"), [0.3, 0.1], until=0.2)
    film = ls.animate(run, fps=10)
    film.save(tmp_path / "run.gif")
    assert (tmp_path / "run.gif").read_bytes()[:3] == b"GIF"
    with pytest.raises(ls.InputError, match="unknown ending"):
        film.save(tmp_path / "run.avi")
    film.show(1)
    assert np.isclose(film.bones.points[0], ls.animate(run, fps=10).bones.points[0]).all()
