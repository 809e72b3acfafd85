"""Test states for generated code, and results computed by lissom."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from lissom.errors import SolveError
from lissom.export.functions import Request
from lissom.export.record import CFunction
from lissom.kernels.verbs import VERBS
from lissom.model.arm import Arm
from lissom.model.loads import BaseMotion, Load
from lissom.model.units import amplitudes, units
from lissom.spatial.rotations import Array

COUNT = 5  # states, fewer where they fill too much of the test program
NUMBERS = 20_000  # of results in it
TRIES = 20
GRID = 2.0**-12  # inputs are multiples of it, so that they are the same numbers in single precision
TURNS = 6.0  # largest angle of joints without limits, rad: more than half a turn
STROKE = 0.5  # and of sliding joints, m
BEND = 2.0**-6  # largest amplitude of a mode, in which its shape has a size of about one


def tried(arm: Arm, function: CFunction, asked: Request) -> tuple[list[Array], list[Array]]:
    """Inputs and expected results, one row per state; states for which lissom fails are left out."""
    rng = np.random.default_rng(len(function.inputs) * 1000 + arm.dof)
    count = max(1, min(COUNT, NUMBERS // max(1, sum(x.size for x in function.outputs))))
    rows: list[list[Array]] = []
    found: list[list[Array]] = []
    failure: SolveError | None = None
    for _ in range(TRIES):
        row = [_drawn(arm, x.name, x.size, rng) for x in function.inputs]
        try:
            found.append(_expected(arm, function.verb, asked, row))
            rows.append(row)
        except SolveError as error:
            failure = error
        if len(rows) == count:
            break
    if not rows and failure is not None:
        raise failure
    return [np.array(x) for x in zip(*rows, strict=True)], [np.array(y) for y in zip(*found, strict=True)]


def _drawn(arm: Arm, word: str, size: int, rng: np.random.Generator) -> Array:
    """A random value of an input, away from special values."""
    if word == "q":
        lower, upper = _reach(arm)
    else:
        upper = np.full(size, 4.0)
        if word in ("qd", "qdd"):
            upper[amplitudes(arm)] = 64 * BEND
        lower = -upper
    return np.round(rng.uniform(lower, upper) / GRID) * GRID


def _reach(arm: Arm) -> tuple[Array, Array]:
    """Ranges of random positions: within joint limits, small modal amplitudes."""
    width = {"rad": TURNS, "m": STROKE, "1": BEND}
    upper = np.array([width[unit] for unit in units(arm)])
    upper[amplitudes(arm)] = BEND
    lower = -upper
    low, high = arm.bounds("position")
    for k, a, b in zip(arm.joint_index, low, high, strict=True):
        lower[k] = a if np.isfinite(a) else min(lower[k], b - upper[k])
        upper[k] = b if np.isfinite(b) else max(upper[k], a + upper[k]) if np.isfinite(a) else upper[k]
    return lower, upper


def _expected(arm: Arm, verb: str, asked: Request, row: Sequence[Array]) -> list[Array]:
    """Results of the function for a state, one flat array per output."""
    import lissom

    covers, function = VERBS[verb], getattr(lissom, verb)
    if covers.frame:
        found = function(arm, *row, asked.frame, asked.point)
    elif covers.acted:
        states = len(row) - len(asked.loads) - asked.base
        extra = list(row[states:])
        base = BaseMotion(*np.split(extra.pop(0), 3)) if asked.base else None
        loads = [Load(link, *np.split(x, 3)) for link, x in zip(asked.loads, extra, strict=True)]
        found = function(arm, *row[:states], loads=loads, base=base)
    else:
        found = function(arm, *row)
    parts: Any = found if isinstance(found, tuple) else (found,)
    return [np.ravel(part) for part in parts]
