"""Write tables and single numbers into the Markdown pages: what benchmarks measured, and the options of the commands.

Run it after a benchmark with --save, or after a change of the command line; a test compares pages and sources.
"""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
sys.path.insert(0, str(DOCS / "_ext"))

import measured  # noqa: E402
import options  # noqa: E402

PAGES = [ROOT / "README.md", *sorted(DOCS.glob("*.md"))]


def current(page: Path) -> str:
    """The text of a page with the tables and numbers of today."""
    text = measured.filled(page.stem, page.read_text(encoding="utf-8"), site=False)
    return measured.numbered(options.filled(page.stem, text, site=False), measured.numbers(measured.results()))


if __name__ == "__main__":
    for page in PAGES:
        text = current(page)
        if text != page.read_text(encoding="utf-8"):
            page.write_text(text, encoding="utf-8")
            print(f"wrote {page.relative_to(ROOT)}")
