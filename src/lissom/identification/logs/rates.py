"""Channels that are logged at other times than the positions, in tables that merge them."""

from __future__ import annotations

import numpy as np

from lissom.identification.logs.work import Repair, counted
from lissom.spatial.rotations import Array

ALL = 0.9  # of the rows: a channel with more numbers is logged with the others, and misses some
FEWEST = 20
REGULAR = 6.0  # times the usual distance of rows with numbers is the largest


def join_rates(work: Repair) -> None:
    """Keep the rows that have positions, and interpolate channels that are logged at other times, at a rate of theirs."""
    t = work.table["t"]
    words = [word for word in work.table if word not in ("t", "second")]
    own = {word: np.isfinite(t) & np.isfinite(work.table[word]).all(axis=1) for word in words}
    apart = {word for word in words if own[word].mean() < ALL and _regular(t[own[word]])}
    rows = own["q"] if "q" in apart else np.ones(len(t), bool)
    if "q" in apart:
        work.notes.append(f"{counted(int((~rows).sum()), 'row')} without positions left out: they have other channels.")
    for word in sorted(apart - {"q"}):
        if own[word][rows].mean() < ALL:
            times = t[own[word]]
            work.table[word] = np.column_stack([np.interp(t, times, x[own[word]]) for x in work.table[word].T])
            rows = rows & (t >= times[0]) & (t <= times[-1])
            rate = 1 / float(np.median(np.diff(times)))
            work.notes.append(f"{word} has times of its own, at {rate:.4g} Hz: interpolated to those of the positions.")
    work.table = {word: values[rows] for word, values in work.table.items()}


def _regular(t: Array) -> bool:
    """Whether times come again and again, as those of a channel with a rate of its own."""
    step = np.diff(t)
    return bool(len(t) >= FEWEST and (step >= 0.0).all() and step.max() <= REGULAR * np.median(step))
