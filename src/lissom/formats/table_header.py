"""Comment lines at the top of tables of motions and runs: the arm, its payloads, and the loads that act on it.

    # arm: "two_link"
    # digest: "5f0c..."
    # payload: [{"link": "fore", "mass": 0.5, "com": [0.0, 0.0, 0.0], "inertia": [...]}]
    # loads: []

Values are JSON. Loads that change with time, of which a table has no numbers, have ``"varies": true``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any, NamedTuple, TypedDict

import numpy as np

from lissom.errors import LissomError
from lissom.model.arm import Arm
from lissom.model.loads import Load, Payload
from lissom.spatial.rotations import Array

KEYS = ("arm", "digest", "duration", "payload", "loads")
LINE = re.compile(rf"#\s*({'|'.join(KEYS)}): (.*)")
PARTS = ("force", "moment", "point")


class _Wrench(TypedDict, total=False):
    force: list[float]
    moment: list[float]
    point: list[float]
    varies: bool


class LoadRow(_Wrench):
    """A load in a file: its link, and force, moment and point (3,) or, where it changes with time, ``varies``."""

    link: str


class TableHeader(NamedTuple):
    """What a table says of the arm it belongs to.

    arm, digest : str            name and fingerprint of the arm, payloads included
    payloads : {link: Payload}
    loads : Load...              constant, or samples (n, 3) that change evenly over `duration`
    varying : str...             links with loads that change with time in another way
    duration : float             of the motion [s]; 0 where it does not matter
    """

    arm: str
    digest: str
    payloads: dict[str, Payload]
    loads: tuple[Load, ...] = ()
    varying: tuple[str, ...] = ()
    duration: float = 0.0

    def loads_at(self, t: Array) -> list[Load]:
        """Loads at times (nt,); those with samples are interpolated, (nt, 3) each."""
        return [load.replace(**{part: self._over(getattr(load, part), t) for part in PARTS}) for load in self.loads]

    def _over(self, values: Array, t: Array) -> Array:
        if values.ndim == 1:
            return values
        times = np.linspace(0.0, self.duration, len(values))
        return np.stack([np.interp(t, times, values[:, k]) for k in range(3)], axis=-1)


def header_of(arm: Arm, loads: Sequence[Load | LoadRow] = (), duration: float = 0.0) -> TableHeader:
    """The header of a table of this arm; loads are records, or their lines (see `load_rows`)."""
    known, varying = loads_of_rows([_load_row(load) if isinstance(load, Load) else load for load in loads])
    payloads = {link.name: link.payload for link in arm.links if link.payload is not None}
    return TableHeader(arm.name, arm.digest, payloads, known, varying, duration)


def header_lines(header: TableHeader) -> list[str]:
    """The comment lines, without the mark of comments."""
    payloads = [
        {"link": link, "mass": p.mass, "com": p.com.tolist(), "inertia": p.inertia.tolist()}
        for link, p in header.payloads.items()
    ]
    loads = [*map(_load_row, header.loads), *({"link": link, "varies": True} for link in header.varying)]
    values: dict[str, Any] = {"arm": header.arm, "digest": header.digest, "payload": payloads, "loads": loads}
    if header.duration:
        values["duration"] = header.duration
    return [f"{key}: {json.dumps(values[key])}" for key in KEYS if key in values]


def read_header(text: str) -> TableHeader | None:
    """The header of a table, None where it has none or a damaged one: tables are read without it too."""
    found: dict[str, Any] = {}
    for line in text.splitlines():
        if line.strip() and not line.lstrip().startswith("#"):
            break
        part = LINE.fullmatch(line.strip())
        try:
            if part:
                found[part[1]] = json.loads(part[2])
        except (ValueError, RecursionError):
            return None
    if not {"arm", "digest"} <= set(found):
        return None
    try:
        return TableHeader(
            str(found["arm"]),
            str(found["digest"]),
            {str(row.pop("link")): Payload(**row) for row in found.get("payload", [])},
            *loads_of_rows(found.get("loads", [])),
            _duration(found.get("duration", 0.0)),
        )
    except (LissomError, TypeError, ValueError, KeyError, AttributeError, OverflowError):
        return None


def _duration(value: Any) -> float:
    seconds = float(value)
    if not 0.0 <= seconds < np.inf:
        raise ValueError("a duration is finite and not negative")
    return seconds


def loads_of_rows(rows: Sequence[Any]) -> tuple[tuple[Load, ...], tuple[str, ...]]:
    """Loads that are known, and links of those that change with time."""
    known = tuple(Load(**row) for row in rows if "varies" not in row)
    return known, tuple(str(row["link"]) for row in rows if "varies" in row)


def load_rows(loads: Any) -> list[LoadRow]:
    """Loads of a simulation (a list, or a function of time) as rows of a header."""
    if callable(loads):
        return [{"link": load.link, "varies": True} for load in loads(0.0)]
    rows = [loads] if isinstance(loads, Load) else loads
    return [_load_row(load) if _constant(load) else {"link": load.link, "varies": True} for load in rows]


def _constant(load: Load) -> bool:
    return all(getattr(load, part).ndim == 1 for part in PARTS)


def _load_row(load: Load) -> LoadRow:
    return {"link": load.link, "force": load.force.tolist(), "moment": load.moment.tolist(),
            "point": load.point.tolist()}  # fmt: skip
