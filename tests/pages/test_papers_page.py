"""`lissom reproduce`: one page of claims, ours, verdicts and figures."""

import pytest
from tests.pages.test_reports import looked_at
from typer.testing import CliRunner

from lissom.cli.commands.prove.reproduce import PAPERS
from lissom.cli.main import app
from lissom.pages.papers import write_papers_page
from lissom.papers.claims import (
    FAILED,
    Drawing,
    Reproduction,
    Tolerance,
    as_corrected,
    better,
    judged,
    limited,
    near,
    refuted,
    slip,
    undecidable,
)
from lissom.views.figures.panels import Curve, Panel


def paper(name, holds):
    panel = Panel("a", "t", "x", (Curve("", [0, 1, 2], [0.0, 1.0, 0.5]),))
    claims = (
        near("(1)", "x < 2", "1.5", 1e-3, Tolerance(1e-2, "half a digit", "m")),
        slip("(2)", "x = y", "x = 2 y", holds, "x = 2 y", "a factor is lost"),
        limited("(3)", "small", "until 3", True, "up to 3 rad"),
        better("(4)", "1,000 products", "900 products", True, "nothing is computed twice"),
        undecidable("(5)", "fast", "12 ms here", "the machine is not named"),
    )
    return Reproduction(name, f"Paper {name}", claims, (Drawing("one", "A curve", (panel,), 1),), seconds=4.2)


def test_all_claims_are_on_the_page(tmp_path):
    write_papers_page([paper("a", True), paper("b", False)], tmp_path / "index.html", "lissom reproduce all")
    text, page = looked_at(tmp_path / "index.html")
    assert (
        "2 papers, 10 claims: 2 reproduced, 1 slip in print, 2 approximations with a limit, 2 ours is cheaper or "
        "better, 2 not decidable from the text, 1 not reproduced. Computing this took 8 s of CPU time." in text
    )
    assert "5 claims: 1 reproduced, 1 slip in print, 1 approximation with a limit" in text
    for words in (
        "x &lt; 2",
        "Tolerance 0.01 m: half a digit.",
        "all errata",
        "x = 2 y",
        "up to 3 rad",
        "4 s of CPU time",
    ):
        assert words in text
    assert text.index("<th") < text.index("x &lt; 2")  # the table per paper comes first
    assert len(page.sources) == 2


def test_a_check_that_fails_is_told_apart():
    """No verdict survives a check that fails, and a number that is not finite is no agreement."""
    claims = (
        near("", "", "", float("nan"), Tolerance(1.0, "")), slip("", "", "", False, "2"), judged("", "", "", False),
        limited("", "", "", False, "3"), better("", "", "", False, "why"),
        refuted("", "", "", False, "4"), as_corrected("", "", "", 2.0, Tolerance(1.0, ""), "5"),
    )  # fmt: skip
    assert {claim.verdict for claim in claims} == {FAILED}


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
