"""Write the index of the shipped arms, which `lissom robots` prints without loading them.

Run it after a change in src/lissom/robots; a test compares the index with the arms.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import lissom as ls

INDEX = Path(ls.__file__).parent / "robots" / "index.json"


def rows() -> list[dict[str, Any]]:
    """What the index says of every shipped arm."""
    arms = {name: ls.load(name) for name in ls.shipped()}
    return [
        {"name": name, "joints": len(arm.joints), "dof": arm.dof, "mass": arm.mass, "source": arm.source}
        for name, arm in arms.items()
    ]


if __name__ == "__main__":
    INDEX.write_text(json.dumps(rows(), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
