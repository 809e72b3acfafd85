"""Numbers of a walk: lengths, times, peaks of forces, ranges of joints, work."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lissom.gait.curves import GaitCurves
from lissom.gait.cycles import Cycle
from lissom.gait.legs import SIDES
from lissom.gait.walk import Walk
from lissom.spatial.rotations import Array

MIDDLE = 0.5  # of stance: between the two peaks of the vertical force
LOADED = 0.05  # vertical force from which the friction that is used is asked for, of body weight
SWING = 40  # percent of the cycle, after which the knee bends for the swing


class Measure(NamedTuple):
    """A number of a walk.

    name : str      as an identifier
    title : str     what it is
    value : float
    unit : str
    """

    name: str
    title: str
    value: float
    unit: str


def measures_of(walk: Walk, cycles: dict[str, list[Cycle]], curves: GaitCurves) -> tuple[Measure, ...]:
    """Numbers of a walk from its cycles, by side, and from the mean curves of the right leg."""
    return (*_pace(walk, cycles), *_peaks(curves), *_joints(curves), *_efforts(walk, curves))


def _pace(walk: Walk, cycles: dict[str, list[Cycle]]) -> list[Measure]:
    cycle = float(np.mean([one.end - one.begin for some in cycles.values() for one in some]))
    speed = walk.distance / walk.samples.duration
    steps = _steps(walk, cycles)
    out = [
        Measure("speed", "speed", speed, "m/s"),
        Measure("cadence", "steps per minute", 120.0 / cycle, "1/min"),
        Measure("stride_length", "stride length", speed * cycle, "m"),
        *(Measure(f"step_length_{side}", f"step length, {side} foot in front", x, "m") for side, x in steps.items()),
        Measure("stance", "stance", _mean(cycles, "stance"), "% of the cycle"),
        Measure("double_support", "double support", _mean(cycles, "double_support"), "% of the cycle"),
    ]
    width = _width(walk)
    return out + ([Measure("step_width", "step width", width, "m")] if width > 1e-6 else [])


def _mean(cycles: dict[str, list[Cycle]], word: str) -> float:
    return float(np.mean([getattr(one, word) for some in cycles.values() for one in some]))


def _steps(walk: Walk, cycles: dict[str, list[Cycle]]) -> dict[str, float]:
    """How far the foot that strikes is ahead of the other one, mean of all strikes."""
    out = {}
    for side, other in zip(SIDES, reversed(SIDES), strict=True):
        ahead = []
        for strike in (cycle.begin for cycle in cycles[side]):
            earlier = [begin for begin, _ in walk.curves[other].stances if begin < strike]
            if earlier:
                ahead.append(_heel(walk, side, strike) - _heel(walk, other, earlier[-1]))
        if ahead:
            out[side] = float(np.mean(ahead))
    return out


def _heel(walk: Walk, side: str, strike: float) -> float:
    """Where a heel strikes, along the way, at a time of the repeated walk."""
    length = walk.samples.duration
    turns = float(np.floor(strike / length + 1e-9)) if walk.periodic else 0.0
    times = walk.samples.t - walk.samples.t[0]
    x = float(np.interp(strike - turns * length, times, walk.heels[side] @ walk.way))
    return x + turns * walk.distance


def _width(walk: Walk) -> float:
    """Distance of the feet across the way, each where it carries most."""
    across = {}
    for side in SIDES:
        load = np.maximum(walk.force(side) @ walk.axes.up, 0.0)
        weights = load if load.any() else None
        across[side] = float(np.average(walk.heels[side] @ walk.axes.left, weights=weights))
    return abs(across["left"] - across["right"])


def _peaks(curves: GaitCurves) -> list[Measure]:
    fz, fx = curves["vertical"], curves["fore_aft"]
    end = max(int(curves.stance), 3)
    middle = int(MIDDLE * end)
    first, second = int(np.argmax(fz[: middle + 1])), middle + int(np.argmax(fz[middle : end + 1]))
    loaded = fz > LOADED
    sideways = curves.curves.get("medial", np.zeros_like(fx))
    needed = float((np.hypot(fx, sideways)[loaded] / fz[loaded]).max(initial=0.0))
    return [
        Measure("first_peak", "vertical force, first peak", float(fz[first]), "BW"),
        Measure("valley", "vertical force, valley", float(fz[first : second + 1].min()), "BW"),
        Measure("second_peak", "vertical force, second peak", float(fz[second]), "BW"),
        Measure("braking", "fore-aft force, braking peak", float(fx.min()), "BW"),
        Measure("propulsion", "fore-aft force, propulsion peak", float(fx.max()), "BW"),
        Measure("friction", "friction that is used, tangential over vertical force", needed, ""),
    ]


def _joints(curves: GaitCurves) -> list[Measure]:
    out = []
    for name in ("hip", "ankle"):
        if name in curves.curves:
            y = curves[name]
            out += [Measure(f"{name}_least", f"{name} angle, least", float(y.min()), "deg"),
                    Measure(f"{name}_greatest", f"{name} angle, greatest", float(y.max()), "deg")]  # fmt: skip
    if "knee" in curves.curves:
        knee = curves["knee"]
        out += [Measure("knee_stance", "knee flexion in stance, greatest", float(knee[:SWING].max()), "deg"),
                Measure("knee_swing", "knee flexion in swing, greatest", float(knee[SWING:].max()), "deg")]  # fmt: skip
    return out


def _efforts(walk: Walk, curves: GaitCurves) -> list[Measure]:
    out = []
    for name in ("hip", "knee", "ankle"):
        if f"{name}_moment" in curves.curves:
            title = f"{name} moment, greatest {'plantar flexion' if name == 'ankle' else 'extension'}"
            out.append(Measure(f"{name}_moment", title, float(curves[f"{name}_moment"].max()), "N m/kg"))
            power = float(curves[f"{name}_power"].max())
            out.append(Measure(f"{name}_power", f"{name} power, greatest generated", power, "W/kg"))
    positive, absolute = _work(walk)
    return [
        *out,
        Measure("positive_work", "positive work of all motors per distance", positive, "J/(kg m)"),
        Measure("absolute_work", "work of all motors, without its sign, per distance", absolute, "J/(kg m)"),
    ]


def _work(walk: Walk) -> tuple[float, float]:
    power: Array = (walk.samples.tau * walk.samples.qd)[:, walk.arm.actuated]
    size = walk.mass * walk.distance
    t = walk.samples.t
    return (float(np.trapezoid(np.maximum(power, 0.0).sum(axis=1), t)) / size,
            float(np.trapezoid(np.abs(power).sum(axis=1), t)) / size)  # fmt: skip
