"""The documentation site: every page is reached, every link leads somewhere, every public name has its place."""

import importlib
import json
import os
import re
import subprocess
import sys

import pytest
from tests.house.pages import DOCS, MARKDOWN, PAGES, ROOT

import lissom as ls

BLOCK = re.DOTALL | re.MULTILINE
RESULTS = sorted((ROOT / "benchmarks" / "results").glob("*.json"))


def prose(page):
    """A page without its code."""
    return re.sub(r"^```.*?^```|`[^`\n]+`", "", page.read_text(encoding="utf-8"), flags=BLOCK)


def listed(page):
    """Pages that the toctrees of a page name."""
    trees = re.findall(r"^```\{toctree\}\n(.*?)^```", page.read_text(encoding="utf-8"), BLOCK)
    names = [line for tree in trees for line in tree.splitlines() if line and not line.startswith(":")]
    return [page.parent / f"{name}.md" for name in names if name != "gallery/index"]


def anchor(heading):
    """What a link to a heading says, on a forge and on the site."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def test_every_page_is_reached_once():
    found, todo = [], [DOCS / "index.md"]
    while todo:
        found.append(todo.pop())
        todo += listed(found[-1])
    assert sorted(found) == PAGES


@pytest.mark.parametrize("page", MARKDOWN, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_lead_somewhere(page):
    for link in re.findall(r"\]\(([^)\s]+)\)", prose(page)):
        if link.startswith(("http://", "https://")):
            continue
        path, _, place = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        assert target.is_file(), f"{page.name}: {link}"
        if place:
            headings = re.findall(r"^#+ (.*)$", target.read_text(encoding="utf-8"), re.MULTILINE)
            assert place in map(anchor, headings), f"{page.name}: {link}"
        if DOCS in page.parents:  # the site holds nothing else
            assert DOCS in target.parents, f"{page.name}: {link}"


def test_every_public_name_is_in_the_reference_once():
    names = []
    for page in (DOCS / "api").glob("*.md"):
        for tree in re.findall(r"^\.\. autosummary::\n(.*?)^```", page.read_text(encoding="utf-8"), BLOCK):
            names += [line.strip() for line in tree.splitlines() if line.strip() and not line.strip().startswith(":")]
    assert sorted(names) == ls.__all__


def test_examples_have_titles_for_the_gallery():
    for path in (ROOT / "examples").glob("[0-9]*.py"):
        assert re.match(r'"""(.+)\n(=+)\n\n', path.read_text(encoding="utf-8")), path.name


@pytest.fixture
def extension(monkeypatch):
    """Import an extension of the site."""
    monkeypatch.syspath_prepend(DOCS / "_ext")
    return importlib.import_module


def test_pages_of_results_are_made_of_measurements(extension):
    """Where from, when and by what command, and no table without rows."""
    measured = extension("measured")
    pages = ["performance", *measured.OWN_PAGE.values()]
    assert "rigid" in [path.stem for path in RESULTS]
    text = "".join(measured.written(page) for page in pages)
    for path in RESULTS:
        report = json.loads(path.read_text(encoding="utf-8"))
        assert {"cpu", "cores", "load"} <= report["machine"].keys()
        assert {"lissom", "python", "numpy"} <= report["versions"].keys()
        assert report["command"].startswith("python benchmarks/")
        assert report["command"] in text
        assert report["date"] in text
        for table in report["tables"]:
            assert table["rows"]
            assert {len(row) for row in table["rows"]} == {len(table["columns"])}


def test_every_comparison_has_a_chart_that_shows_where_lissom_is_slower(extension):
    charts, found = extension("charts"), extension("measured").results()
    assert charts.CHARTS.keys() <= charts.drawn(found).keys()
    made = charts.simple("retiming", found["retiming"])
    ends = [bar.get_x() + bar.get_width() for bar in made.axes[0].patches]
    assert ends == pytest.approx([1 / row[5] for row in found["retiming"]["tables"][0]["rows"]])


@pytest.fixture
def page_tables(monkeypatch):
    """The tool that writes tables into pages."""
    monkeypatch.syspath_prepend(ROOT / "tools")
    return importlib.import_module("page_tables")


