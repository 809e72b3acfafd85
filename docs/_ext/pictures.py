"""Pictures of the gallery: whatever an example writes beside itself is taken from there."""

from __future__ import annotations

import shutil
from pathlib import Path

from sphinx_gallery.scrapers import figure_rst

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
KINDS = (".png", ".gif")
OTHERS = (".nc", ".csv", ".html")
_before: set[Path] = set()


def pictures(block, block_vars, gallery_conf) -> str:
    """RST of the pictures that a piece of an example has written."""
    taken = []
    new = [path for path in set(EXAMPLES.iterdir()) - _before if path.suffix in KINDS]
    for path in sorted(new, key=lambda path: path.stat().st_mtime):
        target = Path(next(block_vars["image_path_iterator"])).with_suffix(path.suffix)
        shutil.move(path, target)
        taken.append(str(target))
    return figure_rst(taken, gallery_conf["src_dir"])


def swept(gallery_conf, fname, when) -> None:
    """Nothing else that an example writes (runs, tables) stays beside it."""
    if when == "before":
        _before.update(EXAMPLES.iterdir())
    else:
        for path in set(EXAMPLES.iterdir()) - _before:
            if path.suffix in KINDS + OTHERS:
                path.unlink()
        _before.clear()


def fewer(_conf, script) -> list[str]:
    """Arguments of a script of the gallery: of ten thousand arms some hundreds, so that the site is built soon."""
    return ["512"] if script["src_file"].endswith("09_robustness.py") else []
