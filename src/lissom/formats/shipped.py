"""The arms that come with lissom: their names and files, found without loading anything."""

from __future__ import annotations

from importlib import resources
from pathlib import Path


def shipped() -> dict[str, Path]:
    """Names and files of the arms that come with lissom."""
    folder = Path(str(resources.files("lissom.robots")))
    return {path.stem: path for path in sorted(folder.glob("*.toml"))}
