"""Times of a log: rows in their order, clocks that are coarse or jitter, repeated rows, gaps, a uniform grid."""

from __future__ import annotations

import numpy as np

from lissom.identification.logs.work import MOST_BAD, Repair, Table, counted
from lissom.spatial.rotations import Array

LONGEST_GAP = 5  # samples that may be interpolated
LONGEST_HOLD = 4  # equal rows in sequence that are one measurement logged again
UNEVEN = 1e-3  # of a sampling period
ROUGHER = 1.05  # times the way of the joints: so much more in the order of the times says that they are of several runs
SHORT = 0.3  # of a sampling period: shorter steps of the clock say that it is coarse or jitters
MOST_SHORT = 0.02  # of the steps
ALL = 0.9  # of the rows: a channel with more numbers is logged with the others, and misses some
FEWEST = 20
REGULAR = 6.0  # times the usual distance of rows with numbers is the largest
OFF = 3.0  # sampling periods that a clock may be off those of a uniform one


def join_rates(work: Repair) -> None:
    """Keep the rows that have positions; channels that a merged table has at other times are interpolated to them."""
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


def sort_rows(work: Repair) -> None:
    """Bring rows into the order of their times, if the joints move no further so: not those of several runs."""
    t = work.table["t"]
    if not (np.diff(t) < 0.0).any():
        return
    order = np.argsort(t, kind="stable")
    twice = np.mean(np.diff(t[order]) == 0.0)
    q = work.table["q"]
    if twice > MOST_BAD or _way(q[order]) > ROUGHER * _way(q):
        return  # an error names the place
    moved = int((order != np.arange(len(t))).sum())
    work.table = {word: values[order] for word, values in work.table.items()}
    work.notes.append(f"{counted(moved, 'row')} brought into the order of the times.")


def _way(q: Array) -> float:
    """How far the joints move from row to row, all in all, each in units of its range."""
    span = np.ptp(q, axis=0)
    return float((np.abs(np.diff(q, axis=0)).sum(axis=0) / np.where(span > 0.0, span, 1.0)).sum())


def even_out(work: Repair) -> None:
    """Take uniform times in place of those of a clock that is coarse or jitters, if the motion is smoother so."""
    t = work.table["t"]
    if len(t) < 3 or (np.diff(t) < 0.0).any():
        return
    rows = np.arange(len(t))
    period = (t[-1] - t[0]) / rows[-1]
    if (
        period <= 0.0
        or np.mean(np.diff(t) < SHORT * period) < MOST_SHORT
        or _equal_rows(work.table).mean() > MOST_SHORT
    ):
        return
    even = np.asarray(np.polyval(np.polyfit(rows, t, 1), rows), float)
    off = float(np.abs(t - even).max())
    if off > OFF * period + np.diff(t).max() or _roughness(work.table["q"], even) > _roughness(work.table["q"], t):
        return
    work.table["t"] = even
    work.notes.append(
        f"times are off by up to {1e3 * off:.3g} ms, coarse or late: the motion is smoother at the uniform times that "
        f"are taken in their place, {1 / period:.4g} Hz."
    )


def _roughness(q: Array, t: Array) -> float:
    """Changes of the rates between rows, all in all; infinite for times that stand still."""
    step = np.diff(t)
    if not (step > 0.0).all():
        return np.inf
    span = np.ptp(q, axis=0)
    rate = np.diff(q / np.where(span > 0.0, span, 1.0), axis=0) / step[:, None]
    return float((np.diff(rate, axis=0) ** 2).sum())


def drop_repeated(work: Repair) -> None:
    """Remove rows whose time does not increase, and rows that hold the measurement before."""
    t = work.table["t"]
    newest = np.maximum.accumulate(t)
    fresh = np.concatenate([[True], t[1:] > newest[:-1]])
    back = np.concatenate([[False], t[1:] < newest[:-1]])
    if back.sum() > max(MOST_BAD * len(t), 2):
        k = int(np.argmax(back))
        raise work.refusal(
            f"{int(back.sum())} rows have earlier times than a row before, first row {k + 1} (from {t[k - 1]:.6g} to "
            f"{t[k]:.6g} s). Expected one run with increasing times; split the file."
        )
    work.keep(fresh, "times that do not increase", bad=int((~fresh).sum()) if back.any() else 0)
    same = np.concatenate([[False], _equal_rows(work.table)])
    work.keep(np.logical_not(_short_holds(same)), "the measurement before, logged again")


def _equal_rows(table: Table) -> Array:
    """Whether each row but the first has the values of the one before, in all channels."""
    parts = [values for word, values in table.items() if word != "t"]
    values = np.nan_to_num(np.concatenate(parts, axis=1))
    return (values[1:] == values[:-1]).all(1)


def _short_holds(same: Array) -> Array:
    """Which of the rows that equal the one before are in short sequences: longer ones are an arm at rest."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], same.astype(int), [0]])))
    out = np.zeros(len(same), bool)
    for start, end in edges.reshape(-1, 2):
        out[start:end] = end - start < LONGEST_HOLD
    return out


def _drop_close(work: Repair) -> None:
    """Remove rows that follow another one at once: splines through both would swing."""
    step = np.diff(work.table["t"])
    work.keep(np.concatenate([[True], step > SHORT * np.median(step)]), "they follow another one at once")


def refuse_gaps(work: Repair) -> None:
    """Raise an error where more samples are missing than may be interpolated."""
    t = work.table["t"]
    step = np.diff(t)
    usual = float(np.median(step))
    missing = np.rint(step / usual).astype(int) - 1
    if missing.max() > LONGEST_GAP:
        k = int(np.argmax(missing))
        before, after = f"({t[0]:.6g}, {t[k]:.6g})", f"({t[k + 1]:.6g}, {t[-1]:.6g})"
        raise work.refusal(
            f"{missing[k]} samples are missing from t = {t[k]:.6g} to {t[k + 1]:.6g} s; at most {LONGEST_GAP} are "
            f"interpolated. Give the parts before and after as two logs, load_log(..., between={before}) and {after}."
        )
    if missing.any():
        work.notes.append(
            f"{counted(missing.sum(), 'missing sample')} interpolated, in {counted((missing > 0).sum(), 'place')}."
        )


def resample(work: Repair) -> None:
    """Interpolate to a uniform grid of times, unless they are uniform already."""
    from scipy.interpolate import make_interp_spline

    t = work.table["t"]
    step = np.diff(t)
    usual = float(np.median(step))
    if (step < SHORT * usual).any():
        _drop_close(work)
        t = work.table["t"]
        step = np.diff(t)
    if np.abs(step - usual).max() <= UNEVEN * usual:
        return
    grid = t[0] + usual * np.arange(int((t[-1] - t[0]) / usual + 1e-9) + 1)
    work.notes.append(
        f"times are uneven ({1e3 * step.min():.4g} to {1e3 * step.max():.4g} ms): resampled at {1 / usual:.4g} Hz."
    )
    for word, values in work.table.items():
        if word in ("q", "qd"):
            work.table[word] = make_interp_spline(t, values, k=3)(grid)
        elif word != "t":  # torques jump; splines would overshoot
            work.table[word] = np.column_stack([np.interp(grid, t, column) for column in values.T])
    work.table["t"] = grid
