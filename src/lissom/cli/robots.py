"""`lissom robots`: the shipped arms."""

from __future__ import annotations

import re

from rich import box
from rich.table import Table

from lissom.cli.common import AsJson, out, print_json
from lissom.formats.load import load, shipped


def robots(as_json: AsJson = False) -> None:
    """List the arms that come with lissom."""
    arms = {name: load(name) for name in shipped()}
    if as_json:
        print_json([
            {"name": name, "joints": len(arm.joints), "dof": arm.dof, "mass": arm.mass, "source": arm.source}
            for name, arm in arms.items()
        ])  # fmt: skip
        return
    table = Table(box=box.SIMPLE_HEAD)
    for column in ("name", "joints", "coordinates", "mass kg", "source"):
        table.add_column(column, justify="left" if column in ("name", "source") else "right", overflow="fold")
    for name, arm in arms.items():
        where = re.split(r"[:;(]|, in the ", arm.source)[0].strip()  # lissom info shows all of it
        table.add_row(name, str(len(arm.joints)), str(arm.dof), f"{arm.mass:.4g}", where)
    out.print(table, soft_wrap=False)
