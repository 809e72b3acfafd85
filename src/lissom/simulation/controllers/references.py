"""References of controllers: rates and accelerations that belong to given positions.

Where they are not given, they are derived exactly: zero for constants; profiles, splines and planned motions are
differentiated; a function that returns (q, qd, qdd) provides them. They are unknown for any other function: controllers
that need them raise an error, those that only damp assume zero.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from lissom.errors import InputError
from lissom.model.arm import Arm
from lissom.simulation.controllers.planned import is_planned_motion
from lissom.simulation.held_splines import HeldSpline, held_spline, is_scipy_spline
from lissom.simulation.signals import Part, Profile, SharedFunction
from lissom.spatial.rotations import Array

ORDERS = ("q", "qd", "qdd")


def references(controller: str, arm: Arm, damps: bool = False, **given: Any) -> dict[str, Any]:
    """Return reference positions, rates and accelerations: those given, the others derived from q or qd.

    damps : assume zero for rates that cannot be derived
    given : q and qd, or q, qd and qdd; None: derive it
    """
    found = {word: _as_function(value) for word, value in given.items()}
    q = found["q"]
    shared = q if isinstance(q, SharedFunction) else SharedFunction(q)
    together = _together(q, arm)
    for order, word in enumerate(given):
        if order < together:
            found[word] = Part(shared, order) if order == 0 or given[word] is None else found[word]
        elif given[word] is None:
            found[word] = 0.0 if damps and rates_unknown(q, arm) else _derived(controller, found, word, list(given))
    return found


def rates_unknown(q: Any, arm: Arm) -> bool:
    """Whether a reference is a function of time that returns positions only."""
    q = _as_function(q)
    return callable(q) and _derivative(q, 1) is None and _together(q, arm) == 0


def _as_function(value: Any) -> Any:
    """Return SciPy splines and planned motions as functions of time with constant continuation; others unchanged."""
    if is_planned_motion(value):
        polynomials = getattr(value, "polynomials", None)
        if polynomials is not None:
            return HeldSpline(polynomials.x, polynomials.c)
        return SharedFunction(_HeldMotion(value), jumps=(0.0, value.duration), sided=True)
    return held_spline(value) if is_scipy_spline(value) else value


class _HeldMotion:
    """q, qd, qdd of a planned motion without polynomials (closed loops); at rest before its start and after its end."""

    def __init__(self, motion: Any):
        self.motion = motion

    def __call__(self, t: float, before: bool) -> tuple[Array, Array, Array]:
        end = self.motion.duration
        q, *rates = self.motion.at(min(max(t, 0.0), end))
        moves = 0.0 < t <= end if before else 0.0 <= t < end
        qd, qdd = rates if moves else (np.zeros_like(x) for x in rates)
        return q, qd, qdd


def _together(q: Any, arm: Arm) -> int:
    """Return how many arrays (q, qd and perhaps qdd) a function of time returns together; 0: positions only.

    For arms with one coordinate these may be numbers.
    """
    if not callable(q) or isinstance(q, Profile | HeldSpline):
        return 0
    try:
        now = q(0.0)
    except Exception:  # the simulation says so, with the time
        return 0
    least = 0 if arm.dof == 1 else 1
    good = isinstance(now, tuple) and len(now) in (2, 3) and all(np.ndim(part) >= least for part in now)
    return len(now) if good else 0


def _derived(controller: str, found: dict[str, Any], word: str, words: list[str]) -> Any:
    """Return the derivative of the nearest lower-order reference that can be differentiated; zero for constants."""
    place = ORDERS.index(word)
    lower = [(ORDERS[k], found[ORDERS[k]]) for k in reversed(range(place))]
    for step, (_, value) in enumerate(lower, 1):
        made = _derivative(value, step) if callable(value) else None
        if made is not None:
            return made
    source, nearest = lower[0]
    if not callable(nearest):
        return 0.0
    missing = [name for name in words[place:] if found[name] is None]
    raise InputError(
        f"{controller}: {source} is a function of time, but {' and '.join(missing)} "
        f"{'are' if len(missing) > 1 else 'is'} not given. Let q return ({', '.join(words)}), give "
        f"{' and '.join(missing)} as functions too, use a SciPy spline, a planned motion or Profile(t, q, "
        f"kind='cubic') for q, which can be differentiated, or give {missing[0]}=0 for a reference at rest."
    )


def _derivative(value: Any, order: int) -> Any:
    """Return the derivative of a profile or a spline; None where it is unknown."""
    if isinstance(value, Profile):
        return _rate(value, order)
    return value.derivative(order) if isinstance(value, HeldSpline) else None


def _rate(profile: Profile, order: int) -> HeldSpline | float:
    """Return the derivative of a profile; that of a "hold" profile is zero, its jumps are ignored."""
    if profile.kind == "hold" or len(profile.t) == 1:
        return 0.0
    if profile.kind == "cubic":
        from scipy.interpolate import CubicSpline

        return held_spline(CubicSpline(profile.t, profile.values)).derivative(order)
    slopes = np.diff(profile.values, axis=0) / np.diff(profile.t)[:, None]
    return HeldSpline(profile.t, np.stack([slopes, profile.values[:-1]])).derivative(order)
