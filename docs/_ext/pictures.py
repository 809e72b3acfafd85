"""Pictures of the gallery: whatever an example writes beside itself is taken from there."""

from __future__ import annotations

import shutil
from pathlib import Path

from sphinx_gallery.scrapers import figure_rst

KINDS = (".png", ".gif")
_before: set[Path] = set()


def pictures(block, block_vars, gallery_conf) -> str:
    """RST of the pictures that a piece of an example has written."""
    folder = Path(block_vars["src_file"]).parent
    taken = []
    for path in sorted(
        (p for p in set(folder.iterdir()) - _before if p.suffix in KINDS), key=lambda p: p.stat().st_mtime
    ):
        target = Path(next(block_vars["image_path_iterator"])).with_suffix(path.suffix)
        shutil.move(path, target)
        taken.append(str(target))
    return figure_rst(taken, gallery_conf["src_dir"])


def swept(gallery_conf, fname, when) -> None:
    """Nothing else that an example writes (runs, tables) stays beside it."""
    folder = Path(fname).parent
    if when == "before":
        _before.update(folder.iterdir())
    else:
        for path in set(folder.iterdir()) - _before:
            if path.is_file():
                path.unlink()
        _before.clear()
