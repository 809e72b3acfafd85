"""Units that cannot be: positions in degrees where radians are expected, and other arms."""

from __future__ import annotations

import numpy as np

from lissom.errors import InputError
from lissom.identification.logs.log import Log
from lissom.model.arm import Arm

DEGREES = np.degrees(1.0)
TURNS = 4 * np.pi  # a joint without limits rarely turns further; the same number is little in degrees
BEYOND = 3.0  # times the range of the limits


def check_units(log: Log, arm: Arm) -> None:
    """Raise an error for a log of other joints than the arm's, and for positions or rates that look like degrees."""
    names = tuple(joint.name for joint in arm.joints)
    if log.q.shape[1] != len(names):
        raise InputError(f"{_source(log)}it has {log.q.shape[1]} joints, arm {arm.name!r} has {len(names)}.")
    if log.joints and log.joints != names:
        raise InputError(
            f"{_source(log)}its joints are {', '.join(log.joints)}; those of arm {arm.name!r} are {', '.join(names)}."
        )
    lower, upper = arm.bounds("position")
    for k, joint in enumerate(arm.joints):
        if joint.angular and _looks_like_degrees(log, k, float(lower[k]), float(upper[k])):
            raise InputError(
                f"{_source(log)}positions of joint {joint.name!r} go from {log.q[:, k].min():.4g} to "
                f"{log.q[:, k].max():.4g}; expected radians{_limits(lower[k], upper[k])}. They look like degrees: give "
                "scale={'q': numpy.pi / 180} to load_log, or name the columns with their unit (q_deg_1)."
            )
    _check_rates(log, names)


def _looks_like_degrees(log: Log, k: int, low: float, high: float) -> bool:
    """Whether positions leave the limits, or turn many times, and would not if they were degrees."""
    q = log.q[:, k]
    if np.isfinite(low) and np.isfinite(high):
        room = (BEYOND - 1) / 2 * (high - low)
        inside = (q >= low - room) & (q <= high + room)
        return not inside.all() and bool(((q / DEGREES >= low - 0.1) & (q / DEGREES <= high + 0.1)).all())
    usual = np.abs(np.diff(q)).max() * log.rate > TURNS  # of a machine that turns for good the rate is no rate of arms
    return bool(np.abs(q).max() > TURNS and usual)


def _check_rates(log: Log, names: tuple[str, ...]) -> None:
    """Raise an error where measured rates are a constant multiple of the slope of the positions."""
    if log.qd is None:
        return
    slope = np.gradient(log.q, log.t, axis=0)
    for k, name in enumerate(names):
        x, y = slope[:, k], log.qd[:, k]
        if x @ x == 0.0 or y @ y == 0.0:
            continue
        factor, agree = (x @ y) / (x @ x), (x @ y) / np.sqrt((x @ x) * (y @ y))
        if agree > 0.9 and not 0.5 < factor < 2.0:
            unit = " The factor is that of degrees." if abs(factor / DEGREES - 1) < 0.05 else ""
            raise InputError(
                f"{_source(log)}rates of joint {name!r} are {factor:.4g} times the slope of its positions; expected "
                f"both in the same unit.{unit} Give scale={{'qd': ...}} to load_log."
            )


def _source(log: Log) -> str:
    return f"{log.source}: " if log.source else "log: "


def _limits(low: float, high: float) -> str:
    return f", limits {low:.4g} to {high:.4g}" if np.isfinite(low) and np.isfinite(high) else ""
