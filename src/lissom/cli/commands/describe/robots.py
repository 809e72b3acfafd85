"""`lissom robots`: the shipped arms."""

from __future__ import annotations

import json
import re
from importlib import resources

from rich import box
from rich.table import Table

from lissom.cli.common import AsJson, out, print_json


def robots(as_json: AsJson = False) -> None:
    """List the arms that come with lissom."""
    # an index, for loading the arms takes longer than all the rest
    arms = json.loads((resources.files("lissom.robots") / "index.json").read_text(encoding="utf-8"))
    if as_json:
        print_json(arms)
        return
    table = Table(box=box.SIMPLE_HEAD)
    for column in ("name", "joints", "coordinates", "mass [kg]", "source"):
        table.add_column(column, justify="left" if column in ("name", "source") else "right", overflow="fold")
    for arm in arms:
        where = re.split(r"[:;(]|, in the ", arm["source"])[0].strip()  # lissom info shows all of it
        table.add_row(arm["name"], str(arm["joints"]), str(arm["dof"]), f"{arm['mass']:.4g}", where)
    out.print(table, soft_wrap=False)
    out.print("Coordinates: joints, and modal coordinates of flexible links. More about one arm: lissom info NAME")
