"""`lissom reproduce`: one page of claims, ours, verdicts and figures."""

import pytest
from tests.pages.test_reports import looked_at
from typer.testing import CliRunner

from lissom.cli.commands.reproduce import PAPERS
from lissom.cli.main import app
from lissom.pages.papers import write_papers_page
from lissom.papers.claims import OPEN, Claim, Drawing, Reproduction, judged
from lissom.views.figures.panels import Curve, Panel


def paper(name, holds):
    panel = Panel("a", "t", "x", (Curve("", [0, 1, 2], [0.0, 1.0, 0.5]),))
    claims = (judged("(1)", "x < 2", "1.5", holds, "" if holds else "rounded"), Claim("(2)", "fast", "unknown", OPEN))
    return Reproduction(name, f"Paper {name}", claims, (Drawing("one", "A curve", (panel,), 1),))


def test_all_claims_are_on_the_page(tmp_path):
    write_papers_page([paper("a", True), paper("b", False)], tmp_path / "index.html", "lissom reproduce all")
    text, page = looked_at(tmp_path / "index.html")
    assert "2 papers, 4 claims: 2 not reproducible from the text, 1 reproduced, 1 differs." in text
    assert "x &lt; 2" in text
    assert len(page.sources) == 2


def test_unknown_papers(tmp_path):
    done = CliRunner().invoke(app, ["reproduce", "al"])
    assert done.exit_code == 1
    assert "all" in done.stderr


@pytest.mark.slow
def test_all_five_papers_on_one_page(tmp_path):
    """Every verdict is backed by a number."""
    done = CliRunner().invoke(app, ["reproduce", "all", "--output", str(tmp_path / "papers")])
    assert done.exit_code == 0, done.output
    text, page = looked_at(tmp_path / "papers" / "index.html")
    assert len(page.sources) >= 20
    assert {path.name for path in (tmp_path / "papers").iterdir()} == {*PAPERS, "index.html"}
    assert "5 papers" in text
