"""Loads and base motion of a run file, constant or sampled over time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from lissom.formats.strict import Table, as_table, inside, made_rows, record, refuse_unknown
from lissom.model.loads import BaseMotion, Load
from lissom.simulation.signals import OverTime, Profile
from lissom.spatial.rotations import Array

MOTION = ("angular_velocity", "angular_acceleration", "linear_acceleration")


def loads_of(document: Table) -> list[Load] | OverTime:
    """Return the loads of ``[[loads]]``; a function of time if any of them has ``t``."""
    made = made_rows(document, "loads", "load", _load)
    if not any(vary for _, vary in made):
        return [Load(**fixed) for fixed, _ in made]
    return _over_time(
        lambda t, before: [Load(**fixed, **_values(vary, t, before)) for fixed, vary in made],
        [profile for _, vary in made for profile in vary.values()],
    )


def _load(row: Table) -> tuple[dict[str, Any], dict[str, Profile]]:
    """Constant and varying fields of a load."""
    refuse_unknown(row, ("link", "force", "moment", "point", "t", "kind"), "[[loads]]")
    fixed, vary = _split(row, ("force", "moment"), "link", "point")
    record(Load, {**fixed, **_values(vary, 0.0, False)}, "a load")
    return fixed, vary


def base_of(document: Table) -> BaseMotion | OverTime | None:
    """Return the base motion of ``[base]``; a function of time if it has ``t``."""
    if "base" not in document:
        return None
    with inside("base"):
        row = as_table(document["base"], "base")
        refuse_unknown(row, (*MOTION, "t", "kind"), "[base]")
        fixed, vary = _split(row, MOTION)
        if not vary:
            return record(BaseMotion, fixed, "[base]")
        BaseMotion(**_values(vary, 0.0, False))
        return _over_time(lambda t, before: BaseMotion(**_values(vary, t, before)), list(vary.values()))


def loads_at(loads: list[Load] | OverTime, t: Array) -> list[Load]:
    """Return the loads at times (nt,); loads that vary have forces and moments (nt, 3)."""
    if not isinstance(loads, OverTime):
        return loads
    moments = [loads(float(when)) for when in t]
    return [
        first.replace(**{word: np.stack([getattr(now[i], word) for now in moments]) for word in ("force", "moment")})
        for i, first in enumerate(moments[0])
    ]


def _split(row: Table, words: tuple[str, ...], *others: str) -> tuple[dict[str, Any], dict[str, Profile]]:
    """Split a table into constant values and, where it has ``t``, profiles over time."""
    fixed = {word: row[word] for word in (*words, *others) if word in row}
    if "t" not in row:
        return fixed, {}
    kind = row.get("kind", "linear")
    return fixed, {word: Profile(row["t"], fixed.pop(word), kind) for word in words if word in fixed}


def _values(profiles: dict[str, Profile], t: float, before: bool) -> dict[str, Any]:
    return {word: profile(t, before) for word, profile in profiles.items()}


def _over_time(function: Callable[[float, bool], Any], profiles: list[Profile]) -> OverTime:
    """Return a function of time that evaluates profiles; it jumps where they jump."""
    jumps = np.unique(np.concatenate([profile.jumps for profile in profiles]))
    return OverTime(function, jumps, min(profile.finest for profile in profiles))
