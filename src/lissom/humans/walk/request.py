"""What is asked of a walk, checked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from lissom.errors import InputError, shown, suggest
from lissom.humans.requests import person_of, plain_number, weights_of
from lissom.humans.walk.posture import leg_length
from lissom.humans.walk.timing import STEP, peoples_step
from lissom.humans.walk.weights import WalkWeights
from lissom.model.arm import Arm
from lissom.motion.task.phases import MOST_SEGMENTS

VERB = "predict_walk"
SLOWEST = 0.3  # m/s
FROUDE = 0.55  # speed^2 / (gravity x leg): people run from about 0.5 on
STEPS = (0.15, 1.1)  # of the length of the leg
STEEPEST = 0.25  # rad
LOADS = ("hands", "back")
MOST_LOAD = 0.6  # of the body mass


@dataclass(frozen=True)
class WalkRequest:
    """Speed [m/s], step [m] or None, slope [rad], loads [kg], limits and weights of a walk of an arm."""

    arm: Arm
    speed: float
    step: float | None
    slope: float
    load: Mapping[str, float]
    limits: Mapping[str, tuple[float, float]]
    weights: WalkWeights
    segments: tuple[int, ...]
    timing: str

    @property
    def spatial(self) -> bool:
        """Whether the person moves in space."""
        return "pelvis_y" in self.arm.coordinates

    @property
    def symmetric(self) -> bool:
        """Whether the second step can be the mirror image of the first: the limits of both sides are the same."""
        assert self.arm.mirror is not None
        return all(self.limits.get(self.arm.mirror.partner("coordinates", name)) == pair
                   for name, pair in self.limits.items())  # fmt: skip

    @property
    def first_step(self) -> float:
        """Step length from which the search begins [m]."""
        return peoples_step(self.speed) if self.step is None else self.step


def walk_request(
    arm: Any, speed: Any, step: Any, load: Any, slope: Any, limits: Any, weights: Any, segments: Any, timing: Any
) -> WalkRequest:
    """Return what is asked for; raise an error for what nobody walks."""
    arm, weights = person_of(VERB, arm), weights_of(VERB, weights)
    if timing not in ("people", "free", None):
        raise InputError(f"{VERB}: timing is {shown(timing)}; expected 'people' or 'free'.")
    timing = ("free" if step is None else "people") if timing is None else timing
    speed, step = _speed(arm, speed), _step(arm, step)
    tilt = plain_number(VERB, slope, "slope")
    if abs(tilt) > STEEPEST:
        raise InputError(f"{VERB}: slope is {tilt:g} rad; expected -{STEEPEST:g} to {STEEPEST:g} (uphill is positive).")
    return WalkRequest(
        arm, speed, step, tilt, _loads(arm, load), _limits(arm, limits),
        weights, _segments(segments), timing,
    )  # fmt: skip


def _speed(arm: Arm, value: Any) -> float:
    speed = plain_number(VERB, value, "speed")
    gravity = float(np.linalg.norm(arm.gravity))
    fastest = float(np.sqrt(FROUDE * gravity * leg_length(arm)))
    if not SLOWEST <= speed <= fastest:
        raise InputError(
            f"{VERB}: speed is {speed:g} m/s; expected {SLOWEST:g} to {fastest:.2g} m/s for legs of "
            f"{leg_length(arm):.2g} m: people stand or run beyond."
        )
    return speed


def _step(arm: Arm, value: Any) -> float | None:
    if value is None:
        return None
    step, leg = plain_number(VERB, value, "step"), leg_length(arm)
    if not STEPS[0] * leg <= step <= STEPS[1] * leg:
        raise InputError(
            f"{VERB}: step is {step:g} m; expected {STEPS[0] * leg:.2g} to {STEPS[1] * leg:.2g} m: the legs are "
            f"{leg:.2g} m long."
        )
    return step


def _loads(arm: Arm, value: Any) -> dict[str, float]:
    """{"hands": kg, "back": kg} from a mapping or a mass on the back."""
    found = dict(value) if isinstance(value, Mapping) else {} if value is None else {"back": value}
    for word, mass in found.items():
        if word not in LOADS:
            raise InputError(f"{VERB}: load has {shown(word)}; {suggest(str(word), LOADS)}")
        found[word] = plain_number(
            VERB, mass, f"load on the {word} [kg]" if word == "back" else "load in the hands [kg]"
        )
        if not 0.0 <= found[word] <= MOST_LOAD * arm.mass:
            raise InputError(
                f"{VERB}: load of {found[word]:g} kg ({word}); expected 0 to {MOST_LOAD * arm.mass:.3g} kg, "
                f"{MOST_LOAD:.0%} of the body mass."
            )
    return {word: mass for word, mass in found.items() if mass > 0.0}


def _limits(arm: Arm, value: Any) -> dict[str, tuple[float, float]]:
    """{joint: (lower, upper)} [rad or m], inside the ranges of the joints."""
    if value is not None and not isinstance(value, Mapping):
        raise InputError(f"{VERB}: limits is {shown(value)}; expected a mapping {{joint: (lower, upper)}} [rad].")
    found = {}
    for name, pair in (value or {}).items():
        if name not in arm.coordinates:
            raise InputError(f"{VERB}: limits has {shown(name)}; {suggest(str(name), arm.coordinates)}")
        if not isinstance(pair, Sequence | np.ndarray) or len(pair) != 2:
            raise InputError(f"{VERB}: limits of {name!r} is {shown(pair)}; expected (lower, upper) [rad].")
        low, high = (plain_number(VERB, one, f"limit of {name}") for one in pair)
        lower, upper = (side[arm.coordinates.index(name)] for side in arm.bounds("position"))
        if not max(low, lower) < min(high, upper):
            raise InputError(
                f"{VERB}: limits of {name!r} are {low:g} to {high:g} rad; expected a range inside that of the joint, "
                f"{lower:.3g} to {upper:.3g}."
            )
        found[name] = (max(low, lower), min(high, upper))
    return found


def _segments(value: Any) -> tuple[int, ...]:
    if value is None:
        return tuple(phase.segments for phase in STEP)
    counts = value.tolist() if isinstance(value, np.ndarray) else value
    good = isinstance(counts, Sequence) and not isinstance(counts, str) and len(counts) == len(STEP)
    good = good and all(isinstance(one, int | np.integer) and not isinstance(one, bool) for one in counts)
    if not good or not all(1 <= one <= MOST_SEGMENTS for one in counts):
        raise InputError(
            f"{VERB}: segments is {shown(value)}; expected {len(STEP)} whole numbers from 1 to {MOST_SEGMENTS}, one "
            "for each phase."
        )
    return tuple(int(one) for one in counts)
