"""Tables of anthropometry, ranges of motion and strengths, as files with their sources."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib import resources
from typing import Any

SEXES = ("female", "male")


@cache
def table(name: str) -> dict[str, Any]:
    """Return the table of a file in the folder `data`."""
    file = resources.files("lissom.humans.body").joinpath("data", f"{name}.toml")
    return tomllib.loads(file.read_text(encoding="utf-8"))


def proportion(group: str, name: str) -> Any:
    """Return a length as a part of another one."""
    return table("proportions")[group][name]["value"]
