"""The list of errata that `lissom reproduce` counts is that of the page."""

from pathlib import Path

from lissom.papers.claims import ERRATA, Reproduction, overview

PAGE = Path(__file__).parents[2] / "docs" / "errata.md"
HEADS = {"hollerbach1980": "Hollerbach", "nasser": "Nasser", "book1983": "Book", "deluca1991": "De Luca",
         "xiang2008": "Xiang"}  # fmt: skip


def test_errata_are_counted_as_on_the_page():
    parts = PAGE.read_text(encoding="utf-8").split("\n## ")
    rows = {paper: sum(part.count("| `tests/") for part in parts if part.startswith(head))
            for paper, head in HEADS.items()}  # fmt: skip
    assert rows == ERRATA


def test_the_overview_shows_them():
    table = overview([Reproduction("nasser", "Nasser", ())])
    assert table.rows[0][table.heads.index("all errata")] == str(ERRATA["nasser"])
