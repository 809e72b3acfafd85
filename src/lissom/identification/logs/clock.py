"""Times whose unit no name says: what their size, and measured rates, tell of it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lissom.errors import InputError, shown
from lissom.spatial.rotations import Array

SINCE_1970 = ((1e17, 1e-9, "nanoseconds"), (1e14, 1e-6, "microseconds"), (1e11, 1e-3, "milliseconds"))
UNITS = {1e-3: "milliseconds", 1e-6: "microseconds", 1e-9: "nanoseconds"}
SHORT = {1e-3: ("ms", "1e-3"), 1e-6: ("us", "1e-6"), 1e-9: ("ns", "1e-9")}
CLOSE = 0.1  # of a power of a thousand
SLOW = 0.5  # s: longer sampling periods are those of another unit
USUAL = 5e-4, 0.1  # s: sampling periods in the unit that is meant
FASTEST = 20.0  # rad/s or m/s: above it times have no smaller unit


class Clock(NamedTuple):
    """Times [s], what was done to them, and a sentence about what looks wrong in them."""

    t: Array
    notes: tuple[str, ...] = ()
    doubt: tuple[str, ...] = ()


def of_rate(rate_hz: float, count: int) -> Array:
    """Times (count,) of a table that has none."""
    if isinstance(rate_hz, bool) or not isinstance(rate_hz, int | float | np.number) or not 0.0 < rate_hz < np.inf:
        raise InputError(f"rate_hz is {shown(rate_hz)}; expected samples per second, above 0.")
    return np.arange(count) / float(rate_hz)


def seconds(t: Array, q: Array | None, qd: Array | None) -> Clock:
    """Times of a column without a unit: since 1970 in a small unit, or in one that measured rates show."""
    finite = np.abs(t[np.isfinite(t)])
    size = float(np.median(finite)) if finite.size else 0.0
    for least, factor, word in SINCE_1970:
        if size > least:
            t = t - t[np.isfinite(t)][0]
            return Clock(factor * t, (f"times are {word} since 1970; they are counted from the first row.",))
    if q is None:
        return Clock(t)
    unit = _by_rates(t, q, qd)
    if unit is not None:
        why = "so the rates are the slopes of the positions"
        return Clock(unit * t, (f"times are taken for {UNITS[unit]}: {why}.",))
    return Clock(t, doubt=_doubt(t, q))


def _by_rates(t: Array, q: Array, qd: Array | None) -> float | None:
    """The unit [s] of times with which the slopes of positions are the measured rates of most joints."""
    if qd is None:
        return None
    good = np.isfinite(np.column_stack([t, q, qd])).all(axis=1)
    step = np.diff(t[good])
    if not step.size or not (step > 0.0).any():
        return None
    slope = np.diff(q[good], axis=0)[step > 0.0] / step[step > 0.0, None]
    rate = qd[good][1:][step > 0.0]
    sizes = np.linalg.norm(slope, axis=0), np.linalg.norm(rate, axis=0)
    agree = np.abs((slope * rate).sum(axis=0)) > 0.8 * sizes[0] * sizes[1]
    some = agree & (sizes[0] > 0.0) & (sizes[1] > 0.0)
    if not some.any():
        return None
    ratio = float(np.median((sizes[0] / np.maximum(sizes[1], 1e-300))[some]))
    return next((unit for unit in UNITS if abs(ratio / unit - 1.0) < CLOSE), None)


def _doubt(t: Array, q: Array) -> tuple[str, ...]:
    """A sentence about times that look like those of a smaller unit."""
    steps, moves = np.abs(np.diff(t)), np.abs(np.diff(q, axis=0))
    steps, moves = steps[np.isfinite(steps)], moves[np.isfinite(moves)]
    step = float(np.median(steps)) if steps.size else 0.0
    unit = next((unit for unit in UNITS if USUAL[0] <= step * unit <= USUAL[1]), None)
    if step < SLOW or unit is None or not moves.size or float(np.percentile(moves, 99)) > FASTEST * step * unit:
        return ()
    return (
        f"the log is sampled at {1 / step:.3g} Hz, every {step:.3g} s, and its joints hardly move in that time: if its "
        f"times are {UNITS[unit]}, give scale={{'t': {SHORT[unit][1]}}} to load_log, or name the column with its unit "
        f"(time_{SHORT[unit][0]}).",
    )