@pytest.mark.parametrize("page", [ROOT / "README.md", *sorted(DOCS.glob("*.md"))], ids=lambda page: page.stem)
def test_tables_and_numbers_in_the_files_are_the_present_ones(page_tables, page):
    """Pages are also read in a clone, where no site fills them."""
    assert page in page_tables.PAGES
    current = page.read_text(encoding="utf-8") == page_tables.current(page)
    assert current, f"{page.name} differs from its sources: run python tools/page_tables.py"


@pytest.mark.parametrize(
    ("page", "words"),
    [
        ("performance", ["| Pinocchio, a batch of states |", "| panda | 7 | inverse dynamics, batch |"]),
        ("robots", ["| dynamics | gradients |", "| ur5_robot | 6 |"]),
        ("commands", ["| `--exaggerate", "**`lissom modes`**"]),
    ],
)
def test_tables_are_written_into_the_files(page, words):
    text = (DOCS / f"{page}.md").read_text(encoding="utf-8")
    assert not [line for line in words if line not in text]


def test_every_measured_number_is_on_a_page(extension):
    measured = extension("measured")
    named = {name for page in MARKDOWN for name, _ in measured.NUMBER.findall(page.read_text(encoding="utf-8"))}
    assert measured.numbers(measured.results()).keys() <= named


def test_the_site_shows_charts_and_folds_tables(extension):
    measured, options = extension("measured"), extension("options")
    text = (DOCS / "performance.md").read_text(encoding="utf-8")
    shown = measured.filled("performance", text, site=True)
    assert "overview-light.svg" in shown
    assert shown.count("<details>") == shown.count("## ")
    assert "| times faster than | least |" not in shown
    folded = options.filled("commands", (DOCS / "commands.md").read_text(encoding="utf-8"), site=True)
    assert "<summary><code>lissom modes</code>" in folded


def test_index_of_the_reference_has_every_public_name():
    page = (DOCS / "api" / "index.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| \[[^|]+\|(.*)\|$", page, re.MULTILINE)
    assert sorted(re.findall(r"`(\w+)`", "".join(rows))) == ls.__all__


def test_page_of_commands_has_every_command_and_option(extension):
    text = extension("options").written()
    for words in ("lissom modes", "--exaggerate", "--install", "--save-every"):
        assert (words in text) == (words != "--install"), words


def test_errata_become_formulas(extension):
    errata, page = extension("errata"), (DOCS / "errata.md").read_text(encoding="utf-8")
    assert errata.formula("pdd_j = pdd_{j-1} - Wdd_{j-1}^T p*_j") == (
        r"\ddot{p}_{j} = \ddot{p}_{j-1} - \ddot{W}_{j-1}^{T} p_{j}^{*}"
    )
    assert errata.formula("W_{j-1} dA_j") == r"W_{j-1} \partial A_{j}"
    assert errata.formula("What_{j-1} dA_j", rates=True) == r"\hat{W}_{j-1} \dot{A}_{j}"
    assert errata.formula("dW_j/dq_i iW_j") == r"\frac{\partial W_{j}}{\partial q_{i}} \,{}^{i}W_{j}"
    assert errata.formula("count_operations") is None
    rows = [line for line in errata.page(page).splitlines() if line.startswith("| ")]
    assert len(rows) == len([line for line in page.splitlines() if line.startswith("| ")])
    for row in rows:
        assert re.findall("`([^`]+)`", row) == re.findall("`(tests/[^`]+)`", row), row


@pytest.mark.slow
def test_the_site_is_built_without_warnings_and_fetches_nothing(tmp_path):
    command = [sys.executable, "-m", "sphinx", "-W", "-E", "-q", "-d", tmp_path / "trees", DOCS, tmp_path / "html"]
    done = subprocess.run(command, env={**os.environ, "MPLBACKEND": "Agg"}, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    for page in (tmp_path / "html").rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        loaded = re.findall(r'<(?:script|img|iframe|source)\b[^>]*\bsrc="([^"]+)"|<link\b[^>]*\bhref="([^"]+)"', text)
        assert not [x for pair in loaded for x in pair if x.startswith(("http", "//"))], page.name
    assert (tmp_path / "html" / "api" / "generated" / "lissom.inverse_dynamics.html").is_file()
    assert len(list((tmp_path / "html" / "_images").glob("sphx_glr_*.png"))) >= 8
