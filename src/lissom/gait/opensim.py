"""Curves of a walk from tables of OpenSim: joint angles and ground forces of the known gait models."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from typing import NamedTuple, Never

import numpy as np

from lissom.errors import InputError, shown
from lissom.formats.opensim_table import OpenSimTable, as_table, names_listed
from lissom.gait.curves import GaitCurves
from lissom.gait.cycles import LONGEST_CYCLE, Cycle, Leg, cycles_of, mean_of, stances_of
from lissom.keywords import check_keywords, without_unknown
from lissom.spatial.rotations import Array

SIDES = ("r", "l")
GRAVITY = 9.80665
ANGLES = ("pelvis_tilt", *(f"{word}_{side}" for side in SIDES for word in ("hip_flexion", "knee_angle", "ankle_angle")))
VALUE = re.compile(r".*/([^/]+)/value")  # a coordinate as OpenSim 4 writes it
FORCE = re.compile(r"(?:(\w+?)_)?ground_force_(?:(\w+?)_)?v([xyz])")
SIDE_WORDS = {"r": "r", "right": "r", "l": "l", "left": "l"}
SAME = 2.0  # degrees between angles of a walk that repeats itself
LIGHTEST, HEAVIEST = 10.0, 400.0  # kg of people
Table = OpenSimTable | str | os.PathLike[str]


@without_unknown
def load_gait(
    coordinates: Table,
    forces: Table,
    *,
    mass: float | None = None,
    name: str | None = None,
    columns: Mapping[str, str] | None = None,
    **unknown: Never,
) -> GaitCurves:
    """Load the curves of a walk from tables of OpenSim, such as a measured reference.

    Known are the gait models of OpenSim and those derived from them (gait10dof18, gait2392, Rajagopal's, Moco's planar
    model, PredSim's): coordinates ``pelvis_tilt``, ``hip_flexion_r``, ``knee_angle_r``, ``ankle_angle_r`` and
    those of the left leg, also as ``/jointset/.../hip_flexion_r/value``; forces ``ground_force_vx`` ... with a mark for
    the foot before or behind ``ground_force``. x is forward, y up. All whole cycles of both legs are averaged. A table
    of one period is repeated; of half a period, the other half is that of the other leg.

    Parameters
    ----------
    coordinates : path or OpenSimTable    joint angles (.mot, .sto)
    forces : path or OpenSimTable         ground forces [N] (.mot, .sto), of the same walk
    mass : float or None      mass of the body [kg]; None: that whose weight is the mean vertical force
    name : str or None        what it is called in tables and figures; None: the name of the file
    columns : mapping or None names of other models: {"knee_angle_r": "knee_flexion_r"}

    Returns
    -------
    GaitCurves

    Examples
    --------
    >>> import lissom as ls, numpy as np
    >>> u = np.arange(100) / 100  # of a made-up cycle of 1.1 s, without knees and ankles
    >>> angles = {f"{word}_angle_{side}": 0 * u for word in ("knee", "ankle") for side in "rl"} | {"pelvis_tilt": 0 * u}
    >>> angles |= {"hip_flexion_r": 20 * np.cos(2 * np.pi * u), "hip_flexion_l": -20 * np.cos(2 * np.pi * u)}
    >>> push = lambda u: 900.0 * np.maximum(np.sin(np.pi * u / 0.6), 0.0) * (u < 0.6)
    >>> forces = {f"ground_force_{foot}_v{axis}": 0 * u for foot in "rl" for axis in "xz"}
    >>> forces |= {"ground_force_r_vy": push(u), "ground_force_l_vy": push((u + 0.5) % 1)}
    >>> tables = [ls.OpenSimTable("", 1.1 * u, columns, True, "made up") for columns in (angles, forces)]
    >>> ls.load_gait(*tables)
    <GaitCurves of 'made up': 2 cycles of 1.1 s, stance 59.1 %, hip knee ankle vertical fore_aft>
    """
    check_keywords(load_gait, unknown)
    angles, loads = as_table(coordinates), as_table(forces)
    walk = _Walk(_angles(angles, columns or {}), _forces(loads), angles.t, loads.t, [])
    walk = _sided(walk)
    period = _period(walk)
    cycles, weight = _cycles(walk, period, mass, angles.source)
    found = weight / GRAVITY
    if mass is not None and not 0.5 * mass < found < 2.0 * mass:
        raise InputError(
            f"load_gait: the mean vertical force is the weight of {found:.4g} kg, but mass is {mass:g} kg."
        )
    return mean_of(name or angles.source, cycles, float(mass or found), walk.notes)


class _Walk(NamedTuple):
    """Angles [deg] and forces [N] by side, at their times."""

    angles: dict[str, dict[str, Array]]
    forces: dict[str, dict[str, Array]]
    t: Array
    force_t: Array
    notes: list[str]


def _angles(table: OpenSimTable, columns: Mapping[str, str]) -> dict[str, dict[str, Array]]:
    """Hip, knee and ankle [deg] of both legs, positive in flexion; the hip against the vertical."""
    short = {(found[1] if (found := VALUE.fullmatch(name)) else name): name for name in table.columns}
    unknown = [word for word in columns if word not in ANGLES]
    if unknown:
        raise InputError(f"load_gait: columns has {shown(unknown[0])}; expected some of {', '.join(ANGLES)}.")
    missing = [word for word in ANGLES if columns.get(word, word) not in short]
    if missing:
        raise InputError(
            f"{table.source}: it has no column {columns.get(missing[0], missing[0])!r}, so it is of no gait model that "
            f"is known; it has {names_listed(table)}. Say which columns are meant with columns={{{missing[0]!r}: ...}}."
        )
    got = {word: np.rad2deg(table.angle(short[columns.get(word, word)])) for word in ANGLES}
    out = {}
    for side in SIDES:
        knee = got[f"knee_angle_{side}"]
        bend = 1.0 if knee.max() > -knee.min() else -1.0  # models differ; knees bend one way, far
        out[side] = {"hip": got[f"hip_flexion_{side}"] + got["pelvis_tilt"], "knee": bend * knee,
                     "ankle": got[f"ankle_angle_{side}"]}  # fmt: skip
    return out


def _forces(table: OpenSimTable) -> dict[str, dict[str, Array]]:
    """Forces [N] in x, y, z by the marks of two feet."""
    feet: dict[str, dict[str, Array]] = {}
    for name, values in table.columns.items():
        if found := FORCE.fullmatch(name):
            feet.setdefault((found[1] or found[2] or "").lower(), {})[found[3]] = values
    whole = {mark: parts for mark, parts in feet.items() if len(parts) == 3}
    if len(whole) != 2:
        raise InputError(
            f"{table.source}: it has the ground forces of {len(whole)} feet; expected two, as ground_force_r_vx, _vy, "
            f"_vz and ground_force_l_vx ...; it has {names_listed(table)}."
        )
    return whole


def _sided(walk: _Walk) -> _Walk:
    """Forces by "r" and "l"; plates that are numbered belong to the leg that is in front when the foot strikes."""
    sides = {SIDE_WORDS.get(mark, ""): mark for mark in walk.forces}
    if set(sides) == {"r", "l"}:
        return walk._replace(forces={side: walk.forces[mark] for side, mark in sides.items()})
    first, second = walk.forces
    weight = np.mean(sum(parts["y"] for parts in walk.forces.values()))
    strikes = [begin for begin, _ in stances_of(walk.force_t, walk.forces[first]["y"] / weight)]
    strikes = [begin for begin in strikes if walk.t[0] <= begin <= walk.t[-1]]  # not before the table
    if not strikes:
        raise InputError("load_gait: no heel strike was found in the ground forces; expected at least one whole cycle.")
    ahead = np.mean([np.interp(strikes, walk.t, sign * walk.angles[side]["hip"])
                     for sign, side in ((1, "r"), (-1, "l"))])  # fmt: skip
    own, other = ("r", "l") if ahead > 0 else ("l", "r")
    note = f"forces {first or 'without mark'!s} are those of the {'right' if own == 'r' else 'left'} foot"
    return walk._replace(forces={own: walk.forces[first], other: walk.forces[second]}, notes=[note])


class _Period(NamedTuple):
    """How a table repeats itself.

    half : bool       it has half a cycle: what follows is the same with the legs exchanged
    whole : bool      its last row is its first one again; otherwise it ends one row before
    error : float     largest difference of angles where it repeats itself [deg]
    """

    half: bool
    whole: bool
    error: float


def _period(walk: _Walk) -> _Period | None:
    """How a walk repeats itself where its table ends; None for a recording, which does not."""
    rows = {side: np.array([y[[0, 1, -2, -1]] for y in walk.angles[side].values()]) for side in SIDES}

    def error(half: bool, whole: bool) -> float:
        pairs = zip(SIDES, reversed(SIDES) if half else SIDES, strict=True)
        return max(float(np.abs(_end(rows[a], rows[b], whole) - rows[b][:, 0]).max()) for a, b in pairs)

    best = min((_Period(half, whole, error(half, whole)) for half in (False, True) for whole in (True, False)),
               key=lambda one: one.error)  # fmt: skip
    length = float(walk.t[-1] - walk.t[0]) * (2 if best.half else 1)
    if best.error > SAME or length > LONGEST_CYCLE:
        return None
    if best.half:
        walk.notes.append("the table has half a cycle; the other half is that of the other leg")
    return best


def _end(rows: Array, following: Array, whole: bool) -> Array:
    """Angles at the end of a period, from its rows 0, 1, -2 and -1 and from those of what follows.

    Where the last row is not the first one again, it is what comes next at the mean of the slopes on both sides.
    """
    last, slope = rows[:, 3], (rows[:, 3] - rows[:, 2] + following[:, 1] - following[:, 0]) / 2
    return np.asarray(last if whole else last + slope)


def _leg(walk: _Walk, side: str, weight: float) -> Leg:
    inward = -1.0 if side == "r" else 1.0  # z is to the right
    parts = walk.forces[side]
    forces = {"vertical": parts["y"] / weight, "fore_aft": parts["x"] / weight}
    if np.abs(parts["z"]).max() > 0.0:
        forces["medial"] = inward * parts["z"] / weight
    signals = {word: (walk.t, y) for word, y in walk.angles[side].items()}
    signals |= {word: (walk.force_t, y) for word, y in forces.items()}
    return Leg(signals, stances_of(walk.force_t, forces["vertical"]))


def _periodic(walk: _Walk, period: _Period) -> _Walk:
    """The walk over three cycles."""
    count = 6 if period.half else 3
    t, angles = _repeated(walk.t, walk.angles, period, count)
    force_t, forces = _repeated(walk.force_t, walk.forces, period, count)
    return walk._replace(t=t, angles=angles, force_t=force_t, forces=forces)


def _repeated(
    t: Array, values: dict[str, dict[str, Array]], period: _Period, count: int
) -> tuple[Array, dict[str, dict[str, Array]]]:
    """A table `count` times one after the other, of half cycles every other with the legs exchanged."""
    rows = slice(0, -1 if period.whole else None)
    step = t[-1] - t[0] + (0.0 if period.whole else t[-1] - t[-2])
    times = np.concatenate([t[rows] + k * step for k in range(count)])
    out: dict[str, dict[str, Array]] = {}
    for side, other in zip(SIDES, reversed(SIDES), strict=True):
        turns = [other if period.half and k % 2 else side for k in range(count)]
        out[side] = {
            word: np.concatenate([(-1.0 if word == "z" and turn != side else 1.0) * values[turn][word][rows]
                                  for turn in turns])
            for word in values[side]
        }  # fmt: skip
    return times, out


def _cycles(walk: _Walk, period: _Period | None, mass: float | None, source: str) -> tuple[list[Cycle], float]:
    """Whole cycles of both legs, and the weight [N] that forces are divided by, or that they are the mean of."""
    if period is not None:
        walk = _periodic(walk, period)
    total = sum(parts["y"] for parts in walk.forces.values())
    rough = float(np.mean(total))
    if not LIGHTEST < rough / GRAVITY < HEAVIEST:
        raise InputError(
            f"{source}: the mean vertical force is {rough:.4g} N; expected the weight of a person, in newtons."
        )
    legs = {side: _leg(walk, side, rough) for side in SIDES}
    found = _found(legs)
    if not found:
        raise InputError(f"{source}: it has no whole cycle from one heel strike to the next.")
    within = np.linspace(*_span(found), 1000)
    mean = float(np.interp(within, walk.force_t, total).mean())
    weight = mean if mass is None else mass * GRAVITY
    legs = {side: _leg(walk, side, weight) for side in SIDES}
    cycles = _found(legs)
    return (cycles if period is None else [cycles[0], cycles[-1]]), mean


def _found(legs: dict[str, Leg]) -> list[Cycle]:
    return [
        cycle
        for side, other in zip(SIDES, reversed(SIDES), strict=True)
        for cycle in cycles_of(legs[side], legs[other])
    ]


def _span(cycles: list[Cycle]) -> tuple[float, float]:
    """Begin and end of the first cycle."""
    return cycles[0].begin, cycles[0].end
