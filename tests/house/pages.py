"""The pages: README, and what is in docs and not made by building the site."""

from pathlib import Path

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
MADE = ("_build", "gallery", "generated")
PAGES = sorted(path for path in DOCS.rglob("*.md") if not set(MADE) & set(path.relative_to(DOCS).parts))
MARKDOWN = [ROOT / "README.md", *PAGES]
