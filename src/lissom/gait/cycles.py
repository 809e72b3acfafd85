"""Cycles of a walk: when feet stand, and curves cut from heel strike to heel strike."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lissom.gait.curves import GRID, GaitCurves
from lissom.spatial.rotations import Array

ON = 0.03  # vertical force at which a foot stands, of body weight
SHORTEST_STANCE = 0.1  # s
SHORTEST_CYCLE, LONGEST_CYCLE = 0.5, 3.0  # s
Interval = tuple[float, float]


class Leg(NamedTuple):
    """What is known of one leg over time.

    signals : {curve: (times, values)}    see `curves.KINDS`
    stances : intervals [s]               from heel strike to toe off, in order
    """

    signals: Mapping[str, tuple[Array, Array]]
    stances: Sequence[Interval]


def stances_of(t: Array, vertical: Array) -> list[Interval]:
    """Intervals in which a foot stands, by its vertical force (nt,) over body weight.

    One that has begun before the first time begins at -inf, one that goes on after the last ends at inf.
    """
    on = vertical > ON
    begins = _crossing(t, vertical, np.flatnonzero(~on[:-1] & on[1:]))
    ends = _crossing(t, vertical, np.flatnonzero(on[:-1] & ~on[1:]))
    begins = np.concatenate([[-np.inf] if on[0] else [], begins])
    ends = np.concatenate([ends, [np.inf] if on[-1] else []])
    pairs = zip(begins.tolist(), ends.tolist(), strict=True)
    return [(begin, end) for begin, end in pairs if end - begin >= SHORTEST_STANCE]


def _crossing(t: Array, y: Array, k: NDArray[np.intp]) -> Array:
    """Times at which a curve reaches the threshold between samples k and k + 1."""
    share = (ON - y[k]) / (y[k + 1] - y[k])
    return np.asarray(t[k] + share * (t[k + 1] - t[k]))


def repeated(leg: Leg, period: float, times: int = 3) -> Leg:
    """A leg of a periodic walk over several periods."""
    signals = {
        name: (np.concatenate([t + k * period for k in range(times)]), np.tile(y, times))
        for name, (t, y) in leg.signals.items()
    }
    stances = [(a + k * period, b + k * period) for k in range(times) for a, b in leg.stances]
    return Leg(signals, joined(stances))


def joined(some: Sequence[Interval]) -> list[Interval]:
    """Intervals in order, those that touch or overlap as one."""
    out: list[Interval] = []
    for begin, end in sorted(some):
        if out and begin - out[-1][1] < 1e-9:
            out[-1] = (out[-1][0], max(end, out[-1][1]))
        else:
            out.append((begin, end))
    return out


class Cycle(NamedTuple):
    """One cycle of a leg: its curves (101,) by name, when it begins and ends [s], stance and double support [%]."""

    curves: dict[str, Array]
    begin: float
    end: float
    stance: float
    double_support: float


def cycles_of(leg: Leg, other: Leg) -> list[Cycle]:
    """Whole cycles of a leg, from each heel strike to the next, as far as all its signals reach."""
    first = max(t[0] for t, _ in leg.signals.values()) - 1e-9
    last = min(t[-1] for t, _ in leg.signals.values()) + 1e-9
    out = []
    for (begin, off), (end, _) in zip(leg.stances[:-1], leg.stances[1:], strict=True):
        if first <= begin and end <= last and SHORTEST_CYCLE <= end - begin <= LONGEST_CYCLE:
            length = end - begin
            both = _overlap([(begin, off)], other.stances)
            curves = {name: np.interp(begin + GRID / 100 * length, t, y) for name, (t, y) in leg.signals.items()}
            out.append(Cycle(curves, begin, end, 100 * (off - begin) / length, 100 * both / length))
    return out


def _overlap(some: Sequence[Interval], others: Sequence[Interval]) -> float:
    return sum(max(0.0, min(b, d) - max(a, c)) for a, b in some for c, d in others)


def mean_of(name: str, cycles: Sequence[Cycle], mass: float, notes: Sequence[str] = ()) -> GaitCurves:
    """Mean and standard deviation of cycles."""
    stacked = {word: np.array([cycle.curves[word] for cycle in cycles]) for word in cycles[0].curves}
    spread = {word: y.std(axis=0, ddof=1) for word, y in stacked.items()} if len(cycles) > 1 else {}

    def mean(values: list[float]) -> float:
        return float(np.mean(values))

    return GaitCurves(
        name, {word: y.mean(axis=0) for word, y in stacked.items()}, spread,
        mean([cycle.end - cycle.begin for cycle in cycles]), mean([cycle.stance for cycle in cycles]),
        mean([cycle.double_support for cycle in cycles]), len(cycles), mass, tuple(notes),
    )  # fmt: skip
